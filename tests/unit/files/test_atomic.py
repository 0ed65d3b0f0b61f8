import os
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from acm_api.files import atomic

Interrupted = Callable[[int], None]


@pytest.fixture
def interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Interrupted:
    """Return what leaves behind what a process of that number leaves that is killed in a write."""

    def replace(*_: object) -> None:
        raise KeyboardInterrupt

    def write(pid: int) -> None:
        with monkeypatch.context() as patched:
            patched.setattr(os, "getpid", lambda: pid)
            patched.setattr(os, "replace", replace)
            with pytest.raises(KeyboardInterrupt):
                atomic.write(tmp_path / "a.md", b"text")

    return write


def ended() -> int:
    """Return the number of a process that has ended."""
    with subprocess.Popen(["true"]) as process:
        return process.pid


def test_what_a_killed_process_was_writing_is_removed(
    tmp_path: Path, interrupted: Interrupted
) -> None:
    interrupted(ended())
    (tmp_path / "b.md").write_text("of the user")

    atomic.remove_leftovers(tmp_path)

    assert [file.name for file in tmp_path.iterdir()] == ["b.md"]


def test_what_a_living_process_is_writing_stays(tmp_path: Path, interrupted: Interrupted) -> None:
    interrupted(os.getpid())

    atomic.remove_leftovers(tmp_path)

    assert len(list(tmp_path.iterdir())) == 1


def test_what_a_process_of_another_machine_is_writing_stays(
    tmp_path: Path, interrupted: Interrupted, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted(ended())
    monkeypatch.setattr(socket, "gethostname", lambda: "elsewhere")

    atomic.remove_leftovers(tmp_path)

    assert len(list(tmp_path.iterdir())) == 1


def test_a_folder_that_is_not_there_has_no_leftovers(tmp_path: Path) -> None:
    atomic.remove_leftovers(tmp_path / "none")
