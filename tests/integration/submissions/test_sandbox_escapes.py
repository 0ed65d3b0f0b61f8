"""What submitted code tries, and what the sandbox of this machine makes of it."""

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from acm_workers.errors import RequestError
from acm_workers.processes import sandbox
from acm_workers.processes.folders import WorkFolders
from acm_workers.submissions import execution
from acm_workers.submissions.execution import ExecutionHost, VersionOutcome
from schemas.submissions import ExecutionLimits, Submission, Version
from tests.support import submission_records as records
from tests.support.submission_records import NOW

SUBMISSION = Submission(id=3, task_key="circles", author="eve", created_at=NOW)
_WHOLE_S = 30.0
"""Half of what they would take if nobody ended them: a machine may stand still for a while."""
LIMITS = ExecutionLimits(wall_s=60, memory_mb=256, processes=40, output_mb=4, file_mb=8)


@pytest.fixture
def folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WorkFolders]:
    made = WorkFolders(tmp_path_factory.mktemp("runs"))
    yield made
    made.close()


def run(folders: WorkFolders, *lines: str, **limits: float) -> VersionOutcome:
    """Run a function of these lines; 1.0 is returned unless they return something else."""
    code = "import os, sys, time, socket, ctypes\nOUT = sys.argv[3]\ndef solve():\n" + "".join(
        f"    {line}\n" for line in (*lines, "return 1.0")
    )
    version = Version(submission_id=3, version=1, content=code, queued_at=NOW)
    found = sandbox.strongest()
    host = ExecutionHost(folders, found, {}, lambda text: None, lambda: False)
    task = records.task(limits=LIMITS.model_copy(update=limits), isolation="unshare")
    return execution.execute(task, SUBMISSION, version, host)


def running(mark: str) -> list[int]:
    """Return the processes of this machine with a text in their command line."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                words = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if mark.encode() in words and b"pytest" not in words:
                found.append(int(folder.name))
    return found


def test_the_network_is_out_of_reach(folders: WorkFolders) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        ended = run(folders, f"socket.create_connection(('127.0.0.1', {port}), 3)")

    assert ended.cause == "crash"
    assert ended.error is not None
    assert "ConnectionRefusedError" in ended.error or "Network" in ended.error


def test_files_and_processes_of_the_machine_are_not_there(
    folders: WorkFolders, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("of another user")
    secret.chmod(0o644)

    ended = run(
        folders,
        f"paths = ['/etc/shadow', '/etc/passwd', '/home', {str(secret)!r}, '/proc/1/root/home']",
        "print('found', [path for path in paths if os.path.exists(path)])",
        "print('pids', sorted(int(name) for name in os.listdir('/proc') if name.isdigit()))",
        "print('uid', os.getuid())",
    )

    assert ended.error is None
    assert "found []" in ended.log
    assert "pids [1]" in ended.log
    assert "uid 1000" in ended.log


def test_the_system_cannot_be_changed_and_no_namespace_can_be_made(folders: WorkFolders) -> None:
    ended = run(
        folders,
        "def fails(trick):",
        "    try: trick()",
        "    except OSError: return True",
        "    return False",
        "libc = ctypes.CDLL(None, use_errno=True)",
        "print([",
        "    fails(lambda: open('/usr/bin/new', 'w')), fails(lambda: open('/new', 'w')),",
        "    fails(lambda: open('/in/run_function.py', 'w')), fails(lambda: os.setuid(0)),",
        "    libc.unshare(0x10000000) != 0, libc.unshare(0x00020000) != 0,",
        "    libc.mount(b'none', b'/scratch', b'tmpfs', 0, None) != 0,",
        "])",
    )

    assert ended.log == "[True, True, True, True, True, True, True]\n"


def test_a_fork_bomb_is_bounded_and_ends_with_its_run(folders: WorkFolders) -> None:
    mark = "bomb-4711"

    ended = run(
        folders,
        "sys.argv[:] = []",
        "import subprocess",
        "def bomb():",
        "    while True:",
        f"        try: subprocess.Popen(['/bin/sleep', '60', '{mark}'][:2])",
        "        except OSError: time.sleep(0.01)",
        "for _ in range(3):",
        "    try:",
        "        if os.fork() == 0: bomb()",
        "    except OSError: pass",
        "time.sleep(60)",
        wall_s=2,
    )

    assert ended.cause == "timeout"
    assert ended.wall_s < _WHOLE_S


@pytest.mark.parametrize(
    "detach",
    [
        "os.setsid()",
        "os.setsid() or os.fork() and os._exit(0)",
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)",
    ],
    ids=["setsid", "double fork", "ignores SIGTERM"],
)
def test_what_detaches_itself_is_dead_at_the_end(folders: WorkFolders, detach: str) -> None:
    mark = f"detached-{time.time_ns()}"

    ended = run(
        folders,
        "import signal",
        "if os.fork() == 0:",
        f"    {detach}",
        f"    os.execv(sys.executable, ['{mark}', '-I', '-c', 'import time; time.sleep(60)'])",
        "time.sleep(60)",
        wall_s=2,
    )

    assert ended.cause == "timeout"
    assert ended.wall_s < _WHOLE_S
    assert running(mark) == []


def test_what_is_left_at_the_end_is_dead_before_its_result_counts(folders: WorkFolders) -> None:
    mark = f"left-{time.time_ns()}"

    ended = run(
        folders,
        "if os.fork() == 0:",
        "    os.setsid()",
        f"    os.execv(sys.executable, ['{mark}', '-I', '-c', 'import time; time.sleep(60)'])",
    )

    assert ended.score is not None
    assert running(mark) == []


@pytest.mark.parametrize(
    "bomb",
    [
        "held = bytearray(10_000_000_000)",
        "held = [bytearray(10_000_000) for _ in range(1000)]",
        "[os.fork() == 0 and (bytearray(b'x' * 99_000_000), time.sleep(40)) for _ in range(3)]",
    ],
    ids=["at once", "in pieces", "in several processes"],
)
def test_a_memory_bomb_hurts_nobody_else(folders: WorkFolders, bomb: str) -> None:
    ended = run(folders, bomb, "time.sleep(40)", wall_s=30)

    assert ended.score is None
    assert ended.cause in ("crash", "limit")


@pytest.mark.parametrize("place", ["/tmp", "/scratch", "/dev/shm"])  # noqa: S108  inside
def test_files_without_end_fill_no_disk(folders: WorkFolders, place: str) -> None:
    ended = run(
        folders,
        f"for number in range(10_000): open(f'{place}/{{number}}', 'wb').write(bytes(1 << 20))",
    )

    assert ended.cause == "crash"
    assert ended.error is not None
    assert "No space left" in ended.error


def test_a_large_result_is_cut_off_and_refused(folders: WorkFolders) -> None:
    ended = run(folders, "return 'x' * 20_000_000")

    assert ended.score is None
    assert ended.cause in ("limit", "bad_result", "crash")


def test_nothing_passes_from_one_run_to_the_next(folders: WorkFolders) -> None:
    places = ("/dev/shm", "/tmp", "/scratch")  # noqa: S108  inside
    paths = [f"{place}/message" for place in places]

    first = run(folders, *(f"open('{path}', 'w').write('psst')" for path in paths))
    second = run(folders, f"print([os.path.exists(path) for path in {paths}])")

    assert first.score is not None
    assert second.log == "[False, False, False]\n"


def test_zombies_are_bounded(folders: WorkFolders) -> None:
    ended = run(
        folders,
        "for _ in range(1000):",
        "    if os.fork() == 0: os._exit(0)",
    )

    assert ended.cause == "crash"
    assert ended.error is not None
    assert "BlockingIOError" in ended.error


def test_a_printed_score_is_no_score(folders: WorkFolders) -> None:
    ended = run(folders, "print('{\"value\": 99}')", "print('99.0')")

    assert ended.score is not None
    assert ended.score.value == 1.0


def test_a_sandbox_that_this_machine_lacks_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    sandbox.why_not.cache_clear()

    assert sandbox.why_not("bubblewrap") == "bwrap is not installed"
    with pytest.raises(RequestError, match="isolation by bubblewrap is needed"):
        sandbox.refuse_weaker("bubblewrap")
    sandbox.why_not.cache_clear()
