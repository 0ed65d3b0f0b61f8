"""A version with other tables is installed in the middle of a run, as the runbook says."""

import signal
import socket
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from acm_workers.store import schema
from acm_workers.store.connection.database import Database
from tests.support import (
    cluster,
    configs,
    intercepting_proxy,
    redis_server,
    simulator,
    store_versions,
    worker_command,
)
from tests.support.cluster import Cluster
from tests.support.intercepting_proxy import HoldAfter
from tests.support.project import Project, wait_until
from tests.support.simulator import Simulator
from tests.support.texts import first
from tests.support.worker_command import WorkerCommand, wait_for

_DOCUMENTS = 3
_CALLS = _DOCUMENTS * 13
_HALF = _CALLS // 2

_DONE = "select count(*) from calls where state = 'done' and not cached"
_OPEN = "select count(*) from calls where state <> 'done'"
_ENDED = "select count(*) from runs where state <> 'running'"


@pytest.fixture
def provider() -> Iterator[Simulator]:
    with simulator.running(latency_s=0.3) as found:
        yield found


@pytest.fixture
def machines(tmp_path: Path, postgres: str) -> Iterator[Cluster]:
    """Yield a cluster without workers."""
    with redis_server.running() as redis, cluster.on(redis, postgres, tmp_path, "acm_up") as found:
        yield found


def project(folder: Path, url: str) -> Project:
    alpha = configs.provider(url, "m1", "m2", "j1", max_in_flight=4)
    return Project(folder / "project", configs.base({"alpha": alpha}), first(_DOCUMENTS))


def work_to_the_half(machines: Cluster, client: Project, holder: HoldAfter, logs: Path) -> None:
    """Have two machines work on a run until they and its client are told to end."""
    with (
        client.started("run", "--json", env=machines.env) as run,
        worker_command.working(machines, logs, "--all", "--name", "left") as left,
        worker_command.working(machines, logs, "--provider", "alpha", "--name", "right") as right,
    ):
        wait_for(left, lambda: holder.held > 0)
        run.send(signal.SIGINT)
        assert run.end().code == 130
        for worker in (left, right):
            worker.send(signal.SIGTERM)
            wait_for(worker, partial(is_stopping, worker))
        holder.open()
        assert (left.end(), right.end()) == (0, 0), left.text() + right.text()


def is_stopping(worker: WorkerCommand) -> bool:
    return worker.health().get("reasons") == ["it is stopping"]


def refusals(machines: Cluster, client: Project, logs: Path) -> list[tuple[int, str]]:
    """Return with which exit code and words a worker and a client refuse a store."""
    with worker_command.working(machines, logs, "--all") as worker:
        told = [(worker.end(), worker.text())]
    resumed = machines.acm(client, "resume")
    return [*told, (resumed.code, resumed.err)]


def test_a_run_that_is_half_done_goes_on_after_an_upgrade_and_pays_nothing_twice(
    machines: Cluster, provider: Simulator, tmp_path: Path
) -> None:
    holder = HoldAfter(passes=_HALF)
    with intercepting_proxy.intercepting(provider.url, holder) as url:
        client = project(tmp_path, url)
        work_to_the_half(machines, client, holder, tmp_path)
        half, kept = machines.number(_DONE), store_versions.contents(machines.database)
        assert _HALF < half < _CALLS
        assert provider.stats()["requests"] == half
        assert machines.number(_OPEN) == 0

        # This is the store as the version before would have left it: only steps are missing, for
        # they come back with all that was in the tables.
        earlier = store_versions.downgrade(machines.database)
        for code, line in refusals(machines, client, tmp_path):
            assert (code, len(line.splitlines())) == (2, 1), line
            assert f"at step {earlier}, this ACM needs {schema.HEAD}" in line
            assert "run `acm db upgrade` first" in line
        upgraded = machines.acm(client, "db", "upgrade")
        assert (upgraded.code, upgraded.err) == (0, "")
        assert upgraded.out == f"the store is at step {schema.HEAD} (was {earlier})\n"
        assert store_versions.contents(machines.database) == kept
        assert provider.stats()["requests"] == half

        with worker_command.working(machines, tmp_path, "--all") as worker:
            wait_for(worker, lambda: machines.number(_ENDED) == 1)
            show = machines.acm(client, "show", "--json").last
            written = machines.acm(client, "run", "--json")

    assert show["state"] == "done", show
    assert [document["missing"] for document in show["documents"]] == [0] * _DOCUMENTS
    assert show["calls"] == {"total": _CALLS, "failed": 0, "cached": 0, "uncertain": 0}
    assert provider.stats()["requests"] == _CALLS
    assert provider.stats()["answered_twice"] == 0
    assert written.code == 0, written.err
    assert len(client.files("winners")) >= _DOCUMENTS


def test_the_tables_of_workers_that_work_are_not_changed_until_they_are_drained(
    machines: Cluster, tmp_path: Path
) -> None:
    client = project(tmp_path, "http://127.0.0.1:1")
    with worker_command.working(machines, tmp_path, "--control", "--name", "left") as worker:
        wait_for(worker, lambda: worker.is_well(workers=1))
        needless = machines.acm(client, "db", "upgrade")
        earlier = store_versions.downgrade(machines.database)
        refused = machines.acm(client, "db", "upgrade")
        kept = schema.version(machines.database)

        worker.send(signal.SIGTERM)
        assert worker.end() == 0, worker.text()
        upgraded = machines.acm(client, "db", "upgrade")

    assert (needless.code, needless.err) == (0, "")
    assert (refused.code, len(refused.err.splitlines())) == (2, 1), refused.err
    assert f"{socket.gethostname()}/left.1;" in refused.err
    assert 'ops/docs/operations.md tells under "Drain and stop"' in refused.err
    assert kept == earlier
    assert upgraded.out == f"the store is at step {schema.HEAD} (was {earlier})\n"


def test_what_is_older_than_the_store_refuses_it_in_one_line(
    machines: Cluster, provider: Simulator, tmp_path: Path
) -> None:
    store_versions.set_version(machines.database, "9999")
    client = project(tmp_path, provider.url)

    upgraded = machines.acm(client, "db", "upgrade")
    told = [*refusals(machines, client, tmp_path), (upgraded.code, upgraded.err)]
    examined = machines.acm(client, "doctor")

    newer = f"the store was made by a newer ACM (step 9999, this one knows {schema.HEAD})"
    for code, line in told:
        assert (code, len(line.splitlines())) == (2, 1), line
        assert newer in line
    assert f"BAD store: {newer}" in examined.out


def test_a_run_on_one_machine_goes_on_by_the_first_command_of_the_new_version(
    provider: Simulator, tmp_path: Path
) -> None:
    holder = HoldAfter(passes=_HALF)
    with intercepting_proxy.intercepting(provider.url, holder) as url:
        client = project(tmp_path, url)
        with client.started("run", "--plain") as run:
            wait_until(lambda: run.ended or holder.held > 0)
            run.send(signal.SIGINT)
            wait_until(lambda: run.ended or "Ctrl-C again" in run.printed())
            holder.open()
            assert run.end().code == 130
        half = client.number(_DONE)
        assert _HALF < half < _CALLS
        database = Database(f"sqlite:///{client.folder / '.acm' / 'acm.db'}")
        store_versions.downgrade(database)

        resumed = client.acm("resume", "--json")

    assert schema.version(database) == schema.HEAD
    database.close()
    assert resumed.code == 0, resumed.err
    assert [document["missing"] for document in resumed.last["documents"]] == [0] * _DOCUMENTS
    assert resumed.last["calls"] == {"total": _CALLS, "failed": 0, "cached": 0, "uncertain": 0}
    assert provider.stats()["requests"] == _CALLS
    assert provider.stats()["answered_twice"] == 0
