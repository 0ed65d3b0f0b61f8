"""Starting, resuming, cancelling and reading runs: the functions that command line and API call."""

import hashlib
import json
from collections.abc import Callable, Collection, Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Connection

from acm_workers.engine import deletion, pausing, rejudging, settling, sweep
from acm_workers.engine.advance import reopen_documents
from acm_workers.errors import Conflict
from acm_workers.pipeline import plan, snapshot
from acm_workers.pipeline import units as units_of
from acm_workers.pipeline.ranking_diff import JudgedDocument
from acm_workers.pipeline.snapshot import RecordContext
from acm_workers.store import (
    artifacts,
    batches,
    budgets,
    circuit_breakers,
    documents,
    evaluations,
    events,
    results,
    runs,
    units,
)
from acm_workers.store.connection.database import Database
from acm_workers.store.ids import new_id
from schemas.config.config import Config
from schemas.explained import Explanation
from schemas.imported import ImportedResults, ImportedRun
from schemas.plan import RunPlan
from schemas.rejudged import RejudgedResult
from schemas.run import DeletedRun, Run, RunRecords, RunResult, SkippedDocument
from schemas.scope import LOCAL, Scope
from schemas.units import Document, Stage

if TYPE_CHECKING:
    from acm_workers.calls.background_calls import CancelledAnswers

_CANCELS_WITHIN_S = 5.0
"""Maximum time that the cancellation of a run waits for the cancellation of a batch."""

GivenText = snapshot.GivenText


class RunInput(NamedTuple):
    """A config with its texts and inputs, to be run.

    Attributes:
        title: A name for users, not unique.
        inputs: Text by path; empty if candidates have no source.
        given: Existing candidates, by path of their document.
    """

    title: str
    config: Config
    instructions: str
    guidelines: str | None
    inputs: dict[str, str]
    given: dict[str, tuple[GivenText, ...]] = {}  # noqa: RUF012  never changed


class SubmittedRun(NamedTuple):
    """The outcome of a submission.

    Attributes:
        run_id: The new or unfinished run; None if every document was skipped.
        resumed: Whether the run had been started before.
        skipped: Documents with a winner from an earlier run.
        plan: Plan of a new run.
    """

    run_id: str | None
    resumed: bool
    skipped: tuple[SkippedDocument, ...]
    plan: RunPlan | None = None


StartedRejudging = rejudging.StartedRejudging


def without_winner(database: Database, work: RunInput) -> list[str]:
    """Return the documents of ``work`` that lack a winner; nothing is written."""
    with database.read() as connection:
        keys = {path: _document_key(work, path) for path in work.inputs}
        won = {one.path for one in _skipped(connection, work, keys)}
    return [path for path in work.inputs if path not in won]


def document_keys(work: RunInput) -> dict[str, str]:
    """Return the digest of content and config of each document."""
    return {path: _document_key(work, path) for path in work.inputs}


def can_go_on(database: Database, work: RunInput) -> bool:
    """Return whether there is an unfinished run of exactly this work."""
    key = _digest(sorted(document_keys(work).values()))
    with database.read() as connection:
        return runs.unfinished(connection, key) is not None


def expected_calls(work: RunInput, paths: Iterable[str], at: datetime) -> int:
    """Return the likely calls for some documents of ``work``."""
    return plan.expected(planned(work, paths, at)).calls


def planned(work: RunInput, paths: Iterable[str], at: datetime) -> RunPlan:
    """Return the plan for some documents of ``work``."""
    chosen = list(paths)
    given = {
        index: [one.text for one in work.given[path]]
        for index, path in enumerate(chosen)
        if path in work.given
    }
    texts = [work.inputs[path] for path in chosen]
    return plan.plan(work.config, work.instructions, work.guidelines, texts, at, given)


def submit(database: Database, work: RunInput, context: RecordContext) -> SubmittedRun:
    """Start a run, or resume the unfinished run of the same work."""
    with database.write() as connection:
        return submit_in(connection, database, work, context)


def submit_in(
    connection: Connection,
    database: Database,
    work: RunInput,
    context: RecordContext,
    scope: Scope = LOCAL,
) -> SubmittedRun:
    """Start a run of a tenant in a transaction that is open, or resume that of the same work."""
    keys = {path: _document_key(work, path) for path in work.inputs}
    run_key = _digest(sorted(keys.values()))
    earlier = runs.unfinished(connection, run_key, scope)
    if earlier is not None:
        resume_in(connection, earlier, work.config, context.now)
        return SubmittedRun(earlier.id, True, earlier.skipped)
    skipped = _skipped(connection, work, keys, scope)
    skipped_paths = {one.path for one in skipped}
    left = [path for path in work.inputs if path not in skipped_paths]
    if not left:
        return SubmittedRun(None, False, skipped)
    expected = planned(work, left, context.now)
    run = Run(
        id=context.new_id(),
        key=run_key,
        title=work.title,
        state="running",
        config=work.config,
        instructions=work.instructions,
        guidelines=work.guidelines,
        skipped=skipped,
        expected=plan.expected(expected),
        created_at=context.now,
    )
    runs.add(connection, run, scope)
    _add_documents(connection, run, {path: keys[path] for path in left}, work, context)
    _record_start(connection, database, run.id, context)
    return SubmittedRun(run.id, False, skipped, expected)


def rejudge(
    database: Database, of: Run, config: Config, context: RecordContext
) -> rejudging.StartedRejudging:
    """Start a run that judges the candidates of another run again, or resume it.

    Args:
        of: The other run, whose instructions and guidelines are used.
        config: Config with the judges and criteria.

    Raises:
        Conflict: The other run has no candidates.
    """
    with database.write() as connection:
        return rejudge_in(connection, database, of, config, context)


def rejudge_in(
    connection: Connection,
    database: Database,
    of: Run,
    config: Config,
    context: RecordContext,
    only: Collection[str] | None = None,
) -> rejudging.StartedRejudging:
    """Start a run that judges candidates again in a transaction that is open, or resume it.

    Args:
        of: See ``rejudge``.
        config: See ``rejudge``.
        only: Ids of the candidates that are judged; default: all.

    Raises:
        Conflict: See ``rejudge``.
    """
    config = rejudging.without_playoffs(config)
    identity: list[object] = ["rejudged", of.id, config.identity()]
    key = _digest(identity if only is None else [*identity, sorted(only)])
    earlier = runs.unfinished(connection, key, runs.tenant_of(connection, of.id))
    if earlier is not None:
        resume_in(connection, earlier, config, context.now)
        return rejudging.StartedRejudging(earlier.id, None)
    begun = rejudging.begin(connection, of, config, key, context, only)
    _record_start(connection, database, begun.run_id, context)
    return begun


def import_results(
    database: Database, imported: ImportedResults, context: RecordContext
) -> ImportedRun:
    """Add results of an older program as a run; repeating it changes nothing."""
    from acm_workers.engine import importing  # imports numpy, which most commands do without

    with database.write() as connection:
        return importing.add(connection, imported, context)


def result(database: Database, run: Run) -> RunResult:
    """Return the result of a run; if it judged another run again, with the changes."""
    with database.read() as connection:
        found = results.with_remarks(connection, results.of_run(connection, run.id))
        if run.rejudged_from is None or run.crossed_with is not None:
            return found
        changes = rejudging.changes(connection, run)
    values = {name: getattr(found, name) for name in RunResult.model_fields}
    return RejudgedResult(**values, rejudged_from=run.rejudged_from, changes=tuple(changes))


def explain(database: Database, document: Document) -> Explanation:
    """Return the reasons for the winner of a document."""
    from acm_workers.pipeline import explain  # imports numpy, which most commands do without

    with database.read() as connection:
        run = runs.get(connection, document.run_id)
        judged = JudgedDocument(
            rejudging.view(connection, document),
            run.config,
            documents.standings(connection, run.id).get(document.id, ()),
        )
        fusions = documents.fusions(connection, run.id).get(document.id, ())
        said = evaluations.remarks(connection, [one.id for one in judged.snapshot.candidates])
    return explain.explain(judged, fusions, said)


def resume(
    database: Database,
    run_id: str,
    context: RecordContext,
    *,
    failed: bool = False,
    budget_usd: float | None = None,
) -> int:
    """Resume a run that was paused or cancelled, or that has failed units.

    Args:
        failed: Whether failed units of documents with a winner are tried again as well.
        budget_usd: The run's new budget; unchanged by default.

    Returns:
        The number of units that were planned again.

    Raises:
        Conflict: There is nothing to resume, or the new budget is spent already.
    """
    with database.write() as connection:
        run = runs.get(connection, run_id)
        runs.lock(connection, run.id)  # it may be deleted at the same time
        run = runs.get(connection, run.id)
        runs.require_texts(run)
        if run.serves_submissions:
            raise Conflict(
                f"run {run.id} has the {run.title}: raise budget_usd in the task's config, or mend"
                " what paused it, and register the task again (`acm submissions tasks FILE`)"
            )
        config = _with_budget(connection, run, budget_usd)
        roles = circuit_breakers.close(connection, run.id)
        if run.state == "running" and not run.cancel_requested and not roles:
            pausing.resume(connection, run, config, context.now)
            return 0
        _send_again(connection, run)
        count = reopen_documents(connection, run.id, with_winner=failed, roles=roles)
        if count == 0 and run.state not in {"running", "paused", "cancelled"}:
            raise Conflict(
                f"run {run.id} is {run.state}: there is nothing left to do"
                + ("" if failed else "; --failed tries failed units of decided documents again")
            )
        pausing.resume(connection, run, config, context.now, roles, count)
        return count


def resume_in(connection: Connection, run: Run, config: Config, now: datetime) -> None:
    """Continue an unfinished run in a transaction that is open, with the limits of ``config``."""
    roles, count = circuit_breakers.close(connection, run.id), 0
    if run.cancel_requested or roles:
        count = reopen_documents(connection, run.id, with_winner=False, roles=roles)
    _send_again(connection, run)
    # Limits, folders and prices may have changed; the work is the same.
    if batches.runs(connection, [run.id]):  # what is in a batch is not sent live as well
        config = config.delivered_like(run.config)
    pausing.resume(connection, run, config, now, roles, count)


def cancel(database: Database, run_id: str, context: RecordContext) -> Run:
    """Cancel a run; calls in flight end and their answers are kept.

    Raises:
        Conflict: The run has ended.
    """
    with database.write() as connection:
        run = runs.get(connection, run_id)
        if run.state not in {"running", "paused"}:
            raise Conflict(f"run {run.id} cannot be cancelled: it is {run.state}")
        sweep.cancel(connection, run.id, context, requested=True)
        return run


def pause(database: Database, run_id: str, context: RecordContext) -> Run:
    """Pause a run, if it is not paused yet, and return it.

    No further calls start; calls in flight end and their answers are kept.

    Raises:
        Conflict: The run has ended or is being cancelled.
    """
    with database.write() as connection:
        run = runs.get(connection, run_id)
        if run.cancel_requested or run.state not in {"running", "paused"}:
            state = "being cancelled" if run.state == "running" else run.state
            raise Conflict(f"run {run.id} cannot be paused: it is {state}")
        pausing.pause(connection, run.id, pausing.ASKED, context)
        return runs.get(connection, run.id)


def settle(database: Database, run_id: str, context: RecordContext, *, idle: bool = False) -> Run:
    """Decide a run now from the results so far; no further calls are sent.

    Documents with units in progress are decided by the process that executes the run, when these
    units have ended.

    Args:
        idle: Whether no process works on it although it is running, so that its units in progress
            are lost.

    Raises:
        Conflict: The run has ended.
    """
    with database.read() as connection:
        run = runs.get(connection, run_id)
    if idle and run.state == "running":
        sweep.recover(database, run.id, "", context)
    settling.begin(database, run.id, context)
    settling.decide(database, run.id, run.config, context)
    with database.read() as connection:
        return runs.get(connection, run.id)


def delete(
    database: Database, run_id: str, context: RecordContext, actor: str = "local"
) -> DeletedRun:
    """Delete the texts of a run that has ended or is paused; its bill is kept.

    Raises:
        Conflict: The run, or a run that judges its candidates again, is in progress.
    """
    with database.erase() as connection:
        return deletion.delete(connection, runs.get(connection, run_id), context, actor)


def cancel_background_calls(
    database: Database, run: Run, now: Callable[[], datetime]
) -> "CancelledAnswers":
    """Cancel the background answers of a cancelled run at the providers; record their cost.

    Batches are cancelled as well; if workers execute the run, they cancel its batches.
    """
    from acm_workers.calls import background_calls, batched_calls  # slow to import

    found = background_calls.cancel_abandoned(database, run.id, run.config, now)
    with database.read() as connection:
        if run.id in batches.runs(connection):
            return found
    ended, left = batched_calls.finish(
        database, run.id, run.config, new_id(), now, _CANCELS_WITHIN_S
    )
    return found._replace(ended=found.ended + ended, left=found.left + left)


def report_files(known: RunRecords, now: datetime) -> dict[str, bytes]:
    """Return the files of a run's report by name."""
    from acm_workers.pipeline import voting  # numpy, charts and templates are slow to import
    from acm_workers.reporting import report

    return report.files(voting.with_result(known), generated_at=now)


def report_policy() -> str:
    """Return the content security policy under which the page of a report works."""
    from acm_workers.reporting import report

    return report.policy()


def report_values(known: RunRecords, now: datetime) -> dict[str, Any]:
    """Return the content of ``results.json`` of a run's report."""
    from acm_workers.pipeline import voting
    from acm_workers.reporting import report

    return report.values(voting.with_result(known), generated_at=now)


def about_winner(known: RunRecords, document: Document) -> dict[str, Any]:
    """Return facts about the winner of a document, for the file beside its text."""
    from acm_workers.reporting import results

    return results.winner_json(known, document)


def _with_budget(connection: Connection, run: Run, budget_usd: float | None) -> Config:
    if budget_usd is None:
        return run.config
    committed_usd = budgets.committed_usd(connection, run.id)
    if budget_usd <= committed_usd:
        spent = budgets.describe(connection, run.id, committed_usd)
        raise Conflict(f"of run {run.id} {spent}; its budget has to be above that")
    return run.config.model_copy(update={"budget_usd": budget_usd})


def _record_start(
    connection: Connection, database: Database, run_id: str, context: RecordContext
) -> None:
    """Record the path of the store, so that copies can be recognised."""
    data = {"store": database.url.database if database.is_sqlite else None}
    events.add(connection, run_id, "run_started", context.now, data=data)


def _send_again(connection: Connection, run: Run) -> None:
    """Have the messages of a paused run sent again: workers have dropped them."""
    if run.state == "paused":
        units.mark_all_unsent(connection, run.id)
        documents.mark_all_unsent(connection, run.id)


def _skipped(
    connection: Connection, work: RunInput, keys: dict[str, str], scope: Scope = LOCAL
) -> tuple[SkippedDocument, ...]:
    if work.config.skip != "auto":
        return ()
    won = documents.with_winner(connection, list(keys.values()), scope)
    return tuple(
        SkippedDocument(path=path, run_id=won[key].run_id, document_id=won[key].id)
        for path, key in keys.items()
        if key in won
    )


def _add_documents(
    connection: Connection, run: Run, keys: dict[str, str], work: RunInput, context: RecordContext
) -> None:
    # Where nothing is written or checked, judging begins at once.
    stage: Stage = "planned" if work.config.writers or work.config.checks else "generate"
    added = [
        Document(
            id=context.new_id(),
            run_id=run.id,
            path=path,
            key=key,
            stage=stage,
            created_at=context.now,
        )
        for path, key in keys.items()
    ]
    texts = {one.id: work.inputs[one.path] for one in added}
    documents.add(connection, added, texts, runs.tenant_of(connection, run.id))
    for document in added:
        given = units_of.given(document, work.given.get(document.path, ()), run.config, context)
        artifacts.insert_done(connection, given)
        for text in given if not run.config.checks else ():
            evaluations.plan(connection, units_of.evaluations(text, run.config, context), None)


def _document_key(work: RunInput, path: str) -> str:
    parts: list[object] = [
        work.config.identity(),
        work.instructions,
        work.guidelines,
        path,
        work.inputs[path],
    ]
    if path in work.given:
        parts.append([[one.variant, one.name, one.text] for one in work.given[path]])
    return _digest(parts)


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
