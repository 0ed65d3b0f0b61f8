"""The records of each document of a run, and its candidates in order."""

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeVar

from acm_workers.ranking import games, scores
from acm_workers.ranking.games import Game
from acm_workers.reporting import money
from acm_workers.reporting.data import Candidate
from schemas.calls import Call
from schemas.config.config import Config
from schemas.ranking import Fusion, Rating, ScoreSummary, Standing
from schemas.run import Run, RunRecords
from schemas.units import Artifact, Comparison, Document, Evaluation

T = TypeVar("T")


class DocumentRecords(NamedTuple):
    """All records of one document.

    Attributes:
        games: Games of the comparisons; both orders of a pair are one game.
    """

    run: Run
    document: Document
    source: str
    artifacts: tuple[Artifact, ...]
    evaluations: tuple[Evaluation, ...]
    comparisons: tuple[Comparison, ...]
    games: tuple[Game, ...]
    standings: tuple[Standing, ...]
    ratings: tuple[Rating, ...]
    fusions: tuple[Fusion, ...]
    summaries: dict[str, ScoreSummary]
    calls: tuple[Call, ...]


def grouped(items: Iterable[T], key: Callable[[T], str]) -> dict[str, tuple[T, ...]]:
    """Group ``items`` by ``key``, keeping their order."""
    groups: dict[str, list[T]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return {name: tuple(group) for name, group in groups.items()}


def document_records(run_records: RunRecords) -> list[DocumentRecords]:
    """Return the records by document, in the order of the run."""
    run = run_records.run
    artifacts = grouped(run_records.artifacts, lambda artifact: artifact.document_id)
    evaluations = grouped(run_records.evaluations, lambda evaluation: evaluation.document_id)
    comparisons = grouped(run_records.comparisons, lambda comparison: comparison.document_id)
    calls = grouped(run_records.calls, lambda call: call.document_id)
    summaries = scores.summaries(run_records.artifacts, run_records.evaluations, run.config)
    tie_below = run.config.pairwise.tie_below_confidence
    return [
        DocumentRecords(
            run=run,
            document=document,
            source=run_records.texts.get(document.id, ""),
            artifacts=artifacts.get(document.id, ()),
            evaluations=evaluations.get(document.id, ()),
            comparisons=comparisons.get(document.id, ()),
            games=tuple(games.games(comparisons.get(document.id, ()), tie_below=tie_below)),
            standings=run_records.standings.get(document.id, ()),
            ratings=run_records.ratings.get(document.id, ()),
            fusions=run_records.fusions.get(document.id, ()),
            summaries=summaries,
            calls=calls.get(document.id, ()),
        )
        for document in run_records.documents
    ]


def candidates(records: DocumentRecords) -> tuple[Candidate, ...]:
    """Return all candidates, best first; unranked candidates follow by score, failed ones last."""
    standings = {standing.artifact_id: standing for standing in records.standings}
    ratings = {rating.artifact_id: rating for rating in records.ratings}
    calls = grouped(records.calls, lambda call: call.unit_id)
    evaluations = grouped(records.evaluations, lambda evaluation: evaluation.artifact_id)
    found = [
        Candidate(
            artifact=artifact,
            label=_label(artifact, records.run.config),
            standing=standings.get(artifact.id),
            summary=records.summaries.get(artifact.id),
            rating=ratings.get(artifact.id),
            spent=money.total_cost(calls.get(artifact.id, ())),
            missing=sum(unit.state != "done" for unit in evaluations.get(artifact.id, ())),
        )
        for artifact in records.artifacts
    ]
    return tuple(sorted(found, key=_sort_key))


def _label(artifact: Artifact, config: Config) -> str:
    """Return the name of a candidate, with the name of its prompt if the run has several."""
    prompt = config.prompt_of(artifact)
    return artifact.name if prompt is None else f"{artifact.name} ({prompt})"


def _sort_key(candidate: Candidate) -> tuple[bool, int, bool, float, int]:
    standing, summary = candidate.standing, candidate.summary
    return (
        standing is None,
        standing.rank if standing else 0,
        candidate.artifact.state != "done",
        -summary.overall if summary else 0.0,
        candidate.artifact.number,
    )
