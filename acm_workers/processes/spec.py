"""The specification of a child process, and its end."""

from pathlib import Path
from typing import Any, Literal

from schemas.record import Record

EVENTS_FD = "ACM_EVENTS_FD"
"""Environment variable that tells a child the number of the descriptor for its events."""

EndReason = Literal["ended", "deadline", "silent", "cancelled", "memory", "lost"]
"""Why a child ended: by itself, or what it was ended for.

``lost``: its supervisor died, so exit code and use are unknown; nothing of it lives.
"""


class ResourceLimits(Record):
    """Limits that the kernel enforces for each process of a child; absent ones are not set."""

    cpu_s: int | None = None
    file_size_bytes: int | None = None
    open_files: int | None = None
    processes: int | None = None


class ChildSpec(Record):
    """One child process.

    Attributes:
        argv: Program and arguments; the program is searched in the ``PATH`` of ``environment``.
        environment: Everything the child gets; nothing is inherited. See ``environment.allowed``.
        folder: Its working folder; see ``folders.WorkFolders``.
        request: Sent as one JSON document on stdin, which then ends.
        stdin: Sent on stdin instead of ``request``.
        events: Where it speaks JSON lines. ``fd``: a descriptor of its own, whose number is in
            the variable ``ACM_EVENTS_FD``. ``stdout`` and ``stderr`` are for programs that
            cannot do so; lines there that hold no JSON object count as printed.
        soft_deadline_s: After so long it gets SIGTERM, and may still end by itself.
        hard_deadline_s: After so long it is killed.
        silence_s: It counts as hung, and is ended, after so long without an event.
        grace_s: Time between SIGTERM and SIGKILL.
        memory_bytes: Most that it and its descendants may hold in memory together.
        limits: Further limits of each of its processes.
        kept_bytes: How much of the beginning, and of the end, of its output is kept.
        line_bytes: A longer line of events is dropped.
        pass_fds: Descriptors of this process that it gets under the same numbers.
        launcher: A program of ACM in Python that prepares the child and then becomes ``argv[0]``;
            the supervisor executes it itself, which saves the start of an interpreter.
        only_port: The child gets a network of its own, in which nothing is but this port of
            ``127.0.0.1``; the socket that listens there is for ``on_listening`` of ``child.run``.
            See ``own_network``.
    """

    argv: tuple[str, ...]
    environment: dict[str, str]
    folder: Path
    request: dict[str, Any] | list[Any] | None = None
    stdin: bytes = b""
    events: Literal["fd", "stdout", "stderr"] = "fd"
    soft_deadline_s: float
    hard_deadline_s: float | None = None
    silence_s: float | None = None
    grace_s: float = 5.0
    memory_bytes: int | None = None
    limits: ResourceLimits = ResourceLimits()
    kept_bytes: int = 32_768
    line_bytes: int = 16_777_216
    pass_fds: tuple[int, ...] = ()
    launcher: Path | None = None
    only_port: int | None = None

    @property
    def kill_at_s(self) -> float:
        """Return after how many seconds the child is killed at the latest."""
        if self.hard_deadline_s is None:
            return self.soft_deadline_s + self.grace_s
        return self.hard_deadline_s


class CapturedOutput(Record):
    """The output of a child on one stream: all of it, or its beginning and its end.

    Attributes:
        size: Bytes that were printed.
        tail: The end; empty if ``head`` holds everything.
    """

    size: int
    head: str
    tail: str

    @property
    def text(self) -> str:
        """Return the kept output, with a line in place of omitted parts."""
        if not self.tail:
            return self.head
        left_out = self.size - len(self.head.encode()) - len(self.tail.encode())
        if left_out <= 0:
            return self.head + self.tail
        return f"{self.head}\n[... {left_out} bytes left out ...]\n{self.tail}"


class ChildEnd(Record):
    """The end of a child process, after which none of its descendants is running.

    Attributes:
        exit_code: None if a signal ended it, or if it was lost.
        signal: Number of the signal that ended it.
        result: Its last event whose ``event`` is ``result`` or ``error``.
        events: How many events it sent.
        unreadable: Lines on its descriptor for events that were no JSON object, or too long.
        cpu_s: CPU time of it and its descendants.
        peak_rss_bytes: Most memory that it and its descendants held together.
        killed: How many descendants still lived when it ended.
        survivors: Descendants that could not be killed; empty but for a sick kernel.
    """

    reason: EndReason
    exit_code: int | None
    signal: int | None
    result: dict[str, Any] | None
    events: int
    unreadable: int
    stdout: CapturedOutput
    stderr: CapturedOutput
    wall_s: float
    cpu_s: float
    peak_rss_bytes: int
    killed: int
    survivors: tuple[int, ...] = ()
