"""Measures the duration of Bradley-Terry fits for many comparisons, compared with evalica.

Comparisons are drawn from known strengths; a fifth of those between equals are ties. The bootstrap
is measured in a separate process, because of its memory.
"""

import multiprocessing
import resource
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

from acm_workers.ranking import bradley_terry
from acm_workers.ranking.games import Game
from ops.benchmarks.table import Measured, Target

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_COMPARISONS = 1_000_000
_ITEMS = 100
_BOOTSTRAPS = 1000
_TRIES = 3


class _Columns(NamedTuple):
    """Comparisons as columns: indices of both players, and the score of the first one."""

    a: "NDArray[np.intp]"
    b: "NDArray[np.intp]"
    score_a: "NDArray[np.float64]"


def measure() -> Measured:
    """Fit the comparisons from columns and from games, draw bootstraps, and fit with evalica."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as alone:
        bootstrap_s, peak_mb = alone.submit(_bootstrap).result()
    columns = _columns()
    ids = [f"item {place}" for place in range(_ITEMS)]
    games = [
        Game(ids[a], ids[b], score)
        for a, b, score in zip(*(column.tolist() for column in columns), strict=True)
    ]
    fit_s, ours = _best(
        lambda: bradley_terry.strengths(bradley_terry.count_columns(_ITEMS, *columns))
    )
    games_s, _ = _best(lambda: bradley_terry.strengths(bradley_terry.count_games(ids, games)))
    theirs_s, theirs = _best(_evalica(games))
    apart = max(
        abs(bradley_terry.POINTS_PER_LOGIT * float(ours[place]) - theirs[one])
        for place, one in enumerate(ids)
    )
    rows = [
        {"what": what, "comparisons": _COMPARISONS, "items": _ITEMS, "seconds": seconds,
         "peak MB": peak}
        for what, seconds, peak in (
            ("fit, from columns", fit_s, None), ("fit, from games", games_s, None),
            ("evalica, from lists", theirs_s, None),
            (f"{_BOOTSTRAPS} bootstraps", bootstrap_s, peak_mb),
        )
    ]  # fmt: skip
    return Measured(
        "fit",
        rows,
        [
            Target("fit from columns in seconds", fit_s, 0.1),
            Target("fit from columns / evalica from lists", fit_s / theirs_s, 1.0),
            Target("points between the fit and evalica", apart, 1.0),
            Target("bootstraps in seconds", bootstrap_s, 4.0),
            Target("peak of the bootstraps in MB", peak_mb, 300.0),
        ],
    )


def _columns() -> _Columns:
    # Not at the top: ranking says how many threads numpy is to have, so it is imported first.
    import numpy as np

    draw = np.random.default_rng(1)
    strength = draw.normal(size=_ITEMS)
    a = draw.integers(0, _ITEMS, _COMPARISONS)
    b = (a + draw.integers(1, _ITEMS, _COMPARISONS)) % _ITEMS
    chance = 1 / (1 + np.exp(strength[b] - strength[a]))
    tie = 0.2 * 4 * chance * (1 - chance)
    at = draw.random(_COMPARISONS)
    won, tied = at < chance - tie / 2, at < chance + tie / 2
    return _Columns(a, b, np.where(won, 1.0, np.where(tied, 0.5, 0.0)))


def _bootstrap() -> tuple[float, float]:
    """Return the duration of the bootstraps, and the peak memory of this process in MB."""
    counted = bradley_terry.count_columns(_ITEMS, *_columns())
    best = bradley_terry.strengths(counted)
    started = time.perf_counter()
    bradley_terry.bootstrap(counted, best, number=_BOOTSTRAPS, seed=1)
    took_s = time.perf_counter() - started
    return took_s, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _evalica(games: list[Game]) -> Callable[[], dict[str, float]]:
    """Return a function that fits the games with evalica and returns points around a mean of 0."""
    import evalica
    import numpy as np

    result = {1.0: evalica.Winner.X, 0.5: evalica.Winner.Draw, 0.0: evalica.Winner.Y}
    xs, ys = [game.a for game in games], [game.b for game in games]
    winners = [result[game.score_a] for game in games]

    def fit() -> dict[str, float]:
        nats = np.log(evalica.bradley_terry(xs, ys, winners).scores)
        points = bradley_terry.POINTS_PER_LOGIT * (nats - nats.mean())
        return {str(one): float(value) for one, value in points.items()}

    return fit


def _best(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the shortest time of a few tries, because the machine is shared, and the result."""
    took: list[float] = []
    for _ in range(_TRIES):
        started = time.perf_counter()
        outcome = work()
        took.append(time.perf_counter() - started)
    return min(took), outcome
