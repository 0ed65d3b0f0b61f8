"""Values of a config that contradict each other, or of which one leaves another no effect."""

from collections.abc import Iterator
from typing import Any

from acm_api.config import draft as drafts
from acm_api.config.draft import Problem
from acm_api.config.source import Key, dotted
from schemas.config.config import Config


def problems(config: Config) -> Iterator[Problem]:
    """Yield what cannot be done together."""
    playoffs = config.playoffs
    if playoffs.enabled and not playoffs.same_scale and not config.comparing_judges:
        name = "judges" if playoffs.judges is not None else "criteria"
        message = (
            f"playoffs.{name} gives combined candidates scores of their own scale, and"
            " pairwise.enabled is false: nothing would tell whether they are better;"
            f" compare them, or leave playoffs.{name} out"
        )
        yield Problem(("playoffs", name), message)


def notes(config: Config, data: dict[str, Any]) -> Iterator[str]:
    """Yield what has no effect beside the rest, and what changes the meaning of results.

    Args:
        config: As it will run.
        data: Its draft: what is not in it, nobody asked for.
    """
    yield from _strategy(config, data)
    method = config.ranking.method
    if method not in ("auto", "score") and not config.comparing_judges:
        yield f"ranking.method {method} has no effect: nothing is compared, so scores decide"
    if config.missing_score is not None:
        yield (
            f"missing_score: scores that a judge leaves out are filled in with"
            f" {config.missing_score:g}, and counted as filled"
        )


def _strategy(config: Config, data: dict[str, Any]) -> Iterator[str]:
    """Yield which bounds of comparisons do not belong to the strategy."""
    if not config.comparing_judges:
        return
    strategy = config.pairwise.strategy
    if config.pairwise.max_comparisons is not None and strategy in ("round_robin", "top_k"):
        hint = "pairwise.top_n compares fewer candidates"
        yield f"pairwise.max_comparisons has no effect with strategy {strategy}; {hint}"
    stop: Key = ("pairwise", "stop_confidence")
    if strategy != "adaptive" and drafts.get(data, stop) is not None:
        yield f"{dotted(stop)} has no effect with strategy {strategy}; adaptive alone stops by it"
