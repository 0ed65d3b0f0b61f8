"""Transcripts: the request of a call, rendered again by the code that sent it.

Prompts are not stored, because they repeat the same texts. Instead the work of a unit is repeated
with stored answers in place of calls, until the request with the digest of the call is made.
"""

from acm_workers.errors import AcmError
from acm_workers.limits.memory import MemoryLimiter
from acm_workers.providers import completion
from acm_workers.runtime import Runtime
from acm_workers.store import artifacts, calls, comparisons, evaluations
from acm_workers.store.connection.database import Database
from acm_workers.tasks import generate, judge
from schemas.calls import Call, CallStage, Completion, Request
from schemas.config.config import Config


def request_of(database: Database, call: Call) -> Request | None:
    """Return the request that a call sent.

    None if it cannot be rendered, because its texts were deleted, or because an earlier version or
    a child process sent it.
    """
    live = Runtime(database, MemoryLimiter({}))
    replay = _Replay(database, live.run(call.run_id).config, call)
    try:
        _do_again(live, call, replay)
    except _RequestFound:
        return replay.request
    except (AcmError, LookupError, StopIteration, ValueError):
        return None
    return None


class _RequestFound(Exception):
    """Raised when the request has been found."""


class _Replay:
    """A ``Caller`` that answers requests from the stored calls of one unit."""

    def __init__(self, database: Database, config: Config, call: Call) -> None:
        self._database = database
        self._config = config
        self._call = call
        self.request: Request | None = None

    def complete(self, request: Request, stage: CallStage = "main") -> Completion:
        """Return the stored answer to ``request``; see ``Caller``."""
        del stage
        digest = completion.digest(self._config.providers[request.provider], request)
        if digest == self._call.digest:
            self.request = request
            raise _RequestFound
        with self._database.read() as connection:
            answer = calls.answer_of_unit(connection, self._call.unit_id, digest)
        if answer is None:
            raise LookupError("no call of this unit sent this request")
        return answer


def _do_again(live: Runtime, call: Call, caller: _Replay) -> None:
    with live.database.read() as connection:
        if call.unit_kind == "artifact":
            artifact = artifacts.get(connection, call.unit_id)
        elif call.unit_kind == "evaluation":
            evaluation = evaluations.get(connection, call.unit_id)
        else:
            comparison = comparisons.get(connection, call.unit_id)
    if call.unit_kind == "artifact" and artifact is not None:
        generate.write(live, artifact, caller)
    elif call.unit_kind == "evaluation" and evaluation is not None:
        judge.score_with(live, evaluation, caller)
    elif call.unit_kind == "comparison" and comparison is not None:
        judge.compare_with(live, comparison, caller)
