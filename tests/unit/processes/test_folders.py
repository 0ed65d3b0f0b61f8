"""Folders of processes that are made while others tidy up."""

import shutil
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from acm_workers.processes.folders import WorkFolders


@pytest.fixture
def others_at_once() -> Iterator[None]:
    """Let threads take turns between any two steps."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_no_folder_is_taken_for_left_behind_while_it_is_made(
    tmp_path: Path, others_at_once: None
) -> None:
    over = threading.Event()

    def tidy_up() -> None:
        while not over.is_set():
            WorkFolders(tmp_path).remove_left_behind()

    tidying = [threading.Thread(target=tidy_up) for _ in range(3)]
    for thread in tidying:
        thread.start()
    try:
        for _ in range(300):
            folders = WorkFolders(tmp_path)
            with folders.fresh("run") as folder:
                (folder / "answer").write_text("42")
                assert (folder / "answer").read_text() == "42"
            folders.close()
    finally:
        over.set()
        for thread in tidying:
            thread.join()


def test_a_folder_that_somebody_removed_is_made_again(tmp_path: Path) -> None:
    folders = WorkFolders(tmp_path / "base")
    with folders.fresh("run") as first:
        pass
    shutil.rmtree(tmp_path / "base")

    with folders.fresh("run") as second:
        assert second.is_dir()
    assert second.parent != first.parent

    shutil.rmtree(tmp_path / "base")
    folders.close()


def test_a_folder_whose_process_died_before_it_locked_it_is_removed(tmp_path: Path) -> None:
    folder = tmp_path / "process-abc"
    folder.mkdir()

    assert WorkFolders(tmp_path).remove_left_behind() == 1
    assert not folder.exists()
