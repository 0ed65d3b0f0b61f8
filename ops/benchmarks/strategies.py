"""Compares adaptive comparisons with a round robin in whole runs with the same seeds.

Each of five documents has twelve candidates, with the same texts and scores for every strategy.
Judges have errors; only the simulated provider knows the best text, because it hides a quality in
each text.
"""

from collections.abc import Sequence
from typing import Any

from ops.benchmarks import engine, winner
from ops.benchmarks.table import Measured, Target
from ops.benchmarks.winner import DocumentEnd
from schemas.config.config import Config
from tests.support.simulator import running
from tests.support.texts import TEXTS

_SEEDS = 6
_NOISE = 0.1
_WHOLE, _ADAPTIVE, _THIRD = "round_robin", "adaptive", "adaptive, a third"
_PAIRWISE: dict[str, dict[str, Any]] = {
    _WHOLE: {"strategy": "round_robin"},
    _ADAPTIVE: {"strategy": "adaptive"},
    # Twelve candidates make 66 pairs, which two judges look at.
    _THIRD: {"strategy": "adaptive", "max_comparisons": 44},
}


def measure(seeds: int = _SEEDS) -> Measured:
    """Run the documents with each strategy, once for each seed."""
    played: dict[str, list[DocumentEnd]] = {strategy: [] for strategy in _PAIRWISE}
    for seed in range(seeds):
        with (
            running(latency_s=0.005, judge_noise=_NOISE, seed=seed) as simulator,
            engine.store() as database,
        ):
            for strategy, pairwise in _PAIRWISE.items():
                config = _config(simulator.url, pairwise, seed)
                played[strategy] += winner.run_in(database, config, "Write a briefing.", TEXTS)
    rows = [_row(strategy, won) for strategy, won in played.items()]
    whole, ours, third = rows
    return Measured(
        "strategies",
        rows,
        [
            Target("comparisons, adaptive / round robin", _share(ours, whole), 1.0),
            Target("best lost by adaptive", whole["best wins"] - ours["best wins"], 0.15),
            Target("best lost by a third", whole["best wins"] - third["best wins"], 0.15),
        ],
    )


def _row(strategy: str, won: Sequence[DocumentEnd]) -> dict[str, Any]:
    return {
        "strategy": strategy, "documents": len(won),
        "comparisons a document": sum(one.comparisons for one in won) / len(won),
        "best wins": sum(one.best for one in won) / len(won),
    }  # fmt: skip


def _share(part: dict[str, Any], whole: dict[str, Any]) -> float:
    return float(part["comparisons a document"] / whole["comparisons a document"])


def _config(url: str, pairwise: dict[str, Any], seed: int) -> Config:
    return Config.model_validate(
        {
            "input_folder": "in", "output_folder": "out", "winners_folder": "win",
            "reports_folder": "rep", "instructions_file": "instructions.md", "seed": seed,
            "providers": {"alpha": {"dialect": "openai_chat", "base_url": url,
                                    "max_in_flight": 32}},
            "runs": [{"type": "fpf", "provider": "alpha", "model": model, "iterations": 4}
                     for model in ("sim-a", "sim-b", "sim-c")],
            "judges": [{"name": "one", "provider": "alpha", "model": "sim-j", "iterations": 1},
                       {"name": "two", "provider": "alpha", "model": "sim-k", "iterations": 1}],
            "pairwise": pairwise,
            "playoffs": {"enabled": False},
        }
    )  # fmt: skip
