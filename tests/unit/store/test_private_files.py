"""Texts are for the user alone: the folder, the store and the log."""

import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from acm_workers import logs
from acm_workers.store.connection.database import Database


@pytest.fixture(autouse=True)
def usual_mask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_new_store_is_readable_by_its_user_alone(tmp_path: Path) -> None:
    home = tmp_path / "project" / ".acm"

    database = Database(f"sqlite:///{home / 'acm.db'}")
    with database.write() as connection:
        connection.exec_driver_sql("CREATE TABLE t (x)")

    assert mode(home) == 0o700
    assert {mode(file) for file in home.iterdir()} == {0o600}
    database.close()


def test_store_that_is_shared_on_purpose_stays_so(tmp_path: Path) -> None:
    file = tmp_path / "acm.db"
    file.touch(0o640)

    database = Database(f"sqlite:///{file}")
    with database.write() as connection:
        connection.exec_driver_sql("CREATE TABLE t (x)")

    assert mode(file) == 0o640
    database.close()


def test_new_log_is_readable_by_its_user_alone(tmp_path: Path) -> None:
    root = logging.getLogger()
    before = root.handlers[:], root.level
    file = tmp_path / ".acm" / "acm.log"
    try:
        logs.to_file(file, "warning")
        logging.getLogger("x").warning("something")
        root.handlers[0].close()
    finally:
        root.handlers[:], level = before
        root.setLevel(level)

    assert (mode(file.parent), mode(file)) == (0o700, 0o600)
