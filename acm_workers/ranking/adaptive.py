"""Adaptive rounds: comparisons with the most expected information on the best candidate."""

import math
from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np

from acm_workers.ranking import laplace, posterior, score_effects
from acm_workers.ranking.comparison_state import (
    ComparisonHistory,
    ComparisonRound,
    ComparisonState,
)
from acm_workers.ranking.newton import Floats, Indices
from acm_workers.ranking.pairs import PlannedPair
from acm_workers.ranking.posterior import StrengthDraws

_CONTENDERS = 12
"""Number of likeliest candidates whose pairs are considered first."""
_OVERLAP = 0.7
"""Factor of a pair's gain if the round already contains one of its candidates."""
_LEAST_SHARE = 0.3
_GROWTH = 0.1
"""A round has no pair with less than ``_LEAST_SHARE`` of the gain of its first one, unless it is
smaller than ``_GROWTH`` of all that was asked before: each round takes the time of a call."""
_LEAST_GAIN = 1e-9
"""Minimum gain of a pair, so that uninformative pairs are asked while the winner is uncertain."""


def adaptive_round(state: ComparisonState, history: ComparisonHistory) -> ComparisonRound:
    """Return the most informative comparisons on the best candidate, or why there are none.

    Scores alone never decide which candidate is the best, and every new candidate is compared.
    """
    drawn = posterior.draws(
        state.ids,
        score_effects.estimate(state.summaries),
        state.comparisons,
        state.judges,
        tie_below=state.pairwise.tie_below_confidence,
        seed=state.seed,
    )
    chances = drawn.p_best()
    best = int(chances.argmax())
    stopped = _stopped_reason(state, history, drawn, best)
    required = state.new or (state.ids[best],)
    unseen = [candidate for candidate in required if not history.has_candidate(candidate)]
    if stopped and not unseen:
        return ComparisonRound((), stopped)
    chosen = _choose(state, history, drawn, unseen if stopped else state.ids)
    reason = "" if chosen else _exhausted_reason(state, history, chances[best])
    return ComparisonRound(tuple(chosen), reason)


def information_gain(drawn: Floats, first: Indices, second: Indices) -> Floats:
    """Return the mutual information, in nats, of each pair's verdict and the best candidate.

    If the best candidate is known, the remaining uncertainty of a verdict gives no information
    about it. This uncertainty is estimated from the draws in which that candidate is the best.

    Args:
        drawn: Possible strengths in logits; shape (draws, candidates).
        first: Index of one candidate of each pair; shape (pairs,).
        second: Index of the other candidate of each pair.
    """
    wins = (1 + np.tanh((drawn[:, first] - drawn[:, second]) / 2)) / 2
    best, which = np.unique(drawn.argmax(axis=1), return_inverse=True)
    member = (which == np.arange(len(best))[:, None]).astype(np.float64)
    number = member.sum(axis=1)
    remaining = number @ _entropy(member @ wins / number[:, None]) / len(drawn)
    gain: Floats = _entropy(wins.mean(axis=0)) - remaining
    return gain


def _entropy(chance: Floats) -> Floats:
    inside = np.clip(chance, 1e-12, 1 - 1e-12)
    entropy: Floats = -(inside * np.log(inside) + (1 - inside) * np.log1p(-inside))
    return entropy


def _choose(
    state: ComparisonState,
    history: ComparisonHistory,
    drawn: StrengthDraws,
    candidates: Collection[str],
) -> list[PlannedPair]:
    """Return a round of comparisons that each include one of ``candidates``, best first."""
    least = max(1, int(history.total * _GROWTH))
    most = max(math.ceil(len(state.ids) / 2), least)
    open_pairs = _open_pairs(state, history, drawn, candidates, least)
    gains = _pair_gains(state, history, drawn.strengths, open_pairs)
    used: Counter[str] = Counter()
    threshold = 0.0
    chosen: list[PlannedPair] = []
    while gains and len(chosen) < most:
        reduced = {(a, b): gain * _OVERLAP ** (used[a] + used[b]) for (a, b), gain in gains.items()}
        pair = max(reduced, key=reduced.__getitem__)
        judge = _next_judge(state, history, *pair)
        if judge is None:
            del gains[pair]
            continue
        if reduced[pair] < threshold and len(chosen) >= least:
            break
        threshold = threshold or reduced[pair] * _LEAST_SHARE
        comparisons = history.next_comparisons(*pair, judge)
        gains[pair] /= _repeat_factor(state, history, *pair)
        history.add(comparisons)
        gains[pair] *= _repeat_factor(state, history, *pair)
        used.update(pair)
        chosen += comparisons
    return chosen


def _pair_gains(
    state: ComparisonState,
    history: ComparisonHistory,
    drawn: Floats,
    pairs: Sequence[tuple[str, str]],
) -> dict[tuple[str, str], float]:
    """Return the expected information of the next comparison of each pair."""
    if not pairs:
        return {}
    index = {candidate: number for number, candidate in enumerate(state.ids)}
    first, second = np.array([(index[a], index[b]) for a, b in pairs]).T
    gains = information_gain(drawn, first, second)
    return {
        pair: max(float(gain), _LEAST_GAIN) * _repeat_factor(state, history, *pair)
        for pair, gain in zip(pairs, gains, strict=True)
    }


def _open_pairs(
    state: ComparisonState,
    history: ComparisonHistory,
    drawn: StrengthDraws,
    candidates: Collection[str],
    least: int,
) -> list[tuple[str, str]]:
    """Return open pairs of the likeliest candidates, or of more candidates for ``least`` pairs."""
    ranked = np.lexsort((-drawn.strengths.mean(axis=0), -drawn.p_best())).tolist()
    found: list[tuple[str, str]] = []
    for number, one in enumerate(ranked):
        if number >= _CONTENDERS and len(found) >= least:
            break
        for other in ranked[:number]:
            a, b = state.ids[min(one, other)], state.ids[max(one, other)]
            allowed = (a in candidates or b in candidates) and state.may_meet(a, b)
            if allowed and any(history.is_open(a, b, judge.name) for judge in state.judges):
                found.append((a, b))
    return found


def _next_judge(state: ComparisonState, history: ComparisonHistory, a: str, b: str) -> str | None:
    """Return the judge with the fewest comparisons of a pair, then with the fewest of all."""
    names = [judge.name for judge in state.judges]
    names.sort(key=lambda name: (history.count_of(a, b, name), history.count_by(name)))
    return next((name for name in names if history.is_open(a, b, name)), None)


def _repeat_factor(state: ComparisonState, history: ComparisonHistory, a: str, b: str) -> float:
    """Return the value of another comparison of a pair, relative to the same judge's first one."""
    judge = _next_judge(state, history, a, b)
    if judge is None:
        return 0.0
    done, weight = history.count_of(a, b, judge), laplace.verdict_weight
    return (done + 1) * weight(done + 1) - done * weight(done)


def _stopped_reason(
    state: ComparisonState, history: ComparisonHistory, drawn: StrengthDraws, best: int
) -> str:
    """Return why no more comparisons are needed; empty if more are needed."""
    stopped = f"Stopped after {history.total} of at most {history.limit} comparisons: "
    chance = float(drawn.p_best()[best])
    within = state.pairwise.stop_within
    if chance >= state.pairwise.stop_confidence:
        return f"{stopped}the best candidate is the best one with a probability of {chance:.2f}."
    as_good = None if within is None else drawn.p_within(best, within)
    if as_good is None or as_good < state.pairwise.stop_confidence:
        return ""
    return (
        f"{stopped}the best candidate is as good as the best: with a probability of {as_good:.2f} "
        f"no other one is better by more than {within:g} points. It is the best one with a "
        f"probability of {chance:.2f}."
    )


def _exhausted_reason(state: ComparisonState, history: ComparisonHistory, chance: float) -> str:
    unlimited = state.pairwise.model_copy(update={"max_comparisons": None})
    what = "a round robin has"
    if history.limit < sum(state._replace(pairwise=unlimited).limits_by_judge().values()):
        what = "max_comparisons allows"
    return (
        f"All {history.total} comparisons that {what} were asked; the best candidate is the best "
        f"one with a probability of {chance:.2f}, {state.pairwise.stop_confidence:.2f} was asked "
        "for."
    )
