"""The worker's side of a supervisor."""

import json
import marshal
import os
import select
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

from acm_workers.errors import ChildNotStarted
from acm_workers.processes import orphans
from acm_workers.processes.spec import EVENTS_FD, ChildSpec

_FOLDER = str(Path(__file__).parent)
_BOOT = "import sys; sys.path.append(sys.argv[1]); import supervisor; supervisor.main()"
"""Imports the module instead of executing it as a file, so that Python caches its bytecode."""

_START_WITHIN_S = 30.0
_CLOSED_IN_CHILDREN = getattr(socket, "MSG_CMSG_CLOEXEC", 0)  # macOS has no such flag


class Supervision:
    """A supervisor with its child.

    Attributes:
        streams: Descriptors to read from: ``stdout``, ``stderr`` and, if used, ``fd``.
        control: The socket to the supervisor.
        listener: The socket that listens in the child's own network, if it has one.
        end: The supervisor's last message, sent when no process of the child is left.
        memory_exceeded: Whether the supervisor killed the child for exceeding its memory.
        is_dead: Whether the supervisor ended without a last message.
    """

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        control: socket.socket,
        streams: dict[str, int],
        mark: str,
    ) -> None:
        self.streams = streams
        self.control = control
        self.listener: socket.socket | None = None
        self.end: dict[str, Any] | None = None
        self.memory_exceeded = False
        self.is_dead = False
        self._process = process
        self._mark = mark
        self._child: int | None = None
        self._problem: str | None = None
        self._unread = b""

    @classmethod
    def start(cls, spec: ChildSpec) -> "Supervision":
        """Start a supervisor and, through it, the child.

        Raises:
            ChildNotStarted: The program does not exist or cannot be executed.
        """
        with ExitStack() as stack:
            handed = [stack.enter_context(_stdin(spec)).fileno()]
            streams = {}
            for name in ("stdout", "stderr", "fd") if spec.events == "fd" else ("stdout", "stderr"):
                read, write = os.pipe()
                os.set_blocking(read, False)
                streams[name] = read
                handed.append(write)
                stack.callback(os.close, write)
            ours, theirs = socket.socketpair()
            for end in (ours, theirs):
                end.setblocking(True)  # whatever default timeout another thread has set meanwhile
            stack.enter_context(theirs)
            mark = orphans.mark()
            process = subprocess.Popen(  # noqa: S603  the program is ours
                [sys.executable, "-I", "-S", "-c", _BOOT, _FOLDER, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                cwd="/",
                env={orphans.VARIABLE: mark},
                pass_fds=(theirs.fileno(), *handed, *spec.pass_fds),
                start_new_session=True,
            )
            supervision = cls(process, ours, streams, mark)
        try:
            supervision._order(spec, handed)
        except BaseException:
            supervision.close()
            raise
        return supervision

    def tell(self, what: str) -> None:
        """Tell the supervisor to ``terminate`` or to ``kill`` the child."""
        self._send(what.encode())

    def read(self) -> bool:
        """Read messages of the supervisor, and return whether more may follow."""
        try:
            data, received, _, _ = socket.recv_fds(self.control, 65536, 1, _CLOSED_IN_CHILDREN)
        except OSError:
            data, received = b"", []
        for descriptor in received:
            self.listener = socket.socket(fileno=descriptor)
        if not data:
            self.is_dead = self.end is None
            return False
        *lines, self._unread = (self._unread + data).split(b"\n")
        for line in lines:
            said = json.loads(line)
            match said["event"]:
                case "started":
                    self._child = said["pid"]
                case "failed":
                    self._problem = said["problem"]
                case "memory":
                    self.memory_exceeded = True
                case "ended":
                    self.end = said
        return True

    def abandon(self) -> None:
        """End a child whose supervisor died or does not answer."""
        self._process.kill()
        orphans.kill_marked(self._mark, self._child)

    def close(self) -> None:
        """End any remaining processes of supervisor and child, and release descriptors."""
        if self.end is None and not self.is_dead and self._problem is None:
            self.tell("kill")
            give_up_at = time.monotonic() + _START_WITHIN_S
            while self.end is None and self._wait(give_up_at) and self.read():
                pass
            if self.end is None:
                self.abandon()
        self.control.close()
        if self.listener is not None:
            self.listener.close()
        for number in self.streams.values():
            os.close(number)
        try:
            self._process.wait(_START_WITHIN_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _order(self, spec: ChildSpec, handed: list[int]) -> None:
        environment = {**spec.environment, orphans.VARIABLE: self._mark}
        events = handed[3:]
        if events:
            environment[EVENTS_FD] = str(events[0])
        order = marshal.dumps(
            {
                "argv": spec.argv,
                "environment": environment,
                "folder": str(spec.folder),
                "streams": handed[:3],
                "pass_fds": [*events, *spec.pass_fds],
                "handed": [*handed, *spec.pass_fds],
                "limits": spec.limits.model_dump(),
                "memory_bytes": spec.memory_bytes,
                "launcher": None if spec.launcher is None else str(spec.launcher),
                "only_port": spec.only_port,
            }
        )
        self._send(order.hex().encode())
        give_up_at = time.monotonic() + _START_WITHIN_S
        while self._child is None and self._problem is None and self._wait(give_up_at):
            if not self.read():
                break
        if self._child is None:
            problem = self._problem or "its supervisor does not answer"
            raise ChildNotStarted(f"{spec.argv[0]} cannot be started: {problem}")

    def _wait(self, until: float) -> bool:
        readable, _, _ = select.select([self.control], [], [], max(until - time.monotonic(), 0))
        return bool(readable)

    def _send(self, line: bytes) -> None:
        try:
            self.control.sendall(line + b"\n")
        except OSError:  # reading will notice its death
            return


def _stdin(spec: ChildSpec) -> IO[bytes]:
    """Return a file with the child's input, because a file cannot block like a pipe."""
    file = tempfile.TemporaryFile()  # noqa: SIM115  the caller closes it
    content = spec.stdin if spec.request is None else json.dumps(spec.request).encode()
    file.write(content)
    file.seek(0)
    return file
