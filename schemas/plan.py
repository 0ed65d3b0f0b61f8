"""Plans: the likely and the maximum calls, cost and time of a run."""

from typing import Literal

from schemas.record import Record

PlanStage = Literal["generate", "score", "compare", "combine"]


class PlanAmounts(Record):
    """Amounts of calls; absent if unknown or unbounded.

    Attributes:
        calls: Number of requests that may cost money, without requests refused by a rate limit.
        input_tokens: Tokens that models read, including search results.
        output_tokens: Tokens that models write, including thinking.
        searches: Web searches.
        usd: Cost; also absent if a price is unknown.
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
        alternative: Whether only one of several models is called for each document; the maximum of
            these models together is the largest of their lines.
        batched: The first request of each unit is sent in a batch, which may take a day: minutes do
            not include the wait for batches, and the maximum assumes that failed requests are sent
            again without a batch.
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
        lines: Amounts by stage and model.
        likely: Sum of the amounts if no call fails.
        most: Upper bound with any number of failures; ``minutes`` is always absent.
        unbounded: Reasons why some amounts in ``most`` have no upper bound and are absent.
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
    """Calls and cost of a run, as planned at the start of the run.

    Attributes:
        calls: Likely number of calls.
        usd: Likely cost; absent if a price is unknown.
        most_calls: Upper bound of the calls; absent in runs of earlier versions.
        most_usd: Upper bound of the cost; absent if the cost is unbounded or unknown.
    """

    calls: int
    usd: float | None
    most_calls: int | None = None
    most_usd: float | None = None
