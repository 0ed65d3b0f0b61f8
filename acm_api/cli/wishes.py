"""What `acm worker` is asked to serve: whether it can be, and whether anybody needs it."""

from acm_api.config.nearest import hint, nearest
from acm_workers.errors import RequestError
from acm_workers.store import runs
from acm_workers.store.connection.database import Database
from acm_workers.supervising.plan import CONTROL, Wish
from schemas.config.provider import KNOWN

_WORK = ("generate", "judge", "poll")


def checked(wish: Wish, name: str | None) -> Wish:
    """Return a wish that can be fulfilled.

    Args:
        name: What the machine is to be called, if anything.

    Raises:
        RequestError: It cannot be.
    """
    if not (wish.providers or wish.queues or wish.control or wish.everything):
        raise RequestError("say what to serve: --all, --provider NAME, --control or --queues A,B")
    for given in [*wish.providers, *wish.queues, *([name] if name is not None else [])]:
        if not given or set(given) & set(" ,@"):
            raise RequestError(
                f'"{given}" cannot be a name: it is empty, or has a space, "," or "@"'
            )
    for queue in wish.queues:
        _check(queue)
    return wish


def _check(queue: str) -> None:
    work, _, provider = queue.partition(".")
    if queue == CONTROL or (work in _WORK and provider):
        return
    close = nearest(work, (CONTROL, *_WORK))
    meant = f"; did you mean {queue.replace(work, close, 1)}?" if close and provider else ""
    raise RequestError(
        f'"{queue}" is no queue: they are control, generate.NAME, judge.NAME or poll.NAME,'
        f" NAME of a provider{meant}",
        "--queues",
    )


def unneeded(database: Database, wish: Wish) -> list[str]:
    """Return what is strange about providers that no run under way names, for people.

    Nothing while no run is under way, for workers may well be there first.
    """
    with database.read() as connection:
        going = [runs.get(connection, run.id).config for run in runs.given_to_workers(connection)]
    named = {name for config in going for name in config.providers}
    asked = [*wish.providers, *(queue.partition(".")[2] for queue in wish.queues)]
    return [
        f"no run under way names provider {name}{hint(name, named)}"
        for name in dict.fromkeys(asked)
        if name and named and name not in named and name not in KNOWN
    ]
