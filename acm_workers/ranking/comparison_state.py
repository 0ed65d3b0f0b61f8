"""What is known when the next comparisons are chosen, and the answer."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from acm_workers.ranking import pairs
from acm_workers.ranking.pairs import PlannedPair
from schemas.config.judging import Judge, Pairwise
from schemas.ranking import ScoreSummary
from schemas.units import Comparison


class ComparisonState(NamedTuple):
    """The candidates of one document that are compared, and all that is known of them.

    Attributes:
        old: Candidates of the first round that are admitted, in a fixed order.
        new: Combined ones, in a fixed order; none before the playoffs.
        summaries: By candidate; absent for those without a score.
        comparisons: Of the document, in any order.
        judges: Those that compare.
        seed: Of everything that is drawn.
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

    def meets(self, a: str, b: str) -> bool:
        """Return whether the two may be compared now: in playoffs only with a new one."""
        there = a in self.ids and b in self.ids
        return there and (not self.new or a in self.new or b in self.new)

    def pairs(self) -> list[tuple[str, str]]:
        """Return every pair that may be compared now."""
        return pairs.with_new(self.old, self.new) if self.new else pairs.round_robin(self.old)

    def most(self) -> dict[str, int]:
        """Return the most that may be asked of each judge, what was asked before included."""
        return pairs.most(len(self.old), len(self.new), self.judges, self.pairwise)


class ComparisonRound(NamedTuple):
    """What to ask next.

    Attributes:
        pairs: Never one that is planned already.
        ended: Why nothing more is asked, for people; empty as long as something is.
    """

    pairs: tuple[PlannedPair, ...]
    ended: str = ""
