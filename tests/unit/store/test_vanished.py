"""A SQLite file that is removed while it is in use."""

from pathlib import Path

import pytest

from acm_workers.errors import StoreFailed
from acm_workers.store.connection.database import Database


@pytest.mark.parametrize("is_replaced", [False, True], ids=["removed", "replaced"])
def test_store_that_vanished_refuses_the_next_transaction(
    tmp_path: Path, *, is_replaced: bool
) -> None:
    file = tmp_path / "home" / "acm.db"
    database = Database(f"sqlite:///{file}")
    with database.write() as connection:
        connection.exec_driver_sql("CREATE TABLE t (x)")
    with database.read() as connection:
        connection.exec_driver_sql("SELECT * FROM t").all()
    file.parent.rename(tmp_path / "elsewhere")
    if is_replaced:
        file.parent.mkdir()
        file.touch()

    for opened in (database.read, database.write, database.autocommit):
        with pytest.raises(StoreFailed, match="removed or replaced"), opened() as connection:
            connection.exec_driver_sql("INSERT INTO t VALUES (1)")

    assert file.exists() == is_replaced
    database.close()
