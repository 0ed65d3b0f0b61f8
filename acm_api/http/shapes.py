"""The bodies of requests and answers that are not records of the store."""

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
        description="Id of a run or its first characters.",
        examples=[examples.RUN_ID],
    ),
]
UnitId = Annotated[str, Path(pattern=r"^[0-9A-Za-z]{26}$", examples=[examples.RUN_ID])]

NO_ZERO_BYTE = r"^[^\x00]*$"
"""Pattern of texts that every store can hold: Postgres refuses zero bytes."""

MOST_DOCUMENTS = 10_000
SOME_DOCUMENTS = 20
"""Default number of documents whose winners judges compare."""


class RunTexts(Record):
    """A run whose documents are sent as texts.

    Attributes:
        config: The values of a config file, without keys for folders and files.
        instructions: The instructions for writing from each document.
        guidelines: Rules that are shown to writers and judges as well.
        documents: Texts by name; a name is a relative path.
        uploads: Digests of uploaded texts by name, instead of or in addition to ``documents``.
    """

    config: dict[str, Any]
    instructions: Annotated[str, Field(min_length=1, max_length=1_000_000, pattern=NO_ZERO_BYTE)]
    guidelines: Annotated[str, Field(max_length=1_000_000, pattern=NO_ZERO_BYTE)] | None = None
    documents: Annotated[dict[str, str], Field(max_length=10_000)] = {}  # noqa: RUF012  frozen
    uploads: Annotated[dict[str, str], Field(max_length=10_000)] = {}  # noqa: RUF012  frozen


class NewRun(RunTexts):
    """A run to start; ``title`` is its display name."""

    title: Annotated[str, Field(min_length=1, max_length=300, pattern=NO_ZERO_BYTE)] = "texts"


class StartedRun(Record):
    """The answer to a new run.

    Attributes:
        run_id: Id of the new or resumed run; absent if every document has a winner from an earlier
            run.
        resumed: Whether the run was started earlier.
        skipped: Documents with a winner from an earlier run.
    """

    run_id: str | None
    resumed: bool
    skipped: tuple[SkippedDocument, ...]
    plan: RunPlan | None


class NewCrossJudging(Record):
    """A request that judges compare winners of two runs.

    Attributes:
        documents: Number of documents with two different winners; a larger sample contains every
            smaller one.
        budget_usd: Maximum cost of the comparisons.
    """

    documents: Annotated[int, Field(ge=1, le=MOST_DOCUMENTS)] = SOME_DOCUMENTS
    budget_usd: Annotated[float, Field(gt=0, le=1e9)] | None = None


class ListedRun(Record):
    """A run in a list.

    Attributes:
        reason: Reason why the run is paused or incomplete.
        cancel_requested: Whether the run is being cancelled.
        expected: The plan at the start of the run.
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
        """Return the values of a run in lists."""
        values = {name: getattr(run, name) for name in cls.model_fields if name != "budget_usd"}
        return cls(**values, budget_usd=run.config.budget_usd)


class ResumedRun(Record):
    """A resumed run; ``units`` are planned again."""

    run_id: str
    units: int


class Resume(Record):
    """The options of resuming a run.

    Attributes:
        failed: Whether failed units of documents with a winner are tried again as well.
        budget_usd: The run's new budget; unchanged by default.
    """

    failed: bool = False
    budget_usd: Annotated[float, Field(gt=0, le=1e9)] | None = None


class RunStatus(Record):
    """The progress of a run; ``GET /events`` streams its changes.

    Attributes:
        phase: Stage of the most advanced document.
        percent: Percentage of the likely calls that have ended.
        units: Number of units by kind and state.
        documents: Number of documents by stage, or by state if they have ended.
        waits: Limits that units wait for.
        failures: Failures by cause, the most frequent first.
        children: Current activities of child processes.
        paused: Paused judges and writers.
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
        settled: Whether the document was decided before all its units had ended.
        standings: Standings, the best first; empty until the document has ended.
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
        messages: Messages as sent; absent if they cannot be rendered again.
        answer: The text as received; absent without an answer.
    """

    messages: tuple[Message, ...] | None
    answer: str | None


class ChangedRun(Record):
    """The state of a run after a change."""

    run_id: str
    state: RunState
    reason: str | None
    cancel_requested: bool

    @classmethod
    def of(cls, run: Run) -> "ChangedRun":
        """Return the state of a run after a change."""
        return cls(
            run_id=run.id,
            state=run.state,
            reason=run.reason,
            cancel_requested=run.cancel_requested,
        )


class FormError(Record):
    """An error in a form, and its key."""

    message: str
    where: str | None


class ShownProvider(Record):
    """A provider that configs can name.

    Attributes:
        key_env: Environment variable of its key on the machine that sends the calls.
        key_is_set: Whether the key is set on this server; absent if workers send the calls.
        waiting: Number of units that wait for the provider, by reason.
        paused: Reason of its pause; absent if it is not paused.
        limits: State of the limits that workers share; absent without workers.
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
    """The answer to ending the pause of a provider."""

    name: str


Mode = Literal["single_doc", "pairwise", "full"]
