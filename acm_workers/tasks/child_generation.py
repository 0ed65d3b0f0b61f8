"""Candidates written by child processes, which call models and search through the gateway."""

import time
from contextlib import ExitStack
from pathlib import Path

import structlog
from sqlalchemy import Connection

from acm_workers.calls.unit_work import UnitResult, UnitWork
from acm_workers.errors import AcmError, Cancelled, PermanentError
from acm_workers.gateway.access import GatewayAccess
from acm_workers.gateway.retriever import SearchService
from acm_workers.gateway.server import UnitOptions
from acm_workers.generators import programs, researcher
from acm_workers.generators.researcher import Report, ServiceAddresses
from acm_workers.generators.text import Brief
from acm_workers.processes import child, environment, own_network
from acm_workers.processes.spec import ChildEnd, ChildSpec
from acm_workers.providers.catalog import research
from acm_workers.runtime import Runtime
from acm_workers.store import artifact_files, calls
from acm_workers.tasks import child_progress
from acm_workers.tasks.child_progress import ChildProgress
from schemas.children import ChildSource
from schemas.config.programs import LIMITED_AS
from schemas.units import Artifact

log = structlog.get_logger()

_SILENCE_S = 60.0
_MEMORY_BYTES = 1 << 30
_RETRY_SHARE = 0.25
"""Share of a child's time in which one request is retried; then the child gets the error."""

_LEAST_RETRY_S = 30.0
"""Minimum remaining time for starting a child."""


def write(live: Runtime, artifact: Artifact, brief: Brief, work: UnitWork) -> UnitResult:
    """Return the candidate that a child process writes.

    Raises:
        PermanentError: No child process wrote a candidate.
        AcmError: The unit has to wait for a provider, for the budget, or until the run continues.
    """
    unit = _ChildUnit(live, artifact, work)
    slots = live.child_slots(artifact.run_id)
    with (
        slots.take(unit.limited_as, unit.is_stopped),
        live.all_child_slots.take(artifact.generator, unit.is_stopped),
    ):
        report = unit.until_written(brief)
    generated = report.generated

    def also(connection: Connection) -> None:
        artifact_files.replace(connection, artifact.id, report.files)

    return UnitResult({"text": generated.text, "proof": generated.proof.model_dump()}, also)


class _ChildUnit:
    """One unit with its child processes, which are started one after another."""

    def __init__(self, live: Runtime, artifact: Artifact, work: UnitWork) -> None:
        self._live, self._artifact, self._work = live, artifact, work
        self._config = live.run(artifact.run_id).config
        self._variant = self._config.runs[artifact.variant - 1]
        self._options = researcher.options(self._variant)
        self._progress = ChildProgress(live, artifact)
        self._until = 0.0
        self._attempts = self._sent = self._reused = self._searched = 0

    @property
    def limited_as(self) -> str:
        """Return the name of the limits that apply to the child processes."""
        assert self._variant.child_kind is not None  # noqa: S101  else it is no child
        return LIMITED_AS[self._variant.child_kind]

    def is_stopped(self) -> bool:
        """Return whether the unit must not continue now."""
        try:
            self._live.check(self._artifact.run_id)
        except Cancelled:
            return True
        return False

    def until_written(self, brief: Brief) -> Report:
        """Start child processes until one has written a report, or no further one may succeed."""
        self._until = time.monotonic() + self._options.timeout_seconds
        while True:
            with self._live.work_folders.fresh(self._artifact.generator) as folder:
                failure, end, searches = self._run(brief, folder)
                try:
                    if failure is not None:
                        raise failure
                    self._live.check(self._artifact.run_id)
                    report = researcher.report(end, folder, searches)
                except PermanentError as error:
                    self._keep(end, str(error))
                    if failure is not None or not self._prepare_next(error, end):
                        raise
                else:
                    self._keep(end, child.describe(end), report.sources)
                    return report

    def _prepare_next(self, error: PermanentError, end: ChildEnd) -> bool:
        """Return whether another child process may succeed, and prepare for it."""
        how = researcher.next_try(error, end)
        left_s = self._until - time.monotonic()
        if how is None or self._attempts > researcher.MOST_RETRIES or left_s < _LEAST_RETRY_S:
            return False
        log.warning("a child failed", unit=self._artifact.id, error=str(error), next_try=how)
        if how == "anew":
            self._live.database.write_with_retries(
                lambda connection: calls.withdraw_answers(connection, self._artifact.id)
            )
        return True

    def _run(self, brief: Brief, folder: Path) -> tuple[AcmError | None, ChildEnd, int]:
        """Run one child process to its end; return the gateway's refusals and the searches."""
        self._attempts += 1
        retriever = self._config.retriever
        assert retriever is not None  # noqa: S101  the config is refused without one
        options = UnitOptions(
            max_calls=self._options.max_calls,
            max_bytes=researcher.MOST_REQUEST_BYTES,
            retry_s=self._options.timeout_seconds * _RETRY_SHARE,
        )
        gateway = self._live.gateway
        with (
            gateway.unit(self._work, self._config, self._variant.provider, options) as access,
            ExitStack() as stack,
        ):
            searches = SearchService(access, retriever, self._most_searches())
            access.routes = {"search": searches}
            end = child.run(
                self._spec(brief, folder, access),
                self._progress.take,
                lambda: access.failure is not None or self.is_stopped(),
                on_listening=lambda listener: stack.enter_context(gateway.serving(listener)),
            )
        totals = access.totals()
        self._sent, self._reused = self._sent + totals.sent, self._reused + totals.cached
        self._searched += searches.count
        return access.failure, end, searches.count

    def _most_searches(self) -> int:
        kind = self._variant.child_kind
        assert kind is not None  # noqa: S101  tells the type checker
        return research.most_searches(kind, self._options)

    def _spec(self, brief: Brief, folder: Path, access: GatewayAccess) -> ChildSpec:
        search = f"{access.root_url}/search?token={access.token}"
        addresses = ServiceAddresses(access.base_url, access.token, search)
        own = researcher.environment(self._variant, addresses)
        installed = programs.installed(self._artifact.generator)
        return ChildSpec(
            argv=installed.command,
            environment=environment.allowed(folder, {**own, **installed.variables}),
            folder=folder,
            request=researcher.request(self._variant, brief),
            soft_deadline_s=max(self._until - time.monotonic(), 1.0),
            silence_s=_SILENCE_S,
            memory_bytes=_MEMORY_BYTES,
            only_port=access.port if own_network.why_not() is None else None,
        )

    def _keep(self, end: ChildEnd, outcome: str, sources: tuple[ChildSource, ...] = ()) -> None:
        """Save the outcome of the child process with the unit, even if the unit fails."""
        said = end.result or {}
        version = said.get("version")
        with self._live.database.read() as connection:
            spent = calls.spent_on(connection, self._artifact.id)
        kept = child_progress.report(
            end,
            outcome,
            self._progress,
            attempts=self._attempts,
            error_code=str(said["code"])[:64] if said.get("code") else None,
            calls=self._sent,
            reused=self._reused,
            searches=self._searched,
            cost_usd=spent,
            sources=sources,
            version=str(version)[:64] if version else None,
        )
        self._work.keep({"child": kept.model_dump(mode="json")})
