"""Code submissions: tasks, submissions, versions, debug sessions and notices."""

import math
from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from schemas.record import Record

VersionState = Literal[
    "queued",
    "claimed",
    "running",
    "scored",
    "rejected",
    "failed",
    "timed_out",
    "cancelled",
    "lost",
]
SubmissionState = Literal["open", "finished", "cancelled", "void"]
Isolation = Literal["bubblewrap", "unshare", "rlimits"]
Source = Literal["author", "debugger"]
ReportKind = Literal["success", "failed"]
DebuggerKind = Literal["command", "llm"]
Channel = Literal["log", "file", "webhook", "command"]
FailureCause = Literal[
    "crash",  # the code raised, could not be imported, or ended with an exit code
    "timeout",
    "limit",  # output, memory or files beyond the task's limits
    "rejected",
    "bad_result",  # none, a pickle, too large, or not finite
    "invalid_code",  # refused before it ran
    "evaluator",  # the evaluator itself failed
    "lost",  # its workers died too often
    "cancelled",
]

ORIGINAL = 1
"""The version that the author sent; a debugger writes 2, 3, …"""

ISOLATIONS: tuple[Isolation, ...] = ("rlimits", "unshare", "bubblewrap")
"""Kinds of isolation, from the weakest to the strongest."""


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError("must be a finite number")
    return value


Finite = Annotated[float, Field(strict=True), AfterValidator(_finite)]
"""A finite number; booleans are not accepted."""

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]


class ExecutionLimits(Record):
    """The limits of one process tree.

    Attributes:
        wall_s: Seconds after which the process tree is killed.
        cpu_s: CPU seconds of each process; default: the value of ``wall_s``.
        memory_mb: Maximum address space of each process.
        processes: Maximum number of processes and threads at the same time.
        output_mb: Maximum size of the printed output, after which the tree is killed; head and tail
            of the output are stored.
        file_mb: Maximum size of each file, including the result, and of the temporary folder.
        open_files: Maximum number of open files of each process.
        log_kb: Maximum size of the stored part of the printed output.
    """

    wall_s: float = Field(60.0, gt=0, le=7 * 86400)
    cpu_s: float | None = Field(None, gt=0)
    memory_mb: int = Field(2048, ge=16)
    processes: int = Field(64, ge=1)
    output_mb: int = Field(64, ge=1)
    file_mb: int = Field(64, ge=1)
    open_files: int = Field(256, ge=16)
    log_kb: int = Field(64, ge=1, le=10_000)


class AuthorLimits(Record):
    """The limits of one author.

    Attributes:
        pending: Maximum number of open submissions at the same time; no limit by default.
        cooldown_s: Minimum number of seconds between two submissions.
    """

    pending: int | None = Field(None, ge=1)
    cooldown_s: float = Field(0.0, ge=0)


class DebuggerSpec(Record):
    """The debugger of failed submissions: a program in a workspace, or a model.

    Attributes:
        kind: ``command`` is a program; ``llm`` is a model that writes the next version.
        command: The program and its arguments.
        model: Model of ``llm``, as ``provider:model``; the task's config names the provider.
        max_tokens: Maximum number of tokens of an answer of ``llm``; doubled if an answer is cut
            off.
        name: Name of the debugger in notices; for ``llm`` the name of the model by default.
        attempts: Maximum number of versions that the debugger may write.
        wall_s: Maximum duration of the session in seconds.
        on: Kinds of failure of the original for which the debugger is started.
        pass_environment: Environment variables of the worker that are passed to the program.
    """

    kind: DebuggerKind = "command"
    command: tuple[str, ...] = ()
    model: Annotated[str, Field(pattern=r"^[^:\s]+:\S+$")] | None = None
    max_tokens: int | None = Field(None, ge=16)
    name: str = "Claude"
    attempts: int = Field(5, ge=1, le=100)
    wall_s: float = Field(900.0, gt=0)
    on: tuple[FailureCause, ...] = ("crash",)
    pass_environment: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _named_after_its_model(cls, data: Any) -> Any:
        if isinstance(data, dict) and data.get("kind") == "llm" and "name" not in data:
            return {**data, "name": str(data.get("model") or "").partition(":")[2]}
        return data

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        if self.kind == "command" and not self.command:
            raise ValueError("a debugger that is a program needs `command`")
        if self.kind == "llm" and self.model is None:
            raise ValueError("a debugger that is a model needs `model`, as provider:model")
        return self


class NoticeTarget(Record):
    """The destination of the notice about a finished submission.

    Attributes:
        path: Folder for the kind ``file``, with one JSON file for each notice.
        url: URL for the kind ``webhook``.
        secret_env: Environment variable with the secret that signs the body of a webhook.
        command: Program that receives the notice on standard input.
    """

    channel: Channel = "log"
    path: str | None = None
    url: str | None = None
    secret_env: str | None = None
    command: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        needed = {"file": self.path, "webhook": self.url, "command": self.command}
        if self.channel in needed and not needed[self.channel]:
            name = {"file": "path", "webhook": "url", "command": "command"}[self.channel]
            raise ValueError(f"a notice to a {self.channel} needs `{name}`")
        return self


class Evaluator(Record):
    """The evaluator that turns a result into a score.

    Attributes:
        kind: ``function`` is a Python file with ``evaluate(submission)``; ``station`` is a Python
            file with a class ``Task<N>Evaluator``; ``judge`` means the judges of the task's config,
            which score the code as a text without executing it.
        source: The file's content; empty for ``judge``.
        wall_s: Maximum duration in seconds of one evaluation by a Python file.
    """

    kind: Literal["function", "station", "judge"] = "function"
    source: str = ""
    wall_s: float = Field(60.0, gt=0)


class SubmissionTask(Record):
    """A task for code submissions: how code runs, its evaluator and its resources.

    Attributes:
        function: In mode ``function``, the name of the function that a submission
            defines; it is called without arguments.
        command: In mode ``command``, the program that is run; the code is in the file ``filename``.
        result: Destination of a command's result: a file, or (for old tasks) standard output.
        direction: Whether higher or lower scores are better.
        metrics: Format of each secondary metric, such as ``.3f``.
        isolation: The weakest sandbox that may run the code.
        resources: Number of slots that one version needs, by pool.
        parallel: Maximum number of versions that run at the same time; no limit if absent, 1 for
            sequential execution.
        environment: Environment variables for the code, in addition to the variables of its slots.
        read_only: Folders of the worker's machine that the code and the evaluator may read.
        run_id: The run whose ledger, limits and budget apply to the task's calls to models; absent
            if the task makes no such calls.
    """

    key: Name
    title: str = ""
    description: str = ""
    mode: Literal["function", "command"] = "function"
    function: str = "solve"
    command: tuple[str, ...] = ("python", "submission.py")
    filename: Name = "submission.py"
    result: Literal["file", "stdout"] = "file"
    evaluator: Evaluator
    direction: Literal["max", "min"] = "max"
    metrics: dict[str, str | None] = Field(default_factory=dict)
    isolation: Isolation = "rlimits"
    limits: ExecutionLimits = ExecutionLimits()
    resources: dict[Name, Annotated[int, Field(ge=1)]] = Field(default_factory=dict)
    parallel: int | None = Field(None, ge=1)
    per_author: AuthorLimits = AuthorLimits()
    debugger: DebuggerSpec | None = None
    notify: tuple[NoticeTarget, ...] = (NoticeTarget(),)
    environment: dict[str, str] = Field(default_factory=dict)
    read_only: tuple[str, ...] = ()
    run_id: str | None = None

    @property
    def asks_models(self) -> bool:
        """Return whether submissions of this task require calls to models."""
        return self.evaluator.kind == "judge" or (
            self.debugger is not None and self.debugger.kind == "llm"
        )

    @model_validator(mode="after")
    def _judged_higher_is_better(self) -> Self:
        if self.evaluator.kind == "judge" and self.direction == "min":
            raise ValueError("judges give better texts higher scores: direction must be max")
        return self


class Score(Record):
    """An evaluator's score of a result.

    Attributes:
        value: None if the result was rejected.
        metrics: Secondary metrics.
        sort_key: Number that is used for ranking instead of ``value``, if present.
        message: Message to the author.
    """

    value: Finite | None
    metrics: dict[str, Any] = Field(default_factory=dict)
    sort_key: tuple[Finite, ...] | None = None
    message: str = ""


class Submission(Record):
    """Code that an author submitted for a task.

    Attributes:
        tags: One to six words to search for.
        tick: Time in the author's simulated environment, if there is one.
        no_debugger: Whether the author declined debuggers.
        round: Number of the round, increased by each restart; each round ends with one notice.
        notified_version: The version that the last notice reported.
    """

    id: int
    task_key: str
    author: str
    title: str = ""
    tags: tuple[str, ...] = ()
    abstract: str = ""
    tick: int | None = None
    no_debugger: bool = False
    state: SubmissionState = "open"
    round: int = 1
    notified_version: int | None = None
    created_at: datetime
    finished_at: datetime | None = None


class Version(Record):
    """One version of a submission with its outcome.

    Attributes:
        version: Number of the version; 1 is the author's original.
        round: Round of the submission when the version was last queued.
        epoch: Number of claims so far; a save with an older epoch has no effect.
        attempts: Number of times that a worker started the version.
        cause: Reason why the version has no score.
        error: The cause for users, in at most 2,000 characters.
        log: Head and tail of the printed output.
        isolation: The sandbox in which the version ran.
    """

    submission_id: int
    version: int
    round: int = 1
    source: Source = "author"
    content: str
    state: VersionState = "queued"
    epoch: int = 0
    attempts: int = 0
    score: float | None = None
    sort_key: tuple[float, ...] | None = None
    metrics: dict[str, Any] = Field(default_factory=dict)
    message: str = ""
    cause: FailureCause | None = None
    error: str | None = None
    log: str = ""
    isolation: Isolation | None = None
    queued_at: datetime
    started_at: datetime | None = None
    finished_at: datetime | None = None


class DebugSession(Record):
    """A debugger's work on a submission.

    Attributes:
        report_kind: Kind of the debugger's report; None without a report.
    """

    id: str
    submission_id: int
    round: int
    state: Literal["queued", "claimed", "ended"] = "queued"
    kind: DebuggerKind = "command"
    report_kind: ReportKind | None = None
    report: str = ""
    log: str = ""
    created_at: datetime
    finished_at: datetime | None = None


class Notice(Record):
    """The notice to the author at the end of each round of a submission.

    Attributes:
        version: The version that the notice reports.
        report: The debugger's report, if the notice includes one.
    """

    submission_id: int
    round: int
    author: str
    task_key: str
    title: str
    version: int
    state: VersionState
    score: float | None
    metrics: dict[str, Any] = Field(default_factory=dict)
    text: str
    report: str | None = None
