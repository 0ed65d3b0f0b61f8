"""ACM for programs and notebooks: the best of many texts that language models write.

    import acm_api

    found = acm_api.run("config.yaml", on_event=print)
    found.winners          # text by document
    found.to_pandas()      # a row for each candidate

``plan`` estimates the cost of a run; ``judge_texts`` ranks existing texts; ``results`` reads an
earlier run, ``explain`` explains why the winner of a document won, and ``delete`` removes the texts
of a run; ``compare`` compares two runs over the same documents, and ``leaderboard`` returns the
results of each model over all runs; ``next_vote`` and ``cast_vote`` serve blind votes of people,
and ``votes`` returns their results; ``Client`` has the same functions for a server. Errors are
those of ``acm_workers.errors``: ``RequestError`` for mistakes that the caller can correct.
``ops/docs/python.md`` has examples.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from acm_api.client import Client
    from acm_api.given_texts import judge_texts
    from acm_api.library import (
        compare,
        delete,
        explain,
        leaderboard,
        plan,
        plan_cross_judging,
        results,
        run,
        settle,
    )
    from acm_api.ranked_results import GivenScore, GivenVerdict, RankedCandidate, Results
    from acm_api.voting import cast_vote, next_vote, undo_vote, votes
    from acm_workers.errors import AcmError, NotFound, RequestError
    from schemas.events import RunEvent
    from schemas.leaderboard import Leaderboard, LeaderboardRow
    from schemas.run_difference import CrossJudgingPlan, RunDifference

__all__ = [
    "AcmError",
    "Client",
    "CrossJudgingPlan",
    "GivenScore",
    "GivenVerdict",
    "Leaderboard",
    "LeaderboardRow",
    "NotFound",
    "RankedCandidate",
    "RequestError",
    "Results",
    "RunDifference",
    "RunEvent",
    "cast_vote",
    "compare",
    "delete",
    "explain",
    "judge_texts",
    "leaderboard",
    "next_vote",
    "plan",
    "plan_cross_judging",
    "results",
    "run",
    "settle",
    "undo_vote",
    "votes",
]

_HOMES = {
    "acm_api.client": ("Client",),
    "acm_api.given_texts": ("judge_texts",),
    "acm_api.library": (
        "compare",
        "delete",
        "explain",
        "leaderboard",
        "plan",
        "plan_cross_judging",
        "results",
        "run",
        "settle",
    ),
    "acm_api.ranked_results": ("GivenScore", "GivenVerdict", "RankedCandidate", "Results"),
    "acm_api.voting": ("cast_vote", "next_vote", "undo_vote", "votes"),
    "acm_workers.errors": ("AcmError", "NotFound", "RequestError"),
    "schemas.events": ("RunEvent",),
    "schemas.leaderboard": ("Leaderboard", "LeaderboardRow"),
    "schemas.run_difference": ("CrossJudgingPlan", "RunDifference"),
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, because commands that print help need none."""
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names:
            found = getattr(import_module(home), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module acm_api has no {name}")
