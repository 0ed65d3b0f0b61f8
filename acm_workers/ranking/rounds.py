"""Rounds: the next comparisons by the configured strategy, or the reason to stop.

In Swiss rounds, candidates of similar strength meet, and no two candidates meet twice.
"""

import math
from collections.abc import Callable, Sequence

from acm_workers.ranking import games, pairs
from acm_workers.ranking.comparison_state import (
    ComparisonHistory,
    ComparisonRound,
    ComparisonState,
)
from acm_workers.ranking.pairs import PlannedPair

_SWISS_TRIES = 1000
"""Maximum number of partners to try before a round may be smaller than possible."""

_Pair = tuple[str, str]


def next_round(state: ComparisonState) -> ComparisonRound:
    """Return the next comparisons to request, or why no more are requested.

    The result does not depend on the order of the comparisons, and failed comparisons count as
    requested. If there are new candidates, each pair includes one of them. ``round_robin`` and
    ``top_k`` request all pairs of their candidates at once.
    """
    if not state.pairs():
        reason = "There is only one candidate." if state.ids else "There is no candidate."
        return ComparisonRound((), reason)
    if not state.judges:
        return ComparisonRound((), "No judge compares.")
    history = ComparisonHistory(state)
    failed = history.failed
    match pairs.resolved(state.pairwise, len(state.old)):
        case "adaptive":
            # numpy is slow to load, and commands that only plan need none of it.
            from acm_workers.ranking import adaptive

            found = adaptive.adaptive_round(state, history)
        case "swiss":
            found = _swiss_round(state, history)
        case _:
            found = _every_pair(state, history)
    if found.pairs or not failed:
        return found
    has = "has" if failed == 1 else "have"
    return ComparisonRound((), f"{found.ended} {failed} of the comparisons {has} no result.")


def _every_pair(state: ComparisonState, history: ComparisonHistory) -> ComparisonRound:
    planned = pairs.planned(
        state.pairs(),
        state.judges,
        swap=state.pairwise.position_swap,
        iterations=state.pairwise.iterations,
        seed=state.seed,
    )
    missing = tuple(one for one in planned if not history.has_asked(one))
    done = "compared" if not history.failed else "asked about"
    reason = "" if missing else f"Every pair was {done}: {history.total} comparisons."
    return ComparisonRound(missing, reason)


def _swiss_round(state: ComparisonState, history: ComparisonHistory) -> ComparisonRound:
    """Return the next round of disjoint pairs of similar candidates, or why there is none.

    Candidates are similar if they won the same share of their games and then, or before any game,
    if they have the same score. In playoffs each new candidate meets a similar candidate.
    """
    left = pairs.swiss_pairs(len(state.old), len(state.new)) - sum(
        history.has_pair(a, b) for a, b in state.pairs()
    )
    pairing = _swiss_pairing(state, history)[: max(left, 0)]
    chosen: list[PlannedPair] = []
    for a, b in pairing:
        for judge in state.judges:
            while history.is_open(a, b, judge.name):
                comparisons = history.next_comparisons(a, b, judge.name)
                history.add(comparisons)
                chosen += comparisons
    if chosen:
        return ComparisonRound(tuple(chosen))
    if pairing:
        limit = "max_comparisons allows"
        return ComparisonRound((), f"All {history.total} comparisons that {limit} were asked.")
    rounds = math.ceil(math.log2(len(state.ids)))
    return ComparisonRound(
        (), f"All {history.total} comparisons of {rounds} Swiss rounds were asked."
    )


def _swiss_pairing(state: ComparisonState, history: ComparisonHistory) -> list[_Pair]:
    """Return as many disjoint pairs as possible, each in the order of the candidates."""
    ordered = _by_strength(state)
    index = {candidate: number for number, candidate in enumerate(state.ids)}

    def may_pair(a: str, b: str) -> bool:
        return a != b and state.may_meet(a, b) and not history.has_pair(a, b)

    best: list[_Pair] = []
    for bye in _byes(state, history, ordered):
        playing = [candidate for candidate in ordered if candidate != bye]
        unpaired = [one for one in playing if one in state.new] if state.new else playing
        found = _Matching(playing, may_pair).match(unpaired)
        if len(found) > len(best):
            best = found
        if len(best) == min(len(unpaired), len(playing) // 2):
            break
    return [(a, b) if index[a] < index[b] else (b, a) for a, b in best]


def _byes(
    state: ComparisonState, history: ComparisonHistory, ordered: Sequence[str]
) -> list[str | None]:
    """Return the candidates for a bye, the first choice first: most opponents met, then weakest."""
    if state.new or len(ordered) % 2 == 0:
        return [None]
    met = [sum(history.has_pair(one, other) for other in ordered) for one in ordered]
    order = sorted(range(len(ordered)), key=lambda index: (met[index], index), reverse=True)
    return [ordered[index] for index in order]


def _by_strength(state: ComparisonState) -> list[str]:
    won: dict[str, list[float]] = {candidate: [] for candidate in state.ids}
    judges = {judge.name for judge in state.judges}
    given = [comparison for comparison in state.comparisons if comparison.judge in judges]
    for game in games.games(given, tie_below=state.pairwise.tie_below_confidence):
        if game.a in won and game.b in won:
            won[game.a].append(game.score_a)
            won[game.b].append(1 - game.score_a)

    def strength(candidate: str) -> tuple[float, float]:
        results = won[candidate]
        share = math.fsum(results) / len(results) if results else 0.5
        summary = state.summaries.get(candidate)
        return share, -math.inf if summary is None else summary.overall

    return sorted(state.ids, key=strength, reverse=True)


class _Matching:
    """A search for disjoint pairs that are close in strength."""

    def __init__(self, ordered: Sequence[str], may_pair: Callable[[str, str], bool]) -> None:
        self._index = {candidate: number for number, candidate in enumerate(ordered)}
        self._may_pair = may_pair
        self._tries = _SWISS_TRIES

    def match(self, unpaired: Sequence[str]) -> list[_Pair]:
        """Return pairs for as many of ``unpaired`` as possible."""
        return self._match(list(unpaired), frozenset(self._index))

    def _match(self, unpaired: list[str], free: frozenset[str]) -> list[_Pair]:
        unpaired = [one for one in unpaired if one in free]
        if not unpaired:
            return []
        one, *rest = unpaired
        best: list[_Pair] = []
        for other in self._partners(one, free):
            found = [(one, other), *self._match(rest, free - {one, other})]
            best = max(best, found, key=len)
            self._tries -= 1
            if len(best) == min(len(unpaired), len(free) // 2) or self._tries < 0:
                return best
        return best or self._match(rest, free - {one})

    def _partners(self, one: str, free: frozenset[str]) -> list[str]:
        here = self._index[one]
        able = [other for other in free if self._may_pair(one, other)]
        return sorted(able, key=lambda other: (abs(self._index[other] - here), self._index[other]))
