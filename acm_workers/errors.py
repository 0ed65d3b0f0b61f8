"""Everything that can go wrong, grouped by what to do about it.

AcmError
├── RequestError             the caller's mistake: one line, exit code 2, HTTP 4xx
│   ├── NotFound
│   ├── Conflict             the current state does not allow it: HTTP 409
│   ├── NotAllowed           the caller does not have the permission: HTTP 403
│   └── QuotaSpent           a quota of the caller's tenant allows no more: HTTP 429
├── TransientError           the same call may succeed later: it is retried
│   ├── RateLimited
│   ├── ProviderUnavailable
│   ├── LimitsUnavailable    Redis, which stores the limits, cannot be reached
│   └── SandboxFailed        a sandbox for submitted code could not be created or was lost
├── PermanentError           the same call never succeeds: the unit fails, the run continues
│   ├── ProviderRejected
│   │   └── ParameterRefused the same request without that parameter may succeed
│   ├── OutOfAttempts
│   ├── UnreadableAnswer
│   ├── AnswerCutOff
│   ├── AnswerRefused
│   ├── EmptyAnswer
│   ├── AnswerOverdue        a background answer missed its deadline
│   ├── AnswerLost           the provider no longer knows a background answer
│   ├── CallLimitReached     an external generator exceeded its number of calls
│   ├── PriceUnknown         the run has a budget, and a price of the model is not known
│   ├── EvidenceMissing      the answer does not prove the required search or thinking
│   ├── ChildNotStarted      the program of a child process does not exist or cannot be executed
│   ├── ChildFailed          a child process ended without a result
│   ├── GivenUp              its judge or writer is paused after repeated failures
│   └── JsonNotPossible      the config requires JSON that no model can be made to return
├── ProviderPaused           money, quota or key is missing: the provider is paused, others are not
├── BudgetSpent              the run's own budget allows no further call: the run is paused
├── Cancelled                the run was cancelled, or the process stops
├── AnswerPending            a model works on a background answer: poll it later
├── AlreadyClaimed           another worker has the unit: there is nothing to do
├── StoreFailed              results cannot be saved: nothing more is sent
│   └── StoreRefused         the server rejects the login: waiting does not help
├── FilesNotWritten          results are in the store, and their files cannot be written
├── OutOfResources           the system gives this process no more files, threads or memory: it ends
├── InternalFault            a fault of ACM ends the process; saved results are safe
└── BrokerFailed             no messages can be sent: the sweep sends them later
    └── BrokerRefused        the server rejects the login: waiting does not help
"""

import errno
import os
import re
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # pydantic is slow to import for commands that only print help
    from schemas.calls import Parameter, Usage


_WORD_STARTS = re.compile(r"(?<=[a-z])(?=[A-Z])")

# The text of the first contains that of the second.
_EXHAUSTED = {
    errno.ENFILE: "open files on this machine",
    errno.EMFILE: "open files for this process; see `ulimit -n`",
    errno.ENOMEM: "memory",
}
_NO_THREAD = "can't start new thread"

UNEXPECTED = "unexpected"
"""Kind of every error that ACM does not define."""


class AcmError(Exception):
    """The base class of all errors that ACM raises on purpose.

    Attributes:
        usage: Usage that a failed answer reports; it is billed nevertheless.
        maybe_billed: Whether the provider may have billed the request, at an unknown cost.
        final: Whether the error is the final state of a background answer, so that polling again is
            useless.
    """

    usage: "Usage | None" = None
    maybe_billed = False
    final = False

    @property
    def kind(self) -> str:
        """Return the name of this error in logs, tables and JSON, such as ``rate_limited``."""
        return kind_of(type(self))

    def __str__(self) -> str:
        return str(self.args[0])


def kind_of(error: type[Exception]) -> str:
    """Return the kind of an error, which messages show instead of its class name."""
    if not issubclass(error, AcmError):
        return UNEXPECTED
    return _WORD_STARTS.sub("_", error.__name__).lower()


def exhausted(error: BaseException) -> "OutOfResources | None":
    """Return the error of a process that has exhausted a system resource; None for other errors.

    Args:
        error: The error, whose chain of causes is searched as well.
    """
    if isinstance(error, AcmError):
        return error if isinstance(error, OutOfResources) else None
    if isinstance(error, MemoryError):
        return _out_of(_EXHAUSTED[errno.ENOMEM])
    if isinstance(error, RuntimeError) and _NO_THREAD in str(error):
        return _out_of("threads; see `ulimit -u`")
    if isinstance(error, OSError | ImportError):
        for number, what in _EXHAUSTED.items():
            # The loader of a library only has the text.
            if getattr(error, "errno", None) == number or os.strerror(number) in str(error):
                return _out_of(what)
    before = error.__cause__ or error.__context__  # httpcore raises its errors ``from None``
    return None if before is None else exhausted(before)


def ending(error: BaseException) -> AcmError:
    """Return the error that ends a process after an unexpected error."""
    if isinstance(error, AcmError):
        return error
    return exhausted(error) or InternalFault(
        "a fault of ACM ended the run; its log has the details"
    )


def _out_of(what: str) -> "OutOfResources":
    return OutOfResources(f"the system allows no more {what}")


class RequestError(AcmError):
    """The request cannot be carried out as given.

    Attributes:
        where: File, line and key, or command, to which the message refers.
        more: Further errors that were found at the same time.
    """

    more: tuple["RequestError", ...] = ()

    def __init__(self, message: str, where: str | None = None) -> None:
        super().__init__(message, where)
        self.where = where


class NotFound(RequestError):
    """The store has no such record."""


class Conflict(RequestError):
    """The state of a run, or an earlier request, does not allow the request."""


class NotAllowed(RequestError):
    """The caller has no permission for the request."""


class QuotaSpent(RequestError):
    """A quota of the caller's tenant does not allow the request."""


class TransientError(AcmError):
    """The same call may succeed later.

    Attributes:
        retry_after_s: Number of seconds to wait as requested by the server, if any.
        status: HTTP status, if there was an answer.
    """

    def __init__(
        self, message: str, retry_after_s: float | None = None, status: int | None = None
    ) -> None:
        super().__init__(message, retry_after_s, status)
        self.retry_after_s = retry_after_s
        self.status = status


class RateLimited(TransientError):
    """The provider refuses a request because of its limits per minute."""


class ProviderUnavailable(TransientError):
    """The provider is overloaded, fails or cannot be reached."""


class LimitsUnavailable(TransientError):
    """Redis, which stores the limits of all processes, cannot be reached."""


class SandboxFailed(TransientError):
    """A sandbox for submitted code could not be made, or was lost."""


class PermanentError(AcmError):
    """The same call never succeeds.

    Attributes:
        status: HTTP status, if there was an answer.
        raw: Text of the answer, if there was one.
    """

    def __init__(self, message: str, status: int | None = None, raw: str | None = None) -> None:
        super().__init__(message, status, raw)
        self.status = status
        self.raw = raw


class ProviderRejected(PermanentError):
    """The provider refuses the request: unknown model, or a value it does not accept."""


class ParameterRefused(ProviderRejected):
    """This model does not accept one parameter of the request.

    Attributes:
        parameter: The parameter; the request is sent again without it.
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
    """A transient failure lasted longer than the allowed attempts or time."""


class UnreadableAnswer(PermanentError):
    """The answer lacks requested parts, even after repairs."""


class AnswerCutOff(PermanentError):
    """The answer reached its token limit, even after the limit was doubled."""


class AnswerRefused(PermanentError):
    """The model declined to answer, or a filter of its provider stopped the answer."""


class EmptyAnswer(PermanentError):
    """The answer has no text."""


class AnswerOverdue(PermanentError):
    """A background answer missed its deadline and was cancelled."""


class AnswerLost(PermanentError):
    """The provider no longer knows a background answer that it had accepted."""


class CallLimitReached(PermanentError):
    """A foreign generator has reached its maximum number of model calls."""


class PriceUnknown(PermanentError):
    """The run has a budget, and the maximum cost of the call is unknown."""


class EvidenceMissing(PermanentError):
    """The answer does not prove the required search or thinking."""


class ChildNotStarted(PermanentError):
    """The program of a child process does not exist or cannot be executed."""


class ChildFailed(PermanentError):
    """A child process ended without a result."""


class GivenUp(PermanentError):
    """The judge or writer of the unit is paused, so the unit is not tried."""


class JsonNotPossible(PermanentError):
    """The config requires JSON that neither the model nor a ``jsonify`` model can guarantee."""


class ProviderPaused(AcmError):
    """The provider's money or daily quota is used up, or it refuses the key.

    Attributes:
        provider: Name of the provider in the config.
        status: HTTP status of the answer, if there was one.
    """

    def __init__(self, message: str, provider: str, status: int | None = None) -> None:
        super().__init__(message, provider, status)
        self.provider = provider
        self.status = status


class BudgetSpent(AcmError):
    """The run's budget does not allow the next call."""


class Cancelled(AcmError):
    """The run was cancelled, or the process stops."""


class AnswerPending(AcmError):
    """A model works on a background answer.

    Attributes:
        poll_at: Time of the next poll, in UTC.
    """

    def __init__(self, message: str, poll_at: datetime) -> None:
        super().__init__(message, poll_at)
        self.poll_at = poll_at


class AlreadyClaimed(AcmError):
    """Another worker has the unit, or has ended it."""


class StoreFailed(AcmError):
    """The store cannot save: the disk is full, the file is gone or the connection is lost."""


class StoreRefused(StoreFailed):
    """The store's server rejects the user, the password or the name of the database."""


class FilesNotWritten(AcmError):
    """The files of a run cannot be written; all results are in the store."""


class OutOfResources(AcmError):
    """The system gives this process no more open files, threads or memory."""


class InternalFault(AcmError):
    """An unexpected error occurred; saved results are safe."""


class BrokerFailed(AcmError):
    """The broker cannot be reached; no work is lost, since all work is in the store."""


class BrokerRefused(BrokerFailed):
    """The broker rejects the user, the password or the number of the database."""
