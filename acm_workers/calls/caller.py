"""The interface through which generators and judges request complete answers."""

from typing import Protocol

from acm_workers.errors import AnswerCutOff
from schemas.calls import CallStage, Completion, Request

MOST_CONTINUATIONS = 5
"""Maximum number of continuations of a paused answer."""


class Caller(Protocol):
    """Answers requests on behalf of one unit."""

    def complete(self, request: Request, stage: CallStage = "main") -> Completion:
        """Answer ``request``; transient failures have been retried already.

        Raises:
            PermanentError: There will be no answer.
            AnswerPending: The model works on the answer in the background.
            ProviderPaused: The provider's money or quota is used up, or it refuses the key.
            BudgetSpent: The run's budget does not allow the call.
            Cancelled: The run was cancelled.
        """
        ...


def whole_answer(
    caller: Caller, request: Request, stage: CallStage = "main", *, most_tokens: int | None
) -> tuple[Request, Completion]:
    """Return the complete answer and its request, whose token limit may have been raised.

    A paused answer is continued. An answer that reached its token limit is requested again with a
    limit of ``most_tokens``.

    Raises:
        AnswerCutOff: Neither limit was enough, or the answer paused too often.
        PermanentError: There is no answer.
    """
    answer = _continued(caller, request, stage)
    if answer.finish_reason == "length" and _is_below(request.max_tokens, most_tokens):
        request = request.model_copy(update={"max_tokens": most_tokens})
        answer = _continued(caller, request, stage)
    model, limit = request.model, request.max_tokens
    if answer.finish_reason == "length":
        also = "" if limit is None else f", also with {limit}"
        raise AnswerCutOff(f"{model} ran out of tokens{also}", raw=answer.text)
    if answer.finish_reason == "pause":
        raise AnswerCutOff(f"{model} paused more than {MOST_CONTINUATIONS} times", raw=answer.text)
    return request, answer


def _is_below(limit: int | None, most: int | None) -> bool:
    return limit is not None and most is not None and limit < most


def _continued(caller: Caller, request: Request, stage: CallStage) -> Completion:
    """Return the answer after its last pause; it includes the text before the pauses."""
    answer = caller.complete(request, stage)
    for _ in range(MOST_CONTINUATIONS):
        if answer.finish_reason != "pause":
            break
        answer = caller.complete(request.model_copy(update={"so_far": answer.so_far}), stage)
    return answer
