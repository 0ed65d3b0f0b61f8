"""Measures the resources of GPT Researcher for several concurrent reports, compared with one.

The real program runs in the environment of ``acm setup gptr``, with the gateway and a folder to
search. The simulated provider answers after a second and shares the CPU of the machine.
"""

import os
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from acm_workers.errors import RequestError
from acm_workers.gateway.retriever import SearchService
from acm_workers.generators import programs, researcher
from acm_workers.generators.researcher import ServiceAddresses
from acm_workers.generators.text import Brief
from acm_workers.processes import child, environment, own_network, supervisor
from acm_workers.processes.slots import SlotLimits, Slots
from acm_workers.processes.spec import ChildEnd, ChildSpec
from ops.benchmarks import engine
from ops.benchmarks.table import Measured, Target
from schemas.config.research import RESEARCH_DEFAULTS, Research, Retriever
from schemas.config.variant import Variant
from tests.support import gateways
from tests.support.gateways import Scene
from tests.support.simulator import running

_AT_ONCE = (1, 8)
_LATENCY_S = 1.0
_STAGGER_S = 1.0
_LOOK_EVERY_S = 0.5
_DEADLINE_S = 600.0
_MIB = 1 << 20
_SOURCE = "Canal lock {number}, sentence {line}: a lock lifts boats between two levels of water.\n"


def measure() -> Measured:
    """Write one report, then eight concurrently.

    Raises:
        RequestError: GPT Researcher is not installed, or a report failed.
    """
    programs.installed("gptr")
    with running(latency_s=_LATENCY_S) as simulator, tempfile.TemporaryDirectory() as sources:
        for number in range(20):
            text = "".join(_SOURCE.format(number=number, line=line) for line in range(60))
            (Path(sources) / f"{number}.md").write_text(f"# Lock {number}\n\n{text}")
        rows = [_row(number, simulator.url, sources) for number in _AT_ONCE]
    together = rows[-1]
    targets = [
        Target("peak memory of a report, MiB", together["peak MiB each"], 1024.0),
        Target("wall of eight, of a single one", together["wall s"] / rows[0]["wall s"], 8.0),
    ]
    return Measured("subprocess", rows, targets)


def _row(number: int, url: str, sources: str) -> dict[str, Any]:
    """Write a number of reports concurrently; return the resources."""
    slots = Slots({"gptr": SlotLimits(number, _STAGGER_S)})
    with (
        engine.store() as database,
        gateways.scene(database, url, units=number, budget_usd=None) as scene,
        tempfile.TemporaryDirectory() as folder,
        _peak_bytes() as peak,
    ):
        began = time.monotonic()
        with ThreadPoolExecutor(number) as pool:
            ends = list(
                pool.map(lambda unit: _write(scene, unit, slots, sources, folder), range(number))
            )
        wall_s = time.monotonic() - began
    failed = [child.describe(end) for end in ends if end.exit_code != 0]
    if failed:
        raise RequestError(f"{len(failed)} of {number} reports failed: {failed[0]}")
    return {
        "at once": number,
        "wall s": wall_s,
        "median s each": statistics.median(end.wall_s for end in ends),
        "CPU s each": statistics.mean(end.cpu_s for end in ends),
        "peak MiB each": max(end.peak_rss_bytes for end in ends) / _MIB,
        "peak MiB of all": peak[0] / _MIB,
        "reports a minute": 60.0 * number / wall_s,
    }


def _write(scene: Scene, unit: int, slots: Slots, sources: str, base: str) -> ChildEnd:
    """Have one child write a report."""
    defaults: dict[str, Any] = dict(RESEARCH_DEFAULTS["gptr"])
    variant = Variant(
        type="gptr",
        provider="alpha",
        model="sim-a",
        research=Research(max_calls=100, **defaults),
    )
    installed = programs.installed("gptr")
    folder = Path(tempfile.mkdtemp(dir=base))
    with (
        slots.take("gptr"),
        scene.access(unit, max_calls=100) as access,
        ExitStack() as stack,
    ):
        retriever = Retriever(type="folder", folder=sources)
        access.routes = {"search": SearchService(access, retriever)}
        search = f"{access.root_url}/search?token={access.token}"
        addresses = ServiceAddresses(access.base_url, access.token, search)
        own = researcher.environment(variant, addresses)
        return child.run(
            ChildSpec(
                argv=installed.command,
                environment=environment.allowed(folder, {**own, **installed.variables}),
                folder=folder,
                request=researcher.request(
                    variant, Brief("Write a report.", None, "# Canal locks")
                ),
                soft_deadline_s=_DEADLINE_S,
                silence_s=60.0,
                only_port=access.port if own_network.why_not() is None else None,
            ),
            on_listening=lambda one: stack.enter_context(scene.live.gateway.serving(one)),
        )


@contextmanager
def _peak_bytes() -> Iterator[list[float]]:
    """Sample the memory of all children and supervisors; shared pages count once."""
    peak, over = [0.0], threading.Event()

    def watch() -> None:
        while not over.wait(_LOOK_EVERY_S):
            pids = filter(_is_of_child, supervisor.descendants(os.getpid()))
            peak[0] = max(peak[0], float(sum(supervisor.proportional_bytes(pid) for pid in pids)))

    thread = threading.Thread(target=watch, name="acm-memory")
    thread.start()
    try:
        yield peak
    finally:
        over.set()
        thread.join()


def _is_of_child(pid: int) -> bool:
    """Return whether a process is a child or its supervisor, and not the provider."""
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
    return b"researcher.py" in command or b"supervisor.main" in command
