"""One whole answer: paused ones go on, and those that were cut off get twice the budget."""

from acm_workers.calls.caller import Caller
from acm_workers.errors import AnswerCutOff
from schemas.calls import CallStage, Completion, Request

MOST_HOPS = 5
"""How often a paused answer goes on."""


def answer(
    caller: Caller, request: Request, stage: CallStage = "main", *, most_tokens: int | None
) -> tuple[Request, Completion]:
    """Return the answer, and the request that got it, which may have the larger budget.

    Args:
        most_tokens: Budget of the second request, if the first one's is used up.

    Raises:
        AnswerCutOff: Neither budget was enough, or it paused too often.
        PermanentError: There is no answer.
    """
    found = _to_its_end(caller, request, stage)
    if _can_grow(request, found, most_tokens):
        request = request.model_copy(update={"max_tokens": most_tokens})
        found = _to_its_end(caller, request, stage)
    if found.finish_reason == "length":
        also = "" if request.max_tokens is None else f", also with {request.max_tokens}"
        raise AnswerCutOff(f"{request.model} ran out of tokens{also}", raw=found.text)
    if found.finish_reason == "pause":
        raise AnswerCutOff(f"{request.model} paused more than {MOST_HOPS} times", raw=found.text)
    return request, found


def _can_grow(request: Request, found: Completion, most_tokens: int | None) -> bool:
    if found.finish_reason != "length" or request.max_tokens is None or most_tokens is None:
        return False
    return request.max_tokens < most_tokens


def _to_its_end(caller: Caller, request: Request, stage: CallStage) -> Completion:
    """Return the answer after its last pause; it holds what was said before the pauses as well."""
    found = caller.complete(request, stage)
    for _ in range(MOST_HOPS):
        if found.finish_reason != "pause":
            break
        found = caller.complete(request.model_copy(update={"so_far": found.so_far}), stage)
    return found
