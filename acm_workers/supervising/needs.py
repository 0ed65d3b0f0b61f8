"""What this machine is to serve, by what was asked of it and the runs in the store."""

from collections.abc import Sequence

from sqlalchemy import Connection

from acm_workers.errors import RequestError
from acm_workers.providers.http import endpoints
from acm_workers.store import runs
from acm_workers.store.runs import ActiveRun
from acm_workers.supervising import plan
from acm_workers.supervising.plan import Plan, Wish
from schemas.config.config import Config
from schemas.config.provider import Provider


class Needs:
    """Reads the config of each run once, and again when it may have changed."""

    def __init__(self, wish: Wish) -> None:
        self._wish = wish
        self._configs: dict[ActiveRun, Config] = {}
        # What a run needed, the next one is likely to need: it stays after the run.
        self._named: dict[str, list[Provider]] = {}

    def plan(self, connection: Connection, going: Sequence[ActiveRun]) -> Plan:
        """Return what this machine is to do while these runs go on."""
        self._configs = {
            run: self._configs.get(run) or runs.get(connection, run.id).config for run in going
        }
        configs = list(self._configs.values())
        for name in {name for config in configs for name in config.providers}:
            found = [config.providers[name] for config in configs if name in config.providers]
            self._named[name] = found
        return plan.plan(self._wish, self._named, lack)


def lack(name: str, provider: Provider) -> str | None:
    """Return why this machine cannot speak to a provider, in words without its key."""
    try:
        endpoints.api_key(provider, name)
    except RequestError as error:
        return str(error)
    return None
