"""Cost of calls; an unknown price is never replaced by 0."""

from collections.abc import Iterable
from typing import NamedTuple

from schemas.calls import Call
from schemas.run import CallCounts

_WORK = {"evaluation": "score", "comparison": "compare"}


class CallCost(NamedTuple):
    """The cost of some calls.

    Attributes:
        usd: Sum of the known costs.
        unknown: Number of answered calls of unknown cost.
        uncertain: Number of calls that may have been answered and billed.
        uncertain_usd: Upper bound of the cost of uncertain calls; absent if an amount is not known.
    """

    usd: float = 0.0
    unknown: int = 0
    uncertain: int = 0
    uncertain_usd: float | None = 0.0

    @property
    def exact(self) -> float | None:
        """Return the cost in USD; None if a part of the cost is unknown."""
        return None if self.unknown else self.usd


class CostRow(NamedTuple):
    """Calls to one model for one kind of work.

    Attributes:
        work: Kind of work: generate, combine, score or compare.
        stage: Stage of the calls: main, jsonify or repair.
        input_tokens: Sum over the calls that report tokens; absent if no call does.
        searches: Number of billed searches, summed in the same way.
    """

    provider: str
    model: str
    work: str
    stage: str
    counts: CallCounts
    input_tokens: int | None
    output_tokens: int | None
    searches: int | None
    spent: CallCost


def total_cost(calls: Iterable[Call]) -> CallCost:
    """Return the total cost of ``calls``.

    A failed call without usage was refused and is free. A failed call with usage but without cost
    has an unknown price, like an answered call.
    """
    usd, unknown = 0.0, 0
    uncertain: list[float | None] = []
    for call in calls:
        if call.cost_usd is not None:
            usd += call.cost_usd
        elif call.state == "uncertain":
            uncertain.append(call.reserved_usd)
        elif _answered(call):
            unknown += 1
    # Sums of floats carry noise far below a billionth of a dollar.
    bounds = [most for most in uncertain if most is not None]
    most_usd = round(sum(bounds), 9) if len(bounds) == len(uncertain) else None
    return CallCost(round(usd, 9), unknown, len(uncertain), most_usd)


def _answered(call: Call) -> bool:
    if call.cached:
        return False
    return call.state == "done" or call.usage.output_tokens is not None


def call_counts(calls: Iterable[Call]) -> CallCounts:
    """Count ``calls``; cached calls were not sent and are not in the total."""
    all_calls = list(calls)
    sent = [call for call in all_calls if not call.cached]
    return CallCounts(
        total=len(sent),
        failed=sum(call.state == "failed" for call in sent),
        cached=len(all_calls) - len(sent),
        uncertain=sum(call.state == "uncertain" for call in sent),
    )


def kind_of_work(call: Call, combined: set[str]) -> str:
    """Return the kind of work of a call: generate, combine, score or compare."""
    return _WORK.get(call.unit_kind) or ("combine" if call.unit_id in combined else "generate")


def cost_rows(calls: Iterable[Call], combined: set[str]) -> tuple[CostRow, ...]:
    """Sum ``calls`` by provider, model, kind of work and stage.

    Args:
        calls: Calls of a run.
        combined: Ids of the run's combined artifacts.
    """
    groups: dict[tuple[str, str, str, str], list[Call]] = {}
    for call in calls:
        key = (call.provider, call.model, kind_of_work(call, combined), call.stage)
        groups.setdefault(key, []).append(call)
    return tuple(_row(key, group) for key, group in sorted(groups.items()))


def _row(key: tuple[str, str, str, str], calls: list[Call]) -> CostRow:
    sent = [call.usage for call in calls if not call.cached]
    return CostRow(
        *key,
        call_counts(calls),
        _total([usage.input_tokens for usage in sent]),
        _total([usage.output_tokens for usage in sent]),
        _total([usage.searches for usage in sent]),
        total_cost(calls),
    )


def _total(tokens: list[int | None]) -> int | None:
    known = [count for count in tokens if count is not None]
    return sum(known) if known else None
