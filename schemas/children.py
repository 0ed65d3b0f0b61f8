"""The record of a child process that wrote a candidate, or failed to."""

from schemas.record import Record


class ChildSource(Record):
    """A page or file that a report is based on."""

    url: str
    title: str | None = None


class ChildStep(Record):
    """A step that a child told of.

    Attributes:
        at_s: Seconds since the child began.
    """

    name: str
    at_s: float


class ChildReport(Record):
    """The outcome of the last child of a unit.

    Attributes:
        attempts: Children that were started for the unit by the process that ended it.
        outcome: Why it ended, in words.
        exit_code: Absent if a signal ended it.
        error_code: The child's own name of what went wrong.
        calls: Requests to models, those that were answered from the ledger left out.
        reused: Requests that were answered from the ledger.
        searches: Questions to the retriever.
        steps: The first steps that it told of.
        stderr: End of what it printed there.
        stdout: End of what it printed there.
        version: Version of the program.
    """

    attempts: int
    outcome: str
    exit_code: int | None = None
    signal: int | None = None
    error_code: str | None = None
    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_rss_bytes: int = 0
    calls: int = 0
    reused: int = 0
    searches: int = 0
    cost_usd: float | None = None
    sources: tuple[ChildSource, ...] = ()
    steps: tuple[ChildStep, ...] = ()
    stderr: str = ""
    stdout: str = ""
    version: str | None = None


class ArtifactFile(Record):
    """A file that a child wrote beside its text, such as ``docx``.

    Attributes:
        extension: Without the dot.
    """

    extension: str
    data: bytes
