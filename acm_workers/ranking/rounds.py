"""Rounds: which comparisons are asked next, and why no more are."""

from acm_workers.ranking import pairs, swiss
from acm_workers.ranking.comparison_history import ComparisonHistory
from acm_workers.ranking.comparison_state import ComparisonRound, ComparisonState

__all__ = ["ComparisonRound", "ComparisonState", "next_round"]


def next_round(field: ComparisonState) -> ComparisonRound:
    """Return what to ask next of the candidates, or why nothing more is asked.

    The same whatever the order of the comparisons; those that failed count as asked. With new
    candidates only pairs with one of them are asked. ``round_robin`` and ``top_k`` ask all
    pairs of the candidates they are given at once.
    """
    if not field.pairs():
        return ComparisonRound(
            (), "There is only one candidate." if field.ids else "There is no candidate."
        )
    if not field.judges:
        return ComparisonRound((), "No judge compares.")
    found = _next_of_strategy(field)
    return found if found.pairs else ComparisonRound((), f"{found.ended}{_without_result(field)}")


def _next_of_strategy(field: ComparisonState) -> ComparisonRound:
    match pairs.resolved(field.pairwise, len(field.old)):
        case "adaptive":
            # Only workers choose pairs so; numpy is slow to load for those who only plan.
            from acm_workers.ranking import adaptive

            return adaptive.next_round(field)
        case "swiss":
            return swiss.next_round(field)
        case _:
            return _every_pair(field)


def _every_pair(field: ComparisonState) -> ComparisonRound:
    asked = ComparisonHistory(field)
    planned = pairs.planned(
        field.pairs(),
        field.judges,
        swap=field.pairwise.position_swap,
        iterations=field.pairwise.iterations,
        seed=field.seed,
    )
    missing = tuple(one for one in planned if not asked.has(one))
    done = "compared" if not asked.failed else "asked about"
    return ComparisonRound(
        missing, "" if missing else f"Every pair was {done}: {asked.total} comparisons."
    )


def _without_result(field: ComparisonState) -> str:
    failed = ComparisonHistory(field).failed
    has = "has" if failed == 1 else "have"
    return f" {failed} of the comparisons {has} no result." if failed else ""
