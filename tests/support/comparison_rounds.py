"""Rounds of comparisons as ranking asks for them, with verdicts that a test decides."""

from collections.abc import Callable, Sequence

from acm_workers.ranking.comparison_state import ComparisonState
from acm_workers.ranking.pairs import PlannedPair
from acm_workers.ranking.rounds import next_round
from schemas.config.judging import Judge, Pairwise
from schemas.ranking import ScoreSummary
from schemas.units import Comparison, Winner
from tests.support import judging_records

Verdict = Callable[[PlannedPair], Winner | None]


def comparison_state(
    old: int | Sequence[str],
    *,
    new: Sequence[str] = (),
    judges: int | tuple[Judge, ...] = 1,
    scores: dict[str, float] | None = None,
    pairwise: Pairwise | None = None,
    seed: int = 0,
) -> ComparisonState:
    """Return a field; candidates are c0, c1, ... and judges j0, j1, ... where only counted."""
    if isinstance(judges, int):
        judges = tuple(judging_records.judge(f"j{number}") for number in range(judges))
    return ComparisonState(
        old=tuple(f"c{number}" for number in range(old)) if isinstance(old, int) else tuple(old),
        new=tuple(new),
        summaries={one: summary(one, overall) for one, overall in (scores or {}).items()},
        comparisons=(),
        judges=judges,
        pairwise=pairwise or Pairwise(),
        seed=seed,
    )


def summary(
    name: str,
    overall: float,
    *,
    count: int = 3,
    std_dev: float | None = 0.5,
    comparable: bool = True,
) -> ScoreSummary:
    return ScoreSummary(
        artifact_id=name, overall=overall, criteria={}, by_judge={}, std_dev=std_dev,
        lowest=overall, highest=overall, confidence=None, count=count, missing=0,
        same_scale=comparable,
        judges=(judging_records.judge_scores(overall, count=count, std_dev=std_dev),),
    )  # fmt: skip


def by_name(pair: PlannedPair) -> Winner:
    """Prefer the candidate with the higher number."""
    return "a" if int(pair.a[1:]) > int(pair.b[1:]) else "b"


def answered(pair: PlannedPair, winner: Winner | None) -> Comparison:
    """Return the comparison that a planned pair becomes; failed without a winner."""
    return judging_records.comparison(
        (pair.a, pair.b), winner, judge=pair.judge, iteration=pair.iteration
    )


def play(start: ComparisonState, verdict: Verdict) -> tuple[list[list[PlannedPair]], str]:
    """Ask until nothing more is asked; return the rounds and why they ended."""
    rounds: list[list[PlannedPair]] = []
    there = list(start.comparisons)
    while True:
        found = next_round(start._replace(comparisons=there))
        if not found.pairs:
            return rounds, found.ended
        assert not found.ended
        rounds.append(list(found.pairs))
        there += [answered(pair, verdict(pair)) for pair in found.pairs]
