"""Making statements ready."""

from sqlalchemy import func, select

from acm_workers.store import warm_up
from acm_workers.store.connection.database import Database
from acm_workers.store.ledger_tables import CallRow
from tests.support import stored
from tests.support.stored import NOW


def test_a_rehearsal_leaves_nothing_behind(database: Database) -> None:
    with database.write() as connection:
        run = stored.run(connection)

    warm_up.rehearse(database, run.id, NOW)

    with database.read() as connection:
        assert connection.scalar(select(func.count()).select_from(CallRow)) == 0
