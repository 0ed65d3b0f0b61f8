"""Units worked on against a simulator with faults: real work, ledger, store, adapters and HTTP."""

import functools
import json
import operator
import socket
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Connection

from acm_workers import runtime
from acm_workers.calls.caller import Caller
from acm_workers.calls.unit_work import UnitResult
from acm_workers.generators import fpf
from acm_workers.generators.text import Brief
from acm_workers.judging import compare, score
from acm_workers.judging.conversation import JudgingContext
from acm_workers.pipeline import units as planning
from acm_workers.providers.catalog import capabilities
from acm_workers.runtime import Runtime
from acm_workers.store import artifacts, calls, comparisons, evaluations, pauses, schema, units
from acm_workers.store.connection.database import Database
from acm_workers.tasks import unit_task
from schemas.calls import Call
from schemas.config.config import Config
from schemas.config.judging import Jsonify, Judge
from schemas.units import Artifact, Comparison, Evaluation, UnitKind
from tests.support import simulator, stored
from tests.support.faults.form import PRICE, Case
from tests.support.project import PATIENCE_S, wait_until
from tests.support.texts import TEXTS

_AT_ONCE = 32
_DEADLINE_S = 600.0
_SOURCE, *_CANDIDATES = list(TEXTS.values())[:3]

AnyUnit = Artifact | Evaluation | Comparison


class Served(NamedTuple):
    """A request as the simulator saw it.

    Attributes:
        status: Absent where no byte of an answer was sent, or the client had left.
        fault: The number of the fault that it met.
    """

    status: int | None
    fault: str | None
    input_tokens: int
    output_tokens: int


class Happened(NamedTuple):
    """What became of one unit.

    Attributes:
        calls: All of its calls, by the time they were begun.
        served: What the simulator counted for them.
        paused: Why nothing more is sent to its provider.
        text: That of a candidate which was written.
    """

    unit: AnyUnit
    calls: list[Call]
    served: list[Served]
    paused: str | None
    text: str | None


class Worked(NamedTuple):
    """What became of all cases of a family, by name, and what the simulator says of them."""

    happened: dict[str, Happened]
    stats: dict[str, Any]


def work(cases: Sequence[Case], folder: Path, **settings: object) -> Worked:
    """Work on a unit for each case, many at a time, against one simulator."""
    log = folder / "simulator.log"
    quick = {"latency_s": 0, "background_latency_s": 0.3, "log_file": log}
    with simulator.running(**quick, **settings) as there:
        with _addresses(there) as addresses:
            found = _worked(cases, addresses, folder)
        # Requests that their client gave up are counted when they end.
        stats = wait_until(lambda: (stats := there.stats())["in_flight"] == 0 and stats)
    served = _served(log)
    return Worked(
        {name: _with(happened, served) for name, happened in found.items()},
        stats,
    )


def _with(happened: Happened, served: Mapping[str, list[Served]]) -> Happened:
    models = dict.fromkeys(call.model for call in happened.calls)
    return happened._replace(served=[one for model in models for one in served.get(model, [])])


def _served(log: Path) -> dict[str, list[Served]]:
    by_model: dict[str, list[Served]] = defaultdict(list)
    entries = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    for entry in sorted(entries, key=operator.itemgetter("time")):
        by_model[entry["model"]].append(Served(*(entry[name] for name in Served._fields)))
    return by_model


@contextmanager
def _addresses(there: simulator.Simulator) -> Iterator[dict[str, str]]:
    """Give the base URLs of those whom units may ask.

    A socket that was bound and does not listen refuses connections, and nobody else gets its port;
    one whose queue is full lets them wait.
    """
    with (
        closing(socket.socket()) as nobody,
        socket.create_server(("127.0.0.1", 0), backlog=0) as deaf,
        socket.create_connection(deaf.getsockname()),
    ):
        nobody.bind(("127.0.0.1", 0))
        ports = {"nobody": nobody, "deaf": deaf}
        urls = {name: f"http://127.0.0.1:{it.getsockname()[1]}/v1" for name, it in ports.items()}
        yield {"simulator": there.url, **urls}


def _worked(
    cases: Sequence[Case], addresses: Mapping[str, str], folder: Path
) -> dict[str, Happened]:
    database = Database(f"sqlite:///{folder / 'acm.db'}")
    schema.upgrade(database)
    config = _config(cases, addresses)
    with database.write() as connection:
        planned = _planned(connection, cases, config)
    live = runtime.build(database, config)
    runtime.use(live)
    try:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            ends = list(pool.map(lambda case: _end(live, case, planned[case.name]), cases))
    finally:
        runtime.use(None)
        database.close()
    return {case.name: end for case, end in zip(cases, ends, strict=True)}


def _config(cases: Sequence[Case], addresses: Mapping[str, str]) -> Config:
    return stored.config(
        providers={case.provider: _provider(case, addresses) for case in cases},
        runs=[_entry(case) | {"type": "fpf"} for case in cases],
        judges=[
            _entry(case) | {"name": case.provider, "iterations": 1}
            for case in cases
            if case.row.ask.kind != "artifact"
        ],
        retries={"attempts": 3, "base_delay_seconds": 0.01, "deadline_seconds": _DEADLINE_S},
    )


def _provider(case: Case, addresses: Mapping[str, str]) -> dict[str, Any]:
    ask = case.row.ask
    return {
        "dialect": case.dialect,
        "base_url": addresses[ask.at],
        "timeout_seconds": PATIENCE_S,
        "prices": {case.model: PRICE, _copier(case): PRICE},
        **ask.provider,
    }


def _entry(case: Case) -> dict[str, Any]:
    return {"provider": case.provider, "model": case.model, **case.row.ask.settings}


def _copier(case: Case) -> str:
    return f"sim-copy@n{case.place}"


def _planned(connection: Connection, cases: Sequence[Case], config: Config) -> dict[str, AnyUnit]:
    """Plan one unit for each case; return them by the case's name."""
    run = stored.run(connection, config=config)
    document = stored.document(connection, run)
    texts = stored.candidates(connection, document, config)
    planned: dict[str, AnyUnit] = {}
    for case, text in zip(cases, texts, strict=True):
        judged = {"judge": case.provider, "provider": case.provider, "model": case.model}
        if case.row.ask.kind == "artifact":
            planned[case.name] = text
        elif case.row.ask.kind == "comparison":
            planned[case.name] = stored.comparison(connection, text, texts[0], **judged)
        else:
            unit = planning.evaluations(text, config, stored.making())[0]
            unit = unit.model_copy(update=judged)
            evaluations.plan(connection, [unit], stored.NOW)
            planned[case.name] = unit
    return planned


_GET: dict[UnitKind, Any] = {
    "artifact": artifacts.get,
    "evaluation": evaluations.get,
    "comparison": comparisons.get,
}


def _end(live: Runtime, case: Case, planned: AnyUnit) -> Happened:
    """Work on a unit as its tasks do, until it has ended or rests."""
    kind, unit = case.row.ask.kind, planned
    while True:
        unit_task.run(kind, unit.id, _GET[kind], _working(case))
        with live.database.read() as connection:
            unit = _GET[kind](connection, unit.id)
        if unit.state != "planned" or _is_left(live, unit):
            break
        wait_until(functools.partial(_is_due, live, unit))
    with live.database.read() as connection:
        made = [call for call in calls.of_run(connection, unit.run_id) if call.unit_id == unit.id]
        is_text = isinstance(unit, Artifact)
        text = artifacts.text(connection, unit.id) if is_text else None
    return Happened(unit, made, [], live.limiter.state(case.provider)["paused"], text)


def _is_left(live: Runtime, unit: AnyUnit) -> bool:
    with live.database.read() as connection:
        return unit.id in pauses.suspended_units(connection, unit.run_id)


def _is_due(live: Runtime, unit: AnyUnit) -> bool:
    with live.database.read() as connection:
        due = units.due(connection, unit.run_id, runtime.utc_now())
    return unit.id in [one.id for one in due]


def _working(case: Case) -> Callable[[Runtime, Any, Caller], UnitResult]:
    """Return what the tasks of that kind do, on texts of ours."""
    works: dict[UnitKind, Callable[[Runtime, Any, Caller, Case], UnitResult]] = {
        "artifact": _write,
        "evaluation": _score,
        "comparison": _compare,
    }
    of_its_kind = works[case.row.ask.kind]

    def work(live: Runtime, unit: Any, caller: Caller) -> UnitResult:
        return of_its_kind(live, unit, caller, case)

    return work


def _write(live: Runtime, unit: Artifact, caller: Caller, case: Case) -> UnitResult:
    config = live.run(unit.run_id).config
    variant = config.runs[unit.variant - 1]
    able = capabilities.of(config.providers[variant.provider], variant.model)
    brief = Brief("Rewrite the text for children.", None, _SOURCE)
    written = fpf.write(caller, variant, brief, able, config.retries.attempts)
    return UnitResult({"text": written.text, "proof": written.proof.model_dump()})


def _score(live: Runtime, unit: Evaluation, caller: Caller, case: Case) -> UnitResult:
    judge, context = _judging(live, unit, case)
    return UnitResult(score.score(caller, judge, context, _CANDIDATES[0]).model_dump())


def _compare(live: Runtime, unit: Comparison, caller: Caller, case: Case) -> UnitResult:
    judge, context = _judging(live, unit, case)
    return UnitResult(compare.compare(caller, judge, context, *_CANDIDATES).model_dump())


def _judging(
    live: Runtime, unit: Evaluation | Comparison, case: Case
) -> tuple[Judge, JudgingContext]:
    config = live.run(unit.run_id).config
    judge = next(judge for judge in config.judges if judge.name == unit.judge)
    provider = config.providers[judge.provider]
    copier = Jsonify(provider=judge.provider, model=_copier(case))
    context = JudgingContext(
        instructions="Rewrite the text for children.",
        source=_SOURCE,
        criteria=config.criteria,
        able=capabilities.of(provider, judge.model),
        jsonify=copier if case.row.ask.copies else None,
        jsonify_able=capabilities.of(provider, copier.model),
        attempts=config.retries.attempts,
    )
    return judge, context
