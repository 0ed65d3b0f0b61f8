"""Measures savings and losses by ``stop_within`` if several candidates are nearly the best.

Cases are drawn until two other candidates are within a tenth of a point of the best one. Both rows
of a size have the same candidates, scores and seeds.
"""

import random
import statistics
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, NamedTuple

from acm_workers.ranking import rounds
from ops.benchmarks import simulated, table
from ops.benchmarks.simulated import Case
from ops.benchmarks.table import Target
from schemas.config.judging import Pairwise

_SIZES = (10, 20)
_SHARPNESS = 2.0
_JUDGES = 3
_TWINS = 2
_CLOSE = 0.1
_WITHIN = 0.25
_LEAST_SAVED = 0.4
_LEAST_GOOD = 0.88


class _Played(NamedTuple):
    """One case with and without ``stop_within``: comparisons, and whether the winner is good."""

    calls: int
    good: bool
    calls_within: int
    good_within: bool


def measure(runs: int, jobs: int, first_seed: int) -> tuple[list[dict[str, Any]], list[Target]]:
    """Simulate ``runs`` cases of each size in ``jobs`` processes; return rows and targets."""
    rows: list[dict[str, Any]] = []
    targets: list[Target] = []
    with ProcessPoolExecutor(jobs) as pool:
        for candidates in _SIZES:
            seeds = range(first_seed, first_seed + runs)
            played = [*pool.map(_play, [candidates] * runs, seeds)]
            rows += _rows(candidates, played)
            targets += _targets(candidates, played)
    return rows, targets


def case(candidates: int, draw: random.Random) -> Case:
    """Return candidates with two others that are nearly as good as the best one."""
    while True:
        found = simulated.case(candidates, draw)
        best, *others = sorted(found.quality.values(), reverse=True)
        if best - others[_TWINS - 1] <= _CLOSE:
            return found


def _play(candidates: int, seed: int) -> _Played:
    found = case(candidates, random.Random(f"twins {candidates} {seed}"))  # noqa: S311
    usual = _end(found, Pairwise(), seed)
    within = _end(found, Pairwise(stop_within=_WITHIN), seed)
    return _Played(*usual, *within)


def _end(found: Case, pairwise: Pairwise, seed: int) -> tuple[int, bool]:
    """Return the number of comparisons, and whether the winner is within the distance."""
    judges = simulated.panel(_JUDGES)
    draw = random.Random(f"{len(found.ids)} {seed}")  # noqa: S311
    answer = simulated.judging(found, _SHARPNESS, draw)
    played = simulated.play(found, judges, pairwise, answer, rounds.next_round, seed=seed)
    named = simulated.likeliest(found, played.comparisons, judges)
    lost = found.quality[found.best] - found.quality[named]
    return len(played.comparisons), lost <= _WITHIN


def _rows(candidates: int, played: Sequence[_Played]) -> list[dict[str, Any]]:
    kinds = {
        "near-twins": ([one.calls for one in played], [one.good for one in played]),
        f"near-twins, stop_within {_WITHIN:g}": (
            [one.calls_within for one in played],
            [one.good_within for one in played],
        ),
    }
    return [
        {
            "n": candidates,
            "beta": _SHARPNESS,
            "strategy": name,
            "calls": statistics.fmean(calls),
            "most": max(calls),
            "found": statistics.fmean(good),
            **table.share_interval(good)._asdict(),
        }
        for name, (calls, good) in kinds.items()
    ]


def _targets(candidates: int, played: Sequence[_Played]) -> list[Target]:
    saved = 1 - sum(one.calls_within for one in played) / sum(one.calls for one in played)
    good = [one.good_within for one in played]
    return [
        Target(f"comparisons saved among near-twins of {candidates}", saved, _LEAST_SAVED, True),
        table.share_target(
            f"named one of {candidates} within {_WITHIN:g} of the best", good, _LEAST_GOOD
        ),
    ]
