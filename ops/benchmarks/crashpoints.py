"""Measures whether a run survives a kill after each of its external changes.

No result may be lost, no finished call may be paid again, and files, winner and bill must equal
those of an undisturbed run. Each trial kills a new run at the next point, until a run ends before
its point. ``crash_points`` defines the points.
"""

import itertools
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from ops.benchmarks import crash_trials
from ops.benchmarks.crash_trials import Trial, Trials
from ops.benchmarks.table import Measured, Target

ENGINES = ("embedded", "workers", "client", "batches", "batch-workers")

_ENDED_BEFORE = 5
"""Number of runs that must end before their points, as evidence that no more points exist.

The order of threads varies, so a run may have a few more points.
"""


class Sweep(NamedTuple):
    """Points at which runs are killed.

    Attributes:
        last: Last point; None continues until runs end before their points.
        jobs: Number of concurrent runs.
    """

    first: int = 1
    last: int | None = None
    step: int = 1
    jobs: int = 1


def measure(engines: Sequence[str], sweep: Sweep) -> Measured:
    """Kill runs of each engine at every point of a sweep."""
    rows: list[dict[str, Any]] = []
    targets: list[Target] = []
    for engine in engines:
        began = time.monotonic()
        trials = kill(engine, sweep)
        rows += _rows(engine, trials, time.monotonic() - began)
        wrong = sum(bool(trial.wrong) for trial in trials)
        targets.append(Target(f"{engine}: points after which something is wrong", wrong, 0))
    return Measured("crashpoints", rows, targets)


def kill(engine: str, sweep: Sweep) -> list[Trial]:
    """Kill runs of an engine at the points of a sweep; return the trials by point."""
    numbers = itertools.count(sweep.first, sweep.step)
    taking, starting = threading.Lock(), threading.Lock()
    trials: list[Trial] = []

    def next_number() -> int | None:
        with taking:
            if sum(trial.at is None for trial in trials) >= _ENDED_BEFORE:
                return None
            number = next(numbers)
        return None if sweep.last is not None and number > sweep.last else number

    def work(job: int) -> None:
        with ExitStack() as stack:
            with starting:  # alembic cannot make tables in two threads
                folder_of_job = Path(folder) / f"crash{job}"
                place = stack.enter_context(crash_trials.engine(engine, folder_of_job))
            runs = Trials(place)
            while (number := next_number()) is not None:
                trials.append(trial := runs.run(number))
                _tell(engine, trial)

    with (
        tempfile.TemporaryDirectory(prefix="acm-crash-") as folder,
        ThreadPoolExecutor(sweep.jobs) as pool,
    ):
        for _ in pool.map(work, range(sweep.jobs)):
            pass
    return sorted(trials)


def _tell(engine: str, trial: Trial) -> None:
    """Print errors, and the progress from time to time."""
    for wrong in trial.wrong:
        print(f"{engine} point {trial.number}, {trial.at}: {wrong}", file=sys.stderr)  # noqa: T201
    if trial.number % 100 == 0:
        print(f"{engine}: point {trial.number}", file=sys.stderr)  # noqa: T201


def _rows(engine: str, trials: Sequence[Trial], took_s: float) -> list[dict[str, Any]]:
    killed = [trial for trial in trials if trial.at is not None]
    kinds = sorted({_kind(trial) for trial in killed})
    rows = [_row(engine, kind, [one for one in killed if _kind(one) == kind]) for kind in kinds]
    return [*rows, {**_row(engine, "all", trials), "points": len(killed), "s": took_s}]


def _kind(trial: Trial) -> str:
    return (trial.at or "").partition(":")[0]


def _row(engine: str, what: str, trials: Sequence[Trial]) -> dict[str, Any]:
    books = [trial.books for trial in trials if trial.books is not None]
    return {
        "engine": engine,
        "what": what,
        "points": len(trials),
        "uncertain": sum(one.uncertain for one in books),
        "repeated": sum(one.repeated for one in books),
        "never sent": sum(one.unsent for one in books),
        "wrong": sum(bool(trial.wrong) for trial in trials),
        "s": None,
    }
