"""`acm api` serves metrics of the store and the broker."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.support import cluster, configs, redis_server, simulator, worker_command
from tests.support.cluster import Cluster
from tests.support.project import ACM, PATIENCE_S, Project, wait_until
from tests.support.texts import first

_TOKEN = "a-token-of-sixteen-or-more"  # noqa: S105

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


@pytest.fixture
def redis() -> Iterator[redis_server.Server]:
    with redis_server.own() as server:
        yield server


@pytest.fixture
def machines(tmp_path: Path, postgres: str, redis: redis_server.Server) -> Iterator[Cluster]:
    """Yield a cluster without workers."""
    with cluster.on(redis.url, postgres, tmp_path, "acm_metrics") as found:
        yield found


@contextmanager
def api(folder: Path, env: Mapping[str, str]) -> Iterator[httpx.Client]:
    """Run `acm api`; yield a client of its address."""
    usual = {name: value for name, value in os.environ.items() if not name.startswith("ACM_")}
    log = folder / "api.log"
    with (
        log.open("wb") as err,
        subprocess.Popen(
            [str(ACM), "api", "--port", "0"], cwd=folder, stderr=err, env={**usual, **env}
        ) as process,
    ):
        try:
            wait_until(lambda: "\n" in log.read_text() or process.poll() is not None)
            assert process.poll() is None, log.read_text()
            url = log.read_text().split()[4]
            with httpx.Client(base_url=url, trust_env=False, timeout=PATIENCE_S) as client:
                yield client
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE_S)


def samples(client: httpx.Client) -> Samples:
    """Return the samples of `/metrics`, parsed by Prometheus' own parser."""
    answer = client.get("/metrics")
    assert answer.status_code == 200, answer.text
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def once(client: httpx.Client, holds: Callable[[Samples], bool]) -> Samples:
    """Wait until the samples fulfil a condition; return them."""
    seen: list[Samples] = []

    def look() -> bool:
        seen[:] = [samples(client)]
        return holds(seen[0])

    wait_until(look)
    return seen[0]


def at(found: Samples, name: str, **labels: str) -> float | None:
    """Return one sample."""
    return found.get((f"acm_{name}", frozenset(labels.items())))


def summed(found: Samples, name: str, **labels: str) -> float:
    """Return the sum of the samples that have those labels."""
    wanted = labels.items()
    return sum(
        value for (own, has), value in found.items() if own == f"acm_{name}" and wanted <= has
    )


def is_told(seen: Samples) -> bool:
    """Return whether the end of a run of 26 calls has come to all that tells of it."""
    counted = summed(seen, "calls_total", status="done") == 26 and summed(seen, "in_flight") == 0
    return counted and at(seen, "sweep_age_seconds") is not None


def test_metrics_say_what_the_store_and_the_broker_say(
    machines: Cluster, tmp_path: Path, redis: redis_server.Server
) -> None:
    with simulator.running() as provider, api(tmp_path, machines.env) as client:
        project = Project(tmp_path / "project", configs.small(provider.url), first(2))
        with worker_command.working(machines, tmp_path, "--all") as worker:
            run = machines.acm(project, "run", "--json")
            assert run.code == 0, run.err + worker.text()
            worker_command.wait_for(worker, lambda: worker.is_well(workers=2))
            shown = machines.acm(project, "show", "--json").last["calls"]

            assert shown["total"] == 26
            found = once(client, is_told)
            assert summed(found, "calls_total", status="done") == 26
            assert summed(found, "calls_total", provider="alpha", model="j1") > 0
            cost = summed(found, "cost_usd_total")
            assert cost == pytest.approx(run.last["usd"])
            stored = "select sum(output_tokens) from calls"
            assert summed(found, "tokens_total", kind="output") == machines.number(stored)
            assert at(found, "worker_processes", state="alive") == 1
            assert at(found, "queue_messages", queue="judge.alpha") == 0
            assert at(found, "queue_processes", queue="judge.alpha") == 1
            assert at(found, "runs", state="done") == 1
            assert summed(found, "in_flight") == 0
            assert (at(found, "store_up"), at(found, "broker_up")) == (1, 1)
            assert client.get("/healthz").json() == {"ok": True, "reasons": []}
            assert "bees" not in client.get("/metrics").text

        once(client, lambda seen: at(seen, "worker_processes", state="alive") == 0)
        redis.kill()
        found = once(client, lambda seen: at(seen, "broker_up") == 0)
        assert at(found, "queue_messages", queue="judge.alpha") is None
        assert summed(found, "calls_total", status="done") == 26
        health = client.get("/healthz")
        assert health.status_code == 503
        assert "the broker" in health.json()["reasons"][0]


def test_calls_that_failed_are_told_also_without_a_broker(tmp_path: Path) -> None:
    with simulator.running() as provider:
        given = configs.small(provider.url, runs=configs.runs(alpha=["m1", "m2", "m@500"]))
        project = Project(tmp_path / "project", given, first(1))
        run = project.acm("run", "--json")
        assert run.code == 0, run.err
        with api(project.folder, {}) as client:
            found = samples(client)

    assert at(found, "calls_total", provider="alpha", model="m@500", status="failed") == 2
    assert summed(found, "call_errors_total") == 2
    assert summed(found, "calls_total", status="done") == 13
    assert at(found, "calls_of_unknown_cost_total", provider="alpha", model="m1") == 0
    assert at(found, "broker_up") is None


def test_a_token_that_is_set_has_to_be_known(tmp_path: Path) -> None:
    project = Project(tmp_path / "project", configs.small("http://127.0.0.1:1/v1"), first(1))
    assert project.acm("db", "upgrade").code == 0
    with api(project.folder, {"ACM_API_TOKEN": _TOKEN}) as client:
        assert client.get("/metrics").status_code == 401
        wrong = {"authorization": f"Bearer {_TOKEN}x"}
        assert client.get("/metrics", headers=wrong).status_code == 401
        right = {"authorization": f"Bearer {_TOKEN}"}
        assert "acm_calls_total" in client.get("/metrics", headers=right).text
        assert client.get("/healthz").status_code == 200
