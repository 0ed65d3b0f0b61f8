"""Compares plans with the amounts of runs, over the simulator's catalogue of faults.

In each run one of three writers and one of three judges has a fault, once for each request or
always. Calls are those of the ledger without requests that rate limits refuse. Tokens and costs are
those of the ledger or of the simulator, whichever are higher.
"""

import itertools
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from acm_workers import logs, runtime, submit
from acm_workers.engine import embedded
from acm_workers.settings import Settings
from acm_workers.simulator.faults import registry
from acm_workers.simulator.messages import DialectName
from acm_workers.store import calls, runs
from acm_workers.store.connection.database import Database
from acm_workers.submit import RunInput
from ops.benchmarks.table import Measured, Target
from schemas.config.config import Config
from schemas.plan import PlanAmounts
from tests.support import simulator
from tests.support.simulator import Simulator
from tests.support.texts import TEXTS

_LONGEST_S = 60.0
_LOOK_EVERY_S = 0.05
_STALL_S = 1.0
_TIMEOUT_S = 0.7
_INPUT_USD, _OUTPUT_USD, _SEARCH_USD = 1e-6, 4e-6, 10e-3
_LOWEST, _HIGHEST = 0.75, 1.25


class FaultyRun(NamedTuple):
    """A fault in the form of a model name, with the requirements on its requests."""

    fault: str
    dialect: DialectName
    needs: str
    seed: int


class PlanRatios(NamedTuple):
    """The amounts of a run, divided by the planned amounts.

    Attributes:
        ended: Whether the run ended without a pause.
    """

    case: FaultyRun
    likely: dict[str, float]
    most: dict[str, float]
    ended: bool


def measure(seeds: int, faults: Sequence[str] = (), jobs: int = 1) -> Measured:
    """Run each fault, or the named faults, with each seed.

    Args:
        jobs: Number of processes, each with a simulator and one run at a time.
    """
    cases = [case for seed in range(seeds) for case in _cases(seed, faults)]
    # Faults of a family are alike, so each process has a part of each family.
    shares = [cases[job::jobs] for job in range(jobs)]
    if jobs > 1:
        with ProcessPoolExecutor(jobs) as pool:
            ratios = [ratio for found in pool.map(_run_all, shares) for ratio in found]
    else:
        ratios = _run_all(cases)
    ended = [one.likely for one in ratios if one.ended]
    rows = [_row(amount, ratios, ended) for amount in ("calls", "tokens", "usd")]
    targets = [Target("amounts above their most", sum(row["above most"] for row in rows), 0)]
    for row in rows:
        name = f"median of {row['amount']} / likely"
        targets += [
            Target(name, row["median / likely"], _LOWEST, at_least=True),
            Target(name, row["median / likely"], _HIGHEST),
        ]
    return Measured("plan", rows, targets)


def _run_all(cases: Sequence[FaultyRun]) -> list[PlanRatios]:
    """Run cases one after another, in the order of their seeds."""
    ratios: list[PlanRatios] = []
    quick: dict[str, Any] = {"latency_s": 0, "background_latency_s": 0.2, "stall_s": _STALL_S}
    for seed, alike in itertools.groupby(cases, key=lambda case: case.seed):
        with simulator.running(seed=seed, **quick) as there:
            for case in alike:
                ratios.append(found := _ratios(case, there))
                above = {amount: share for amount, share in found.most.items() if share > 1}
                if above:
                    print(f"{case}: above its most: {above}", file=sys.stderr)  # noqa: T201
    return ratios


def _row(
    amount: str, ratios: Sequence[PlanRatios], ended: Sequence[dict[str, float]]
) -> dict[str, Any]:
    shares = [one.most[amount] for one in ratios if amount in one.most]
    likely = sorted(one[amount] for one in ended)
    return {
        "amount": amount,
        "runs": len(ratios),
        "bounded": len(shares),
        "paused": len(ratios) - len(ended),
        "above most": sum(share > 1 for share in shares),
        "highest / most": max(shares),
        "median / likely": statistics.median(likely),
        "5 %": likely[len(likely) // 20],
        "95 %": likely[-1 - len(likely) // 20],
    }


def _cases(seed: int, faults: Sequence[str]) -> Iterator[FaultyRun]:
    for entry in registry.catalogue():
        if entry.dialects and (not faults or entry.number in faults):
            dialect = entry.dialects[seed % len(entry.dialects)]
            for variant in entry.variants or ("",):
                for times in ("", "*"):
                    dot = f".{variant}" if variant else ""
                    yield FaultyRun(f"{entry.number}{times}{dot}", dialect, entry.needs, seed)


def _ratios(case: FaultyRun, there: Simulator) -> PlanRatios:
    config, before = _config(case, there), there.stats()
    sources = list(TEXTS.values())
    inputs = {"a.md": sources[case.seed % len(sources)]}
    work = RunInput("plan", config, "Write a briefing for the board.", None, inputs)
    with tempfile.TemporaryDirectory() as folder:
        logs.to_file(Path(folder) / "log", "warning")
        database = runtime.open_store(Settings(home=Path(folder), database_url=None))
        try:
            submitted = submit.submit(database, work, runtime.making())
            if submitted.run_id is None or submitted.plan is None:
                raise RuntimeError(f"{case.fault}: no run was started")
            ended = _work(database, submitted.run_id)
            taken = _taken(database, submitted.run_id, before, there)
        finally:
            database.close()
    plan = submitted.plan
    return PlanRatios(case, _shares(taken, plan.likely), _shares(taken, plan.most), ended)


def _work(database: Database, run_id: str) -> bool:
    """Execute a run until it ends or is paused; return whether it ended."""
    with database.read() as connection:
        run = runs.get(connection, run_id)
    engine = embedded.Engine(runtime.build(database, run.config), run.id, run.config.providers)
    until = time.monotonic() + _LONGEST_S
    engine.start()
    try:
        while run.state == "running" and time.monotonic() < until:
            time.sleep(_LOOK_EVERY_S)
            with database.read() as connection:
                run = runs.get(connection, run_id)
    finally:
        engine.stop()
    return run.state not in ("running", "paused")


def _taken(
    database: Database, run_id: str, before: dict[str, Any], there: Simulator
) -> dict[str, float]:
    with database.read() as connection:
        sent = [call for call in calls.of_run(connection, run_id) if not call.cached]
    after = there.stats()
    read, written = (
        after["tokens"][which] - before["tokens"][which] for which in ("input", "output")
    )
    searches = sum(call.usage.searches or 0 for call in sent)
    usd = read * _INPUT_USD + written * _OUTPUT_USD + searches * _SEARCH_USD
    booked = sum(call.cost_usd or 0.0 for call in sent)
    counted = sum((call.usage.input_tokens or 0) + (call.usage.output_tokens or 0) for call in sent)
    return {
        "calls": sum(call.error_kind != "RateLimited" for call in sent),
        "tokens": max(read + written, counted),
        "usd": max(usd, booked),
    }


def _shares(taken: dict[str, float], planned: PlanAmounts) -> dict[str, float]:
    read, written = planned.input_tokens, planned.output_tokens
    tokens = None if read is None or written is None else read + written
    amounts = {"calls": planned.calls, "tokens": tokens, "usd": planned.usd}
    # An amount without a bound is not printed, and cannot be exceeded.
    return {name: taken[name] / amount for name, amount in amounts.items() if amount is not None}


def _config(case: FaultyRun, there: Simulator) -> Config:
    url = there.google_url if case.dialect == "google" else there.url
    searching = "search" in case.needs
    thinking = "thinking" in case.needs or "reasoning" in case.needs
    asked: dict[str, Any] = {}
    if searching:
        asked |= {"require": {"grounding": "searched"}, "max_searches": 3}
    if thinking:
        asked["effort"] = "low"
    if "temperature" in case.needs:
        asked["temperature"] = 0.5
    writer = "sim-research" if case.needs == "background" else "sim-a"
    provider = {
        "dialect": case.dialect,
        "base_url": url,
        "timeout_seconds": 20.0 if case.needs == "background" else _TIMEOUT_S,
        "poll_seconds": 0.1,
    }
    faulty = {"type": "fpf", "provider": "p", "model": f"{writer}@{case.fault}"}
    return Config.model_validate(
        {
            "input_folder": "in", "output_folder": "out", "winners_folder": "win",
            "reports_folder": "rep", "instructions_file": "instructions.md",
            "providers": {"p": provider},
            "runs": [faulty | asked,
                     *({"type": "fpf", "provider": "p", "model": model}
                       for model in ("sim-b", "sim-c"))],
            "judges": [{"name": "odd", "provider": "p", "model": f"sim-j@{case.fault}",
                        "iterations": 1} | asked,
                       *({"name": model, "provider": "p", "model": model, "iterations": 1}
                         for model in ("sim-k", "sim-l"))],
            "retries": {"attempts": 3, "base_delay_seconds": 0.01, "deadline_seconds": 10.0},
            "jsonify": {"provider": "p", "model": "sim-copy"},
            "seed": case.seed, "skip": "never",
        }
    )  # fmt: skip
