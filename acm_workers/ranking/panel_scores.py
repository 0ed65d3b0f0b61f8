"""How one judge scored: how strictly, how widely, how steadily, and whether length impressed it."""

import statistics
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from math import sqrt
from typing import NamedTuple

from acm_workers.ranking.judged import JudgementTables
from schemas.units import Evaluation

LEAST_FOR_LENGTH = 4
"""Candidates of one document below which a rank correlation says nothing."""


class ScoreFigures(NamedTuple):
    """How one judge scored.

    Attributes:
        given: Evaluations with a result.
        filled: Those of them in which some score is the configured one, not the judge's.
        spread: Sample standard deviation of its overall scores; absent below two.
        histogram: Number of overall scores by the nearest whole number, ascending.
        severity: Mean difference to the mean of the other judges that count, on the candidates
            that both scored; negative is stricter. Absent if there are none.
        shared: Number of those candidates.
        noise: Standard deviation of its overall scores of one candidate over iterations, pooled
            over candidates; absent if it scored none twice.
        repeated: Number of candidates that it scored more than once.
        length: Spearman's correlation of score and length of the text, within documents; absent
            without a document of four candidates with different scores and lengths.
        measured: Number of candidates that it rests on.
    """

    given: int
    filled: int
    mean: float | None
    spread: float | None
    histogram: tuple[tuple[int, int], ...]
    severity: float | None
    shared: int
    noise: float | None
    repeated: int
    length: float | None
    measured: int


def figures(name: str, known: JudgementTables) -> ScoreFigures:
    """Describe how judge ``name`` scored."""
    own = [one for one in known.evaluations if one.judge == name]
    overall = [one.overall for one in own if one.overall is not None]
    differences = list(_differences(name, known))
    noise, repeated = _noise(own)
    length, measured = _length(name, known)
    return ScoreFigures(
        given=len(overall),
        filled=sum(bool(one.filled) for one in own),
        mean=statistics.fmean(overall) if overall else None,
        spread=statistics.stdev(overall) if len(overall) > 1 else None,
        histogram=tuple(sorted(Counter(round(score) for score in overall).items())),
        severity=statistics.fmean(differences) if differences else None,
        shared=len(differences),
        noise=noise,
        repeated=repeated,
        length=length,
        measured=measured,
    )


def _differences(name: str, known: JudgementTables) -> Iterable[float]:
    for candidate, by_judge in known.scores.items():
        counting = known.counting.scores.get(candidate, {})
        others = [score for judge, score in counting.items() if judge != name]
        if name in by_judge and others:
            yield by_judge[name] - statistics.fmean(others)


def _noise(own: Sequence[Evaluation]) -> tuple[float | None, int]:
    by_candidate: dict[str, list[float]] = {}
    for one in own:
        if one.overall is not None:
            by_candidate.setdefault(one.artifact_id, []).append(one.overall)
    repeated = [found for found in by_candidate.values() if len(found) > 1]
    if not repeated:
        return None, 0
    freedom = sum(len(found) - 1 for found in repeated)
    squares = sum(statistics.variance(found) * (len(found) - 1) for found in repeated)
    return sqrt(squares / freedom), len(repeated)


def _length(name: str, known: JudgementTables) -> tuple[float | None, int]:
    """Return the correlation of ranks within documents, and of how many candidates.

    Ranks are taken from their document's mean, so that documents of long texts that are good or
    bad as a whole say nothing; with one document it is Spearman's coefficient.
    """
    by_document: dict[str, list[tuple[float, float]]] = {}
    for candidate, by_judge in known.together(known.scores).items():
        artifact = known.artifacts[candidate]
        if name in by_judge and artifact.text is not None:
            there = by_document.setdefault(artifact.document_id, [])
            there.append((len(artifact.text), by_judge[name]))
    products, lengths, given, measured = 0.0, 0.0, 0.0, 0
    for found in by_document.values():
        if len(found) < LEAST_FOR_LENGTH:
            continue
        ours, theirs = (_centred_ranks(side) for side in zip(*found, strict=True))
        products += sum(a * b for a, b in zip(ours, theirs, strict=True))
        lengths += sum(a * a for a in ours)
        given += sum(b * b for b in theirs)
        measured += len(found)
    if not lengths or not given:
        return None, measured
    return products / sqrt(lengths * given), measured


def _centred_ranks(values: Sequence[float]) -> list[float]:
    """Return ranks around 0, equal values with the mean of theirs."""
    ascending = sorted(values)
    middle = (len(values) - 1) / 2
    return [
        (bisect_left(ascending, value) + bisect_right(ascending, value) - 1) / 2 - middle
        for value in values
    ]
