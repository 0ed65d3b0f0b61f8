"""Runs one child process to its end.

The API of this package::

    folders = WorkFolders(base)                     # one per process; removes those of dead ones
    with slots.take("gptr", cancelled), folders.fresh("gptr") as folder:
        spec = ChildSpec(
            argv=(python, "-I", "researcher.py"),
            environment=environment.allowed(folder, {"OPENAI_BASE_URL": url}),
            folder=folder,
            request={"query": "…"},                 # one JSON document on stdin
            soft_deadline_s=1200, silence_s=60, memory_bytes=1 << 30,
        )
        end = child.run(spec, on_event, cancelled)  # blocks; ``on_event(dict)`` in this thread
        text = (folder / "report.md").read_text()

``end.reason`` states why the child ended. Exit code 0 alone does not prove success; ``end.result``
is the child's last event named ``result`` or ``error`` (``{"event": "result", …}``). The child
writes events, one JSON object per line, to the descriptor whose number is in ``ACM_EVENTS_FD``.
"""

import contextlib
import os
import selectors
import signal
import socket
import time
from collections.abc import Callable
from typing import Any

from acm_workers.processes.printed import BoundedText, EventReader
from acm_workers.processes.spec import ChildEnd, ChildSpec, EndReason
from acm_workers.processes.supervision import Supervision

_TICK_S = 0.25
_READ_BYTES = 1 << 16
_LOST_AFTER_S = 15.0
"""Time without confirmation of a kill after which the supervisor is killed."""

_DRAIN_S = 2.0
"""Time for reading output after all processes have ended; another process may hold the pipe."""


def run(
    spec: ChildSpec,
    on_event: Callable[[dict[str, Any]], None] = lambda event: None,
    cancelled: Callable[[], bool] = lambda: False,
    on_output: Callable[[str, bytes], None] = lambda stream, data: None,
    on_listening: Callable[[socket.socket], object] = lambda listener: None,
) -> ChildEnd:
    """Run a child to its end; after this returns or raises, none of its processes is alive.

    Args:
        on_event: Callback that receives each event, in order. An exception that it raises ends the
            child and is raised again.
        cancelled: Function that is called several times a second; if it returns true, the child is
            ended.
        on_output: Callback that receives the name of a stream and the child's output on it; may
            raise like ``on_event``.
        on_listening: Callback that receives the socket that listens in the child's own network, if
            it has one (``ChildSpec.only_port``); it is closed when the child has ended.

    Raises:
        ChildNotStarted: The program does not exist or cannot be executed.
    """
    with _RunningChild(spec, on_event, on_output) as running:
        if running.listener is not None:
            on_listening(running.listener)
        return running.until_end(cancelled)


class _RunningChild:
    """A running child: its streams, its deadlines and its supervisor."""

    def __init__(
        self,
        spec: ChildSpec,
        on_event: Callable[[dict[str, Any]], None],
        on_output: Callable[[str, bytes], None],
    ) -> None:
        self._spec = spec
        self._on_event = on_event
        self._on_output = on_output
        self._printed = {name: BoundedText(spec.kept_bytes) for name in ("stdout", "stderr")}
        self._events = EventReader(
            spec.line_bytes, self._printed["stderr" if spec.events == "fd" else spec.events]
        )
        self._count = 0
        self._result: dict[str, Any] | None = None
        self._reason: EndReason = "ended"
        self._kill_at = float("inf")
        self._killed = False
        self._selector = selectors.DefaultSelector()

    def __enter__(self) -> "_RunningChild":
        self._supervision = Supervision.start(self._spec)
        self._started = self._heard = time.monotonic()
        for name, number in self._supervision.streams.items():
            self._selector.register(number, selectors.EVENT_READ, name)
        self._open = len(self._supervision.streams)
        self._selector.register(self._supervision.control, selectors.EVENT_READ, "control")
        return self

    def __exit__(self, *_: object) -> None:
        self._selector.close()
        self._supervision.close()

    @property
    def listener(self) -> socket.socket | None:
        """Return the socket that listens in the child's own network, if it has one."""
        return self._supervision.listener

    def until_end(self, cancelled: Callable[[], bool]) -> ChildEnd:
        """Read until the child has ended."""
        while self._supervision.end is None:
            self._read(self._wait_s())
            now = time.monotonic()
            self._check(now, cancelled)
            if now > self._kill_at and not self._killed:
                self._killed, self._kill_at = True, now
                self._supervision.tell("kill")
            if self._supervision.is_dead or now > self._kill_at + _LOST_AFTER_S:
                self._reason = "lost"
                self._supervision.abandon()
                break
        give_up_at = time.monotonic() + _DRAIN_S
        while self._open > 0 and time.monotonic() < give_up_at:
            self._read(0.05)
        for event in self._events.end():
            self._take(event)
        return self._end()

    def _wait_s(self) -> float:
        now = time.monotonic()
        due = min(
            self._kill_at if not self._killed else float("inf"),
            self._started + self._spec.soft_deadline_s,
            self._started + self._spec.kill_at_s,
        )
        return min(_TICK_S, due - now) if due > now else _TICK_S

    def _check(self, now: float, cancelled: Callable[[], bool]) -> None:
        """End the child if there is a reason to."""
        if self._supervision.memory_exceeded:
            self._reason = "memory"  # the supervisor has killed it
        if now >= self._started + self._spec.kill_at_s:
            self._terminate("deadline", now)
            self._kill_at = min(self._kill_at, now)
        elif now >= self._started + self._spec.soft_deadline_s:
            self._terminate("deadline", now)
        elif self._spec.silence_s is not None and now - self._heard >= self._spec.silence_s:
            self._terminate("silent", now)
        elif cancelled():
            self._terminate("cancelled", now)

    def _terminate(self, reason: EndReason, now: float) -> None:
        if self._reason != "ended" or self._supervision.end is not None:
            return
        self._reason = reason
        self._kill_at = now + self._spec.grace_s
        self._supervision.tell("terminate")

    def _read(self, wait_s: float) -> None:
        for key, _ in self._selector.select(wait_s):
            if key.data == "control":
                if not self._supervision.read():
                    self._selector.unregister(key.fileobj)
                continue
            data = os.read(key.fd, _READ_BYTES)
            if not data:
                self._selector.unregister(key.fileobj)
                self._open -= 1
            elif key.data == self._spec.events or key.data == "fd":
                self._heard = time.monotonic()
                for event in self._events.add(data):
                    self._take(event)
            else:
                self._printed[key.data].add(data)
                self._on_output(key.data, data)

    def _take(self, event: dict[str, Any]) -> None:
        self._count += 1
        if event.get("event") in ("result", "error"):
            self._result = event
        self._on_event(event)

    def _end(self) -> ChildEnd:
        end = self._supervision.end or {}
        code: int | None = end.get("code")
        return ChildEnd(
            reason=self._reason,
            exit_code=code if code is not None and code >= 0 else None,
            signal=-code if code is not None and code < 0 else None,
            result=self._result,
            events=self._count,
            unreadable=self._events.unreadable,
            stdout=self._printed["stdout"].printed(),
            stderr=self._printed["stderr"].printed(),
            wall_s=time.monotonic() - self._started,
            cpu_s=end.get("cpu_s", 0.0),
            peak_rss_bytes=end.get("peak_rss", 0),
            killed=end.get("killed", 0),
            survivors=tuple(end.get("survivors", ())),
        )


def describe(end: ChildEnd) -> str:
    """Return a short description of how a child ended, for messages."""
    if end.reason != "ended":
        return {
            "deadline": f"it did not end within its time ({end.wall_s:.0f} s)",
            "silent": "it gave no sign of life and was ended",
            "cancelled": "it was cancelled",
            "memory": f"it held more memory than it may ({end.peak_rss_bytes >> 20} MiB)",
            "lost": "its supervisor died",
        }[end.reason]
    if end.signal is not None:
        with contextlib.suppress(ValueError):
            return f"it was ended by {signal.Signals(end.signal).name}"
        return f"it was ended by signal {end.signal}"
    return f"it ended with exit code {end.exit_code}"
