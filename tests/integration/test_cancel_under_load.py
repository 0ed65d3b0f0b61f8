"""Cancelling while two worker processes are busy: calls in flight, others that wait for a turn."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from sqlalchemy import Select, func, select, text, union_all

from acm_workers.store import budgets
from acm_workers.store.rows import UNIT_ROWS
from tests.support import cluster, configs, redis_server, simulator
from tests.support.cluster import Cluster
from tests.support.project import Outcome, Project, wait_until
from tests.support.simulator import Simulator
from tests.support.texts import first

_IN_FLIGHT = 8
"""So few that some wait whenever one document is compared and the others are scored."""
_THREADS = 16
_DOCUMENTS = 3
_CALLS = _DOCUMENTS * (3 + 2 * (3 + 6))
"""Candidates; their scores and their comparisons in both orders, in prose and then in JSON."""

_LAST = {("artifact", "main"), ("evaluation", "jsonify"), ("comparison", "jsonify")}
"""The calls after which there is nothing left to ask for a unit of their kind."""

_SKEW = timedelta(seconds=1)
"""By so much the clocks of processes may differ, which each sets by that of the store."""
_LATER = timedelta(seconds=4)

_STARTED = "select count(*) from calls where state = 'started'"
_COMPARING = "select count(*) from calls where unit_kind = 'comparison'"
_SENT = """select call_id, unit_id, unit_kind, stage, started_at, state, cost_usd
 from calls where not cached order by call_id"""
_UNITS = union_all(
    *(select(row.id, row.state, row.finished_at) for row in UNIT_ROWS.values())
).subquery()
_PLANNED = select(func.count()).where(_UNITS.c.state == "planned")
_UNITS_DONE = select(_UNITS.c.id).where(_UNITS.c.state == "done")
_NOW = select(func.now())


class _Known(NamedTuple):
    """What the store and the provider know of a run.

    Attributes:
        calls: By id.
        sent: What the provider has counted.
    """

    calls: dict[str, Any]
    units_done: set[str]
    taken_usd: float
    sent: dict[str, Any]


class _Story(NamedTuple):
    """A run that was cancelled and resumed.

    Attributes:
        cancelled_at: When the command that cancelled it had ended.
        arrived: How many requests the provider got before the resume.
    """

    run: Outcome
    cancelled_at: datetime
    arrived: int
    cancelled: _Known
    resumed: Outcome
    complete: _Known


@pytest.fixture(scope="module")
def story(postgres: str, tmp_path_factory: pytest.TempPathFactory) -> _Story:
    folder = tmp_path_factory.mktemp("load")
    log = folder / "requests"
    with (
        # Answers come after the cancel: what they lead to would begin too late.
        simulator.running(latency_s=3.0, jitter_s=0.4, log_file=log) as provider,
        redis_server.running() as redis,
        cluster.on(redis, postgres, folder, "acm_load") as machines,
    ):
        machines.start("control", threads=2)
        for _ in range(2):
            # More threads than may be in flight: the others wait for their turn.
            machines.start("generate.alpha", "judge.alpha", threads=_THREADS)
        machines.ready(3)
        project = _project(folder / "project", provider.url)
        with project.started("run", "--json", env=machines.env) as command:
            wait_until(lambda: command.ended or _is_busy(machines))
            assert machines.acm(project, "cancel").code == 0
            cancelled_at = _scalar(machines, _NOW)
            run = command.end()
        # Also long after its end nobody begins anything.
        wait_until(lambda: _scalar(machines, _NOW) > cancelled_at + _LATER)
        arrived, cancelled = len(log.read_text().splitlines()), _known(machines, provider)
        resumed = machines.acm(project, "resume", "--json")
        assert resumed.code == 0, resumed.err + machines.logs()
        complete = _known(machines, provider)
    return _Story(run, cancelled_at, arrived, cancelled, resumed, complete)


def _project(folder: Path, url: str) -> Project:
    models = ["m1", "m2", "m3"]
    judge, scribe = "sim-two-stage", "j2"
    alpha = configs.provider(url, *models, judge, scribe, max_in_flight=_IN_FLIGHT)
    # The provider counts tokens, and no searches: these cost nothing.
    alpha["prices"] = alpha["prices"] | {judge: {**configs.PRICE, "search": 0}}
    config = configs.base(
        {"alpha": alpha},
        runs=configs.runs(alpha=models),
        # Two calls for each judgement: after the first of them its unit is in somebody's hands.
        judges=[configs.judge(judge, require={"grounding": "searched"})],
        jsonify={"provider": "alpha", "model": scribe},
        playoffs={"enabled": False},
        budget_usd=100.0,
        # A unit's own answers serve it always; those of others would hide what is asked twice.
        cache="off",
    )
    return Project(folder, config, first(_DOCUMENTS))


def _is_busy(machines: Cluster) -> bool:
    return (
        machines.number(_COMPARING) > 0
        and machines.number(_STARTED) >= _IN_FLIGHT // 2
        and _scalar(machines, _PLANNED) > 3
    )


def _known(machines: Cluster, provider: Simulator) -> _Known:
    with machines.database.read() as connection:
        run_id = connection.scalar(text("select run_id from runs"))
        calls = {row.call_id: row for row in connection.execute(text(_SENT))}
        units_done = set(connection.scalars(_UNITS_DONE))
        taken_usd = budgets.committed_usd(connection, str(run_id))
    return _Known(calls, units_done, taken_usd, provider.stats())


def _scalar(machines: Cluster, query: Select[Any]) -> Any:
    with machines.database.read() as connection:
        return connection.scalar(query)


def test_no_call_starts_once_the_run_is_cancelled(story: _Story) -> None:
    until = story.cancelled_at + _SKEW

    assert max(call.started_at for call in story.cancelled.calls.values()) <= until
    assert story.arrived == len(story.cancelled.calls) < _CALLS
    assert story.run.code == 130
    assert story.run.last["state"] == "cancelled"


def test_every_answer_that_was_paid_is_saved_and_booked(story: _Story) -> None:
    known = story.cancelled
    tokens = known.sent["tokens"]
    price = configs.PRICE
    cost_usd = (tokens["input"] * price["input"] + tokens["output"] * price["output"]) / 1e6

    assert {call.state for call in known.calls.values()} == {"done"}
    assert known.sent["by_status"] == {"200": len(known.calls)}
    last = [one for one in known.calls.values() if (one.unit_kind, one.stage) in _LAST]
    assert {call.unit_id for call in last} == known.units_done
    assert sum(call.cost_usd for call in known.calls.values()) == pytest.approx(cost_usd)
    assert known.taken_usd == pytest.approx(cost_usd)


def test_the_resumed_run_is_whole_and_pays_only_what_was_missing(story: _Story) -> None:
    known = story.complete

    assert {document["state"] for document in story.resumed.last["documents"]} == {"done"}
    assert {document["missing"] for document in story.resumed.last["documents"]} == {0}
    calls = story.resumed.last["calls"]
    assert (calls["total"], calls["failed"], calls["uncertain"]) == (_CALLS, 0, 0)
    # First answers of judgements that were cut off before the second.
    assert calls["cached"] > 0
    assert known.sent["requests"] == len(known.calls) == _CALLS
    assert len({(call.unit_id, call.stage) for call in known.calls.values()}) == _CALLS
    assert story.cancelled.calls.items() <= known.calls.items()
