"""Everything about one document, picked from a run's material."""

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeVar

from acm_workers.ranking import games, scores
from acm_workers.ranking.games import Game
from acm_workers.reporting import money
from acm_workers.reporting.data import Candidate
from schemas.calls import Call
from schemas.ranking import Fusion, Rating, ScoreSummary, Standing
from schemas.run import Run, RunRecords
from schemas.units import Artifact, Comparison, Document, Evaluation

T = TypeVar("T")


class DocumentRecords(NamedTuple):
    """What is known of one document.

    Attributes:
        games: What its comparisons mean for ratings: both orders of a pair are one game.
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


def by_document(material: RunRecords) -> list[DocumentRecords]:
    """Return the facts of each document, in the order of the run."""
    run = material.run
    artifacts = grouped(material.artifacts, lambda artifact: artifact.document_id)
    evaluations = grouped(material.evaluations, lambda evaluation: evaluation.document_id)
    comparisons = grouped(material.comparisons, lambda comparison: comparison.document_id)
    calls = grouped(material.calls, lambda call: call.document_id)
    summaries = scores.summaries(material.artifacts, material.evaluations, run.config)
    tie_below = run.config.pairwise.tie_below_confidence
    return [
        DocumentRecords(
            run=run,
            document=document,
            source=material.texts.get(document.id, ""),
            artifacts=artifacts.get(document.id, ()),
            evaluations=evaluations.get(document.id, ()),
            comparisons=comparisons.get(document.id, ()),
            games=tuple(games.games(comparisons.get(document.id, ()), tie_below=tie_below)),
            standings=material.standings.get(document.id, ()),
            ratings=material.ratings.get(document.id, ()),
            fusions=material.fusions.get(document.id, ()),
            summaries=summaries,
            calls=calls.get(document.id, ()),
        )
        for document in material.documents
    ]


def label(artifact: Artifact) -> str:
    """Name an artifact for people."""
    return f"{artifact.generator} {artifact.number} · {artifact.model}"


def candidates(facts: DocumentRecords) -> tuple[Candidate, ...]:
    """Return all candidates, best first; those without a rank follow by score, failed ones last."""
    standings = {standing.artifact_id: standing for standing in facts.standings}
    ratings = {rating.artifact_id: rating for rating in facts.ratings}
    calls = grouped(facts.calls, lambda call: call.unit_id)
    evaluations = grouped(facts.evaluations, lambda evaluation: evaluation.artifact_id)
    found = [
        Candidate(
            artifact=artifact,
            label=label(artifact),
            standing=standings.get(artifact.id),
            summary=facts.summaries.get(artifact.id),
            rating=ratings.get(artifact.id),
            spent=money.of(calls.get(artifact.id, ())),
            missing=sum(unit.state != "done" for unit in evaluations.get(artifact.id, ())),
        )
        for artifact in facts.artifacts
    ]
    return tuple(sorted(found, key=_place))


def _place(candidate: Candidate) -> tuple[bool, int, bool, float, int]:
    standing, summary = candidate.standing, candidate.summary
    return (
        standing is None,
        standing.rank if standing else 0,
        candidate.artifact.state != "done",
        -summary.overall if summary else 0.0,
        candidate.artifact.number,
    )
