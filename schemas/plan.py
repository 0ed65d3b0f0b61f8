"""Plans: what a run is likely to take, and the most that it can take."""

from typing import Literal

from schemas.record import Record

PlanStage = Literal["generate", "score", "compare", "combine"]


class PlanAmounts(Record):
    """Amounts of calls; absent if unknown or unbounded.

    Attributes:
        calls: Requests that can cost something; those that a rate limit refuses do not count.
        input_tokens: Tokens that models read, those that searches bring included.
        output_tokens: Tokens that models write, thinking included.
        searches: Web searches.
        usd: Absent if a price is not known, too.
        minutes: Time under the limits of the providers.
    """

    calls: int | None
    input_tokens: int | None
    output_tokens: int | None
    searches: int | None
    usd: float | None
    minutes: float | None = None


class PlanLine(Record):
    """The calls of one stage to one model.

    Attributes:
        alternative: One of several models of which only one is called for each document; the most
            of them all is the largest of their lines.
        batched: The first request of each unit is sent in a batch, which may take a day: minutes
            say nothing of that, and the most holds for requests that are sent again by themselves.
    """

    stage: PlanStage
    provider: str
    model: str
    likely: PlanAmounts
    most: PlanAmounts
    alternative: bool = False
    batched: bool = False


class RunPlan(Record):
    """The likely and the highest amounts of a run.

    Attributes:
        documents: Number of documents.
        units: Maximum number of units by stage: candidates, scores, comparisons, combined
            candidates.
        lines: By stage and model.
        likely: The sum, if no call fails.
        most: An upper bound, whatever fails; its minutes never have one.
        unbounded: Why amounts of ``most`` are absent.
        unknown_prices: Models without a price, as ``provider:model``.
        budget_usd: The budget of the run.
    """

    documents: int
    units: dict[PlanStage, int]
    lines: tuple[PlanLine, ...]
    likely: PlanAmounts
    most: PlanAmounts
    unbounded: tuple[str, ...] = ()
    unknown_prices: tuple[str, ...] = ()
    budget_usd: float | None = None


class ExpectedTotals(Record):
    """Calls and cost of a run, as planned at its start.

    Attributes:
        calls: Likely calls.
        usd: Likely cost; absent if a price is not known.
        most_calls: Upper bound; absent in runs of earlier versions.
        most_usd: Upper bound; absent if there is none.
    """

    calls: int
    usd: float | None
    most_calls: int | None = None
    most_usd: float | None = None
