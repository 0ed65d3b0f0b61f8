"""Asked: which comparisons there are already, and what the next look at a pair is."""

import random
from collections import Counter
from collections.abc import Iterable

from acm_workers.ranking.comparison_state import ComparisonState
from acm_workers.ranking.pairs import PlannedPair


class ComparisonHistory:
    """What was asked of each judge about the pairs that may be compared now.

    Comparisons that failed count: they were asked, and are not asked again.

    Attributes:
        failed: How many of those that were there have no result, and will have none.
    """

    def __init__(self, field: ComparisonState) -> None:
        self._pairwise, self._seed = field.pairwise, field.seed
        self._place = {one: number for number, one in enumerate(field.ids)}
        self._most = field.most()
        self._there: set[PlannedPair] = set()
        self._by_judge: Counter[str] = Counter()
        self._looks: Counter[tuple[frozenset[str], str]] = Counter()
        self._led: Counter[tuple[str, str]] = Counter()
        self._turns: Counter[tuple[str, str]] = Counter()
        there = [
            one
            for one in field.comparisons
            if field.meets(one.a_id, one.b_id) and one.judge in self._most
        ]
        self.failed = sum(one.state == "failed" for one in there)
        self.add(PlannedPair(one.a_id, one.b_id, one.judge, one.iteration) for one in there)

    def add(self, asked: Iterable[PlannedPair]) -> None:
        """Count comparisons as asked."""
        for one in asked:
            self._there.add(one)
            self._by_judge[one.judge] += 1
            self._looks[frozenset((one.a, one.b)), one.judge] += 1
            self._led[one.judge, one.a] += 1
            self._led[one.judge, one.b] -= 1
            self._turns[one.a, one.b] += 1

    @property
    def total(self) -> int:
        """Return how many comparisons were asked."""
        return self._by_judge.total()

    @property
    def most(self) -> int:
        """Return how many comparisons may be asked, those that were included."""
        return sum(self._most.values())

    def of(self, judge: str) -> int:
        """Return how many comparisons were asked of a judge."""
        return self._by_judge[judge]

    def looks(self, a: str, b: str, judge: str) -> int:
        """Return how often a judge was asked about a pair."""
        return self._looks[frozenset((a, b)), judge]

    def has(self, one: PlannedPair) -> bool:
        """Return whether a comparison was asked; in either order unless both are to be."""
        swapped = one._replace(a=one.b, b=one.a)
        both = self._pairwise.position_swap == "both"
        return one in self._there or (swapped in self._there and not both)

    def met(self, a: str, b: str) -> bool:
        """Return whether anybody was asked about a pair."""
        return bool(self._turns[a, b] or self._turns[b, a])

    def compared(self, one: str) -> bool:
        """Return whether anything was asked about a candidate."""
        return any(one in pair for pair, _ in self._looks)

    def open(self, a: str, b: str, judge: str) -> bool:
        """Return whether a judge may be asked about a pair once more."""
        orders = 2 if self._pairwise.position_swap == "both" else 1
        fits = self._by_judge[judge] + orders <= self._most[judge]
        return fits and self._next_iteration(a, b, judge) is not None

    def next_look(self, a: str, b: str, judge: str) -> tuple[PlannedPair, ...]:
        """Return the next comparisons of an open pair: one, or two with ``both``."""
        iteration = self._next_iteration(a, b, judge)
        if iteration is None:
            return ()
        if self._pairwise.position_swap == "both":
            orders = [(a, b), (b, a)]
            look = [PlannedPair(*order, judge, iteration) for order in orders]
            return tuple(one for one in look if one not in self._there)
        first, second = (b, a) if self._is_swapped(a, b, judge) else (a, b)
        return (PlannedPair(first, second, judge, iteration),)

    def _next_iteration(self, a: str, b: str, judge: str) -> int | None:
        enough = 2 if self._pairwise.position_swap == "both" else 1
        for iteration in range(1, self._pairwise.iterations + 1):
            orders = (PlannedPair(a, b, judge, iteration), PlannedPair(b, a, judge, iteration))
            if sum(one in self._there for one in orders) < enough:
                return iteration
        return None

    def _is_swapped(self, a: str, b: str, judge: str) -> bool:
        """Return whether b is to be shown first, who was less often first before this judge."""
        if self._pairwise.position_swap != "random":
            return False
        ahead = self._led[judge, a] - self._led[judge, b]
        # Then the turns of one pair alternate; then it is drawn, by places and not by ids.
        ahead = ahead or self._turns[a, b] - self._turns[b, a]
        if ahead:
            return ahead > 0
        places = f"{self._seed} {self._place[a]} {self._place[b]} {list(self._most).index(judge)}"
        return random.Random(places).random() < 0.5  # noqa: S311
