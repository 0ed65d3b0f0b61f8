"""Measures how often a comparison of two runs finds a difference, with and without a true one.

Two runs write texts for the same documents with the same models; the texts of one run may be better
by some points. The quality of a text is the sum of parts for its document, its model there, and the
text itself. Judges have the errors of ``simulated``: an error of 0.6 points that all judges share,
and one of 1.05 in each score. Three judges score each text once, and compare the five best texts of
a document. Qualities within a document are about standard normal, as there.
"""

import itertools
import random
import statistics
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, NamedTuple

from acm_workers.ranking import paired, posterior, score_effects
from acm_workers.ranking.paired import Direction, MeanDifference
from acm_workers.ranking.pairs import PlannedPair
from ops.benchmarks import simulated, table
from ops.benchmarks.simulated import Case
from ops.benchmarks.table import Measured, Target

DOCUMENT_SD, MODEL_SD, MODEL_IN_DOCUMENT_SD, TEXT_SD = 1.0, 0.8, 0.3, 0.5
JUDGES, COMPARED, SHARPNESS = 3, 5, 2.0
RUNS = 200
_MEAN = 6.0
_LEAST_SD = 0.03 * 9
_DIFFERENCE = 0.3
_DOCUMENTS = 30
_MOST_FALSE = 0.05
_LEAST_FOUND = 0.80


class Design(NamedTuple):
    """Two runs: numbers of documents, models and texts, and the true difference.

    Attributes:
        points: True advantage of the second run's texts.
    """

    documents: int
    models: int
    texts: int
    points: float


class ComparedRuns(NamedTuple):
    """The conclusions about two runs."""

    conclusion: Direction
    winners: MeanDifference
    texts: MeanDifference


class _Written(NamedTuple):
    winner: float
    texts: float


def designs() -> list[Design]:
    """Return the designs; the first two have targets."""
    return [
        Design(_DOCUMENTS, 3, 4, 0.0),
        Design(_DOCUMENTS, 3, 4, _DIFFERENCE),
        Design(_DOCUMENTS, 3, 2, _DIFFERENCE),
        Design(_DOCUMENTS, 3, 1, _DIFFERENCE),
        Design(10, 3, 4, _DIFFERENCE),
        Design(10, 3, 4, 0.0),
        Design(3, 3, 4, 0.0),
    ]


def measure(runs: int, *, jobs: int = 1, first_seed: int = 0) -> Measured:
    """Compare ``runs`` pairs of runs of each design, in ``jobs`` processes."""
    found = []
    with ProcessPoolExecutor(jobs) as pool:
        for design in designs():
            seeds = range(first_seed, first_seed + runs)
            found.append([*pool.map(compare, itertools.repeat(design), seeds)])
    rows = [_row(design, said) for design, said in zip(designs(), found, strict=True)]
    equal, better = ([one.conclusion for one in said] for said in found[:2])
    false = [word != "no difference seen" for word in equal]
    return Measured(
        "compare",
        rows,
        [
            Target(
                f"equal runs of {_DOCUMENTS} documents said to differ",
                statistics.fmean(false),
                _MOST_FALSE,
                interval=table.share_interval(false),
            ),
            table.share_target(
                f"{_DIFFERENCE:g} points over {_DOCUMENTS} documents found",
                [word == "better" for word in better],
                _LEAST_FOUND,
            ),
        ],
    )


def compare(design: Design, seed: int) -> ComparedRuns:
    """Return the conclusions about two simulated runs."""
    draw = random.Random(f"{design} {seed}")  # noqa: S311
    models = [draw.gauss(0, MODEL_SD) for _ in range(design.models)]
    pairs = []
    for _ in range(design.documents):
        document = _MEAN + draw.gauss(0, DOCUMENT_SD)
        here = [document + model + draw.gauss(0, MODEL_IN_DOCUMENT_SD) for model in models]
        pairs.append(tuple(_written(here, design, gap, draw) for gap in (0.0, design.points)))
    winners = _difference([b.winner - a.winner for a, b in pairs])
    texts = _difference([b.texts - a.texts for a, b in pairs])
    return ComparedRuns(paired.conclusion([winners, texts]), winners, texts)


def _difference(values: Sequence[float]) -> MeanDifference:
    found = paired.mean_difference(values, endpoints=2, least_sd=_LEAST_SD)
    assert found is not None  # noqa: S101  there are documents
    return found


def _written(
    models: Sequence[float], design: Design, points: float, draw: random.Random
) -> _Written:
    """Return the records of one document at the end of a run."""
    case = _case(models, design.texts, points, draw)
    judges = simulated.panel(JUDGES)
    best = sorted(case.ids, key=lambda one: -case.summaries[one].overall)[:COMPARED]
    answer = simulated.judging(case, SHARPNESS, draw)
    comparisons = [
        answer(PlannedPair(*(pair if draw.random() < 0.5 else pair[::-1]), judge.name, 1))
        for pair in itertools.combinations(best, 2)
        for judge in judges
    ]
    effects = score_effects.estimate(case.summaries)
    assert effects is not None  # noqa: S101  all have scores
    winner = simulated.likeliest(case, comparisons, judges)
    return _Written(
        posterior.expected_score(winner, case.ids, effects, comparisons, judges),
        statistics.fmean(one.overall for one in case.summaries.values()),
    )


def _case(models: Sequence[float], texts: int, points: float, draw: random.Random) -> Case:
    quality = {
        f"m{model}-{number}": level + points + draw.gauss(0, TEXT_SD)
        for model, level in enumerate(models)
        for number in range(texts)
    }
    return Case(quality, {one: simulated.judged(one, of, draw) for one, of in quality.items()})


def _row(design: Design, said: Sequence[ComparedRuns]) -> dict[str, Any]:
    words = [one.conclusion for one in said]
    differ = [word != "no difference seen" for word in words]
    low, high = table.share_interval(differ)
    return {
        "documents": design.documents,
        "candidates": design.models * design.texts,
        "points": design.points,
        "better": words.count("better") / len(words),
        "worse": words.count("worse") / len(words),
        "differ": statistics.fmean(differ),
        "low": low,
        "high": high,
        "by winners": statistics.fmean(
            one.winners.direction != "no difference seen" for one in said
        ),
        "by texts": statistics.fmean(one.texts.direction != "no difference seen" for one in said),
        "winners": statistics.fmean(one.winners.mean for one in said),
        "texts": statistics.fmean(one.texts.mean for one in said),
        "found in 80 %": statistics.fmean(one.texts.detectable or 0.0 for one in said),
        "held": statistics.fmean(_holds(one.texts, design.points) for one in said),
    }


def _holds(found: MeanDifference, points: float) -> bool:
    """Return whether the interval contains the true difference."""
    return found.low is not None and found.high is not None and found.low <= points <= found.high
