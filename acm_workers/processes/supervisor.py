"""The program between a worker and a child; starts the child and ends all its processes.

It is the only module of its interpreter, without ACM and without site packages: ``python -I -S -c
BOOT FOLDER FD``. ``FD`` is a socket on which both sides write lines. The worker sends the order to
start the child, marshalled and in hexadecimal, then ``terminate`` or ``kill``. The supervisor
answers in JSON: ``started`` or ``failed``, ``memory`` if the limit was exceeded, and finally
``ended``.

The supervisor's start delays the start of every child, so it imports little: ``json``, ``signal``
and ``socket`` load regular expressions and enumerations, which take longer than the interpreter.

The supervisor is a separate process for two reasons. Orphaned descendants of the child become *its*
children (Linux: ``PR_SET_CHILD_SUBREAPER``), so it can wait until none is left, however they
detached. The end of the worker, even by SIGKILL, closes the socket and ends the child at once. The
child also asks for SIGKILL at the death of its parent, which Linux ties to the *thread* that
started the child: the supervisor has only one thread.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # of CPython
import ctypes
import marshal
import os
import resource
import select
import sys
import time
from _json import encode_basestring_ascii as quoted

TYPE_CHECKING = False
if TYPE_CHECKING:  # the import of ``typing`` takes as long as the rest of this program's start
    from typing import Any

_SET_PDEATHSIG = 1
_SET_CHILD_SUBREAPER = 36
_OWN_USERS_AND_NETWORK = 0x10000000 | 0x40000000
_SET_INTERFACE_FLAGS = 0x8914
_UP_AND_RUNNING = 0x1 | 0x40
_TICK_S = 0.2
_UNKILLABLE_AFTER_S = 10.0
_ON_LINUX = sys.platform == "linux"
_LIMITS = {
    "cpu_s": resource.RLIMIT_CPU,
    "file_size_bytes": resource.RLIMIT_FSIZE,
    "open_files": resource.RLIMIT_NOFILE,
    "processes": resource.RLIMIT_NPROC,
}


def _prctl(option: int, value: int) -> None:
    if _ON_LINUX:
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


class Supervisor:
    """Starts one child, watches its memory, and ends it with all its descendants."""

    def __init__(self, control: int) -> None:
        self._control = control
        self._unread = b""
        self._child = 0
        self._exit_code: int | None = None
        self._memory_bytes: int | None = None
        self._peak_rss = 0
        self._cpu_s = 0.0
        self._killed = 0

    def run(self) -> None:
        """Serve one child until none of its processes is alive."""
        os.set_inheritable(self._control, False)
        order = self._read_order()
        if order is None:
            return
        wake, waker = os.pipe()
        os.set_blocking(waker, False)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        # A signal to everything, as systemd sends it, must not leave the child without supervisor.
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: None)
        _prctl(_SET_CHILD_SUBREAPER, 1)
        self._memory_bytes = order["memory_bytes"]
        if (problem := self._start(order)) is not None:
            self._tell(event="failed", problem=problem)
            return
        self._tell(event="started", pid=self._child)
        while self._exit_code is None:
            readable, _, _ = select.select([self._control, wake], [], [], _TICK_S)
            if wake in readable:
                os.read(wake, 4096)
            if self._control in readable:
                self._obey()
            self._watch_memory()
            self._reap()
        survivors = self._end_descendants()
        self._tell(
            event="ended",
            code=self._exit_code,
            cpu_s=self._cpu_s,
            peak_rss=self._peak_rss,
            killed=self._killed,
            survivors=survivors,
        )

    def _read_order(self) -> dict[str, Any] | None:
        while b"\n" not in self._unread:
            data = os.read(self._control, 65536)
            if not data:
                return None
            self._unread += data
        line, _, self._unread = self._unread.partition(b"\n")
        order: dict[str, Any] = marshal.loads(bytes.fromhex(line.decode()))  # noqa: S302  our worker's
        return order

    def _start(self, order: dict[str, Any]) -> str | None:
        """Start the child, or return why it cannot be started."""
        for number in order["handed"]:
            os.set_inheritable(number, False)
        failed, fail = os.pipe()
        supervisor = os.getpid()
        self._child = os.fork()
        if self._child == 0:
            try:
                _become_child(order, supervisor, self._control)
            except BaseException as error:  # this process must never return
                os.write(fail, str(error).encode()[:4000])
            os._exit(127)
        os.close(fail)
        for number in order["handed"]:
            os.close(number)
        with os.fdopen(failed, "rb") as pipe:
            return pipe.read().decode(errors="replace") or None

    def _obey(self) -> None:
        try:
            data = os.read(self._control, 65536)
        except OSError:
            data = b""
        if not data:  # the worker is dead
            self._kill()
            return
        *lines, self._unread = (self._unread + data).split(b"\n")
        for line in lines:
            if line == b"kill":
                self._kill()
            else:
                _signal_group(self._child, signal.SIGTERM)

    def _kill(self) -> None:
        _signal_group(self._child, signal.SIGKILL)
        self._kill_descendants()

    def _kill_descendants(self) -> list[int]:
        """Kill all current descendants, and return them."""
        found = descendants(os.getpid())
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue
        return found

    def _end_descendants(self) -> list[int]:
        """Kill until no descendant is left, and return descendants that could not be killed."""
        give_up_at = time.monotonic() + _UNKILLABLE_AFTER_S
        while self._reap():
            found = self._kill_descendants()
            if time.monotonic() > give_up_at:
                return found
            time.sleep(0.005)
        return []

    def _reap(self) -> bool:
        """Wait for children that have ended; return whether there are others."""
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            self._cpu_s += usage.ru_utime + usage.ru_stime
            if pid == self._child:
                self._exit_code = os.waitstatus_to_exitcode(status)
                size = usage.ru_maxrss * (1024 if _ON_LINUX else 1)
                self._peak_rss = max(self._peak_rss, size)
            elif os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
                self._killed += 1

    def _watch_memory(self) -> None:
        pids = descendants(os.getpid())
        held = sum(_resident_bytes(pid) for pid in pids)
        if self._memory_bytes is not None and held > self._memory_bytes:
            # Pages that processes share count once only when it matters: this is slow to read.
            held = sum(proportional_bytes(pid) for pid in pids)
            if held > self._memory_bytes:
                self._tell(event="memory", held=held)
                self._kill()
        self._peak_rss = max(self._peak_rss, held)

    def _tell(self, **event: object) -> None:
        line = (
            f"{{{', '.join(f'{quoted(name)}: {_json(event[name])}' for name in event)}}}\n".encode()
        )
        try:
            while line:
                line = line[os.write(self._control, line) :]
        except OSError:  # the worker is dead; there is still work to do here
            return


def _json(value: object) -> str:
    """Return a number, a text, a list of numbers or None as JSON."""
    if value is None:
        return "null"
    return quoted(value) if isinstance(value, str) else repr(value)


def _become_child(order: dict[str, Any], supervisor: int, control: int) -> None:
    """Turn this process into the child."""
    os.setsid()
    if order["only_port"] is not None:
        _enter_own_network(order["only_port"], control)
    _prctl(_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != supervisor:
        os._exit(127)
    for target, source in enumerate(order["streams"]):
        os.dup2(source, target)
    for number in order["pass_fds"]:
        os.set_inheritable(number, True)
    for name, value in order["limits"].items():
        if value is not None:
            _, most = resource.getrlimit(_LIMITS[name])
            value = value if most == resource.RLIM_INFINITY else min(value, most)
            resource.setrlimit(_LIMITS[name], (value, value))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if _ON_LINUX:  # if the machine runs out of memory, the child goes before its worker
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    os.chdir(order["folder"])
    if order["launcher"] is not None:
        # What an exec would close: the launcher may stay beside the program that it starts.
        signal.set_wakeup_fd(-1)
        before = 2
        for number in sorted({*order["pass_fds"], 1024}):
            os.closerange(before + 1, number)
            before = max(before, number)
        os.environ.clear()
        os.environ.update(order["environment"])
        folder, _, file = order["launcher"].rpartition("/")
        sys.path.append(folder)
        __import__(file.removesuffix(".py")).start()  # ours
        os._exit(127)
    os.execvpe(order["argv"][0], order["argv"], order["environment"])  # noqa: S606


def _enter_own_network(port: int, control: int) -> None:
    """Give this process a network with a loopback only; send a socket that listens there.

    The holder of that socket accepts its connections even from another network.
    """
    import fcntl
    import socket
    import struct

    uid, gid = os.getuid(), os.getgid()
    if ctypes.CDLL(None, use_errno=True).unshare(_OWN_USERS_AND_NETWORK) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"a network of its own: {os.strerror(number)}")
    for name, line in (
        ("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")
    ):  # fmt: skip
        with open(f"/proc/self/{name}", "w") as file:
            file.write(line)
    listener = socket.socket()
    up = struct.pack("16sH22x", b"lo", _UP_AND_RUNNING)
    fcntl.ioctl(listener, _SET_INTERFACE_FLAGS, up)
    listener.bind(("127.0.0.1", port))
    listener.listen(256)
    told = b'{"event": "listening"}\n'
    socket.send_fds(socket.socket(fileno=os.dup(control)), [told], [listener.fileno()])
    listener.close()


def descendants(root: int) -> list[int]:
    """Return the descendants of ``root``; empty if the system has no ``/proc``."""
    parents = None if os.path.exists(f"/proc/{root}/task/{root}/children") else _parents()
    found: list[int] = []
    waiting = [root]
    while waiting:
        pid = waiting.pop()
        if parents is None:
            children = _children(pid)
        else:
            children = [child for child, parent in parents.items() if parent == pid]
        found += children
        waiting += children
    return found


def _children(pid: int) -> list[int]:
    children: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", "rb") as file:
                children += map(int, file.read().split())
    except OSError:  # it has just ended
        pass
    return children


def _parents() -> dict[int, int]:
    """Return the parent of every process, for kernels that do not list children."""
    parents = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                parents[int(name)] = int(file.read().rpartition(b")")[2].split()[1])
        except (OSError, ValueError, IndexError):  # not a process, or one that has just ended
            continue
    return parents


def _signal_group(pid: int, number: int) -> None:
    try:
        os.killpg(pid, number)
    except (ProcessLookupError, PermissionError):
        return


def _resident_bytes(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except OSError:
        return 0


def proportional_bytes(pid: int) -> int:
    """Return the memory of a process; shared pages count in proportion."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
            for line in file:
                if line.startswith(b"Pss:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def main() -> None:
    """Serve the worker at the socket whose number is the last argument, then exit."""
    Supervisor(int(sys.argv[-1])).run()
    # Whoever outlived even SIGKILL must not hold this process.
    os._exit(0)
