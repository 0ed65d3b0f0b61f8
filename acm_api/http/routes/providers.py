"""Providers: their names, whether their keys are set, and the units that wait for them."""

import os
from collections import Counter
from typing import Annotated

from fastapi import APIRouter, Path

from acm_api.http import shapes
from acm_api.http.access import Authorized
from acm_api.http.service import CurrentService
from acm_workers import runtime
from acm_workers.engine import run_ownership
from acm_workers.errors import Conflict, NotFound
from acm_workers.store import accounts, runs, waits
from schemas.config.provider import KNOWN, Provider
from schemas.units import RunState

router = APIRouter(tags=["providers"])

_MOST_RUNS = 50
_GOING: tuple[RunState, ...] = ("running", "paused")


@router.get("/providers")
def list_providers(service: CurrentService, caller: Authorized.read) -> list[shapes.ShownProvider]:
    """List the built-in providers and those of active runs, with the units that wait for them."""
    known: dict[str, Provider] = dict(KNOWN)
    waiting: dict[str, Counter[str]] = {}
    with service.database.read() as connection:
        for run in runs.page(connection, _MOST_RUNS, scope=caller.scope, state="running"):
            known |= run.config.providers
            for wait in waits.of_run(connection, run.id):
                waiting.setdefault(wait.provider, Counter())[wait.reason] += wait.units
    here = service.settings.broker_url is None
    limits = run_ownership.limits(service.settings)
    return [
        shapes.ShownProvider(
            name=name,
            dialect=one.dialect,
            base_url=one.base_url,
            key_env=one.key_env,
            key_is_set=_is_set(one) if here else None,
            waiting=dict(waiting.get(name, {})),
            limits=limits.get(caller.scope.qualified(name)),
            paused=next((why for why in waiting.get(name, ()) if why.startswith("paused")), None),
        )
        for name, one in sorted(known.items())
    ]


@router.post("/providers/{name}/resume", status_code=202)
def resume(
    name: Annotated[str, Path(min_length=1, max_length=100)],
    service: CurrentService,
    caller: Authorized.admin,
) -> shapes.ResumedProvider:
    """End the pause of the tenant's provider whose money, quota or key is available again.

    Runs that were paused because of it continue when they are resumed. 409 without workers:
    resuming a run ends the pauses of its providers then.
    """
    if service.settings.broker_url is None:
        raise Conflict("without workers, resuming a run ends the pauses of its providers")
    known: dict[str, Provider] = dict(KNOWN)
    with service.database.read() as connection:
        for state in _GOING:
            for run in runs.page(connection, _MOST_RUNS, scope=caller.scope, state=state):
                known |= run.config.providers
    if name not in known:
        raise NotFound(f'there is no provider "{name}" in runs under way')
    run_ownership.resume_providers(caller.scope, {name: known[name]}, service.settings)
    with service.database.write() as connection:
        now = runtime.utc_now()
        accounts.audit(connection, caller.scope, caller.name, "resume provider", now, name)
    return shapes.ResumedProvider(name=name)


def _is_set(provider: Provider) -> bool:
    return provider.key_env is None or bool(os.environ.get(provider.key_env, "").strip())
