"""The common part of all tasks of units: claim, call a plain function, save."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import structlog
from sqlalchemy import Connection
from structlog.contextvars import bound_contextvars

from acm_workers import runtime
from acm_workers.calls import unit_caller
from acm_workers.calls.context import UnitRef
from acm_workers.calls.unit_caller import UnitCaller
from acm_workers.calls.unit_work import UnitResult
from acm_workers.errors import StoreFailed
from acm_workers.pipeline.units import sample_number
from acm_workers.runtime import Runtime
from schemas import lanes
from schemas.config.variant import Delivery, Model
from schemas.units import Artifact, Comparison, Evaluation, UnitKind, role_of

log = structlog.get_logger()

AnyUnit = TypeVar("AnyUnit", Artifact, Evaluation, Comparison)
Arguments = ParamSpec("Arguments")


def never_raises(task: Callable[Arguments, None]) -> Callable[Arguments, None]:
    """Keep the errors of a task from Celery: a chord whose header raises never runs its body."""

    @wraps(task)
    def wrapped(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        live = runtime.current()
        live.last_task_at = runtime.utc_now()
        try:
            task(*args, **kwargs)
        except StoreFailed as error:
            live.give_up(error)
        except Exception as error:
            log.exception("task failed", task=task.__name__, args=args)
            live.give_up_on(error)

    return wrapped


def run(
    kind: UnitKind,
    unit_id: str,
    get: Callable[[Connection, str], AnyUnit | None],
    work: Callable[[Runtime, AnyUnit, UnitCaller], UnitResult],
    delivery: Callable[[Runtime, AnyUnit], Delivery] = lambda _live, _unit: "live",
) -> AnyUnit | None:
    """Do the work of a unit and save its result or failure; a second delivery has no effect.

    Args:
        delivery: Function that returns how the first request is sent.

    Returns:
        The unit as planned; None if no result was saved, because another worker has claimed the
        unit or because the unit was released.

    Raises:
        StoreFailed: The result could not be saved.
    """
    live = runtime.current()
    with live.holding(kind, unit_id) as first, bound_contextvars(unit=unit_id):
        if not first:
            return None
        if live.stopping.is_set():
            live.put_back(kind, unit_id)
            return None
        with live.database.autocommit() as connection:
            unit = get(connection, unit_id)
        if unit is None or unit.state != "planned":
            return None
        if live.is_paused(unit.run_id):
            live.put_back(kind, unit_id)
            return None
        config = live.run(unit.run_id).config
        ref = UnitRef(kind, unit.id, unit.run_id, unit.document_id, sample_number(unit, config))
        ref = ref._replace(role=role_of(unit))
        # What a child process asks is answered within its own life.
        is_child = lanes.child_kind_of(unit.lane) is not None
        model = None if is_child else Model(provider=unit.provider, model=unit.model)
        ended = unit_caller.run_unit(
            live.call_context,
            config,
            ref,
            model,
            lambda calls: work(live, unit, calls),
            delivery(live, unit),
        )
        return unit if ended.saved else None
