"""Machines start in any order, and a worker outlives its broker and its store's start."""

from pathlib import Path

from acm_workers.store import runs, schema
from acm_workers.store.connection.database import Database
from tests.support import postgres as servers
from tests.support import redis_server, stored, worker_command
from tests.support.cluster import Cluster
from tests.support.worker_command import wait_for


def test_a_worker_waits_for_a_broker_that_is_away_and_for_one_that_comes_back(
    postgres: str, tmp_path: Path
) -> None:
    with servers.schema(postgres, "acm_start") as url, redis_server.stopped() as redis:
        database = Database(url)
        schema.upgrade(database)
        cluster = Cluster(redis.url, database, tmp_path, "acm_start:")
        try:
            with worker_command.working(cluster, tmp_path, "--control") as worker:
                wait_for(worker, lambda: worker.told("waiting"))
                assert "cannot be reached" in worker.told("waiting")[0]["why"]
                assert not worker.health()["ok"]

                redis.start()
                wait_for(worker, lambda: worker.is_well(workers=1))
                pid = worker.worker_of("control")["pid"]

                redis.kill()
                wait_for(worker, lambda: not worker.health()["ok"])
                assert "cannot be reached" in worker.health()["reasons"][0]

                redis.start()
                wait_for(worker, lambda: worker.is_well(workers=1))
                assert worker.worker_of("control")["pid"] == pid
        finally:
            database.close()


def test_what_is_wrong_rather_than_away_ends_the_worker_with_one_line(
    postgres: str, tmp_path: Path
) -> None:
    with redis_server.running() as redis, servers.schema(postgres, "acm_empty") as url:
        database = Database(url)
        cluster = Cluster(redis, database, tmp_path, "acm_empty:")
        with worker_command.working(cluster, tmp_path, "--control") as worker:
            assert worker.end() == 2
        database.close()

    assert len(worker.text().splitlines()) == 1
    assert "run `acm db upgrade` first" in worker.text()


def test_a_worker_for_a_provider_that_no_run_names_says_so_and_serves_it(
    postgres: str, tmp_path: Path
) -> None:
    with redis_server.running() as redis, servers.schema(postgres, "acm_eest") as url:
        database = Database(url)
        schema.upgrade(database)
        with database.write() as connection:
            runs.give_to_workers(connection, stored.run(connection).id)
        cluster = Cluster(redis, database, tmp_path, "acm_eest:")
        with worker_command.working(
            cluster, tmp_path, "--queues", "judge.alpah,judge.alpha"
        ) as worker:
            wait_for(worker, lambda: worker.is_well(workers=1))
            told = worker.told("not needed by any active run")
        database.close()

    assert [one["why"] for one in told] == [
        "no active run uses provider alpah; did you mean alpha?"
    ]


def test_who_is_not_to_wait_ends_when_the_store_is_away(tmp_path: Path) -> None:
    nowhere = Database("postgresql://acm@127.0.0.1:1/acm")
    with redis_server.running() as redis:
        cluster = Cluster(redis, nowhere, tmp_path, "acm_away:")
        with worker_command.working(cluster, tmp_path, "--control", "--no-wait") as worker:
            assert worker.end() == 1

    assert len(worker.text().splitlines()) == 1
    assert "the store postgresql" in worker.text()
