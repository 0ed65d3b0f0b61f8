"""What a dead process leaves behind is found at the next start."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from acm_workers.processes import orphans
from acm_workers.processes.folders import WorkFolders
from tests.support import process_ends

_DIES = """
import sys
import time
from pathlib import Path
from acm_workers.processes.folders import WorkFolders
folders = WorkFolders(Path(sys.argv[1]))
folders.fresh("gptr").__enter__().joinpath("report.md").write_text("half")
__import__("os")._exit(9)
"""


def test_folders_of_dead_processes_are_removed_and_those_of_living_ones_kept(
    tmp_path: Path,
) -> None:
    subprocess.run([sys.executable, "-c", _DIES, tmp_path], check=False)
    living = WorkFolders(tmp_path)

    with living.fresh("gptr") as folder:
        assert len(list(tmp_path.iterdir())) == 2
        removed = WorkFolders(tmp_path).remove_left_behind()

        assert (removed, folder.is_dir()) == (1, True)
    living.close()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_without_rights_is_removed_too(tmp_path: Path) -> None:
    folders = WorkFolders(tmp_path)

    with folders.fresh("fpf") as folder:
        (folder / "closed").mkdir()
        (folder / "closed" / "file").write_text("text")
        (folder / "closed").chmod(0)
    folders.close()

    assert list(tmp_path.iterdir()) == []


def test_processes_of_a_dead_worker_are_killed() -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    mark = f"{dead.pid}.1.abc"
    dead.wait()
    left = subprocess.Popen(["sleep", "60"], env={orphans.VARIABLE: mark, "PATH": os.defpath})

    orphans.kill_left_behind()  # or another test, which looks at the same time

    assert left.wait(20) == -signal.SIGKILL


def test_a_killed_process_has_ended_even_if_that_takes_a_while() -> None:
    mark = orphans.mark()
    large = subprocess.Popen(
        [sys.executable, "-c", "held = b'x' * 300_000_000; print(flush=True); input()"],
        env={orphans.VARIABLE: mark},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with large:
        assert large.stdout is not None
        assert large.stdout.readline() == b"\n"

        orphans.kill_marked(mark)

        assert large.poll() == -signal.SIGKILL


_WORKER = """
import sys
import time
from pathlib import Path
from acm_workers.processes import child
from acm_workers.processes.spec import ChildSpec
program = '''
import os, sys, time
if os.fork() == 0:
    os.setsid()
os.write(int(os.environ["ACM_EVENTS_FD"]), b'{"pid": %d}\\\\n' % os.getpid())
time.sleep(60)
'''
spec = ChildSpec(argv=(sys.executable, "-I", "-S", "-c", program), environment={},
                 folder=Path(sys.argv[1]), soft_deadline_s=60)
child.run(spec, lambda event: print(event["pid"], flush=True))
"""


def test_no_child_lives_two_seconds_after_its_worker_was_killed(tmp_path: Path) -> None:
    worker = subprocess.Popen([sys.executable, "-c", _WORKER, tmp_path], stdout=subprocess.PIPE)
    assert worker.stdout is not None
    pids = [int(worker.stdout.readline()) for _ in range(2)]

    with process_ends.recorded(worker.pid, *pids) as ends_s:
        worker.kill()
        worker_s, *children_s = ends_s()
    worker.wait()
    worker.stdout.close()

    assert max(children_s) - worker_s <= 2.0
