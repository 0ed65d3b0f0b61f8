"""The thread that starts processes.

Linux tells a child that its parent died when the *thread* ends that started it, so all children
are started by one thread that lives as long as this process.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from queue import SimpleQueue


class Child:
    """A worker process of ours.

    It tells its owner, the name that its row and its claims in the store have, through a pipe:
    the number of a process says less, for other containers may use the same one.
    """

    def __init__(self, process: "subprocess.Popen[bytes]", told: int) -> None:
        self.process = process
        self._told = told
        self._owner: str | None = None
        os.set_blocking(told, False)

    @property
    def owner(self) -> str | None:
        """Return its owner; None until it has joined."""
        if self._owner is None:
            with suppress(BlockingIOError):
                self._owner = os.read(self._told, _LONGEST_OWNER).decode() or None
        return self._owner

    def close(self) -> None:
        """Close the pipe; its end is known already."""
        os.close(self._told)

    def end_group(self) -> None:
        """Kill it and all that it has started, at once, and wait for its end."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


_LONGEST_OWNER = 512


class Spawner:
    """Starts children; each leads a session and process group of its own."""

    def __init__(self) -> None:
        self._asked: SimpleQueue[tuple[Sequence[str], Future[Child]]] = SimpleQueue()
        threading.Thread(target=self._serve, name="acm-spawner", daemon=True).start()

    def start(self, arguments: Sequence[str]) -> Child:
        """Start a worker process with those arguments; see ``child``.

        Raises:
            OSError: The system has no room for it.
        """
        started: Future[Child] = Future()
        self._asked.put((arguments, started))
        return started.result()

    def _serve(self) -> None:
        while True:
            arguments, started = self._asked.get()
            try:
                started.set_result(_start(arguments))
            except BaseException as error:  # raised where it was asked for
                started.set_exception(error)


def _start(arguments: Sequence[str]) -> Child:
    told, tell = os.pipe()
    own = ["--parent", str(os.getpid()), "--tell", str(tell)]
    try:
        process = subprocess.Popen(  # noqa: S603  our own module
            # -P: what lies in the folder where it was started is not ours to import.
            [sys.executable, "-P", "-m", "acm_workers.supervising.child", *own, *arguments],
            stdin=subprocess.DEVNULL,
            # Celery prints a banner there; what is to be told goes to stderr, as JSON lines.
            stdout=subprocess.DEVNULL,
            # Ctrl-C in a terminal goes to the supervisor alone, which tells the others.
            start_new_session=True,
            pass_fds=[tell],
        )
    except OSError:
        os.close(told)
        raise
    finally:
        os.close(tell)
    return Child(process, told)
