"""Objects that all paid calls of a process share, such as the store, limits and budgets."""

import socket
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from datetime import datetime
from typing import NamedTuple

from acm_workers.calls.budget import RunBudgets
from acm_workers.errors import (
    GivenUp,
    ParameterRefused,
    ProviderPaused,
    RateLimited,
    RequestError,
    TransientError,
)
from acm_workers.limits.interface import Limiter
from acm_workers.providers.http import endpoints
from acm_workers.store import tenants
from acm_workers.store.connection.database import Database
from schemas.calls import Completion, Parameter, Request
from schemas.config.config import Retries
from schemas.config.provider import Provider
from schemas.run import PausedRole
from schemas.scope import Scope
from schemas.units import Role, UnitKind

_DEFAULT_PENALTY_S = 1.0

_OPTIONAL: frozenset[Parameter] = frozenset({"temperature", "reasoning"})
"""Parameters that can be omitted from any request; the author of a request decides about others."""


RequestKey = tuple[str, int]
"""Digest and sample number of a request."""


class RefusedParameters:
    """Parameters that models refused, by provider and model; kept until this process ends."""

    def __init__(self) -> None:
        self._omitted: dict[tuple[str, str], frozenset[Parameter]] = {}
        self._refusals: dict[tuple[str, str, str, Parameter], ParameterRefused] = {}

    def omit(self, request: Request) -> Request:
        """Return ``request`` without the parameters that its model is known to refuse.

        Raises:
            ParameterRefused: The model has refused this schema in this form before.
        """
        if request.json_schema is not None:
            self._raise_if_refused("json_schema", request)
            if request.search:
                self._raise_if_refused("search_with_schema", request)
        omitted = self._omitted.get((request.provider, request.model))
        if omitted is None or omitted <= request.left_out:
            return request
        return request.model_copy(update={"left_out": request.left_out | omitted})

    def learn(self, request: Request, error: ParameterRefused) -> bool:
        """Record a refusal; return whether the request can be sent again without the parameter."""
        parameter = error.parameter
        if parameter not in _OPTIONAL:
            # The model may accept another schema, so the schema's name is part of the key.
            key = (request.provider, request.model, request.schema_name, parameter)
            self._refusals[key] = error
            return False
        if parameter in request.left_out:
            return False
        model = (request.provider, request.model)
        self._omitted[model] = self._omitted.get(model, frozenset()) | {parameter}
        return True

    def _raise_if_refused(self, parameter: Parameter, request: Request) -> None:
        key = (request.provider, request.model, request.schema_name, parameter)
        error = self._refusals.get(key)
        if error is not None:
            raise ParameterRefused(str(error), parameter, error.status)


class SharedAnswers:
    """Unsaved answers of this process, shared so that identical requests are sent once.

    The store has an answer only after its unit was saved. Until then, units share the answer here.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: dict[RequestKey, Future[Completion | None]] = {}

    def begin(self, key: RequestKey) -> "Future[Completion | None] | None":
        """Return the answer that another unit requests; None if the caller must send the request.

        A caller that sends the request must call ``set`` and, once its unit is saved, ``forget``.
        The result of the future is None if the other unit got no answer.
        """
        with self._lock:
            found = self._answers.get(key)
            if found is None:
                self._answers[key] = Future()
            return found

    def set(self, key: RequestKey, answer: Completion | None) -> None:
        """Pass the answer, or None, to the units that wait for it."""
        with self._lock:
            waiting = self._answers[key]
            if answer is None:
                del self._answers[key]
        waiting.set_result(answer)

    def forget(self, keys: Iterable[RequestKey]) -> None:
        """Remove answers that are now in the store."""
        with self._lock:
            for key in keys:
                self._answers.pop(key, None)


class OpenBreakers:
    """The paused judges and writers of the active runs, as last read from the store."""

    def __init__(self) -> None:
        self._paused: Mapping[str, Mapping[Role, PausedRole]] = {}

    def replace(self, paused: Mapping[str, Mapping[Role, PausedRole]]) -> None:
        """Replace the paused judges and writers, by run."""
        self._paused = paused

    def add(self, run_id: str, role: Role, paused: PausedRole) -> None:
        """Add a judge or writer that was paused."""
        of_run = {**self._paused.get(run_id, {}), role: paused}
        self._paused = {**self._paused, run_id: of_run}

    def check(self, unit: "UnitRef") -> None:
        """Raise if no further request should be sent for a unit.

        Raises:
            GivenUp: The unit's judge or writer is paused.
        """
        role = unit.role
        paused = None if role is None else self._paused.get(unit.run_id, {}).get(role)
        if paused is not None:
            raise GivenUp(f"not tried: {paused}")


class UnitRef(NamedTuple):
    """Identifies the unit for which calls are made.

    Attributes:
        sample: Number of the answer, from 1, if a run needs several answers to one request. A
            stored answer is reused only for the same number.
        role: The judge or writer of the unit.
    """

    kind: UnitKind
    id: str
    run_id: str
    document_id: str
    sample: int
    role: Role | None = None


class CallContext(NamedTuple):
    """The objects that the calls of a process share.

    Attributes:
        owner: Name of this process in claims and calls.
        check: Raises ``Cancelled`` if no further call should be started for a run.
        is_cancelled: Returns whether a run was cancelled.
        put_back: Frees a unit that was not claimed although its message was consumed.
        refused: Refused parameters by tenant, whose providers may have equal names.
    """

    database: Database
    limiter: Limiter
    owner: str
    now: Callable[[], datetime]
    check: Callable[[str], None]
    is_cancelled: Callable[[str], bool]
    put_back: Callable[[UnitKind, str], None]
    budgets: RunBudgets
    refused: Mapping[Scope, RefusedParameters]
    breakers: OpenBreakers
    shared: SharedAnswers

    def qualified(self, run_id: str, provider: str) -> str:
        """Return a provider's name preceded by the tenant of a run; see ``Scope.qualified``."""
        return tenants.scope_of(self.database, run_id).qualified(provider)

    def require_access(self, run_id: str, name: str, provider: Provider) -> None:
        """Make sure that this process has the provider's key and trusted certificates.

        Raises:
            ProviderPaused: The key or a certificate is missing. No unit fails, because it can be
                added.
            ProviderRejected: The key may not be sent to the provider. Other runs continue.
        """
        try:
            endpoints.api_key(provider, name)
            endpoints.tls_context(provider.base_url)
        except RequestError as error:
            reason = f"{error} (on {socket.gethostname()})"
            self.limiter.pause(self.qualified(run_id, name), reason)
            raise ProviderPaused(reason, name) from error

    def slow_down(self, run_id: str, provider: str, error: Exception, retries: Retries) -> None:
        """Delay or pause all calls of a run's tenant to a provider, depending on its error.

        Raises:
            ProviderPaused: The error requires a wait beyond the retry deadline, because a quota is
                used up.
        """
        qualified = self.qualified(run_id, provider)
        if isinstance(error, ProviderPaused):
            self.limiter.pause(qualified, str(error))
        elif isinstance(error, TransientError):
            retry_after_s = error.retry_after_s
            if retry_after_s is not None and retry_after_s > retries.deadline_seconds:
                reason = f"{error} (it asks to wait {retry_after_s:.0f} s)"
                self.limiter.pause(qualified, reason)
                raise ProviderPaused(reason, provider, error.status) from error
            if retry_after_s is not None or isinstance(error, RateLimited):
                self.limiter.penalise(qualified, retry_after_s or _DEFAULT_PENALTY_S)
