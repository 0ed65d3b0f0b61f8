"""Candidates written by FilePromptForge, with one process and one recorded call for each.

FilePromptForge uses its own keys and limits and therefore bypasses the gateway (decision 0061).
"""

import hashlib
import time
from datetime import datetime
from pathlib import Path

import structlog
from pydantic_core import to_json

from acm_workers.calls import call_log
from acm_workers.calls.budget import BudgetReservation
from acm_workers.calls.evidence import MOST_RETRIES, PreviousAnswers
from acm_workers.calls.unit_work import UnitResult, UnitWork
from acm_workers.errors import (
    AcmError,
    AlreadyClaimed,
    Cancelled,
    ChildNotStarted,
    EvidenceMissing,
    PermanentError,
)
from acm_workers.generators import forge, programs
from acm_workers.generators.forge import ForgeEnd, RejectedAnswers
from acm_workers.generators.text import Brief, GeneratedText
from acm_workers.processes import child, environment
from acm_workers.processes.spec import ChildEnd, ChildSpec
from acm_workers.providers.http import redaction
from acm_workers.runtime import Runtime
from acm_workers.store import calls, tenants
from acm_workers.store.ids import new_id
from acm_workers.tasks import child_progress
from acm_workers.tasks.child_progress import ChildProgress
from schemas.calls import Call, Completion, Request
from schemas.config.programs import FilePromptForge
from schemas.scope import Scope
from schemas.units import Artifact

log = structlog.get_logger()

_MEMORY_BYTES = 1 << 30
_LEAST_RETRY_S = 30.0
"""Minimum remaining time for starting a process."""

_PRICE = "FilePromptForge"
"""Price label of a cost that FilePromptForge reports."""


def write(live: Runtime, artifact: Artifact, brief: Brief, work: UnitWork) -> UnitResult:
    """Return the candidate that FilePromptForge writes.

    Raises:
        PermanentError: FilePromptForge wrote no candidate.
        AcmError: The unit has to wait until the run continues.
    """
    unit = _ForgeUnit(live, artifact, work)
    slots = live.child_slots(artifact.run_id)
    all_slots = live.all_child_slots
    with slots.take("fpf", unit.is_stopped), all_slots.take("fpf", unit.is_stopped):
        generated = unit.until_written(brief)
    return UnitResult({"text": generated.text, "proof": generated.proof.model_dump()})


class _ForgeUnit:
    """One unit with its processes, which are started one after another."""

    def __init__(self, live: Runtime, artifact: Artifact, work: UnitWork) -> None:
        self._live, self._artifact, self._work = live, artifact, work
        self._config = live.run(artifact.run_id).config
        self._variant = self._config.runs[artifact.variant - 1]
        named = self._config.fpf or FilePromptForge()
        self._timeout_s = named.timeout_seconds
        self._checkout = programs.forge(named)
        self._secrets = self._checkout.secrets()
        self._progress = ChildProgress(live, artifact)
        self._until = 0.0
        self._processes = 0

    def is_stopped(self) -> bool:
        """Return whether the unit must not continue now."""
        try:
            self._live.check(self._artifact.run_id)
        except Cancelled:
            return True
        return False

    def until_written(self, brief: Brief) -> GeneratedText:
        """Start processes until one of them has written a text that FilePromptForge accepts."""
        self._until = time.monotonic() + self._timeout_s
        previous, refusals, died = PreviousAnswers(), 0, False
        while True:
            asked = forge.request(self._variant, brief, previous)
            digest = _digest(asked)
            stored = self._stored(digest)
            if stored is not None:
                return GeneratedText.model_validate_json(stored.text)
            try:
                outcome = self._run(asked, digest)
            except _ProcessFailed as failed:
                if died or not failed.may_be_repeated or not self._has_time():
                    raise failed.error from failed
                died = True
                continue
            if isinstance(outcome, GeneratedText):
                return outcome
            refusals += 1
            if refusals > MOST_RETRIES or not self._has_time():
                raise EvidenceMissing(f"{outcome.why} (code {outcome.lacking:d})", raw=outcome.raw)
            log.warning("evidence missing", unit=self._artifact.id, code=int(outcome.lacking))
            previous = previous.and_unproven(refusals + 1, outcome.hinted, refusals)

    def _has_time(self) -> bool:
        return self._until - time.monotonic() >= _LEAST_RETRY_S

    def _stored(self, digest: str) -> Completion | None:
        """Return the stored text of an identical process, recorded as a call without cost."""
        unit = self._work.unit
        only_unit = None if self._config.cache == "reuse" else unit.id
        with self._live.database.autocommit() as connection:
            scope = Scope(tenants.of_run(connection, unit.run_id))
            found = calls.find_answer(connection, digest, unit.sample, only_unit, scope)
        if found is not None:
            self._work.save_cached(call_log.from_cache(self._call(digest), found, self._now()))
        return found

    def _call(self, digest: str) -> Call:
        unit, context = self._work.unit, self._live.call_context
        return Call(
            id=new_id(),
            run_id=unit.run_id,
            document_id=unit.document_id,
            unit_id=unit.id,
            unit_kind=unit.kind,
            stage="main",
            attempt=max(self._processes, 1),
            provider=self._artifact.provider,
            model=self._artifact.model,
            digest=digest,
            iteration=unit.sample,
            state="started",
            started_at=context.now(),
            owner=context.owner,
        )

    def _run(self, asked: Request, digest: str) -> GeneratedText | RejectedAnswers:
        """Run one process to its end, and record its cost.

        Raises:
            _ProcessFailed: The process wrote nothing, and no answer of a model is known.
        """
        self._live.check(self._artifact.run_id)
        self._live.call_context.breakers.check(self._work.unit)
        self._processes += 1
        call = self._work.start_call(lambda: self._call(digest), BudgetReservation(asked))
        if call is None:
            raise AlreadyClaimed("the unit is worked on elsewhere")
        with self._live.work_folders.fresh("fpf") as folder:
            try:
                ending = self._ended(asked, call.id, folder)
                self._live.check(self._artifact.run_id)
                outcome = ending.result()
            except ChildNotStarted as error:
                self._work.end_call(call_log.ended(call, "failed", error, self._now()))
                raise
            except AcmError as error:
                error.args = (self._without_secrets(str(error)), *error.args[1:])
                self._book_failure(call, error)
                if not isinstance(error, PermanentError):
                    raise
                self._keep(self._end, str(error), None)
                raise _ProcessFailed(error, forge.may_succeed(error, self._end)) from error
            if isinstance(outcome, RejectedAnswers):
                clean = outcome._replace(why=self._without_secrets(outcome.why))
                self._book_failure(call, EvidenceMissing(clean.why))
                self._keep(ending.end, clean.why, None)
                return clean
            bill = ending.bill()
        answer = Completion(text=outcome.model_dump_json(), finish_reason="stop", usage=bill.usage)
        price = None if bill.cost_usd is None else _PRICE
        ended = call_log.answered_with_cost(call, answer, self._now(), bill.cost_usd, price)
        self._work.keep_answered(ended)
        self._keep(ending.end, child.describe(ending.end), bill.cost_usd)
        return outcome

    def _ended(self, asked: Request, run_id: str, folder: Path) -> ForgeEnd:
        found = forge.ForgeLogReader(run_id, self._progress.take)
        own = forge.environment(run_id, folder)
        spec = ChildSpec(
            argv=self._checkout.command,
            environment=environment.allowed(folder, own, *self._checkout.variables),
            folder=folder,
            request=forge.prepare(asked, run_id, folder),
            soft_deadline_s=max(self._until - time.monotonic(), 1.0),
            memory_bytes=_MEMORY_BYTES,
        )
        self._end = child.run(spec, cancelled=self.is_stopped, on_output=found.add)
        return ForgeEnd(run_id, self._end, found, folder, self._checkout)

    def _book_failure(self, call: Call, error: Exception) -> None:
        """Record that a process wrote nothing; the cost of its model calls is unknown."""
        self._work.end_call(call_log.ended(call, "uncertain", error, self._now()))

    def _now(self) -> datetime:
        return self._live.call_context.now()

    def _keep(self, end: ChildEnd, outcome: str, cost_usd: float | None) -> None:
        """Save the outcome of the last process with the unit, even if the unit fails."""
        kept = child_progress.report(
            end,
            outcome,
            self._progress,
            attempts=self._processes,
            calls=self._processes,
            cost_usd=cost_usd if self._processes == 1 else None,
            stderr=self._without_secrets(end.stderr.text)[-child_progress.PRINTED :],
            stdout=self._without_secrets(end.stdout.text)[-child_progress.PRINTED :],
        )
        self._work.keep({"child": kept.model_dump(mode="json")})

    def _without_secrets(self, printed: str) -> str:
        for secret in self._secrets:
            printed = printed.replace(secret, "[key]")
        return redaction.without_key_like(printed)


class _ProcessFailed(Exception):
    """One process failed, and another process may be started."""

    def __init__(self, error: PermanentError, may_be_repeated: bool) -> None:
        super().__init__(str(error))
        self.error = error
        self.may_be_repeated = may_be_repeated


def _digest(asked: Request) -> str:
    """Return a digest that is equal for identical requests to FilePromptForge."""
    return hashlib.sha256(to_json(["FilePromptForge", asked])).hexdigest()
