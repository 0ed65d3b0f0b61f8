"""The bodies of requests and answers, beyond the records of the store."""

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Path
from pydantic import Field

from acm_api.http import examples
from schemas.calls import Message
from schemas.plan import ExpectedTotals, RunPlan
from schemas.ranking import Fusion, Standing
from schemas.record import Record
from schemas.run import Phase, Run, SkippedDocument
from schemas.units import RunState

RunId = Annotated[
    str,
    Path(
        pattern=r"^[0-9A-Za-z]{4,26}$",
        description="Id of a run, or its beginning.",
        examples=[examples.RUN_ID],
    ),
]
UnitId = Annotated[str, Path(pattern=r"^[0-9A-Za-z]{26}$", examples=[examples.RUN_ID])]

MOST_DOCUMENTS = 10_000
SOME_DOCUMENTS = 20
"""Documents whose winners judges compare unless another number is given."""


class RunTexts(Record):
    """A run from texts.

    Attributes:
        config: The values of a config file, without the keys of folders and files.
        instructions: What to write from each document.
        guidelines: Rules that writers and judges see as well.
        documents: Texts by name; a name is a relative path.
        uploads: Digests of uploaded texts by name, instead of ``documents`` or in addition.
    """

    config: dict[str, Any]
    instructions: Annotated[str, Field(min_length=1, max_length=1_000_000)]
    guidelines: Annotated[str, Field(max_length=1_000_000)] | None = None
    documents: Annotated[dict[str, str], Field(max_length=10_000)] = {}  # noqa: RUF012  frozen
    uploads: Annotated[dict[str, str], Field(max_length=10_000)] = {}  # noqa: RUF012  frozen


class NewRun(RunTexts):
    """A run to start; ``title`` is its display name."""

    title: Annotated[str, Field(min_length=1, max_length=300)] = "texts"


class StartedRun(Record):
    """The answer to a new run.

    Attributes:
        run_id: The new run, or the unfinished one of the same work; absent if every document has
            its winner from an earlier run.
        resumed: Whether it had been started before.
        skipped: Documents with a winner from an earlier run.
    """

    run_id: str | None
    resumed: bool
    skipped: tuple[SkippedDocument, ...]
    plan: RunPlan | None


class NewCrossJudging(Record):
    """Winners of two runs to be compared by judges.

    Attributes:
        documents: Number of documents with two different winners; a larger sample has the smaller
            one in it.
        budget_usd: The most that it may cost.
    """

    documents: Annotated[int, Field(ge=1, le=MOST_DOCUMENTS)] = SOME_DOCUMENTS
    budget_usd: Annotated[float, Field(gt=0, le=1e9)] | None = None


class ListedRun(Record):
    """A run in a list.

    Attributes:
        reason: Why it is paused or incomplete.
        cancel_requested: Whether it is being cancelled.
        expected: The plan at its start.
    """

    id: str
    title: str
    state: RunState
    reason: str | None
    cancel_requested: bool
    rejudged_from: str | None
    budget_usd: float | None
    expected: ExpectedTotals | None
    created_at: datetime
    finished_at: datetime | None

    @classmethod
    def of(cls, run: Run) -> "ListedRun":
        """Return a run as lists show it."""
        values = {name: getattr(run, name) for name in cls.model_fields if name != "budget_usd"}
        return cls(**values, budget_usd=run.config.budget_usd)


class ResumedRun(Record):
    """A run that continues; ``units`` are planned again."""

    run_id: str
    units: int


class Resume(Record):
    """The options of resuming a run.

    Attributes:
        failed: Whether failed units of documents with a winner are tried again, too.
        budget_usd: The run's new budget; unchanged if absent.
    """

    failed: bool = False
    budget_usd: Annotated[float, Field(gt=0, le=1e9)] | None = None


class RunStatus(Record):
    """The progress of a run; see ``GET /events`` for its changes.

    Attributes:
        phase: Stage of the document that is furthest.
        percent: Share of the likely calls that have ended.
        units: Number of units by kind and state.
        documents: Number of documents by stage; of ended ones by state.
        waits: Which limits units wait for.
        failures: By cause, the most frequent first.
        children: Current activity of child processes.
        paused: Judges and writers that are paused.
    """

    run_id: str
    state: RunState
    phase: Phase
    percent: int
    reason: str | None
    units: dict[str, dict[str, int]]
    documents: dict[str, int]
    calls: dict[str, float | int | None]
    waits: list[dict[str, Any]]
    failures: list[dict[str, Any]]
    children: list[Any]
    paused: list[dict[str, Any]]
    expected: ExpectedTotals | None


class ShownDocument(Record):
    """A document with its text and its ranking.

    Attributes:
        settled: Whether it was decided early, before all its units had ended.
        standings: Best first; empty until it has ended.
    """

    id: str
    run_id: str
    path: str
    stage: str
    state: str
    reason: str | None
    winner_id: str | None
    settled: bool
    created_at: datetime
    finished_at: datetime | None
    text: str
    standings: tuple[Standing, ...]
    fusions: tuple[Fusion, ...]


class Transcript(Record):
    """The request and the answer of a call.

    Attributes:
        messages: As they were sent; absent if they cannot be rendered again.
        answer: The text as received; absent if there was none.
    """

    messages: tuple[Message, ...] | None
    answer: str | None


class Accepted(Record):
    """The state of a run after a change."""

    run_id: str
    state: RunState
    reason: str | None
    cancel_requested: bool

    @classmethod
    def of(cls, run: Run) -> "Accepted":
        """Return the state of a run after a change."""
        return cls(
            run_id=run.id,
            state=run.state,
            reason=run.reason,
            cancel_requested=run.cancel_requested,
        )


class FormError(Record):
    """An error in a form, and the key that it is about."""

    message: str
    where: str | None


class ShownProvider(Record):
    """A provider that configs can name.

    Attributes:
        key_env: Variable of its key, where calls are sent.
        key_is_set: Whether this server has it; absent if workers send the calls.
        waiting: Number of units that wait for it, by reason.
        paused: Why it is paused, if it is.
        limits: State of the limits shared by workers; absent if no limits are shared.
    """

    name: str
    dialect: str
    base_url: str
    key_env: str | None
    key_is_set: bool | None
    waiting: dict[str, int]
    paused: str | None
    limits: dict[str, Any] | None = None


class ResumedProvider(Record):
    """A provider whose pause has ended."""

    name: str


Mode = Literal["single_doc", "pairwise", "full"]
