"""Swiss rounds: equals meet, and nobody meets the same one twice."""

import math
from collections.abc import Callable, Sequence

from acm_workers.ranking import games, pairs
from acm_workers.ranking.comparison_history import ComparisonHistory
from acm_workers.ranking.comparison_state import ComparisonRound, ComparisonState
from acm_workers.ranking.pairs import PlannedPair

_TRIES = 1000
"""How many partners are tried before a round may have fewer pairs than it could have."""

_Pair = tuple[str, str]


def next_round(field: ComparisonState) -> ComparisonRound:
    """Return the next round of disjoint pairs of equals, or why there is none.

    Equals have won the same share of their games; of those, or before any game, the same score.
    In playoffs each new candidate meets its equal.
    """
    asked = ComparisonHistory(field)
    left = pairs.swiss_pairs(len(field.old), len(field.new)) - sum(
        asked.met(a, b) for a, b in field.pairs()
    )
    wanted = _round(field, asked)[: max(left, 0)]
    chosen: list[PlannedPair] = []
    for a, b in wanted:
        for judge in field.judges:
            while asked.open(a, b, judge.name):
                look = asked.next_look(a, b, judge.name)
                asked.add(look)
                chosen += look
    return ComparisonRound(
        tuple(chosen), "" if chosen else _ended(field, asked, spent=bool(wanted))
    )


def _round(field: ComparisonState, asked: ComparisonHistory) -> list[_Pair]:
    """Return as many disjoint pairs as there are, each in the order of the field."""
    ordered = _by_strength(field)
    place = {one: number for number, one in enumerate(field.ids)}

    def may(a: str, b: str) -> bool:
        return a != b and field.meets(a, b) and not asked.met(a, b)

    best: list[_Pair] = []
    for resting in _resting(field, asked, ordered):
        playing = [one for one in ordered if one != resting]
        seeking = [one for one in playing if one in field.new] if field.new else playing
        found = _Matching(playing, may).match(seeking)
        if len(found) > len(best):
            best = found
        if len(best) == min(len(seeking), len(playing) // 2):
            break
    return [(a, b) if place[a] < place[b] else (b, a) for a, b in best]


def _resting(
    field: ComparisonState, asked: ComparisonHistory, ordered: Sequence[str]
) -> list[str | None]:
    """Return who may be left out, the first choice first: who met most, then the weakest."""
    if field.new or len(ordered) % 2 == 0:
        return [None]
    met = [sum(asked.met(one, other) for other in ordered) for one in ordered]
    places = sorted(range(len(ordered)), key=lambda place: (met[place], place), reverse=True)
    return [ordered[place] for place in places]


def _by_strength(field: ComparisonState) -> list[str]:
    won: dict[str, list[float]] = {one: [] for one in field.ids}
    counted = {judge.name for judge in field.judges}
    there = [one for one in field.comparisons if one.judge in counted]
    for game in games.games(there, tie_below=field.pairwise.tie_below_confidence):
        if game.a in won and game.b in won:
            won[game.a].append(game.score_a)
            won[game.b].append(1 - game.score_a)

    def strength(one: str) -> tuple[float, float]:
        share = math.fsum(won[one]) / len(won[one]) if won[one] else 0.5
        summary = field.summaries.get(one)
        return share, -math.inf if summary is None else summary.overall

    return sorted(field.ids, key=strength, reverse=True)


class _Matching:
    """A search for disjoint pairs that are close in strength."""

    def __init__(self, ordered: Sequence[str], may: Callable[[str, str], bool]) -> None:
        self._place = {one: number for number, one in enumerate(ordered)}
        self._may = may
        self._tries = _TRIES

    def match(self, seeking: Sequence[str]) -> list[_Pair]:
        """Return pairs for as many of ``seeking`` as possible."""
        return self._match(list(seeking), frozenset(self._place))

    def _match(self, seeking: list[str], free: frozenset[str]) -> list[_Pair]:
        seeking = [one for one in seeking if one in free]
        if not seeking:
            return []
        one, *rest = seeking
        best: list[_Pair] = []
        for other in self._partners(one, free):
            found = [(one, other), *self._match(rest, free - {one, other})]
            best = max(best, found, key=len)
            self._tries -= 1
            if len(best) == min(len(seeking), len(free) // 2) or self._tries < 0:
                return best
        return best or self._match(rest, free - {one})

    def _partners(self, one: str, free: frozenset[str]) -> list[str]:
        here = self._place[one]
        able = [other for other in free if self._may(one, other)]
        return sorted(able, key=lambda other: (abs(self._place[other] - here), self._place[other]))


def _ended(field: ComparisonState, asked: ComparisonHistory, *, spent: bool) -> str:
    if spent:
        return f"All {asked.total} comparisons that max_comparisons allows were asked."
    rounds = math.ceil(math.log2(len(field.ids)))
    return f"All {asked.total} comparisons of {rounds} Swiss rounds were asked."
