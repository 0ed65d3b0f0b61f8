"""Results of runs, for programs: rankings, scores, comparisons and texts."""

from collections.abc import Sequence
from typing import Any

from acm_workers import runtime, submit
from acm_workers.errors import AcmError
from acm_workers.store import artifacts, results, runs
from acm_workers.store.connection.database import Database
from schemas.record import Record
from schemas.run import DocumentResult, Run, RunResult, SkippedDocument
from schemas.units import CheckResult


class RankedCandidate(Record):
    """A candidate of a document with its rank.

    Attributes:
        rank: Rank, starting with 1 for the best; absent if the candidate was not ranked.
        overall: Weighted mean of the scores.
        criteria: Score by criterion.
        p_best: Probability that the candidate is the best of its document.
        text: Text of the candidate; absent if no text was written.
        checks: Results of the config's checks on the text.
    """

    document: str
    rank: int | None
    winner: bool
    artifact_id: str
    generator: str
    provider: str
    model: str
    iteration: int
    overall: float | None
    criteria: dict[str, float]
    elo: float | None
    p_best: float | None
    text: str | None
    checks: tuple[CheckResult, ...] = ()


class GivenScore(Record):
    """One score: by one judge, for one candidate and criterion, in one iteration."""

    document: str
    artifact_id: str
    judge: str
    iteration: int
    criterion: str
    score: float
    reason: str | None


class GivenVerdict(Record):
    """One comparison: ``a_id`` was shown first; ``winner`` is ``a``, ``b`` or ``tie``."""

    document: str
    a_id: str
    b_id: str
    judge: str
    iteration: int
    winner: str
    confidence: float | None
    reason: str | None


class Results(Record):
    """The results of a run, or its state so far.

    Attributes:
        summary: Documents with winners, calls and cost, as printed by ``acm show --json``.
        candidates: Candidates by document, best first.
        scores: All scores of judges.
        verdicts: All verdicts of judges.
    """

    summary: RunResult
    candidates: tuple[RankedCandidate, ...]
    scores: tuple[GivenScore, ...]
    verdicts: tuple[GivenVerdict, ...]

    @classmethod
    def of_run(cls, database: Database, run: Run) -> "Results":
        """Return the results of a run, with results of earlier runs for skipped documents."""
        summary = submit.result(database, run)
        wanted = {run.id: None} | {one.run_id: None for one in run.skipped}
        return _of_documents(database, summary, list(wanted))

    @classmethod
    def of_skipped(
        cls, database: Database, summary: RunResult, skipped: Sequence[SkippedDocument]
    ) -> "Results":
        """Return the results of a call whose documents were all skipped."""
        return _of_documents(database, summary, sorted({one.run_id for one in skipped}))

    @property
    def run_id(self) -> str:
        """Return the id of the run."""
        return self.summary.run_id

    @property
    def state(self) -> str:
        """Return the state of the run, such as ``done``."""
        return self.summary.state

    @property
    def usd(self) -> float | None:
        """Return the exact cost; None if the price of a call is not known."""
        return self.summary.usd

    @property
    def documents(self) -> tuple[DocumentResult, ...]:
        """Return the documents with their winners."""
        return self.summary.documents

    @property
    def winners(self) -> dict[str, str]:
        """Return the text of each winner, by document."""
        return {one.document: one.text or "" for one in self.candidates if one.winner}

    def to_pandas(self) -> Any:
        """Return a pandas data frame with a row per candidate and a column per criterion.

        Raises:
            acm_workers.errors.AcmError: pandas is not installed.
        """
        try:
            import pandas  # type: ignore[import-untyped]  # it may be absent
        except ImportError as error:
            raise AcmError("to_pandas needs pandas: pip install pandas") from error
        rows = [
            one.model_dump(exclude={"criteria", "text", "checks"})
            | {f"score_{name}": score for name, score in one.criteria.items()}
            | {"text": one.text}
            for one in self.candidates
        ]
        return pandas.DataFrame(rows)

    def _repr_html_(self) -> str:
        """Return a table of winners as HTML for notebooks."""
        from html import escape

        rows = "".join(
            f"<tr><td>{escape(one.path)}</td><td>{escape(one.state)}</td>"
            f"<td>{escape('-' if one.winner is None else one.winner.model)}</td>"
            f"<td>{'-' if one.winner is None or one.winner.p_best is None else f'{one.winner.p_best:.0%}'}</td></tr>"  # noqa: E501
            for one in self.documents
        )
        head = "<tr><th>document</th><th>state</th><th>winner</th><th>P(best)</th></tr>"
        return f"<table>{head}{rows}</table>"


def _of_documents(database: Database, summary: RunResult, run_ids: Sequence[str]) -> Results:
    paths = {one.path for one in summary.documents}
    candidates: list[RankedCandidate] = []
    scores: list[GivenScore] = []
    verdicts: list[GivenVerdict] = []
    for run_id in run_ids:
        with database.read() as connection:
            if run_id != summary.run_id and runs.get(connection, run_id).state == "deleted":
                continue  # it had winners of documents that were skipped
            known = submit.report_values(results.records(connection, run_id), runtime.utc_now())
            texts = {one.id: one.text for one in artifacts.of_run(connection, run_id)}
        own: dict[str, str] = {}
        for document in known["documents"]:
            if document["path"] not in paths:
                continue
            own[document["id"]] = document["path"]
            candidates += [_candidate(document, one, texts) for one in document["candidates"]]
        scores += _scores(known["evaluations"], own)
        verdicts += _verdicts(known["comparisons"], own)
    candidates.sort(key=lambda one: (one.document, one.rank is None, one.rank, one.artifact_id))
    return Results(
        summary=summary,
        candidates=tuple(candidates),
        scores=tuple(scores),
        verdicts=tuple(verdicts),
    )


def _candidate(
    document: dict[str, Any], found: dict[str, Any], texts: dict[str, str | None]
) -> RankedCandidate:
    artifact, standing, summary = found["artifact"], found["standing"], found["summary"]
    winner = document["winner"]
    return RankedCandidate(
        document=document["path"],
        rank=None if standing is None else standing["rank"],
        winner=winner is not None and winner["artifact_id"] == artifact["id"],
        artifact_id=artifact["id"],
        generator=artifact["generator"],
        provider=artifact["provider"],
        model=artifact["model"],
        iteration=artifact["iteration"],
        overall=None if summary is None else summary["overall"],
        criteria={} if summary is None else summary["criteria"],
        elo=None if found["rating"] is None else found["rating"]["points"],
        p_best=None if standing is None else standing["p_best"],
        text=texts[artifact["id"]],
        checks=tuple(CheckResult.model_validate(one) for one in artifact["checks"]),
    )


def _scores(evaluations: Sequence[dict[str, Any]], paths: dict[str, str]) -> list[GivenScore]:
    return [
        GivenScore(
            document=paths[one["document_id"]],
            artifact_id=one["artifact_id"],
            judge=one["judge"],
            iteration=one["iteration"],
            criterion=criterion,
            score=score,
            reason=one["reasons"].get(criterion),
        )
        for one in evaluations
        if one["document_id"] in paths
        for criterion, score in one["scores"].items()
    ]


def _verdicts(comparisons: Sequence[dict[str, Any]], paths: dict[str, str]) -> list[GivenVerdict]:
    return [
        GivenVerdict(
            document=paths[one["document_id"]],
            a_id=one["a_id"],
            b_id=one["b_id"],
            judge=one["judge"],
            iteration=one["iteration"],
            winner=one["winner"],
            confidence=one["confidence"],
            reason=one["reason"],
        )
        for one in comparisons
        if one["document_id"] in paths and one["winner"] is not None
    ]
