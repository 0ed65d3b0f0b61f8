"""Calls to models for submissions: judges that score a version, and models that write one.

A task that needs models has a separate run, whose ledger, limits and budget apply to the task's
calls. Submissions are the documents of this run, and versions are their candidates. The run is
executed only by this module, without sweep and messages.
"""

import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from sqlalchemy import Connection, false
from ulid import ULID

from acm_workers import runtime
from acm_workers.calls import unit_caller
from acm_workers.calls.context import UnitRef
from acm_workers.calls.unit_caller import UnitCaller, UnitEnd
from acm_workers.calls.unit_work import UnitResult
from acm_workers.engine import pausing
from acm_workers.errors import AlreadyClaimed, BudgetSpent, Cancelled, NotFound, ProviderPaused
from acm_workers.judging import score as scoring
from acm_workers.judging.conversation import JudgingContext
from acm_workers.limits.memory import MemoryLimiter
from acm_workers.pipeline import units as units_of
from acm_workers.ranking import scores
from acm_workers.runtime import Runtime
from acm_workers.store import artifacts, documents, evaluations, runs, submission_tasks, units
from acm_workers.store.ids import new_id
from acm_workers.store.tables import ArtifactRow, ComparisonRow, EvaluationRow
from acm_workers.submissions import judgement
from acm_workers.submissions.execution import VersionOutcome
from schemas import lanes
from schemas.config.config import Config
from schemas.config.variant import Model
from schemas.run import SUBMISSIONS_OF, Run
from schemas.submissions import Submission, SubmissionTask, Version
from schemas.units import Artifact, Document, Evaluation

_AT_ONCE = 8
"""Maximum concurrent evaluations of one version; limits of providers apply to all of them."""

_ROUND = 1000
"""Factor of a round in iteration numbers; higher than the number of versions of any round."""


def keep_run(connection: Connection, task: SubmissionTask, config: Config) -> SubmissionTask:
    """Store the config of a task's models as a run; return the task with this run."""
    # A judge that fails pauses nothing: each submission says why it has no score.
    retries = config.retries.model_copy(update={"give_up_after": None})
    config = config.model_copy(update={"retries": retries})
    try:
        run_id = submission_tasks.get(connection, task.key).run_id
        if run_id is not None:
            now = runtime.utc_now()
            pausing.resume(connection, runs.get(connection, run_id), config, now)
            return task.model_copy(update={"run_id": run_id})
    except NotFound:  # neither task nor run, or the run was deleted
        pass
    run = Run(
        id=new_id(),
        key=f"{SUBMISSIONS_OF}{task.key}"[:64],
        title=f"{SUBMISSIONS_OF}{task.key}",
        state="running",
        config=config,
        instructions=_instructions(task),
        guidelines=None,
        created_at=runtime.utc_now(),
    )
    runs.add(connection, run)
    return task.model_copy(update={"run_id": run.id})


def judge(
    live: Runtime,
    task: SubmissionTask,
    submission: Submission,
    version: Version,
    cancelled: Callable[[], bool],
) -> VersionOutcome:
    """Score a version as a text; existing scores are not requested again.

    Raises:
        ProviderPaused: A provider is paused, and therefore the run.
        BudgetSpent: The budget allows no further call; the run is paused.
        Cancelled: ``cancelled`` is true, or this process stops.
        AlreadyClaimed: Another process is judging the version.
    """
    run = _run(live, task)
    with live.database.write() as connection:
        candidate = _add_candidate(connection, run, submission, version)
        planned = _plan(connection, run, candidate)

    def work(evaluation: Evaluation) -> Exception | None:
        return _score(live, run, evaluation, version.content, cancelled)

    with ThreadPoolExecutor(_AT_ONCE, "acm-judge") as pool:
        errors = [error for error in pool.map(work, planned) if error is not None]
    _raise_if_held_up(live, run, errors)
    with live.database.read() as connection:
        found = _current_evaluations(connection, run, candidate)
    summary = scores.summaries([candidate], found, run.config).get(candidate.id)
    return judgement.outcome(summary, found, run.config)


class WrittenVersion(NamedTuple):
    """A version that a model writes, in one round of a submission."""

    submission: Submission
    round: int
    number: int


def ask(
    live: Runtime,
    task: SubmissionTask,
    key: WrittenVersion,
    model: Model,
    work: Callable[[UnitCaller, Config], UnitResult],
    left_s: float,
) -> UnitEnd:
    """Have a model write the text of a version.

    Args:
        work: Function that sends the requests and returns the text.
        left_s: Seconds after which calls end.

    Raises:
        Cancelled: The process is stopping.
    """
    run = _run(live, task)
    config = _within(run.config, left_s)
    artifact = Artifact(
        id=_artifact_id(run, key),
        run_id=run.id,
        document_id=_id(run, key.submission.id),
        generator="fpf",
        variant=len(run.config.runs),
        iteration=_ROUND * key.round + key.number,
        number=key.number,
        provider=model.provider,
        model=model.model,
        lane=lanes.generate(model.provider),
        created_at=runtime.utc_now(),
    )
    with live.database.write() as connection:
        _add_document(connection, run, key.submission)
        artifacts.plan(connection, [artifact], runtime.utc_now())
        units.replan(
            connection,
            artifact.document_id,
            ["failed"],
            {
                ArtifactRow: ArtifactRow.id == artifact.id,
                EvaluationRow: false(),
                ComparisonRow: false(),
            },
        )
    unit = UnitRef("artifact", artifact.id, run.id, artifact.document_id, artifact.iteration)
    with live.holding("artifact", artifact.id):
        ended = unit_caller.run_unit(
            live.call_context, config, unit, model, lambda calls: work(calls, config)
        )
    _raise_if_held_up(live, run, [ended.error] if isinstance(ended.error, Cancelled) else [])
    return ended


def answer(live: Runtime, task: SubmissionTask, key: WrittenVersion) -> str | None:
    """Return the answer of the model that wrote a version; None for other versions."""
    run = _run(live, task)
    with live.database.read() as connection:
        found = artifacts.get(connection, _artifact_id(run, key))
    return None if found is None else found.text


def _artifact_id(run: Run, key: WrittenVersion) -> str:
    return _id(run, key.submission.id, key.round, key.number)


def _run(live: Runtime, task: SubmissionTask) -> Run:
    """Return the run of a task with its current config, and apply the limits of the config."""
    if task.run_id is None:
        raise RuntimeError(f"the task {task.key} was registered without its models")
    live.run.cache_clear()
    run = live.run(task.run_id)
    return run.model_copy(update={"instructions": _instructions(task)})


def _instructions(task: SubmissionTask) -> str:
    return "\n\n".join(filter(None, [task.title or task.key, task.description]))


def _within(config: Config, left_s: float) -> Config:
    """Return ``config`` with shorter deadlines of calls."""
    left_s = max(left_s, 1.0)
    deadline_s = min(config.retries.deadline_seconds, left_s)
    providers = {
        name: one.model_copy(update={"timeout_seconds": min(one.timeout_seconds, left_s)})
        for name, one in config.providers.items()
    }
    retries = config.retries.model_copy(update={"deadline_seconds": deadline_s})
    return config.model_copy(update={"providers": providers, "retries": retries})


def _add_document(connection: Connection, run: Run, submission: Submission) -> str:
    document = Document(
        id=_id(run, submission.id),
        run_id=run.id,
        path=str(submission.id),
        key=_id(run, submission.id),
        stage="generate",
        created_at=runtime.utc_now(),
    )
    scope = runs.tenant_of(connection, run.id)
    documents.add(connection, [document], {document.id: ""}, scope)
    return document.id


def _add_candidate(
    connection: Connection, run: Run, submission: Submission, version: Version
) -> Artifact:
    """Insert a version as a candidate, unless it was written by a model of the run."""
    now = runtime.utc_now()
    artifact = Artifact(
        id=_id(run, submission.id, version.version, "judged"),
        run_id=run.id,
        document_id=_add_document(connection, run, submission),
        generator="files",
        variant=1,
        iteration=version.version,
        number=version.version,
        provider=run.config.runs[0].provider,
        model=run.config.runs[0].model,
        lane=run.config.runs[0].lane,
        state="done",
        text=version.content,
        created_at=now,
        finished_at=now,
    )
    artifacts.insert_done(connection, [artifact])
    return artifact


def _plan(connection: Connection, run: Run, candidate: Artifact) -> list[Evaluation]:
    """Plan the missing evaluations of a candidate; return its evaluations without a result."""
    planned = units_of.evaluations(candidate, run.config, runtime.making())
    evaluations.plan(connection, planned, runtime.utc_now())
    units.replan(
        connection,
        candidate.document_id,
        ["failed"],
        {
            EvaluationRow: EvaluationRow.artifact_id == candidate.id,
            ArtifactRow: false(),
            ComparisonRow: false(),
        },
    )
    return [one for one in _current_evaluations(connection, run, candidate) if one.state != "done"]


def _current_evaluations(connection: Connection, run: Run, candidate: Artifact) -> list[Evaluation]:
    """Return the evaluations of a candidate for the judges and iterations of the current config."""
    wanted = {
        (judge.name, iteration)
        for judge in run.config.judges_of(combined=False)
        for iteration in range(1, judge.iterations + 1)
    }
    found = evaluations.shown(connection, candidate.document_id, limit=1_000_000)
    return [
        one
        for one in found
        if one.artifact_id == candidate.id and (one.judge, one.iteration) in wanted
    ]


def _score(
    live: Runtime, run: Run, evaluation: Evaluation, text: str, cancelled: Callable[[], bool]
) -> Exception | None:
    """Request and save a judge's scores of a text; return why there is no result, if so."""
    if cancelled():
        return Cancelled("the submission is not wanted any more")
    config = run.config
    judge = next(one for one in config.judges if one.name == evaluation.judge)
    context = JudgingContext.of_run(run, None, judge, config.criteria)
    sample = units_of.sample_number(evaluation, config)
    unit = UnitRef("evaluation", evaluation.id, run.id, evaluation.document_id, sample)
    model = Model(provider=judge.provider, model=judge.model)

    def work(calls: UnitCaller) -> UnitResult:
        return UnitResult(scoring.score(calls, judge, context, text).model_dump())

    with live.holding("evaluation", evaluation.id):
        return unit_caller.run_unit(live.call_context, config, unit, model, work).error


def _raise_if_held_up(live: Runtime, run: Run, errors: Sequence[Exception]) -> None:
    """Raise errors that the text did not cause, and pause the run if it cannot continue."""
    for error in errors:
        if isinstance(error, ProviderPaused | BudgetSpent):
            with live.database.write() as connection:
                pausing.pause(connection, run.id, str(error), runtime.making())
            if isinstance(error, ProviderPaused) and isinstance(live.limiter, MemoryLimiter):
                # The pause of the run is enough, and whoever registers the task again ends it.
                scope = live.scope(run.id)
                for name in run.config.providers:
                    live.limiter.resume(scope.qualified(name))
            raise error
    for error in errors:
        if isinstance(error, Cancelled | AlreadyClaimed):
            raise error


def _id(run: Run, *parts: object) -> str:
    """Return a deterministic id."""
    text = "/".join(map(str, (run.id, *parts)))
    return str(ULID.from_bytes(hashlib.sha256(text.encode()).digest()[:16]))
