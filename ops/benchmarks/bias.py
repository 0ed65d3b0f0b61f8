"""Measures the effect of a judge with position bias on the winners of whole runs.

Each seed has one set of texts and scores, and all models write equally well, so every position in
the config is equally likely to have the best text. With ``position_swap: none`` texts are shown in
the order of the config, and such a judge moves winners towards the first position. With ``random``
it does not move them, but its verdicts on similar texts carry little information. That loses some
of the best texts in any order; their number is printed and is not a target.
"""

import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ops.benchmarks import engine, winner
from ops.benchmarks.table import Measured, Target
from ops.benchmarks.winner import DocumentEnd
from schemas.config.config import Config
from schemas.config.judging import PositionSwap, Strategy
from tests.support.simulator import running
from tests.support.texts import TEXTS

SEEDS = 12
SHORT = 3
_LEAST_SEEDS = 8
"""Minimum number of runs for a target: with fewer, the standard error is too uncertain."""
_NOISE = 0.1
_BIAS = 0.3
"""Three times the noise, and three times the standard deviation of quality."""
_ERRORS = 3.0
_STRATEGIES: tuple[Strategy, ...] = ("adaptive", "round_robin")
_ASKED: tuple[tuple[PositionSwap, bool], ...] = (
    ("random", False), ("random", True), ("none", True)
)  # fmt: skip
_FIGURES: dict[str, Callable[[DocumentEnd], float]] = {
    "best": lambda won: won.best,
    "lost": lambda won: won.lost,
    "place": lambda won: won.place,
}


class _Arm(NamedTuple):
    """Judge and strategy of an arm."""

    strategy: Strategy
    order: PositionSwap
    biased: bool

    @property
    def fair(self) -> "_Arm":
        """Return the reference arm."""
        return _Arm(self.strategy, "random", biased=False)


class _Change(NamedTuple):
    """A mean difference from the fair judge, with its standard error."""

    mean: float
    error: float

    @property
    def errors(self) -> float:
        """Return the absolute difference in standard errors."""
        return abs(self.mean) / self.error if self.error else math.inf if self.mean else 0.0


_Played = Mapping[_Arm, Sequence[Sequence[DocumentEnd]]]
_ARMS = [_Arm(strategy, order, biased) for strategy in _STRATEGIES for order, biased in _ASKED]


def measure(seeds: int = SEEDS) -> Measured:
    """Run the documents with a fair and with a biased judge, once for each seed; at least two."""
    played: dict[_Arm, list[list[DocumentEnd]]] = defaultdict(list)
    for seed in range(seeds):
        alike = {"latency_s": 0.005, "judge_noise": _NOISE, "skill_spread": 0.0, "seed": seed}
        with (
            running(position_bias=0.0, **alike) as fair,
            running(position_bias=_BIAS, **alike) as biased,
            engine.store() as database,
        ):
            for arm in _ARMS:
                config = _config(arm, fair.url, (biased if arm.biased else fair).url, seed)
                won = winner.run_in(database, config, "Write a briefing.", TEXTS)
                played[arm].append(won)
    targets = _targets(played) if seeds >= _LEAST_SEEDS else []
    return Measured("bias", [_row(arm, played) for arm in _ARMS], targets)


def _targets(played: _Played) -> list[Target]:
    name = "place of winners moved by bias, in standard errors: {}, {}"
    random = [
        Target(
            name.format(strategy, "random"),
            _change(_Arm(strategy, "random", biased=True), played, "place").errors,
            _ERRORS,
        )
        for strategy in _STRATEGIES
    ]
    # Not of adaptive, whose ranking takes a part of the bias out again.
    noticed = _change(_Arm("round_robin", "none", biased=True), played, "place").errors
    return [*random, Target(name.format("round_robin", "none"), noticed, _ERRORS, at_least=True)]


def _row(arm: _Arm, played: _Played) -> dict[str, Any]:
    won = [one for run in played[arm] for one in run]
    asked = sum(one.comparisons for one in won)
    row: dict[str, Any] = {
        "strategy": arm.strategy, "order": arm.order, "judge": "biased" if arm.biased else "fair",
        "documents": len(won), "comparisons": asked / len(won),
        "first won": sum(one.first_won for one in won) / asked,
    }  # fmt: skip
    for name, figure in _FIGURES.items():
        row[name] = statistics.fmean(map(figure, won))
        change = _change(arm, played, name) if arm.biased else None
        row[f"{name} change"] = change and change.mean
        row[f"{name} error"] = change and change.error
    return row


def _change(arm: _Arm, played: _Played, name: str) -> _Change:
    """Compare an arm with its fair arm by runs, because the documents of a run are dependent."""
    figure = _FIGURES[name]
    changes = [
        statistics.fmean(map(figure, biased)) - statistics.fmean(map(figure, fair))
        for biased, fair in zip(played[arm], played[arm.fair], strict=True)
    ]
    return _Change(statistics.fmean(changes), statistics.stdev(changes) / math.sqrt(len(changes)))


def _config(arm: _Arm, writes: str, compares: str, seed: int) -> Config:
    limits = {"dialect": "openai_chat", "max_in_flight": 32}
    return Config.model_validate(
        {
            "input_folder": "in", "output_folder": "out", "winners_folder": "win",
            "reports_folder": "rep", "instructions_file": "instructions.md", "seed": seed,
            "providers": {"alpha": {**limits, "base_url": writes},
                          "beta": {**limits, "base_url": compares}},
            "runs": [{"type": "fpf", "provider": "alpha", "model": model, "iterations": 2}
                     for model in ("sim-a", "sim-b", "sim-c")],
            "judges": [{"name": "scores", "provider": "alpha", "model": "sim-j", "iterations": 1}],
            "pairwise": {"strategy": arm.strategy, "position_swap": arm.order,
                         "judges": [{"name": "compares", "provider": "beta",
                                     "model": "sim-k"}]},
            "playoffs": {"enabled": False},
        }
    )  # fmt: skip
