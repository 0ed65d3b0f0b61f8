"""What a process finds of children whose workers are dead."""

import os
import subprocess
from pathlib import Path

import pytest

from acm_workers.limits.memory import MemoryLimiter
from acm_workers.processes import orphans
from acm_workers.runtime import Runtime
from acm_workers.store.connection.database import Database


def test_a_worker_ends_the_children_of_dead_ones_and_removes_their_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    left = tmp_path / f"acm-children-{os.getuid()}" / "process-dead" / "gptr-1"
    left.mkdir(parents=True)
    (left.parent / "lock").touch()
    dead = {"PATH": os.defpath, orphans.VARIABLE: "4194304.1.abc"}
    database = Database(f"sqlite:///{tmp_path / 'acm.db'}")
    live = Runtime(database, MemoryLimiter({}))

    with subprocess.Popen(["/bin/sleep", "60"], env=dead) as child:
        live.remove_orphans()

        assert child.wait(20) < 0
    assert not left.exists()
    live.close()
    database.close()
