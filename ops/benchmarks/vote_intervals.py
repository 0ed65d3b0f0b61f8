"""Measures the coverage of intervals for the agreement of a judge with people, over simulated runs.

In each pair one text is better by a normal margin. The judge perceives it with a normal error, and
knows the probability of being right. Pairs of which it is unsure give more information and are
shown more often, as ``vote_pairs`` draws them. Each person has a probability of being right.
"""

import math
import random
import statistics
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from acm_workers.pipeline import voting
from acm_workers.ranking import human_agreement, vote_pairs
from ops.benchmarks import table
from ops.benchmarks.table import Target
from schemas.votes import Vote

RELIABILITIES = (0.6, 0.75, 0.85, 0.95)
VOTES = (10, 20, 50, 200)
_PAIRS = {10: 150, 20: 150, 50: 300, 200: 600}
"""Number of pairs of a run, by the number of votes on it."""
_ERROR = 1.0
_TIES = 0.1
"""Share of pairs in which a person sees no difference."""
_AT = datetime(2026, 1, 1, tzinfo=UTC)
LEAST_COVERED = 0.93
MOST_COVERED = 0.97
_MOST_WIDER = 1.05
_FEW = 20


class _Held(NamedTuple):
    """One interval: its coverage, its width, and the ratio to the width from votes alone."""

    holds: bool
    alone_holds: bool
    wider: float
    width: float


def measure(runs: int, jobs: int, first_seed: int) -> tuple[list[dict[str, Any]], list[Target]]:
    """Simulate ``runs`` runs of each kind in ``jobs`` processes; return rows and targets."""
    rows: list[dict[str, Any]] = []
    targets: list[Target] = []
    with ProcessPoolExecutor(jobs) as pool:
        for number in VOTES:
            cells = [(one, number, runs, first_seed) for one in RELIABILITIES]
            found = dict(zip(RELIABILITIES, pool.map(_runs, cells), strict=True))
            rows += [_row(one, number, held) for one, held in found.items()]
            targets += _targets(number, found)
    return rows, targets


def _runs(cell: tuple[float, int, int, int]) -> list[_Held]:
    reliability, number, runs, first_seed = cell
    return [_run(reliability, number, first_seed + seed) for seed in range(runs)]


def _run(reliability: float, number: int, seed: int) -> _Held:
    draw = random.Random(f"{reliability} {number} {seed}")  # noqa: S311
    margins = [draw.gauss(0, 1) for _ in range(_PAIRS[number])]
    seen = [margin + draw.gauss(0, _ERROR) for margin in margins]
    right = np.array([margin * other > 0 for margin, other in zip(margins, seen, strict=True)])
    # Of two normal variables with this correlation.
    believed = np.array([NormalDist().cdf(abs(one) / _ERROR / math.sqrt(1 + _ERROR**2))
                         for one in seen])  # fmt: skip
    entropy = -believed * np.log(believed) - (1 - believed) * np.log1p(-believed)
    votes, places = _vote(entropy.tolist(), number, draw)
    chance = np.where(right, reliability, 1 - reliability)
    truth = float(((1 - _TIES) * chance + _TIES / 2).mean())
    agreed = [0.5 if draw.random() < _TIES else float(draw.random() < chance[place])
              for place in places]  # fmt: skip
    weight = dict(voting.weights(votes))
    found = human_agreement.estimate(
        np.array(agreed),
        np.array([weight[vote.id] for vote in votes]),
        believed[places],
        believed,
    )
    if found is None:
        raise RuntimeError("there are votes")
    best, alone = found.best, found.people
    return _Held(
        best.low <= truth <= best.high,
        alone.low <= truth <= alone.high,
        best.width / alone.width,
        best.width,
    )


def _vote(gain: list[float], number: int, draw: random.Random) -> tuple[list[Vote], list[int]]:
    """Return the votes of three people, or of one if there are ten votes, and their pairs."""
    people = max(1, min(3, number // 10))
    votes: list[Vote] = []
    places: list[int] = []
    for person in range(people):
        left = list(range(len(gain)))
        for turn in range(number // people + (person < number % people)):
            chance = vote_pairs.chances(np.array([gain[one] for one in left]))
            at = draw.choices(range(len(left)), chance.tolist())[0]
            places.append(left[at])
            votes.append(
                Vote(
                    id=f"{person}-{turn}", run_id="r", document_id="d", left_id="a", right_id="b",
                    voter=f"{person}", choice="left", probability=float(chance[at]),
                    eligible=len(left), shown_at=_AT, voted_at=_AT,
                )
            )  # fmt: skip
            del left[at]
    return votes, places


def _row(reliability: float, number: int, held: Sequence[_Held]) -> dict[str, Any]:
    return {
        "people": reliability,
        "votes": number,
        "pairs": _PAIRS[number],
        "intervals": len(held),
        "covered": statistics.fmean(one.holds for one in held),
        "people only": statistics.fmean(one.alone_holds for one in held),
        "width": statistics.fmean(one.width for one in held),
        "beside people only": statistics.fmean(one.wider for one in held),
        "most": max(one.wider for one in held),
    }


def _targets(number: int, found: dict[float, list[_Held]]) -> list[Target]:
    """Return the targets for a number of votes, at the reliability with the worst result."""
    shares = {key: [one.holds for one in held] for key, held in found.items()}
    least = min(shares, key=lambda key: statistics.fmean(shares[key]))
    most = max(shares, key=lambda key: statistics.fmean(shares[key]))
    name = f"95 % intervals that hold, {number} votes"
    targets = [table.share_target(f"{name}, people of {least:g}", shares[least], LEAST_COVERED)]
    if number > _FEW:
        share, interval = statistics.fmean(shares[most]), table.share_interval(shares[most])
        targets.append(Target(f"{name}, people of {most:g}", share, MOST_COVERED, False, interval))
    widest = max(one.wider for held in found.values() for one in held)
    return [*targets, Target(f"width beside people only, {number} votes", widest, _MOST_WIDER)]
