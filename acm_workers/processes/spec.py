"""The specification of a child process, and its end."""

from pathlib import Path
from typing import Any, Literal

from schemas.record import Record

EVENTS_FD = "ACM_EVENTS_FD"
"""Environment variable with the file descriptor for a child's events."""

EndReason = Literal["ended", "deadline", "silent", "cancelled", "memory", "lost"]
"""Reason of a child's end: its own exit, or the reason for killing it. ``lost``: its supervisor
died, so exit code and resource usage are unknown; none of its processes is alive."""


class ResourceLimits(Record):
    """Limits that the kernel enforces for each process of a child; absent limits are not set."""

    cpu_s: int | None = None
    file_size_bytes: int | None = None
    open_files: int | None = None
    processes: int | None = None


class ChildSpec(Record):
    """One child process.

    Attributes:
        argv: Program and arguments; the program is searched in the ``PATH`` of ``environment``.
        environment: All variables of the child; none is inherited. See ``environment.allowed``.
        folder: Its working folder; see ``folders.WorkFolders``.
        request: A value that is sent to stdin as one JSON document.
        stdin: Bytes that are sent to stdin instead of ``request``.
        events: Stream on which the child writes JSON lines. ``fd``: a separate descriptor, whose
            number is in the variable ``ACM_EVENTS_FD``. ``stdout`` and ``stderr``: for programs
            that cannot use another descriptor; lines without a JSON object count as output.
        soft_deadline_s: Time after which the child gets SIGTERM; it may still end by itself.
        hard_deadline_s: Time after which the child is killed.
        silence_s: Time without an event after which the child counts as hung and is ended.
        grace_s: Time between SIGTERM and SIGKILL.
        memory_bytes: Maximum memory of the child and its descendants together.
        limits: Further limits for each process of the child.
        kept_bytes: Number of bytes kept of the beginning, and of the end, of the output.
        line_bytes: Maximum length of an event; a longer line is dropped.
        pass_fds: Descriptors of this process that the child receives under the same numbers.
        launcher: A program of ACM in Python that prepares the child and then becomes ``argv[0]``;
            the supervisor executes it, which saves the start of an interpreter.
        only_port: Gives the child a separate network in which only this port of ``127.0.0.1`` is
            reachable; the socket that listens there is passed to ``on_listening`` of ``child.run``.
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
        """Return the number of seconds after which the child is killed at the latest."""
        if self.hard_deadline_s is None:
            return self.soft_deadline_s + self.grace_s
        return self.hard_deadline_s


class CapturedOutput(Record):
    """The output of a child on one stream: all of it, or its beginning and its end.

    Attributes:
        size: Number of bytes printed.
        tail: The end of the output; empty if ``head`` contains all of it.
    """

    size: int
    head: str
    tail: str

    @property
    def text(self) -> str:
        """Return the kept output, with one line in place of an omitted part."""
        if not self.tail:
            return self.head
        left_out = self.size - len(self.head.encode()) - len(self.tail.encode())
        if left_out <= 0:
            return self.head + self.tail
        return f"{self.head}\n[... {left_out} bytes left out ...]\n{self.tail}"


class ChildEnd(Record):
    """The end of a child process, after which none of its descendants is running.

    Attributes:
        exit_code: Exit code; None if a signal ended the child, or if the code was lost.
        signal: Number of the signal that ended the child.
        result: The child's last event whose ``event`` is ``result`` or ``error``.
        events: Number of events that the child sent.
        unreadable: Number of lines on the descriptor for events that were too long or did not
            contain a JSON object.
        cpu_s: CPU time of the child and its descendants.
        peak_rss_bytes: Peak memory of the child and its descendants together.
        killed: Number of descendants that were still alive when the child ended.
        survivors: Descendants that could not be killed; empty unless the kernel malfunctions.
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
