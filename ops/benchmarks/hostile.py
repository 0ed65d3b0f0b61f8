"""Measures the memory of hostile answers, and the time during which they block other threads.

Each answer is sent over HTTP to a separate process, which reads it as a provider's answer, as a
document, as scores and as a verdict. Another thread counts; the longest time between two of its
steps is the longest block of the interpreter. The best of three rounds counts, because other
processes of the machine delay that thread as well.
"""

import multiprocessing
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

from acm_workers.errors import AcmError
from acm_workers.generators import text as generated
from acm_workers.judging import answers
from acm_workers.providers import completion
from ops.benchmarks import processes
from ops.benchmarks.table import Measured, Target
from schemas.calls import Message, Request
from schemas.config.judging import Criterion
from schemas.config.provider import Provider
from tests.support import hostile_answers, scripted_server
from tests.support.hostile_answers import gzipped

_MEMORY_MB = 300.0
_HOLD_MS = 100.0
_ROUNDS = 3
_STEP_S = 0.001
_REQUEST = Request(provider="alpha", model="m", messages=(Message(role="user", content="Hi?"),))
_CRITERIA = (Criterion(name="Clarity"),)


class _Cost(NamedTuple):
    """The resources for one answer in one process."""

    outcome: str
    memory_mb: float
    hold_ms: float
    seconds: float


def measure() -> Measured:
    """Receive every hostile answer of ``tests/support/hostile_answers``."""
    costs = {name: _cost(name) for name in hostile_answers.ANSWERS}
    rows = [{"answer": name, **cost._asdict()} for name, cost in costs.items()]
    memory = max(cost.memory_mb for cost in costs.values())
    hold = max(cost.hold_ms for cost in costs.values())
    return Measured(
        "hostile",
        rows,
        [
            Target("MB above the start, of any answer", memory, _MEMORY_MB),
            Target("ms without another thread, of any answer", hold, _HOLD_MS),
        ],
    )


def _cost(name: str) -> _Cost:
    with scripted_server.running(hostile_answers.ANSWERS[name]()) as server:
        rounds = []
        for _ in range(_ROUNDS):
            # Memory is counted from the start of a process.
            with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as alone:
                rounds.append(alone.submit(_receive, server.base_url).result())
            if rounds[-1].hold_ms <= _HOLD_MS:
                break
    return rounds[-1]._replace(
        memory_mb=max(one.memory_mb for one in rounds),
        hold_ms=min(one.hold_ms for one in rounds),
    )


def _receive(base_url: str) -> _Cost:
    import os

    with scripted_server.running(gzipped(b"{}")) as ordinary:
        _read(ordinary.base_url)  # imports and caches are not of the answer
    start_mb = processes.rss_mb(os.getpid())
    counter = _Counter()
    began = time.monotonic()
    outcome = _read(base_url)
    seconds = time.monotonic() - began
    hold_ms = counter.stop() * 1000
    return _Cost(outcome, processes.peak_mb(os.getpid()) - start_mb, hold_ms, seconds)


def _read(base_url: str) -> str:
    provider = Provider(dialect="openai_chat", base_url=base_url, timeout_seconds=60)
    try:
        text = completion.complete(provider, "alpha", _REQUEST, "call-1").text
    except AcmError as error:
        return str(error)[:60]
    generated.unwrapped(text)
    generated.is_unfinished(text)
    answers.scores(text, _CRITERIA, material=[text])
    answers.verdict(text, material=["{"])
    return "read"


class _Counter:
    """A thread that counts, and measures the longest time without a step."""

    def __init__(self) -> None:
        self._longest_s = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._count)
        self._thread.start()

    def stop(self) -> float:
        """Stop the thread; return the longest time in seconds."""
        self._over.set()
        self._thread.join()
        return self._longest_s

    def _count(self) -> None:
        last = time.monotonic()
        while not self._over.is_set():
            time.sleep(_STEP_S)
            now = time.monotonic()
            self._longest_s, last = max(self._longest_s, now - last), now
