"""Connections that are kept between single statements hinder nobody, and none is used when dead."""

from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest
from sqlalchemy import Connection, QueuePool, text
from sqlalchemy.exc import ProgrammingError

from acm_workers.store import evaluations
from acm_workers.store.connection.database import Database
from tests.support.project import wait_until

_END = text("SELECT pg_terminate_backend(:one, 10000)")
_SESSIONS = text("SELECT count(*) FROM pg_stat_activity WHERE pid = ANY(:these)")


@pytest.fixture
def store(postgres_database: Database) -> Iterator[Database]:
    """Yield a store nobody has asked anything yet."""
    url = postgres_database.url.render_as_string(hide_password=False)
    with closing(Database(url)) as found:
        yield found


def ask(connection: Connection) -> int:
    """Ask a prepared statement; return the process of the server that answered it."""
    assert evaluations.get(connection, "none") is None
    driver = connection.connection.dbapi_connection
    assert driver is not None
    process: int = driver.info.backend_pid
    return process


def ask_at_once(store: Database, number: int) -> set[int]:
    """Ask so many at the same time; return which processes of the server answered."""
    with ExitStack() as stack:
        return {ask(stack.enter_context(store.look())) for _ in range(number)}


def sessions(database: Database, *processes: int) -> int:
    """Return how many of those processes the server still has."""
    with database.look() as connection:
        found: int = connection.scalar(_SESSIONS, {"these": list(processes)}) or 0
    return found


def in_use(store: Database) -> int:
    """Return how many connections are not at their pool's disposal."""
    pool = store.engine.pool
    assert isinstance(pool, QueuePool)
    return pool.checkedout()


def test_statements_one_after_the_other_go_to_the_same_connection(store: Database) -> None:
    assert len({*ask_at_once(store, 1), *ask_at_once(store, 1), *ask_at_once(store, 1)}) == 1
    assert in_use(store) == 1


def test_half_of_the_connections_are_left_to_transactions(store: Database) -> None:
    assert len(ask_at_once(store, 12)) == 12
    assert in_use(store) == 6

    with ExitStack() as stack:
        assert len({ask(stack.enter_context(store.write())) for _ in range(6)}) == 6


def test_a_connection_with_an_open_transaction_is_not_kept(store: Database) -> None:
    with store.look() as connection:
        connection.execute(text("SELECT 1"))

    assert in_use(store) == 0


def test_a_connection_on_which_something_failed_is_not_kept(store: Database) -> None:
    ask_at_once(store, 1)

    with pytest.raises(ZeroDivisionError), store.look():
        raise ZeroDivisionError

    assert in_use(store) == 0


def test_kept_connections_that_the_server_has_ended_are_replaced(
    postgres_database: Database, store: Database
) -> None:
    ended = ask_at_once(store, 3)
    with postgres_database.write() as connection:
        for process in ended:
            assert connection.scalar(_END, {"one": process})

    assert not ended & ask_at_once(store, 3)
    assert in_use(store) == 3


def test_what_is_asked_on_a_connection_that_was_ended_just_now_is_asked_again(
    postgres_database: Database, store: Database
) -> None:
    ended = {store.ask(ask)}
    with postgres_database.write() as connection:
        for process in ended:
            assert connection.scalar(_END, {"one": process})

    assert store.ask(ask) not in ended


def test_a_query_that_is_wrong_is_asked_once(store: Database) -> None:
    asked = []

    def wrong(connection: Connection) -> None:
        asked.append(ask(connection))
        connection.execute(text("SELECT nothing FROM nowhere"))

    with pytest.raises(ProgrammingError):
        store.ask(wrong)

    assert len(asked) == 1


def test_a_connection_that_is_lent_while_the_store_is_closed_keeps_no_session(
    postgres_database: Database, store: Database
) -> None:
    with store.look() as connection:
        process = ask(connection)
        store.close()

    wait_until(lambda: sessions(postgres_database, process) == 0)


def test_a_store_that_is_closed_keeps_no_session(
    postgres_database: Database, store: Database
) -> None:
    processes = ask_at_once(store, 3)

    store.close()

    wait_until(lambda: sessions(postgres_database, *processes) == 0)
