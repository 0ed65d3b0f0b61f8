"""The rate at which winners of one run beat those of another in comparisons; pure."""

from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import NamedTuple

from acm_workers.ranking import games, paired
from schemas.run_difference import WinRate
from schemas.units import Comparison

NAME = "win rate"

_LEAST_SD = 0.5
"""Minimum standard deviation of a document's difference of shares, from -1 to 1: a few equal values
by chance are not certainty."""


class ComparedWinners(NamedTuple):
    """The winners of one document in both runs, and the judges' comparisons of them.

    Attributes:
        a_id: Id in the comparisons; empty if both runs chose the same text, which is not compared.
    """

    a_id: str
    b_id: str
    comparisons: Sequence[Comparison]


def of(found: Iterable[ComparedWinners], run_id: str, tie_below: float | None = None) -> WinRate:
    """Return the win rate over documents; documents without a verdict are left out.

    Both orders of a pair by one judge are one game: a win if they agree, otherwise a tie.

    Args:
        found: The comparisons of each document.
        run_id: The run in which the winners were compared.
        tie_below: Verdicts with less confidence count as ties.
    """
    shares, verdicts, ties = [], 0, 0
    for one in found:
        if not one.a_id:
            shares.append(0.5)
            continue
        played = games.games(one.comparisons, tie_below=tie_below)
        if played:
            shares.append(
                fmean(game.score_a if game.a == one.b_id else 1 - game.score_a for game in played)
            )
        verdicts += sum(1 for _ in games.verdicts(one.comparisons, tie_below))
        ties += sum(score == 0.5 for _, score in games.verdicts(one.comparisons, tie_below))
    mean = paired.mean_difference([2 * share - 1 for share in shares], least_sd=_LEAST_SD)
    return WinRate(
        name=NAME,
        pairs=len(shares),
        a=1 - fmean(shares) if shares else None,
        b=fmean(shares) if shares else None,
        difference=None if mean is None else mean.mean,
        # Student's interval of few documents is wider than what there can be.
        low=None if mean is None or mean.low is None else max(mean.low, -1.0),
        high=None if mean is None or mean.high is None else min(mean.high, 1.0),
        detectable=_possible(None if mean is None else mean.detectable),
        run_id=run_id,
        verdicts=verdicts,
        ties=ties,
    )


def _possible(difference: float | None) -> float | None:
    """Return a difference of shares; None if it is larger than possible."""
    return None if difference is None or difference > 1 else difference
