"""Gives runs to workers on other machines, and takes them back to this process."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from acm_workers import broker
from acm_workers.engine import admission, publish
from acm_workers.errors import LimitsUnavailable, RequestError
from acm_workers.pipeline.snapshot import RecordContext
from acm_workers.settings import Settings
from acm_workers.store import documents, runs, tenants, units, workers
from acm_workers.store.connection.database import Database
from schemas import lanes
from schemas.config.provider import Provider
from schemas.run import Run
from schemas.scope import Scope

_MOMENT = timedelta(seconds=1)


def hand_over(database: Database, run: Run, settings: Settings, making: RecordContext) -> None:
    """Give a run to workers on other machines, and send its first messages.

    If these messages are lost, the sweep of the workers sends them again.
    """
    from acm_workers import app  # slow to import

    app.distributed()
    scope = tenants.scope_of(database, run.id)
    resume_providers(scope, run.config.providers, settings)  # for money or key are there again
    with database.write() as connection:
        runs.give_to_workers(connection, run.id)
        units.resume_suspended(connection, run.id)
        unstarted = documents.unstarted(connection, run.id, making.now + _MOMENT)
        unstarted = admission.admitted(connection, run.id, unstarted)
        documents.mark_published(connection, unstarted, making.now)
    publish.start(database, unstarted)


def resume_providers(scope: Scope, providers: Mapping[str, Provider], settings: Settings) -> None:
    """End the pauses of a tenant's providers for all workers of a deployment."""
    from acm_workers.limits import factory  # slow to import

    prefix = settings.key_prefix.rstrip(":")
    own = {scope.qualified(name): provider for name, provider in providers.items()}
    limiter = factory.limiter(own, settings.broker_url, prefix=prefix)
    try:
        for name in own:
            limiter.resume(name)
    finally:
        limiter.close()


def limits(settings: Settings) -> dict[str, dict[str, Any]]:
    """Return the state of the limits shared by workers; empty without Redis.

    The keys are the names of providers, preceded by their tenants; see ``Scope.qualified``.
    """
    if settings.broker_url is None:
        return {}
    from acm_workers.limits import factory  # slow to import

    try:
        return factory.states(settings.broker_url, prefix=settings.key_prefix.rstrip(":"))
    except LimitsUnavailable:
        return {}


def take_back(database: Database, run: Run, now: datetime) -> None:
    """Take a run back from workers, so that only this process works on it.

    Raises:
        RequestError: Workers are still working on the run.
    """
    with database.write() as connection:
        if runs.take_from_workers(connection, run.id) and workers.alive(connection, now):
            raise RequestError(
                f"run {run.id} is in the hands of workers on other machines: set ACM_BROKER_URL"
                " to go on with it there, or stop them"
            )


def nobody_serves(queues: Sequence[str]) -> str:
    """Return the message for users that no worker serves ``queues``, with the remedy."""
    providers = dict.fromkeys(filter(None, map(lanes.provider_of, map(lanes.lane_of, queues))))
    options = [f"--provider {name}" for name in providers]
    children = list(dict.fromkeys(filter(None, map(lanes.child_kind_of, queues))))
    options += [f"--generators {','.join(children)}"] if children else []
    options += ["--control"] if any("." not in queue for queue in queues) else []
    return f"no worker serves {', '.join(queues)}: start one with `acm worker {' '.join(options)}`"


def idle_queues(database: Database, run: Run, now: datetime) -> list[str]:
    """Return the queues with waiting units of a run that no living worker serves."""
    with database.read() as connection:
        served = {queue for worker in workers.alive(connection, now) for queue in worker.queues}
        needed = units.planned_queues(connection, run.id)
    return sorted((needed | {broker.CONTROL}) - served)


def unserved(database: Database, run: Run, now: datetime) -> list[str]:
    """Return the idle queues of a run; empty for a run that is not given to workers."""
    with database.read() as connection:
        handed_over = any(going.id == run.id for going in runs.given_to_workers(connection))
    return idle_queues(database, run, now) if handed_over else []
