"""Everything that can go wrong, grouped by what to do about it.

AcmError
├── RequestError             the caller's mistake: one line, exit code 2, HTTP 4xx
│   └── NotFound
├── TransientError           the same call may succeed later: it is sent again
│   ├── RateLimited
│   ├── ProviderUnavailable
│   └── LimitsUnavailable    Redis, which holds the limits, is out of reach
├── PermanentError           it never will: recorded on the unit, the run goes on
│   ├── ProviderRejected
│   │   └── ParameterRefused  the same request without that parameter may succeed
│   ├── OutOfAttempts
│   ├── UnreadableAnswer
│   ├── AnswerCutOff
│   ├── AnswerRefused
│   ├── EmptyAnswer
│   ├── AnswerOverdue        an answer in the background was not there in time
│   ├── AnswerLost           the provider no longer knows an answer in the background
│   ├── PriceUnknown         nobody knows what it would cost, and a budget is set
│   ├── EvidenceMissing      the answer does not prove the search or thinking it was to rest on
│   └── JsonNotPossible      JSON was insisted on, and nobody can be held to it
├── ProviderPaused           money, daily quota or key is no good: that provider rests, others go on
├── BudgetSpent              the run's own budget allows no further call: the run is paused
├── Cancelled                somebody asked the run to stop
├── AnswerPending            a model is at work in the background: look again later
├── AlreadyClaimed           another worker has the unit: nothing is left to do here
├── StoreFailed              results cannot be saved: stop before more is paid
│   └── StoreRefused         the server does not let us in: at start there is nothing to wait for
└── BrokerFailed             no messages can be sent: the sweep sends them once they can
    └── BrokerRefused        as with the store
"""

from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # commands that only print help would wait for pydantic
    from schemas.calls import Parameter, Usage


class AcmError(Exception):
    """The root of every error that ACM raises on purpose.

    Attributes:
        usage: What a failed answer says that it took; it is paid all the same.
        maybe_billed: The request may have been worked on and paid, and nothing says how much.
        final: This is how an answer in the background ended: looking again brings nothing else.
    """

    usage: "Usage | None" = None
    maybe_billed = False
    final = False

    @property
    def kind(self) -> str:
        """Return the name by which logs, tables and JSON call this error."""
        return type(self).__name__

    def __str__(self) -> str:
        return str(self.args[0])


class RequestError(AcmError):
    """What was asked for cannot be done as asked.

    Attributes:
        where: File, line and key, or command, that the message is about.
        more: Further mistakes that were found at the same time.
    """

    more: tuple["RequestError", ...] = ()

    def __init__(self, message: str, where: str | None = None) -> None:
        super().__init__(message, where)
        self.where = where


class NotFound(RequestError):
    """There is no such thing in the store."""


class TransientError(AcmError):
    """The same call may succeed later.

    Attributes:
        retry_after_s: Seconds the other side asked us to wait, if it said so.
        status: HTTP status, if there was an answer.
    """

    def __init__(
        self, message: str, retry_after_s: float | None = None, status: int | None = None
    ) -> None:
        super().__init__(message, retry_after_s, status)
        self.retry_after_s = retry_after_s
        self.status = status


class RateLimited(TransientError):
    """The provider wants fewer requests or tokens per minute."""


class ProviderUnavailable(TransientError):
    """The provider is overloaded, broken or out of reach."""


class LimitsUnavailable(TransientError):
    """Redis, which holds the limits of all processes, is out of reach."""


class PermanentError(AcmError):
    """The same call will never succeed.

    Attributes:
        status: HTTP status, if there was an answer.
        raw: The answer's text, where there was one.
    """

    def __init__(self, message: str, status: int | None = None, raw: str | None = None) -> None:
        super().__init__(message, status, raw)
        self.status = status
        self.raw = raw


class ProviderRejected(PermanentError):
    """The provider refuses the request: bad key, unknown model, parameter not accepted."""


class ParameterRefused(ProviderRejected):
    """This model does not accept one parameter of the request.

    Attributes:
        parameter: Which one; the request is sent once more without it.
    """

    def __init__(
        self,
        message: str,
        parameter: "Parameter",
        status: int | None = None,
        raw: str | None = None,
    ) -> None:
        super().__init__(message, status, raw)
        self.args = (message, parameter, status, raw)
        self.parameter = parameter


class OutOfAttempts(PermanentError):
    """A passing failure did not pass within the attempts and time allowed."""


class UnreadableAnswer(PermanentError):
    """The answer does not hold what was asked for, and repair turns did not mend it."""


class AnswerCutOff(PermanentError):
    """The answer ended at its token budget, also with a doubled one."""


class AnswerRefused(PermanentError):
    """The model declined to answer, or a filter of its provider stopped the answer."""


class EmptyAnswer(PermanentError):
    """The answer holds no text."""


class AnswerOverdue(PermanentError):
    """An answer in the background was not there by its deadline, and was called off."""


class AnswerLost(PermanentError):
    """The provider does not know an answer in the background that it had begun."""


class PriceUnknown(PermanentError):
    """The run has a budget, and nobody knows what the call would take of it."""


class EvidenceMissing(PermanentError):
    """The answer does not prove that it rests on what it was to rest on: search, or thinking."""


class JsonNotPossible(PermanentError):
    """JSON by a schema was asked for, and neither this model nor a ``jsonify`` model gives it."""


class ProviderPaused(AcmError):
    """The provider's money or daily quota is used up, or it refuses the key.

    Attributes:
        provider: Its name in the config.
        status: HTTP status of the answer that said so.
    """

    def __init__(self, message: str, provider: str, status: int | None = None) -> None:
        super().__init__(message, provider, status)
        self.provider = provider
        self.status = status


class BudgetSpent(AcmError):
    """The run's budget does not allow the next call."""


class Cancelled(AcmError):
    """Somebody asked the run to stop."""


class AnswerPending(AcmError):
    """A model is at work on an answer in the background.

    Attributes:
        look_at: When to look again, in UTC.
    """

    def __init__(self, message: str, look_at: datetime) -> None:
        super().__init__(message, look_at)
        self.look_at = look_at


class AlreadyClaimed(AcmError):
    """Another worker has the unit, or has ended it."""


class StoreFailed(AcmError):
    """The store does not take what must be saved: disk full, file gone, connection lost."""


class StoreRefused(StoreFailed):
    """The store's server answers, and refuses: password, user or name of the database is wrong."""


class BrokerFailed(AcmError):
    """The broker cannot be reached; nothing is lost, for what was to be sent is in the store."""


class BrokerRefused(BrokerFailed):
    """The broker answers, and refuses: password, user or number of the database is wrong."""
