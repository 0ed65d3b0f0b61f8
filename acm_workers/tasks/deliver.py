"""What happens to every unit: claimed, worked on, saved once; failures are results too."""

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple, ParamSpec, TypeVar

import structlog
from celery import current_task
from sqlalchemy import Connection
from structlog.contextvars import bound_contextvars

from acm_workers import chord_backend, runtime
from acm_workers.calls.context import Unit
from acm_workers.calls.ledger import Ledger
from acm_workers.errors import (
    AcmError,
    AlreadyClaimed,
    AnswerPending,
    BudgetSpent,
    Cancelled,
    PermanentError,
    ProviderPaused,
    StoreFailed,
)
from acm_workers.pipeline.units import sample_number
from acm_workers.runtime import Runtime
from acm_workers.tasks.claim import Claim
from schemas.units import Artifact, Comparison, Evaluation, UnitKind

log = structlog.get_logger()

AnyUnit = TypeVar("AnyUnit", Artifact, Evaluation, Comparison)
Arguments = ParamSpec("Arguments")


class Result(NamedTuple):
    """What working on a unit came to.

    Attributes:
        values: Columns of the unit's row.
        also: What else is to be saved in the same transaction.
    """

    values: dict[str, Any]
    also: Callable[[Connection], None] | None = None


def quietly(task: Callable[Arguments, None]) -> Callable[Arguments, None]:
    """Keep errors from Celery: a chord whose header raises never comes to its end."""

    @wraps(task)
    def wrapped(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        live = runtime.current()
        live.last_task_at = runtime.utc_now()
        chord_backend.begin(current_task.request.group if current_task else None)
        try:
            task(*args, **kwargs)
        except StoreFailed as error:
            live.give_up(error)
        except Exception:
            log.exception("task failed", task=task.__name__, args=args)

    return wrapped


def deliver(
    kind: UnitKind,
    unit_id: str,
    get: Callable[[Connection, str], AnyUnit | None],
    work: Callable[[Runtime, AnyUnit, Ledger], Result],
) -> AnyUnit | None:
    """Claim a unit, do its work and save the result or the failure.

    Returns:
        The unit as it was claimed; None if somebody else has it, or if it was given back.

    Raises:
        StoreFailed: The result could not be saved.
    """
    live = runtime.current()
    with live.holding(kind, unit_id) as first, bound_contextvars(unit=unit_id):
        return _deliver(live, kind, unit_id, get, work) if first else None


def _deliver(
    live: Runtime,
    kind: UnitKind,
    unit_id: str,
    get: Callable[[Connection, str], AnyUnit | None],
    work: Callable[[Runtime, AnyUnit, Ledger], Result],
) -> AnyUnit | None:
    if live.stopping.is_set():
        live.put_back(kind, unit_id)
        return None
    unit = live.database.ask(lambda connection: get(connection, unit_id))
    if unit is None or unit.state != "planned":
        return None
    config = live.run(unit.run_id).config
    who = Unit(kind, unit.id, unit.run_id, unit.document_id, sample_number(unit, config))
    claim = Claim(live, kind, unit.id)
    ledger = Ledger(live.desk, who, config, claim)
    try:
        ledger.look(unit.provider, unit.model)
        result = _success(work(live, unit, ledger))
    except (Cancelled, AlreadyClaimed, AnswerPending, ProviderPaused, BudgetSpent) as error:
        _leave(live, unit, claim, ledger, error)
        return None
    except StoreFailed:
        claim.release(ledger.answered, unit.run_id)
        raise
    except AcmError as error:
        result = _failure(kind, error)
    except Exception as error:
        log.exception("unit failed by a fault of ours", run=unit.run_id)
        result = _failure(kind, error)
    return unit if _save(claim, kind, result, ledger) else None


def _leave(live: Runtime, unit: AnyUnit, claim: Claim, ledger: Ledger, why: AcmError) -> None:
    """Let a unit go that is not to be worked on now, or not by us."""
    if isinstance(why, AnswerPending) and not live.is_cancelled(unit.run_id):
        claim.postpone(ledger.answered, why.look_at)
    elif isinstance(why, Cancelled | AnswerPending):
        claim.release(ledger.answered, unit.run_id)
    elif not isinstance(why, AlreadyClaimed):
        claim.rest(ledger.answered)


def _save(claim: Claim, kind: UnitKind, result: Result, ledger: Ledger) -> bool:
    """Save a result; one that no store takes becomes a failure.

    Else the unit would stay claimed for as long as this process lives.
    """
    try:
        return claim.save(result.values, ledger, result.also)
    except AcmError:
        raise
    except Exception as error:
        log.exception("a result cannot be saved")
        ledger.answered.clear()
        return claim.save(_failure(kind, error).values, ledger, None)


def _success(result: Result) -> Result:
    values = {"state": "done", "error": None, "error_kind": None, "finished_at": runtime.utc_now()}
    return Result({**result.values, **values}, result.also)


def _failure(kind: UnitKind, error: Exception) -> Result:
    values: dict[str, Any] = {
        "state": "failed",
        "error": str(error)[:2000],
        "error_kind": error.kind if isinstance(error, AcmError) else type(error).__name__,
        "finished_at": runtime.utc_now(),
    }
    if isinstance(error, PermanentError) and error.raw is not None and kind != "artifact":
        values["raw"] = error.raw
    return Result(values)
