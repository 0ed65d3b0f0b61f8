"""Measures whether processes grow under constant load for half an hour."""

import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import redis

from ops.benchmarks import cluster, processes
from ops.benchmarks.cluster import Machines
from ops.benchmarks.table import Measured, Target
from tests.support import configs, simulator
from tests.support.project import Project

_THREADS = 16
_DOCUMENTS = 10
_IN_FLIGHT = 16
_LATENCY_S = 0.5
_SAMPLE_EVERY_S = 5.0
_FIRST_PART = 1 / 6
"""Share of time before the measurement, in which caches and pools grow: 5 of 30 minutes."""
_OVER = 12
"""Number of samples for a median, because memory varies with the load."""
_GROWTH = 1.05
_MORE_FILES = 8
_MORE_KEYS = 20
_A_RUN_WITHIN_S = 300.0


class Sample(NamedTuple):
    """Resources of a process at one time."""

    mb: float
    files: int


class Sampler(threading.Thread):
    """Samples processes and the number of keys in Redis every few seconds."""

    def __init__(self, pids: Mapping[str, int], redis_url: str) -> None:
        super().__init__(name="sampler")
        self.seen: dict[str, list[Sample]] = {name: [] for name in pids}
        self.keys: list[int] = []
        self._pids, self._url = pids, redis_url
        self._stopped = threading.Event()

    def run(self) -> None:
        """Take samples until ``stop``."""
        with redis.Redis.from_url(self._url) as client:
            while not self._stopped.wait(_SAMPLE_EVERY_S):
                size: Any = client.dbsize()
                self.keys.append(size)
                for name, pid in self._pids.items():
                    sample = Sample(processes.rss_mb(pid), processes.open_files(pid))
                    self.seen[name].append(sample)

    def stop(self) -> None:
        """Stop taking samples."""
        self._stopped.set()
        self.join()


def measure(minutes: float) -> Measured:
    """Execute one run after another for a number of minutes."""
    with (
        simulator.running(latency_s=_LATENCY_S) as provider,
        cluster.machines() as machines,
        tempfile.TemporaryDirectory(prefix="acm-soak-") as folder,
    ):
        pids = _staff(machines)
        pids["redis"] = machines.redis.pid
        with _sampled(pids, machines.redis.url) as sampler:
            done = _work(machines, provider.url, Path(folder), 60 * minutes)
    return _judged(sampler, done)


@contextmanager
def _sampled(pids: Mapping[str, int], redis_url: str) -> Iterator[Sampler]:
    sampler = Sampler(pids, redis_url)
    sampler.start()
    try:
        yield sampler
    finally:
        sampler.stop()


def _staff(machines: Machines) -> dict[str, int]:
    start = machines.cluster.start
    workers = {
        "control": start("control", threads=4),
        "worker 1": start("generate.alpha", "judge.alpha", threads=_THREADS),
        "worker 2": start("generate.alpha", "judge.alpha", threads=_THREADS),
    }
    machines.cluster.ready(len(workers))
    return {name: worker.process.pid for name, worker in workers.items()}


def _work(machines: Machines, url: str, folder: Path, seconds: float) -> int:
    """Return the number of finished documents."""
    until, number = time.monotonic() + seconds, 0
    alpha = configs.provider(url, "m1", "m2", "j1", max_in_flight=_IN_FLIGHT)
    while time.monotonic() < until:
        number += 1
        texts = {
            f"{place}.md": f"# Document {place} of run {number}\n\nIt is like the others.\n"
            for place in range(_DOCUMENTS)
        }
        project = Project(folder / str(number), configs.base({"alpha": alpha}), texts)
        outcome = machines.cluster.acm(project, "run", "--json", deadline_s=_A_RUN_WITHIN_S)
        if outcome.code != 0:
            raise RuntimeError(f"run {number} ended with {outcome.code}: {outcome.err}")
        print(f"run {number} done", file=sys.stderr)  # noqa: T201
    return number * _DOCUMENTS


def _judged(sampler: Sampler, done: int) -> Measured:
    rows, targets = [], []
    for name, samples in sampler.seen.items():
        early, late = _early([one.mb for one in samples]), _late([one.mb for one in samples])
        files = [one.files for one in samples]
        rows.append({"what": name, "early": early, "end": late, "end/early": late / early,
                     "files early": _early(files), "files end": _late(files)})  # fmt: skip
        targets.append(Target(f"{name}: memory end / early", late / early, _GROWTH))
        more = _late(files) - _early(files)
        targets.append(Target(f"{name}: more open files", more, _MORE_FILES))
    early, late = _early(sampler.keys), _late(sampler.keys)
    rows += [
        {"what": "keys in Redis", "early": early, "end": late, "end/early": late / max(early, 1),
         "files early": None, "files end": None},
        {"what": "documents done", "early": None, "end": done, "end/early": None,
         "files early": None, "files end": None},
    ]  # fmt: skip
    targets.append(Target("more keys in Redis", late - early, _MORE_KEYS))
    return Measured("soak", rows, targets)


def _early(samples: list[float] | list[int]) -> float:
    begin = round(len(samples) * _FIRST_PART)
    return statistics.median(samples[begin : begin + _OVER])


def _late(samples: list[float] | list[int]) -> float:
    return statistics.median(samples[-_OVER:])
