"""The input for choosing comparisons: candidates, scores, and the comparisons so far."""

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from acm_workers.ranking import pairs
from acm_workers.ranking.pairs import PlannedPair
from schemas.config.judging import Judge, Pairwise
from schemas.ranking import ScoreSummary
from schemas.units import Comparison


class ComparisonState(NamedTuple):
    """The candidates of one document that are compared, with all results so far.

    Attributes:
        old: Candidates of the first round that are admitted, in a fixed order.
        new: Combined candidates, in a fixed order; none before the playoffs.
        summaries: Score summary by candidate; absent for candidates without a score.
        comparisons: Comparisons of the document, in any order.
        judges: The judges that compare candidates.
        seed: Seed of all random draws.
    """

    old: tuple[str, ...]
    new: tuple[str, ...]
    summaries: Mapping[str, ScoreSummary]
    comparisons: Sequence[Comparison]
    judges: tuple[Judge, ...]
    pairwise: Pairwise
    seed: int

    @property
    def ids(self) -> tuple[str, ...]:
        """Return all candidates."""
        return self.old + self.new

    def may_meet(self, a: str, b: str) -> bool:
        """Return whether two candidates may be compared now.

        In playoffs, at least one of them must be a combined candidate.
        """
        known = a in self.ids and b in self.ids
        return known and (not self.new or a in self.new or b in self.new)

    def pairs(self) -> list[tuple[str, str]]:
        """Return every pair that may be compared now."""
        return pairs.with_new(self.old, self.new) if self.new else pairs.round_robin(self.old)

    def limits_by_judge(self) -> dict[str, int]:
        """Return the maximum number of comparisons by each judge, including earlier ones."""
        return pairs.most(len(self.old), len(self.new), self.judges, self.pairwise)


class ComparisonRound(NamedTuple):
    """The next comparisons to request.

    Attributes:
        pairs: The comparisons; none of them is planned already.
        ended: Reason why no more comparisons are made, for users; empty while there are more.
    """

    pairs: tuple[PlannedPair, ...]
    ended: str = ""


class ComparisonHistory:
    """The comparisons requested from each judge, for the pairs that may be compared now.

    Failed comparisons count as well, because they are not requested again.

    Attributes:
        failed: Number of the initial comparisons that ended without a result.
    """

    def __init__(self, state: ComparisonState) -> None:
        self._pairwise, self._seed = state.pairwise, state.seed
        self._index = {candidate: number for number, candidate in enumerate(state.ids)}
        self._limits = state.limits_by_judge()
        self._asked: set[PlannedPair] = set()
        self._by_judge: Counter[str] = Counter()
        self._by_pair: Counter[tuple[frozenset[str], str]] = Counter()
        self._first_minus_second: Counter[tuple[str, str]] = Counter()
        self._by_order: Counter[tuple[str, str]] = Counter()
        given = [
            comparison
            for comparison in state.comparisons
            if state.may_meet(comparison.a_id, comparison.b_id) and comparison.judge in self._limits
        ]
        self.failed = sum(comparison.state == "failed" for comparison in given)
        self.add(PlannedPair(one.a_id, one.b_id, one.judge, one.iteration) for one in given)

    def add(self, asked: Iterable[PlannedPair]) -> None:
        """Count comparisons as requested."""
        for one in asked:
            self._asked.add(one)
            self._by_judge[one.judge] += 1
            self._by_pair[frozenset((one.a, one.b)), one.judge] += 1
            self._first_minus_second[one.judge, one.a] += 1
            self._first_minus_second[one.judge, one.b] -= 1
            self._by_order[one.a, one.b] += 1

    @property
    def total(self) -> int:
        """Return the number of requested comparisons."""
        return self._by_judge.total()

    @property
    def limit(self) -> int:
        """Return the maximum number of comparisons, including those already requested."""
        return sum(self._limits.values())

    def count_by(self, judge: str) -> int:
        """Return the number of comparisons requested from a judge."""
        return self._by_judge[judge]

    def count_of(self, a: str, b: str, judge: str) -> int:
        """Return the number of comparisons of a pair requested from a judge."""
        return self._by_pair[frozenset((a, b)), judge]

    def has_asked(self, one: PlannedPair) -> bool:
        """Return whether a comparison was requested, in either order unless both are required."""
        swapped = one._replace(a=one.b, b=one.a)
        both = self._pairwise.position_swap == "both"
        return one in self._asked or (swapped in self._asked and not both)

    def has_pair(self, a: str, b: str) -> bool:
        """Return whether a comparison of a pair was requested from any judge."""
        return bool(self._by_order[a, b] or self._by_order[b, a])

    def has_candidate(self, candidate: str) -> bool:
        """Return whether any comparison of a candidate was requested."""
        return any(candidate in pair for pair, _ in self._by_pair)

    def is_open(self, a: str, b: str, judge: str) -> bool:
        """Return whether a judge may compare a pair once more."""
        orders = 2 if self._pairwise.position_swap == "both" else 1
        fits = self._by_judge[judge] + orders <= self._limits[judge]
        return fits and self._next_iteration(a, b, judge) is not None

    def next_comparisons(self, a: str, b: str, judge: str) -> tuple[PlannedPair, ...]:
        """Return the next iteration of an open pair: one comparison, or two with ``both``.

        Raises:
            ValueError: The judge has compared the pair in all iterations.
        """
        iteration = self._next_iteration(a, b, judge)
        if iteration is None:
            raise ValueError(f"{judge} was asked for all iterations of {a} and {b}")
        if self._pairwise.position_swap == "both":
            orders = [PlannedPair(*order, judge, iteration) for order in ((a, b), (b, a))]
            return tuple(one for one in orders if one not in self._asked)
        first, second = (b, a) if self._is_swapped(a, b, judge) else (a, b)
        return (PlannedPair(first, second, judge, iteration),)

    def _next_iteration(self, a: str, b: str, judge: str) -> int | None:
        enough = 2 if self._pairwise.position_swap == "both" else 1
        for iteration in range(1, self._pairwise.iterations + 1):
            orders = (PlannedPair(a, b, judge, iteration), PlannedPair(b, a, judge, iteration))
            if sum(one in self._asked for one in orders) < enough:
                return iteration
        return None

    def _is_swapped(self, a: str, b: str, judge: str) -> bool:
        """Return whether b is shown first, because this judge saw it first less often than a."""
        if self._pairwise.position_swap != "random":
            return False
        ahead = self._first_minus_second[judge, a] - self._first_minus_second[judge, b]
        # Then the orders of one pair alternate; then it is drawn, by indices and not by ids.
        ahead = ahead or self._by_order[a, b] - self._by_order[b, a]
        if ahead:
            return ahead > 0
        judge_index = list(self._limits).index(judge)
        seed = f"{self._seed} {self._index[a]} {self._index[b]} {judge_index}"
        return random.Random(seed).random() < 0.5  # noqa: S311
