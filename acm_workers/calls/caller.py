"""What generators and judges know of the world outside: one method that answers requests."""

from typing import Protocol

from schemas.calls import CallStage, Completion, Request


class Caller(Protocol):
    """Answers requests on behalf of one unit."""

    def complete(self, request: Request, stage: CallStage = "main") -> Completion:
        """Answer ``request``; passing failures have been retried already.

        Raises:
            PermanentError: There is and will be no answer.
            AnswerPending: It is made in the background, and will be known later.
            ProviderPaused: The provider's money or quota is used up, or it refuses the key.
            BudgetSpent: The run's budget does not allow it.
            Cancelled: The run was cancelled.
        """
        ...
