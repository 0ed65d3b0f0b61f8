"""A caller that answers from a script, in place of providers."""

from collections.abc import Iterable

from schemas.calls import CallStage, Completion, FinishReason, Request


class Scripted:
    """Gives its answers one after the other, raises those that are errors, keeps what was asked."""

    def __init__(self, *answers: Completion | Exception) -> None:
        self._answers = list(answers)
        self.requests: list[Request] = []
        self.stages: list[CallStage] = []

    def complete(self, request: Request, stage: CallStage = "main") -> Completion:
        """Give the next answer."""
        self.requests.append(request)
        self.stages.append(stage)
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def text_completion(text: str, finish_reason: FinishReason = "stop") -> Completion:
    """Return an answer of that text."""
    return Completion(text=text, finish_reason=finish_reason)


def scripted_texts(texts: Iterable[str]) -> Scripted:
    """Return a caller that gives whole answers of these texts."""
    return Scripted(*(text_completion(text) for text in texts))
