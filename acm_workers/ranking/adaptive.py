"""Adaptive rounds: ask what is expected to tell most of who is the best candidate."""

import math
from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np

from acm_workers.ranking import adaptive_gain, posterior, posterior_rows
from acm_workers.ranking.comparison_history import ComparisonHistory
from acm_workers.ranking.comparison_state import ComparisonRound, ComparisonState
from acm_workers.ranking.pairs import PlannedPair
from acm_workers.ranking.posterior_prior import Floats

_CONTENDERS = 12
"""Pairs of so many of the most likely candidates are weighed; of more where all were asked."""
_SHARED = 0.7
"""What a pair is worth beside another one with the same candidate in the same round."""
_ENOUGH = 0.3
_GROWTH = 0.1
"""A round has no pair that is worth less than ``_ENOUGH`` of its best one, unless it is smaller
than ``_GROWTH`` of all that was asked before: every round takes the time of a call."""
_LEAST_GAIN = 1e-9
"""What cannot tell anything is still asked rather than nothing, as long as nobody is sure."""


def next_round(field: ComparisonState) -> ComparisonRound:
    """Return the comparisons that tell most of who is best, or why none is asked.

    Nobody is taken as the best one by scores alone, and every new candidate is compared.
    """
    drawn = posterior.draws(
        field.ids,
        field.summaries,
        field.comparisons,
        field.judges,
        tie_below=field.pairwise.tie_below_confidence,
        seed=field.seed,
    )
    chances = posterior.p_best(drawn)
    asked = ComparisonHistory(field)
    best = int(chances.argmax())
    sure = bool(chances[best] >= field.pairwise.stop_confidence)
    unseen = [one for one in field.new or (field.ids[best],) if not asked.compared(one)]
    if sure and not unseen:
        return ComparisonRound((), _sure(asked, chances[best]))
    chosen = _choose(field, asked, drawn, unseen if sure else field.ids)
    return ComparisonRound(tuple(chosen), "" if chosen else _spent(field, asked, chances[best]))


def _choose(
    field: ComparisonState, asked: ComparisonHistory, drawn: Floats, about: Collection[str]
) -> list[PlannedPair]:
    """Return a round of looks at pairs with one of ``about``, the best one first."""
    least = max(1, int(asked.total * _GROWTH))
    most = max(math.ceil(len(field.ids) / 2), least)
    worth = _worth(field, asked, drawn, _likeliest(field, asked, drawn, about, least))
    used: Counter[str] = Counter()
    enough = 0.0
    chosen: list[PlannedPair] = []
    while worth and len(chosen) < most:
        beside = {(a, b): each * _SHARED ** (used[a] + used[b]) for (a, b), each in worth.items()}
        pair = max(beside, key=beside.__getitem__)
        judge = _judge(field, asked, *pair)
        if judge is None:
            del worth[pair]
            continue
        if beside[pair] < enough and len(chosen) >= least:
            break
        enough = enough or beside[pair] * _ENOUGH
        look = asked.next_look(*pair, judge)
        worth[pair] /= _news(field, asked, *pair)
        asked.add(look)
        worth[pair] *= _news(field, asked, *pair)
        used.update(pair)
        chosen += look
    return chosen


def _worth(
    field: ComparisonState,
    asked: ComparisonHistory,
    drawn: Floats,
    pairs: Sequence[tuple[str, str]],
) -> dict[tuple[str, str], float]:
    """Return what the next look at each of the pairs tells."""
    if not pairs:
        return {}
    place = {one: number for number, one in enumerate(field.ids)}
    first, second = np.array([(place[a], place[b]) for a, b in pairs]).T
    gains = adaptive_gain.gains(drawn, first, second)
    return {
        pair: max(float(gain), _LEAST_GAIN) * _news(field, asked, *pair)
        for pair, gain in zip(pairs, gains, strict=True)
    }


def _likeliest(
    field: ComparisonState,
    asked: ComparisonHistory,
    drawn: Floats,
    about: Collection[str],
    least: int,
) -> list[tuple[str, str]]:
    """Return open pairs of the likeliest candidates, or of more if they are less than ``least``."""
    ranked = np.lexsort((-drawn.mean(axis=0), -posterior.p_best(drawn))).tolist()
    found: list[tuple[str, str]] = []
    for number, one in enumerate(ranked):
        if number >= _CONTENDERS and len(found) >= least:
            break
        for other in ranked[:number]:
            a, b = field.ids[min(one, other)], field.ids[max(one, other)]
            wanted = (a in about or b in about) and field.meets(a, b)
            found += [(a, b)] if wanted and _judge(field, asked, a, b) is not None else []
    return found


def _judge(field: ComparisonState, asked: ComparisonHistory, a: str, b: str) -> str | None:
    """Return who is to look at a pair next: who did so least often, then who was asked least."""
    able = [judge.name for judge in field.judges if asked.open(a, b, judge.name)]
    return min(able, key=lambda name: (asked.looks(a, b, name), asked.of(name)), default=None)


def _news(field: ComparisonState, asked: ComparisonHistory, a: str, b: str) -> float:
    """Return what one more look at a pair adds, beside a first one of the same judge."""
    judge = _judge(field, asked, a, b)
    if judge is None:
        return 0.0
    looks, worth = asked.looks(a, b, judge), posterior_rows.worth_of
    return (looks + 1) * worth(looks + 1) - looks * worth(looks)


def _sure(asked: ComparisonHistory, chance: float) -> str:
    return (
        f"Stopped after {asked.total} of at most {asked.most} comparisons: the best candidate is "
        f"the best one with a probability of {chance:.2f}."
    )


def _spent(field: ComparisonState, asked: ComparisonHistory, chance: float) -> str:
    unlimited = field.pairwise.model_copy(update={"max_comparisons": None})
    what = "a round robin has"
    if asked.most < sum(field._replace(pairwise=unlimited).most().values()):
        what = "max_comparisons allows"
    return (
        f"All {asked.total} comparisons that {what} were asked; the best candidate is the best "
        f"one with a probability of {chance:.2f}, {field.pairwise.stop_confidence:.2f} was asked "
        "for."
    )
