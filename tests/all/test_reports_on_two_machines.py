"""GPT Researcher writes on one machine, and another one judges what it wrote."""

import json
from contextlib import ExitStack
from pathlib import Path

from tests.support import (
    cluster,
    configs,
    gptr_environment,
    machines,
    postgres,
    redis_server,
    simulator,
)
from tests.support.project import ACM, Project
from tests.support.texts import first

_KEY = {"ALPHA_KEY": "secret"}
_SERVES = {
    "left": ("--generators", "gptr", "--queues", "generate.alpha"),
    "right": ("--queues", "judge.alpha", "--control"),
}
_ENDS_WITHIN_S = 180.0


def test_reports_written_on_one_machine_are_judged_on_another(tmp_path: Path) -> None:
    installed = {"ACM_GPTR_ENVIRONMENT": str(gptr_environment.built())}
    sources = tmp_path / "sources"  # on the machine that searches, and not with the client
    sources.mkdir()
    (sources / "bees.md").write_text("# Bees\n\n" + "Bees keep warm by shivering. " * 20)
    with (
        redis_server.running() as redis,
        postgres.running() as store,
        simulator.running(latency_s=0.05) as provider,
        cluster.on(redis, store, tmp_path, "acm_reports") as found,
        machines.network(tmp_path, "left", "right", "client") as network,
        ExitStack() as stack,
    ):
        env = found.env_on(network, stack)
        *working, client = network.machines
        for machine in working:
            own = {**env, **_KEY, **(installed if machine.name == "left" else {})}
            command = [str(ACM), "worker", *_SERVES[machine.name], "--name", machine.name]
            stack.enter_context(machine.started(command, own))
        found.ready(len(working))
        url = network.near(stack, provider.url)
        alpha = configs.provider(url, "m1", "m2", "j1", key_env="ALPHA_KEY")
        config = configs.base(
            {"alpha": alpha},
            runs=[
                *configs.runs(alpha=["m1"]),
                {"type": "gptr", "provider": "alpha", "model": "m2", "iterations": 2},
            ],
            retriever={"type": "folder", "folder": str(sources)},
            playoffs={"enabled": False},
        )
        project = Project(client.folder, config, first(1))
        with client.started([str(ACM), "run", "--json"], env, client.folder) as process:
            code = process.wait(_ENDS_WITHIN_S)
        log = client.log.read_text()
        with found.database.read() as connection:
            rows = connection.exec_driver_sql(
                "select distinct unit_kind, stage, owner from calls"
            ).all()

    assert code == 0, log
    (document,) = json.loads(log.splitlines()[-1])["documents"]
    assert (document["artifacts"], document["missing"]) == (3, 0)
    assert {(kind, stage) for kind, stage, _ in rows} >= {
        ("artifact", "gateway"), ("evaluation", "main"), ("comparison", "main")
    }  # fmt: skip
    writers = {owner for kind, _, owner in rows if kind == "artifact"}
    judges = {owner for kind, _, owner in rows if kind != "artifact"}
    assert (len(writers), len(judges)) == (1, 1)
    assert writers.isdisjoint(judges)
    if network.apart:
        assert {owner.partition(":")[0] for owner in writers | judges} == {"left", "right"}
    assert sum(name.endswith(".md") for name in project.files("outputs")) == 3
