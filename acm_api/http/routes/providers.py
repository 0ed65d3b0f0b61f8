"""Providers: which there are, whether their keys are set, and what waits for them."""

import os
from collections import Counter

from fastapi import APIRouter

from acm_api.http import shapes
from acm_api.http.access import May
from acm_api.http.service import CurrentService
from acm_workers.store import runs, waits
from schemas.config.provider import KNOWN, Provider

router = APIRouter(tags=["providers"])

_MOST_RUNS = 50


@router.get("/providers")
def list_providers(service: CurrentService, caller: May.read) -> list[shapes.ShownProvider]:
    """List the built-in providers and those of runs under way, with what waits for them."""
    known: dict[str, Provider] = dict(KNOWN)
    waiting: dict[str, Counter[str]] = {}
    with service.database.read() as connection:
        for run in runs.page(connection, _MOST_RUNS, scope=caller.scope, state="running"):
            known |= run.config.providers
            for wait in waits.of_run(connection, run.id):
                waiting.setdefault(wait.provider, Counter())[wait.reason] += wait.units
    here = service.settings.broker_url is None
    return [
        shapes.ShownProvider(
            name=name,
            dialect=one.dialect,
            base_url=one.base_url,
            key_env=one.key_env,
            key_is_set=_is_set(one) if here else None,
            waiting=dict(waiting.get(name, {})),
            paused=next((why for why in waiting.get(name, ()) if why.startswith("paused")), None),
        )
        for name, one in sorted(known.items())
    ]


def _is_set(provider: Provider) -> bool:
    return provider.key_env is None or bool(os.environ.get(provider.key_env, "").strip())
