"""Two machines that work, and a client on a third that alone has the inputs and gets the files."""

import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from acm_workers.store import workers
from acm_workers.store.workers import Worker
from tests.support import cluster, configs, machines, redis_server, simulator
from tests.support.cluster import Cluster
from tests.support.machines import Network
from tests.support.project import ACM, Project, wait_until
from tests.support.texts import first

_CELERY = [str(Path(sys.executable).with_name("celery")), "-A", "acm_workers.app", "worker"]
_USUAL = ["-P", "threads", "-c", "4", "--without-gossip", "--without-mingle", "-l", "warning"]
_ENDS_WITHIN_S = 120.0
_QUEUES = {"left": "control,generate.alpha", "right": "judge.alpha"}


class _Run(NamedTuple):
    """What became of the run."""

    code: int
    result: dict[str, Any]
    project: Project
    network: Network
    at_work: list[Worker]
    log: str


@pytest.fixture(scope="module")
def done(postgres: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Run]:
    folder = tmp_path_factory.mktemp("network")
    with (
        redis_server.running() as redis,
        simulator.running(latency_s=0.1) as provider,
        cluster.on(redis, postgres, folder, "acm_machines") as found,
        machines.network(folder, "left", "right", "client") as network,
        ExitStack() as stack,
    ):
        url = network.near(stack, provider.url)
        env = found.env_on(network, stack)
        *working, client = network.machines
        for machine in working:
            command = [*_CELERY, *_USUAL, "-Q", _QUEUES[machine.name], "-n", f"w@{machine.name}"]
            stack.enter_context(machine.started(command, {**env, "ALPHA_KEY": "secret"}))
        found.ready(len(working))
        alpha = configs.provider(url, "m1", "m2", "j1", key_env="ALPHA_KEY")
        project = Project(client.folder, configs.base({"alpha": alpha}), first(2))
        with client.started([str(ACM), "run", "--json"], env, client.folder) as process:
            code = process.wait(_ENDS_WITHIN_S)
        log = client.log.read_text()
        at_work = wait_until(lambda: _told(found))
        yield _Run(code, json.loads(log.splitlines()[-1]), project, network, at_work, log)


def _told(found: Cluster) -> list[Worker]:
    """Return the workers, once each has told that it did something; none before."""
    with found.database.read() as connection:
        every = workers.known(connection)
    return every if all(worker.last_task_at for worker in every) else []


def test_a_run_over_two_machines_comes_to_all_winners(done: _Run) -> None:
    assert done.code == 0, done.log
    assert {document["state"] for document in done.result["documents"]} == {"done"}
    assert {worker.name for worker in done.at_work} == {"w@left", "w@right"}


def test_inputs_and_files_are_at_the_client_only(done: _Run) -> None:
    others = [machine.folder for machine in done.network.machines[:-1]]
    elsewhere = [path for folder in others for path in folder.rglob("*") if path.is_file()]

    assert {"bees.winner.md", "bread.winner.md"} <= done.project.files("winners")
    assert any(file.endswith("/index.html") for file in done.project.files("reports"))
    assert elsewhere == []


def test_a_machine_that_works_cannot_see_the_files_of_the_client(done: _Run) -> None:
    worker, client = done.network.machines[0], done.network.machines[-1]
    with worker.started(["ls", "-A", str(client.folder)], {}) as process:
        assert process.wait(_ENDS_WITHIN_S) == 0

    # Without namespaces the disk is one; that nothing was written elsewhere is shown above.
    assert ("config.yaml" in worker.log.read_text()) is not done.network.apart
