"""Where workers do the work, keys of providers are with them: no client is asked for one."""

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from tests.support import cluster, configs, redis_server, simulator
from tests.support.cluster import Cluster
from tests.support.project import Outcome, Project
from tests.support.texts import first

_KEY = "WORKERS_ONLY_KEY"


class _Client(NamedTuple):
    """A project of a machine that has no key, with a run that workers did."""

    project: Project
    machines: Cluster
    run: Outcome

    def acm(self, *args: str) -> Outcome:
        return self.project.acm(*args, env={**self.machines.env, _KEY: ""})


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory, postgres: str) -> Iterator[_Client]:
    folder = tmp_path_factory.mktemp("keys")
    with (
        simulator.running(latency_s=0.02) as provider,
        redis_server.running() as redis,
        cluster.on(redis, postgres, folder, "acm_keys") as machines,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv(_KEY, "key-of-the-workers")
        machines.start("control", threads=2)
        machines.start("generate.alpha", "judge.alpha")
        machines.ready(2)
        alpha = configs.provider(provider.url, "m1", "m2", "j1", "j2", key_env=_KEY)
        project = Project(folder / "project", configs.base({"alpha": alpha}), first(1))
        found = _Client(project, machines, Outcome(0, "", ""))
        yield found._replace(run=found.acm("run", "--json"))


def test_a_run_is_planned_and_done_from_a_machine_without_keys(client: _Client) -> None:
    planned = client.acm("plan")

    assert client.run.code == 0, client.run.err + client.machines.logs()
    assert planned.code == 0, planned.err


@pytest.mark.parametrize("options", [(), ("--config", "config.yaml")], ids=["own", "config"])
def test_a_run_is_judged_again_from_a_machine_without_keys(
    client: _Client, options: tuple[str, ...]
) -> None:
    judged = client.acm("rejudge", "--judges", "alpha:j2", *options, "--json")

    assert judged.code == 0, judged.err + client.machines.logs()


def test_the_doctor_asks_a_client_for_no_key_and_tells_that_it_is_not_here(
    client: _Client,
) -> None:
    examined = client.acm("doctor")

    assert examined.code == 0, examined.out
    assert "keys are on the workers' machines" in examined.out
    assert f"{_KEY} is not set here" in examined.out
