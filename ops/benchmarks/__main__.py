"""``ops/bench NAME [--json] [--strict]``."""

import argparse
import os
import signal
import sys
from collections.abc import Callable, Sequence

from acm_workers.errors import RequestError
from ops.benchmarks import (
    api,
    bias,
    chaos,
    compare,
    crashpoints,
    evidence,
    fanout,
    fit,
    gateway,
    hostile,
    judge,
    pages,
    planned,
    planning,
    quota,
    ranking,
    report,
    scale,
    soak,
    strategies,
    submissions,
    subprocesses,
    votes,
    winner,
)
from ops.benchmarks.table import Measured

_BENCHES: dict[str, Callable[[argparse.Namespace], Measured]] = {
    "api": lambda given: api.measure(given.minutes or 0),
    "bias": lambda given: bias.measure(given.seeds or (bias.SHORT if given.short else bias.SEEDS)),
    "chaos": lambda given: chaos.measure(chaos.SHORT if given.short else chaos.FULL),
    "compare": lambda given: compare.measure(_runs(given, compare.RUNS), jobs=given.jobs),
    "crashpoints": lambda given: crashpoints.measure(_engines(given), _sweep(given)),
    "evidence": lambda given: evidence.measure(_runs(given), jobs=given.jobs),
    "fanout": lambda given: fanout.measure(given.comparisons or fanout.COMPARISONS),
    "fit": lambda _: fit.measure(),
    "gateway": lambda given: gateway.measure(short=given.short),
    "hostile": lambda _: hostile.measure(),
    "judge": lambda given: judge.measure(_workloads(given)),
    "pages": lambda given: pages.measure(comparisons=given.comparisons or pages.COMPARISONS),
    "plan": lambda given: planning.measure(given.seeds or 1, given.faults.split(), given.jobs),
    "quota": lambda given: quota.measure(given.minutes or 2, short=given.short),
    "ranking": lambda given: ranking.measure(_runs(given), jobs=given.jobs),
    "report": lambda _: report.measure(),
    "scale": lambda given: scale.measure(given.comparisons or scale.COMPARISONS, given.worked),
    "soak": lambda given: soak.measure(given.minutes or 30),
    "strategies": lambda given: strategies.measure(given.seeds or 6),
    "submissions": lambda given: submissions.measure(
        submissions.SHORT if given.short else submissions.FULL
    ),
    "subprocess": lambda _: subprocesses.measure(),
    "votes": lambda given: votes.measure(_runs(given), jobs=given.jobs),
    "winner": lambda given: winner.measure(given.seeds or 20),
}


def main() -> int:
    """Run one benchmark; return 0 after a measurement, 3 with --strict if a target is missed."""
    parser = argparse.ArgumentParser(prog="ops/bench", description=__doc__)
    parser.add_argument("name", choices=sorted(_BENCHES))
    parser.add_argument("--json", action="store_true", help="print one JSON object at the end")
    parser.add_argument("--strict", action="store_true", help="exit 3 if a target is missed")
    parser.add_argument(
        "--short",
        action="store_true",
        help="chaos, quota, gateway: as CI runs them;"
        " ranking, evidence, compare, votes: 30 runs; bias: 3 seeds",
    )
    parser.add_argument(
        "--calls",
        type=int,
        help=f"judge: how many, instead of both workloads; rounded up to {planned.A_DOCUMENT}s",
    )
    parser.add_argument("--latency", type=float, default=0.5, help="judge: seconds a call")
    parser.add_argument("--in-flight", type=int, default=64, help="judge: at one time")
    parser.add_argument("--seeds", type=int, help="winner, strategies, bias, plan: how many")
    parser.add_argument("--faults", default="", help="plan: numbers of faults, instead of all")
    parser.add_argument(
        "--runs",
        type=int,
        help="ranking, evidence, votes (60), compare (200): for each row; 300: half as wide",
    )
    parser.add_argument(
        "--jobs",
        type=int,
        default=os.cpu_count() or 1,
        help="ranking, evidence, compare, plan, votes: processes;"
        " crashpoints: runs at a time (default: cores)",
    )
    parser.add_argument(
        "--comparisons",
        type=int,
        help="fanout (100,000), scale and pages (1,000,000): how many",
    )
    parser.add_argument(
        "--worked", type=int, default=scale.WORKED, help="scale: how many of them are worked off"
    )
    parser.add_argument(
        "--minutes",
        type=float,
        help="quota: of each case (2); soak: in all (30); api: for how long memory is watched (0)",
    )
    parser.add_argument("--engine", choices=crashpoints.ENGINES, help="crashpoints: only this one")
    parser.add_argument(
        "--from", dest="first", type=int, default=1, help="crashpoints: first point"
    )
    parser.add_argument("--to", dest="last", type=int, help="crashpoints: last point; default: all")
    parser.add_argument("--step", type=int, default=1, help="crashpoints: every N-th point")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, _end)
    try:
        measured = _BENCHES[arguments.name](arguments)
    except RequestError as error:
        sys.stderr.write(f"ops/bench {arguments.name}: {error}\n")
        return 2
    measured.show()
    if arguments.json:
        measured.show_json()
    missed = any(not target.ok for target in measured.targets)
    return 3 if arguments.strict and missed else 0


def _workloads(given: argparse.Namespace) -> Sequence[judge.Workload]:
    if given.calls is None:
        return judge.WORKLOADS
    return [judge.Workload(planned.whole(given.calls), given.latency, given.in_flight)]


def _engines(given: argparse.Namespace) -> Sequence[str]:
    return crashpoints.ENGINES if given.engine is None else [given.engine]


def _sweep(given: argparse.Namespace) -> crashpoints.Sweep:
    return crashpoints.Sweep(given.first, given.last, given.step, given.jobs)


def _runs(given: argparse.Namespace, usual: int = 60) -> int:
    return 30 if given.short else given.runs or usual


def _end(*_: object) -> None:
    """Stop as after Ctrl-C, with all started processes."""
    raise SystemExit(128 + signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main())
