"""What would keep the files of a run from being written is found before anything is paid."""

from pathlib import Path

import pytest

from acm_api.files import readiness
from acm_workers.errors import RequestError
from schemas.config.config import Config
from tests.support.records_builder import config as any_config


def config(root: Path, outputs: str = "outputs") -> Config:
    folders = {
        "output_folder": str(root / outputs),
        "winners_folder": str(root / "winners"),
        "reports_folder": str(root / "reports"),
    }
    return any_config().model_copy(update=folders)


def told(root: Path, outputs: str = "outputs", free: int = 10**12) -> list[str]:
    found = readiness.problems(
        config(root, outputs), ["a.md", "b/c.md"], 100, root / ".acm", lambda _: free
    )
    return [str(error) for error in found]


def test_folders_that_can_be_made_are_ready_and_are_not_made(tmp_path: Path) -> None:
    assert told(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_place_of_a_folder_is_found(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")

    assert told(tmp_path, "taken/outputs") == [f"{tmp_path}/taken is not a folder; use another one"]


def test_a_folder_that_takes_no_files_is_found(tmp_path: Path) -> None:
    assert told(tmp_path, "/proc/outputs") == [
        "/proc cannot be written (no such file or directory); use another folder"
    ]


def test_a_folder_whose_name_is_too_long_is_found(tmp_path: Path) -> None:
    root = tmp_path / ("x" * 300)

    assert f"a name in {root} is too long; use a shorter path" in told(tmp_path, root.name)


def test_a_folder_with_the_name_of_a_winner_is_found(tmp_path: Path) -> None:
    blocking = tmp_path / "winners" / "b" / "c.winner.json"
    blocking.mkdir(parents=True)

    assert told(tmp_path) == [f"{blocking} is a folder, and a winner gets this name"]


def test_a_disk_without_space_for_the_expected_calls_is_found_once(tmp_path: Path) -> None:
    needed = 100 * (readiness.STORE_BYTES + readiness.FILE_BYTES)

    assert told(tmp_path, free=needed) == []
    assert told(tmp_path, free=needed - 1) == [
        f"the disk of {tmp_path} has 2.5 MB free, and the run needs about 2.5 MB; free some space,"
        " or use another folder"
    ]


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    (tmp_path / "winners").write_text("a file")

    with pytest.raises(RequestError) as caught:
        readiness.check(config(tmp_path, "taken"), ["a.md"], 1, tmp_path)

    assert len([caught.value, *caught.value.more]) == 2
