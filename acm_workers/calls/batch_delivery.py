"""Sends batches, polls them, and saves their results.

Only the worker that has claimed a batch works on it; each step is saved before the next step. A
batch is recorded as sent before it is sent. If the provider does not answer the submission, ACM
therefore looks for the batch at the provider before sending it again.
"""

import contextlib
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta

import structlog

from acm_workers.calls import polling
from acm_workers.errors import AcmError, ProviderPaused, StoreFailed, TransientError
from acm_workers.providers.batches import delivery
from acm_workers.providers.batches.records import (
    BatchDialect,
    BatchedRequest,
    BatchLabel,
    BatchProgress,
    BatchResult,
)
from acm_workers.store import batches
from acm_workers.store.batches import Batch, NewResult
from acm_workers.store.connection.database import Database
from schemas.calls import NotExecuted
from schemas.config.config import Config
from schemas.config.provider import Provider

_SETTLED_INTERVALS = 6
"""Number of poll intervals after which a batch that is not found counts as not received."""

_REQUEST_TIMEOUT_S = 55.0
_MOST_MISSES = 3
_NOT_FOUND = 404
_SAVED_AT_ONCE = 100
_OVERDUE = timedelta(hours=26)
"""Age at which a batch is cancelled; providers finish batches within a day."""

_GIVEN_UP = timedelta(hours=28)
_PAUSED = timedelta(seconds=60)
_SAVE_PAUSES_S = (0.2, 1.0, 3.0)

log = structlog.get_logger()

SlowDown = Callable[[str, AcmError], None]
"""Delays other calls to a provider as the error requires."""


class BatchDelivery:
    """Works on the batches of one run, one step at a time.

    Args:
        owner: Name of this process in claims.
    """

    def __init__(
        self,
        database: Database,
        config: Config,
        owner: str,
        now: Callable[[], datetime],
        slow_down: SlowDown = lambda _provider, _error: None,
    ) -> None:
        self._database = database
        self._config = config
        self._owner = owner
        self._now = now
        self._slow_down = slow_down

    def work_on(self, batch_id: str) -> None:
        """Apply the next step of a batch, unless another worker has claimed the batch.

        Raises:
            StoreFailed: The store is unavailable.
        """
        with self._database.write() as connection:
            batch = batches.claim(connection, batch_id, self._owner, self._now())
        if batch is None:
            return
        step = _Step(self._database, self._config, batch, self._now)
        try:
            if batch.state == "sealed":
                step.send()
            elif batch.state == "sending":
                step.look_for()
            else:
                step.look_at()
        except AcmError as error:
            if isinstance(error, StoreFailed):
                raise
            log.warning("a batch has to wait", **step.about, error=str(error))
            with contextlib.suppress(AcmError):  # it has paused the provider
                self._slow_down(batch.provider, error)
            step.fail(error)


class _Step:
    """The steps of a claimed batch."""

    def __init__(
        self, database: Database, config: Config, batch: Batch, now: Callable[[], datetime]
    ) -> None:
        self._database = database
        self._batch = batch
        self._now = now
        self._attempts = config.retries.attempts
        self._usual: Provider = config.providers[batch.provider]
        self._there = polling.short_timeout(self._usual, _REQUEST_TIMEOUT_S)
        self._dialect: BatchDialect = delivery.of(self._usual)

    @property
    def about(self) -> Mapping[str, object]:
        """Return the fields of the batch for log lines."""
        batch = self._batch
        return {
            "run": batch.run_id,
            "batch": batch.id,
            "provider": batch.provider,
            "model": batch.model,
            "there": batch.there_id,
        }

    def send(self) -> None:
        """Submit the batch, and save the provider's id of it."""
        batch = self._batch
        with self._database.read() as connection:
            found = batches.bodies(connection, batch.id)
        requests = tuple(BatchedRequest(name, body) for name, body in found)
        log.info("batch sent", **self.about, requests=len(requests))
        there_id = self._dialect.submit(
            self._there, batch.provider, self._label(), batch.model, requests
        )
        self._mark_sent(there_id)

    def look_for(self) -> None:
        """Look for a batch whose submission was not answered; send it again if it is not found."""
        batch = self._batch
        there_id = self._dialect.find(self._there, batch.provider, self._label())
        if there_id is not None:
            with self._database.read() as connection:
                ours = batches.is_known(connection, there_id)
            if ours:  # it looks the same, and is another one
                self._let_go(self._poll_s, others=[*batch.others, there_id])
                return
            log.info("batch found", **self.about, found=there_id)
            self._mark_sent(there_id, adopted=True)
            return
        sent_s = (self._now() - (batch.sent_at or self._now())).total_seconds()
        if sent_s < _SETTLED_INTERVALS * self._usual.poll_seconds:
            self._let_go(self._poll_s)
            return
        with self._database.write() as connection:
            if not batches.change(connection, batch, sent_at=self._now()):
                return
        self._batch = batch._replace(sent_at=self._now())
        self.send()

    def look_at(self) -> None:
        """Cancel the batch if that was requested, poll it, and fetch its results."""
        batch, there_id = self._batch, self._batch.there_id or ""
        age = self._now() - (batch.sent_at or batch.created_at)
        wanted = batch.cancel_requested or age >= _OVERDUE
        # One that only looks like ours is not to be cancelled.
        if wanted and not batch.cancelled and not batch.adopted:
            self._dialect.cancel(self._there, batch.provider, there_id)
            with self._database.write() as connection:
                batches.change(connection, batch, cancelled=True)
        progress = self._dialect.poll(self._there, batch.provider, there_id)
        if progress.failure is not None:
            self._end_all("failed", progress.failure)
        elif progress.ended:
            self._fetch(there_id, progress)
        elif age >= _GIVEN_UP:
            self._end_all("expired", "it has not ended in time")
        else:
            wait_s = polling.interval_s(self._usual, age.total_seconds())
            if wanted:
                wait_s = self._poll_s
            self._let_go(wait_s, answered=progress.answered, misses=0)

    def fail(self, error: AcmError) -> None:
        """Save the consequences of an error."""
        batch = self._batch
        if isinstance(error, ProviderPaused):
            state = {"state": "sealed"} if batch.state == "sealed" else {}
            self._let_go(_PAUSED.total_seconds(), **state)
            return
        if batch.state == "sent":
            self._missed(error)
            return
        if batch.state == "sending" or error.maybe_billed:
            self._let_go(self._poll_s)  # as ``sending``: it is looked for
            return
        failures = batch.failures + 1
        if not isinstance(error, TransientError) or failures >= self._attempts:
            self._end_all("failed", str(error))
            return
        wait_s = max(error.retry_after_s or 0.0, self._poll_s * 2.0**failures)
        self._let_go(wait_s, state="sealed", failures=failures)

    def _missed(self, error: AcmError) -> None:
        missing = isinstance(error, TransientError) and error.status == _NOT_FOUND
        misses = self._batch.misses + 1 if missing else 0
        if misses >= _MOST_MISSES:
            self._end_all("lost", str(error))
        else:
            self._let_go(self._poll_s, misses=misses)

    def _fetch(self, there_id: str, progress: BatchProgress) -> None:
        batch = self._batch
        with self._database.read() as connection:
            waiting = set(batches.unanswered(connection, batch.id))
        found: Iterable[BatchResult] = self._dialect.fetch(
            self._there, batch.provider, there_id, progress
        )
        some: list[NewResult] = []
        known = any_result = False
        for one in found:
            any_result = True
            if one.name in waiting:
                known = True
                waiting.discard(one.name)
                some.append(NewResult(one.name, one.status, one.reason, one.body))
            if len(some) == _SAVED_AT_ONCE:
                self._save(some)
                some = []
        if batch.adopted and any_result and not known and len(waiting) == batch.size:
            log.warning("the batch found is another one", **self.about)
            values = {"state": "sending", "there_id": None, "adopted": False}
            self._let_go(self._poll_s, **values, others=[*batch.others, there_id])
            return
        self._save(some)
        self._end(sorted(waiting), "missing", None)

    def _end_all(self, reason: NotExecuted, error: str) -> None:
        """End the batch, and record ``reason`` for its requests without a result."""
        with self._database.read() as connection:
            waiting = batches.unanswered(connection, self._batch.id)
        self._end(waiting, reason, error)

    def _end(self, waiting: Sequence[str], reason: NotExecuted, error: str | None) -> None:
        for at in range(0, len(waiting), _SAVED_AT_ONCE):
            some = waiting[at : at + _SAVED_AT_ONCE]
            self._save([NewResult(name, None, reason, error) for name in some])
        now = self._now()
        ended = {"state": "ended", "ended_at": now, "error": error and error[:2000]}
        with self._database.write() as connection:
            batches.let_go(connection, self._batch, now, **ended, answered=self._batch.size)
            batches.wake(connection, self._batch.run_id, now)
        log.info("batch ended", **self.about, unanswered=len(waiting), error=error)

    def _save(self, results: Sequence[NewResult]) -> None:
        if results:
            with self._database.write() as connection:
                batches.save_results(connection, self._batch.id, results, self._now())

    def _mark_sent(self, there_id: str, *, adopted: bool = False) -> None:
        """Save the id that is needed to fetch the paid results.

        Raises:
            StoreFailed: The store does not accept the id, even after several attempts.
        """
        # Only where nothing of ours is in the batch at the provider is the match a guess.
        guessed = adopted and self._usual.dialect == "anthropic"
        due_at = self._now() + timedelta(seconds=self._poll_s)
        for pause_s in (*_SAVE_PAUSES_S, None):
            try:
                with self._database.write() as connection:
                    kept = batches.mark_sent(
                        connection, self._batch, there_id, due_at, adopted=guessed
                    )
            except StoreFailed:
                if pause_s is None:
                    raise
                log.warning("batch id not saved yet", **self.about, found=there_id)
                time.sleep(pause_s)
            else:
                break
        if not kept:
            self._cancel_twin(there_id)

    def _cancel_twin(self, there_id: str) -> None:
        """Cancel the duplicate of a batch that was sent twice after its first answer came late."""
        with self._database.read() as connection:
            ours = batches.get(connection, self._batch.id)
        if ours is None or ours.there_id == there_id:
            return
        log.warning("batch sent twice; this one is cancelled", **self.about, found=there_id)
        with contextlib.suppress(AcmError):
            self._dialect.cancel(self._there, self._batch.provider, there_id)

    def _label(self) -> BatchLabel:
        batch = self._batch
        sent_at = batch.sent_at or self._now()
        return BatchLabel(batch.id, batch.size, sent_at, frozenset(batch.others))

    @property
    def _poll_s(self) -> float:
        return self._usual.poll_seconds

    def _let_go(self, wait_s: float, **values: object) -> None:
        due_at = self._now() + timedelta(seconds=wait_s)
        with self._database.write() as connection:
            batches.let_go(connection, self._batch, due_at, **values)
