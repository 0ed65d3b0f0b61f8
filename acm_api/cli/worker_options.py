"""Checks of the options of `acm worker`."""

from acm_api.config.nearest import hint, nearest
from acm_workers.broker import CONTROL
from acm_workers.engine.worker_plan import WorkerOptions
from acm_workers.errors import RequestError
from acm_workers.store import runs
from acm_workers.store.connection.database import Database
from schemas import lanes
from schemas.config.provider import KNOWN
from schemas.config.research import RESEARCH_DEFAULTS
from schemas.scope import unqualified

_CHILDREN = tuple(RESEARCH_DEFAULTS)


def check(options: WorkerOptions) -> None:
    """Check that the options can be satisfied.

    Raises:
        RequestError: An option cannot be satisfied.
    """
    given = [*options.providers, *options.queues]
    if not (given or options.generators or options.serves_control or options.submissions):
        raise RequestError(
            "choose what to serve: --all, --provider NAME, --generators A,B, --control,"
            " --queues A,B or --submissions"
        )
    for kind in options.generators:
        if kind not in _CHILDREN:
            raise RequestError(
                f'"{kind}" is no generator of a process of its own: they are'
                f" {', '.join(_CHILDREN)}{hint(kind, _CHILDREN)}",
                "--generators",
            )
    for name in [*given, *([options.machine] if options.machine is not None else [])]:
        if not name or set(name) & set(" ,@"):
            raise RequestError(
                f'"{name}" cannot be a name: it is empty, or has a space, "," or "@"'
            )
    for queue in options.queues:
        _check_queue(queue)


def unneeded(database: Database, options: WorkerOptions) -> list[str]:
    """Return a message about providers in the options that no active run uses.

    Empty if no run is active, because workers may be started before runs.
    """
    with database.read() as connection:
        going = [
            (runs.tenant_of(connection, run.id), runs.get(connection, run.id).config)
            for run in runs.given_to_workers(connection)
        ]
    qualified = {scope.qualified(name) for scope, config in going for name in config.providers}
    # A provider is served for all tenants, and a queue is that of one tenant.
    named = qualified | set(map(unqualified, qualified))
    asked = [(name, named) for name in options.providers]
    asked += [(name, qualified) for name in map(lanes.provider_of, options.queues) if name]
    return [
        f"no active run uses provider {name}{hint(name, known)}"
        for name, known in dict(asked).items()
        if known and name not in known and unqualified(name) not in KNOWN
    ]


def _check_queue(queue: str) -> None:
    work, _, provider = queue.partition(".")
    if queue == CONTROL or (work in lanes.WORK and provider):
        return
    close = nearest(work, (CONTROL, *lanes.WORK))
    meant = f"; did you mean {queue.replace(work, close, 1)}?" if close and provider else ""
    raise RequestError(
        f'"{queue}" is not a queue: use control, generate.NAME, judge.NAME or poll.NAME,'
        " NAME of a provider, and child.KIND; TENANT/NAME and TENANT/KIND for a tenant other than"
        f" default{meant}",
        "--queues",
    )
