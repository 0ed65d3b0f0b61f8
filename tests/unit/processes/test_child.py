"""Child processes: real ones, each of which lives for a fraction of a second."""

import json
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from acm_workers.errors import ChildNotStarted
from acm_workers.processes import child, environment, orphans
from acm_workers.processes.folders import WorkFolders
from acm_workers.processes.spec import ChildEnd, ChildSpec
from acm_workers.processes.supervision import Supervision

_HELPERS = """
import json, os, signal, subprocess, sys, time
def tell(**event):
    os.write(int(os.environ["ACM_EVENTS_FD"]), json.dumps(event).encode() + b"\\n")
def detach(seconds):
    '''Start a process that leaves the session and loses its parent; return its pid.'''
    read, write = os.pipe()
    if os.fork() == 0:
        os.setsid()
        pid = os.fork()
        if pid == 0:
            time.sleep(seconds)
        else:
            os.write(write, str(pid).encode())
        os._exit(0)
    return int(os.read(read, 20))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    folders = WorkFolders(tmp_path / "base")
    with folders.fresh("test") as fresh:
        yield fresh
    folders.close()
    assert list((tmp_path / "base").iterdir()) == []


def spec(folder: Path, program: str, **more: Any) -> ChildSpec:
    values: dict[str, Any] = {
        "argv": (sys.executable, "-I", "-S", "-c", _HELPERS + program),
        "environment": environment.allowed(folder, {}),
        "folder": folder,
        "soft_deadline_s": 60,
        **more,
    }
    return ChildSpec(**values)


@pytest.fixture
def held_back() -> Iterator[None]:
    """Hold SIGTERM back from children of this thread until they let it come."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    yield
    signal.pthread_sigmask(signal.SIG_SETMASK, before)


def lives(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(b")")[2].split()[0] not in (b"Z", b"X")


def run(folder: Path, program: str, **more: Any) -> tuple[ChildEnd, list[dict[str, Any]]]:
    events: list[dict[str, Any]] = []
    return child.run(spec(folder, program, **more), events.append), events


def test_a_child_gets_one_request_and_answers_with_events(folder: Path) -> None:
    program = """
request = json.load(sys.stdin)
tell(event="progress", step=1)
print("hello", flush=True); print("careful", file=sys.stderr, flush=True)
tell(event="result", echo=request, folder=os.getcwd())
sys.exit(3)
"""

    end, events = run(folder, program, request={"query": "ü"})

    assert [event["event"] for event in events] == ["progress", "result"]
    assert end.result == {"event": "result", "echo": {"query": "ü"}, "folder": str(folder)}
    assert (end.reason, end.exit_code, end.signal) == ("ended", 3, None)
    assert (end.stdout.text, end.stderr.text) == ("hello\n", "careful\n")
    assert end.peak_rss_bytes > 1 << 20
    assert end.cpu_s > 0


def test_a_child_has_no_variable_that_was_not_allowed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_KEY", "sk-1")

    end, _ = run(folder, "tell(event='result', names=sorted(os.environ))")

    assert end.result is not None
    allowed = {"PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "HOME", "TMPDIR"}
    assert set(end.result["names"]) - allowed == {"ACM_CHILD", "ACM_EVENTS_FD"}


def test_a_child_has_no_descriptor_but_its_own(folder: Path) -> None:
    program = """
def is_open(number):
    try:
        return bool(os.fstat(number))
    except OSError:
        return False
own = int(os.environ["ACM_EVENTS_FD"])
tell(event="result", open=[n for n in range(200) if is_open(n)], own=own)
"""

    end, _ = run(folder, program)

    assert end.result is not None
    assert end.result["open"] == [0, 1, 2, end.result["own"]]


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_events_may_come_among_printed_lines(folder: Path, stream: str) -> None:
    program = f"""
print("Starting", file=sys.{stream})
print(json.dumps({{"event": "result", "n": 1}}), file=sys.{stream})
print('{{"not": json', file=sys.{stream})
"""

    end, events = run(folder, program, events=stream)

    assert events == [{"event": "result", "n": 1}]
    assert end.unreadable == 2
    assert getattr(end, stream).text == 'Starting\n{"not": json\n'


def test_of_much_output_the_beginning_and_the_end_are_kept(folder: Path) -> None:
    program = "print('first'); print('x' * 3_000_000); print('last', flush=True)"

    end, _ = run(folder, program, kept_bytes=1000)

    assert end.stdout.size == 3_000_012
    assert end.stdout.head.startswith("first\nxxx")
    assert end.stdout.tail.endswith("xxx\nlast\n")
    assert len(end.stdout.text) < 2100
    assert "[... 2998012 bytes left out ...]" in end.stdout.text


def test_an_endless_line_of_events_is_dropped(folder: Path) -> None:
    program = """
os.write(int(os.environ["ACM_EVENTS_FD"]), b'{"a": "' + b"x" * 200_000 + b'"}\\n')
tell(event="result")
"""

    end, events = run(folder, program, line_bytes=100_000)

    assert events == [{"event": "result"}]
    assert end.unreadable == 1


def test_a_child_that_obeys_its_deadline_may_still_tell_what_it_did(
    folder: Path, held_back: None
) -> None:
    program = """
def stop(*_):
    tell(event="error", why="out of time"); sys.exit(6)
signal.signal(signal.SIGTERM, stop)
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
time.sleep(60)
"""

    end, _ = run(folder, program, soft_deadline_s=0.2, grace_s=60)

    assert (end.reason, end.exit_code) == ("deadline", 6)
    assert end.result == {"event": "error", "why": "out of time"}


def test_a_child_that_ignores_sigterm_is_killed_with_everything_it_started(folder: Path) -> None:
    program = """
signal.signal(signal.SIGTERM, signal.SIG_IGN)
inner = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
tell(event="pids", pids=[os.getpid(), inner.pid, detach(60)])
time.sleep(60)
"""

    pids: list[int] = []
    end = child.run(
        spec(folder, program, grace_s=0.2),
        lambda event: pids.extend(event["pids"]),
        lambda: bool(pids),
    )

    assert (end.reason, end.signal, end.killed) == ("cancelled", signal.SIGKILL, 2)
    assert [pid for pid in pids if lives(pid)] == []


def test_a_hard_deadline_ends_a_child_that_ignores_the_soft_one(
    folder: Path, held_back: None
) -> None:
    end, _ = run(folder, "time.sleep(60)", soft_deadline_s=0.1, hard_deadline_s=0.3, grace_s=90)

    assert (end.reason, end.signal, end.exit_code) == ("deadline", signal.SIGKILL, None)


def test_what_a_child_leaves_running_ends_with_it(folder: Path) -> None:
    end, events = run(folder, "tell(event='pid', pid=detach(60))")

    assert (end.reason, end.exit_code, end.killed) == ("ended", 0, 1)
    assert not lives(events[0]["pid"])


def test_a_child_without_a_sign_of_life_is_ended(folder: Path) -> None:
    end, _ = run(folder, "tell(event='start'); time.sleep(60)", silence_s=0.4)

    assert (end.reason, end.signal) == ("silent", signal.SIGTERM)


def test_a_child_is_ended_when_its_work_is_cancelled(folder: Path) -> None:
    cancelled = threading.Event()
    program = "tell(event='start'); time.sleep(60)"

    end = child.run(spec(folder, program), lambda event: cancelled.set(), cancelled.is_set)

    assert (end.reason, end.signal) == ("cancelled", signal.SIGTERM)


def test_a_child_that_takes_too_much_memory_is_killed(folder: Path) -> None:
    program = "held = b'x' * 100_000_000; tell(event='held'); time.sleep(60)"

    end, _ = run(folder, program, memory_bytes=50_000_000)

    assert (end.reason, end.signal) == ("memory", signal.SIGKILL)
    assert end.peak_rss_bytes > 50_000_000  # seen while it still grew


def test_an_error_of_the_reader_ends_the_child(folder: Path) -> None:
    pids = []

    def refuse(event: dict[str, Any]) -> None:
        pids.append(event["pid"])
        raise LookupError("no such unit")

    with pytest.raises(LookupError):
        child.run(spec(folder, "tell(event='a', pid=os.getpid()); time.sleep(60)"), refuse)

    assert [lives(pid) for pid in pids] == [False]


def test_a_program_that_does_not_exist_is_named(folder: Path) -> None:
    with pytest.raises(ChildNotStarted, match=r"/no/such cannot be started: .* No such file"):
        child.run(spec(folder, "", argv=("/no/such",)))


def test_a_child_whose_supervisor_is_killed_dies_too(folder: Path) -> None:
    program = """
tell(event="pids", pids=[os.getpid(), detach(60)], supervisor=os.getppid())
time.sleep(60)
"""
    pids: list[int] = []

    def kill_supervisor(event: dict[str, Any]) -> None:
        pids.extend(event["pids"])
        os.kill(event["supervisor"], signal.SIGKILL)

    end = child.run(spec(folder, program), kill_supervisor)

    assert (end.reason, end.exit_code, len(pids)) == ("lost", None, 2)
    assert [pid for pid in pids if lives(pid)] == []


def test_children_of_living_workers_are_not_orphans(folder: Path) -> None:
    def look(_: dict[str, Any]) -> None:
        orphans.kill_left_behind()  # finds those of other tests, perhaps, but not this one

    end = child.run(spec(folder, "tell(event='a')\nsys.stdin.read()"), look)

    assert (end.reason, end.exit_code, end.events) == ("ended", 0, 1)


def test_a_limit_of_the_kernel_holds_for_the_child(folder: Path) -> None:
    program = """
try:
    with open("large", "wb") as file:
        file.write(b"x" * 2000)
except OSError as error:
    tell(event="result", error=error.strerror)
"""

    end, _ = run(folder, program, limits={"file_size_bytes": 1000})

    assert end.result is not None
    assert json.dumps(end.result["error"]) == '"File too large"'


def test_a_launcher_prepares_the_child_and_holds_nothing_of_its_supervisor(folder: Path) -> None:
    launcher = folder / "launcher.py"
    launcher.write_text(
        "import json, os\n"
        "def is_open(number):\n"
        "    try: os.fstat(number)\n"
        "    except OSError: return False\n"
        "    return True\n"
        "given = json.load(open(0, closefd=False))\n"
        "events = int(os.environ['ACM_EVENTS_FD'])\n"
        "others = [n for n in range(3, 256) if n != events and is_open(n)]\n"
        "told = {'event': 'result', 'given': given, 'others': others}\n"
        "os.write(events, json.dumps(told).encode() + b'\\n')\n"
        "os.execv('/bin/echo', ['echo', 'became'])\n"
    )

    end = child.run(spec(folder, "", launcher=launcher, request={"key": 1}))

    assert end.result == {"event": "result", "given": {"key": 1}, "others": []}
    assert (end.exit_code, end.stdout.text) == (0, "became\n")


def test_a_supervisor_waits_for_its_order_whatever_timeout_sockets_have(folder: Path) -> None:
    usual = socket.getdefaulttimeout()
    socket.setdefaulttimeout(5.0)  # as Celery and kombu do for moments, for the whole process
    try:
        supervision = Supervision.start(spec(folder, "time.sleep(20)"))
    finally:
        socket.setdefaulttimeout(usual)

    with closing(supervision):
        (supervisor,) = supervisors()
        number = (supervisor / "cmdline").read_bytes().split(b"\0")[-2].decode()
        flags = (supervisor / "fdinfo" / number).read_text().split("flags:")[1].split()[0]
    assert not int(flags, 8) & os.O_NONBLOCK


def supervisors() -> list[Path]:
    """Return the folders in /proc of the supervisors that this thread has started."""
    found = Path("/proc/thread-self/children").read_text().split()
    folders = [Path("/proc", pid) for pid in found]
    return [one for one in folders if b"supervisor" in (one / "cmdline").read_bytes()]
