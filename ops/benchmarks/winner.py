"""Measures how often the winner is the text with the best hidden quality, over seeded runs.

The simulated provider hides a quality in each text and judges by that quality with noise; only this
benchmark reads the quality.
"""

from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from acm_api.files import inputs
from acm_workers import runtime, submit
from acm_workers.simulator.quality import read_quality
from acm_workers.store import artifacts, comparisons, documents, runs
from acm_workers.store.connection.database import Database
from ops.benchmarks import engine
from ops.benchmarks.table import Measured, Target
from schemas.config.config import Config
from schemas.units import Artifact
from tests.support.simulator import running

_SEEDS = 20
_NOISE = 0.02


def measure(seeds: int = _SEEDS) -> Measured:
    """Run the example documents once for each seed, with judges of little noise."""
    rows = []
    for seed in range(seeds):
        with running(latency_s=0.02, judge_noise=_NOISE, seed=seed) as simulator:
            found = run(_config(simulator.url, seed), *_shipped())
        rows.append({"seed": seed, "documents": len(found),
                     "best wins": sum(one.best for one in found),
                     "combined wins": sum(one.combined for one in found)})  # fmt: skip
    number = sum(int(row["documents"]) for row in rows)
    missed = 1 - sum(int(row["best wins"]) for row in rows) / number
    return Measured("winner", rows, [Target("share of documents whose best lost", missed, 0.30)])


class DocumentEnd(NamedTuple):
    """The outcome of a document.

    Attributes:
        lost: Difference of hidden quality between the best text and the winner.
        place: Position of the winner in the order of planning, from 1.
        combined: Whether the winner is a combined candidate.
        comparisons: Number of comparisons.
        first_won: Number of comparisons that the first text won.
    """

    lost: float
    place: int
    combined: bool
    comparisons: int
    first_won: int

    @property
    def best(self) -> bool:
        """Return whether the best text won."""
        return self.lost == 0


def run(config: Config, instructions: str, texts: Mapping[str, str]) -> list[DocumentEnd]:
    """Run documents by path to their end in a separate store; return their outcomes."""
    with engine.store() as database:
        return run_in(database, config, instructions, texts)


def run_in(
    database: Database, config: Config, instructions: str, texts: Mapping[str, str]
) -> list[DocumentEnd]:
    """Run documents by path to their end; stored answers of earlier runs are reused.

    That makes runs comparable: a simulator answers differently if it gets the same request again or
    at another address.
    """
    work = submit.RunInput("winner", config, instructions, None, dict(texts))
    run_id = submit.submit(database, work, runtime.making()).run_id
    with database.read() as connection:
        started = runs.get(connection, run_id or "")
    engine.work(database, started)
    return _won(database, started.id)


def _won(database: Database, run_id: str) -> list[DocumentEnd]:
    found = []
    with database.read() as connection:
        for document in documents.of_run(connection, run_id):
            texts = artifacts.of_document(connection, document.id)
            written = {one.id: artifacts.get(connection, one.id) or one
                       for one in texts if one.state == "done"}  # fmt: skip
            winner = written[document.winner_id or ""]
            asked = comparisons.of_document(connection, document.id)
            lost = max(map(_hidden, written.values())) - _hidden(winner)
            place = 1 + list(written).index(winner.id)
            first_won = sum(one.winner == "a" for one in asked)
            found.append(DocumentEnd(lost, place, winner.combined, len(asked), first_won))
    return found


def _hidden(artifact: Artifact) -> float:
    found = read_quality(artifact.text or "")
    if found is None:
        raise RuntimeError(f"artifact {artifact.id} hides no quality")
    return found


def _shipped() -> tuple[str, dict[str, str]]:
    """Return the instructions and documents of the demo."""
    with resources.as_file(resources.files("acm_api.demo")) as shipped:
        found = inputs.read(Path(shipped) / "inputs")
        instructions = (Path(shipped) / "instructions.md").read_text("utf-8")
    return instructions, {one.path: one.text for one in found}


def _config(url: str, seed: int) -> Config:
    limits = {"base_url": url, "max_in_flight": 16}
    return Config.model_validate(
        {
            "input_folder": "in", "output_folder": "out", "winners_folder": "win",
            "reports_folder": "rep", "instructions_file": "instructions.md", "seed": seed,
            "providers": {"alpha": {"dialect": "openai_chat", **limits},
                          "beta": {"dialect": "openai", **limits}},
            "runs": [{"type": "fpf", "provider": provider, "model": model, "iterations": 2}
                     for provider in ("alpha", "beta") for model in ("sim-a", "sim-b")],
            "judges": [{"name": "one", "provider": "alpha", "model": "sim-j", "iterations": 2},
                       {"name": "two", "provider": "beta", "model": "sim-k", "iterations": 2}],
            "pairwise": {"strategy": "round_robin", "position_swap": "both"},
        }
    )  # fmt: skip
