"""Reports about the child processes that write candidates."""

from schemas.record import Record


class ChildSource(Record):
    """A page or file that a report is based on."""

    url: str
    title: str | None = None


class ChildStep(Record):
    """A step that a child process reported.

    Attributes:
        at_s: Seconds since the start of the child process.
    """

    name: str
    at_s: float


class ChildReport(Record):
    """The outcome of a unit's last child process.

    Attributes:
        attempts: Number of child processes started for the unit by the process that ended the unit.
        outcome: Description of how the child process ended.
        exit_code: Absent if a signal ended it.
        error_code: The error code reported by the child process.
        calls: Number of requests to models, without requests answered from the ledger.
        reused: Number of requests answered from the ledger.
        searches: Number of queries to the retriever.
        steps: The first steps that the child process reported.
        stderr: End of its standard error output.
        stdout: End of its standard output.
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
    """A file that a child process wrote in addition to the text, such as a ``docx`` file.

    Attributes:
        extension: File extension without the dot.
    """

    extension: str
    data: bytes
