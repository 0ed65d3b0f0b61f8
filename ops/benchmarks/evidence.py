"""Measures the calibration of P(best) with judges of different leniency and few or many scores.

Judges score on a scale from 1 to 5 and differ by 0.7 points, the median of real panels. Quality is
standard normal, with a standard deviation of half a point. The error of a score has a part that all
judges of a candidate share, a part for the judge's own opinion, and a part for each iteration.
Verdicts are those of ``simulated``.
"""

import random
import statistics
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, NamedTuple

from acm_workers.ranking import rounds, score_effects, scores
from acm_workers.ranking.posterior import posterior
from ops.benchmarks import simulated, table
from ops.benchmarks.simulated import Case
from ops.benchmarks.table import Measured, Target
from schemas.config.judging import Criterion, Pairwise, Strategy
from schemas.units import Comparison
from tests.support import judging_records

_PANELS = (1, 2, 3)
_ITERATIONS = (1, 2, 3)
_SIZES = (6, 10, 20)
_STRATEGIES: tuple[Strategy | None, ...] = (None, "swiss", "adaptive")
_APART = 0.7
_POINTS = 0.5
_MIDDLE = 3.2
_SHARED, _OPINION, _ERROR = 0.3, 0.3, 0.4
"""Standard deviations in points."""
_SHARPNESS = 2.0
_SURE = 0.9
_LEAST_RIGHT = 0.88
_LEAST_STATEMENTS = 100
"""Minimum number of statements of a cell; smaller cells are pooled."""


class Combination(NamedTuple):
    """A combination of settings; ``strategy`` selects comparisons, if any."""

    judges: int
    iterations: int
    candidates: int
    strategy: Strategy | None


class SimulatedRun(NamedTuple):
    """One run: number of comparisons, and whether the winner is the best candidate."""

    calls: int
    found: bool
    stated: float


CELLS = tuple(
    Combination(judges, iterations, candidates, strategy)
    for strategy in _STRATEGIES
    for judges in _PANELS
    for iterations in _ITERATIONS
    for candidates in _SIZES
)


def measure(runs: int, *, jobs: int = 1) -> Measured:
    """Simulate ``runs`` runs of each cell, in ``jobs`` processes."""
    if jobs > 1:
        with ProcessPoolExecutor(jobs) as pool:
            played = list(pool.map(play, CELLS, [range(runs)] * len(CELLS)))
    else:
        played = [play(cell, range(runs)) for cell in CELLS]
    rows = [_row(cell, found) for cell, found in zip(CELLS, played, strict=True)]
    return Measured("evidence", rows, _targets(played))


def play(cell: Combination, seeds: Sequence[int]) -> list[SimulatedRun]:
    """Simulate one run for each seed."""
    return [_run(cell, seed) for seed in seeds]


def _run(cell: Combination, seed: int) -> SimulatedRun:
    # Scores are the same whether judges compare or not.
    draw = random.Random(f"{cell.judges} {cell.iterations} {cell.candidates} {seed}")  # noqa: S311
    case = _case(cell, draw)
    judges = simulated.panel(cell.judges)
    comparisons: list[Comparison] = []
    if cell.strategy is not None:
        answer = simulated.judging(case, _SHARPNESS, draw)
        pairwise = Pairwise(strategy=cell.strategy)
        played = simulated.play(case, judges, pairwise, answer, rounds.next_round, seed=seed)
        comparisons = played.comparisons
    effects = score_effects.estimate(case.summaries)
    found = posterior(case.ids, effects, comparisons, judges, seed=seed)
    # As standings order them: draws are no more precise.
    chosen = max(
        case.ids, key=lambda one: (round(found.p_best[one], 2), round(found.estimates[one].points))
    )
    return SimulatedRun(len(comparisons), chosen == case.best, found.p_best[chosen])


def _case(cell: Combination, draw: random.Random) -> Case:
    quality = {f"c{number}": draw.gauss(0, 1) for number in range(cell.candidates)}
    panel = simulated.panel(cell.judges)
    evaluations = []
    for one, of in quality.items():
        shared = _MIDDLE + _POINTS * of + draw.gauss(0, _SHARED)
        for number, judge in enumerate(panel):
            lenient = _APART * (number - (cell.judges - 1) / 2)
            opinion = shared + lenient + draw.gauss(0, _OPINION)
            for iteration in range(1, cell.iterations + 1):
                # Several criteria with whole scores make steps of a twentieth.
                score = round(min(max(opinion + draw.gauss(0, _ERROR), 1.0), 5.0) * 20) / 20
                evaluations.append(
                    judging_records.evaluation(one, score, judge=judge.name, iteration=iteration)
                )
    config = judging_records.config(criteria=(Criterion(name="all", min=1, max=5),))
    config = config.model_copy(update={"judges": panel})
    artifacts = [judging_records.artifact(one) for one in quality]
    return Case(quality, scores.summaries(artifacts, evaluations, config))


def _row(cell: Combination, runs: Sequence[SimulatedRun]) -> dict[str, Any]:
    sure = [run for run in runs if run.stated >= _SURE]
    found = statistics.fmean(run.found for run in runs)
    low, high = table.share_interval([run.found for run in runs])
    return {
        "judges": cell.judges,
        "iterations": cell.iterations,
        "n": cell.candidates,
        "strategy": cell.strategy or "scores alone",
        "calls": statistics.fmean(run.calls for run in runs),
        "found": found,
        "low": low,
        "high": high,
        "stated": statistics.fmean(run.stated for run in runs),
        "sure": len(sure),
        "its stated": statistics.fmean(run.stated for run in sure) if sure else None,
        "its right": statistics.fmean(run.found for run in sure) if sure else None,
    }


def _targets(played: Sequence[Sequence[SimulatedRun]]) -> list[Target]:
    """Return whether stated probabilities of 0.9 are right; small cells are pooled."""
    targets = []
    pooled: list[bool] = []
    for cell, runs in zip(CELLS, played, strict=True):
        sure = [run.found for run in runs if run.stated >= _SURE]
        if len(sure) < _LEAST_STATEMENTS:
            pooled += sure
            continue
        name = f"{cell.judges} judges x {cell.iterations} x {cell.candidates}, {cell.strategy}"
        targets.append(_calibration(name, sure))
    return [*targets, _calibration("cells with few statements", pooled)] if pooled else targets


def _calibration(name: str, sure: Sequence[bool]) -> Target:
    return table.share_target(f"{len(sure)} stated .90 right, {name}", sure, _LEAST_RIGHT)
