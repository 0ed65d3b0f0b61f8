"""Runs in which GPT Researcher itself writes candidates, beside those of other models."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support import configs, gptr_environment, intercepting_proxy, simulator
from tests.support.intercepting_proxy import Answering
from tests.support.project import Outcome, Project

_SOURCES = {
    "locks.md": "# Locks\n\nA lock lifts boats between two levels of a canal.",
    "water.md": "# Water\n\nEach passage takes water from the upper level, so reservoirs feed it.",
    "boats.md": "# Boats\n\nNarrow boats were drawn by horses on a path beside the water.",
}


_COMMON = "What locks, water and boats are good for on canals."


class Research(NamedTuple):
    """A run that has ended.

    Attributes:
        served: What the provider logged of each request.
    """

    project: Project
    end: Outcome
    stats: dict[str, Any]
    served: list[dict[str, Any]]

    def child(self, kind: str) -> dict[str, Any]:
        """Return what is kept of the child of a generator."""
        (row,) = self.project.rows("select child from artifacts where generator = ?", kind)
        kept: dict[str, Any] = json.loads(row[0])
        return kept


def run(
    folder: Path,
    *entries: dict[str, Any],
    guidelines: str | None = None,
    beta: Answering = lambda body: None,
    **more: Any,
) -> Research:
    """Run candidates of one small model and those of ``entries``, judged and compared.

    Args:
        beta: What provider ``beta`` answers by itself; else it is provider ``alpha``.
        more: Changes of the config.
    """
    installed = gptr_environment.built()
    log = folder.with_suffix(".requests")
    with (
        simulator.running(latency_s=0.01, log_file=log) as provider,
        intercepting_proxy.intercepting(provider.url, beta) as other,
    ):
        models = {"m1", "m2", "j1", "e1", *(str(entry["model"]) for entry in entries)}
        alpha = configs.provider(provider.url, *sorted(models), key_env="ALPHA_KEY")
        alpha["prices"]["e1"] = {"input": 0.1, "output": 0.0}
        config = configs.base(
            {"alpha": alpha, "beta": {**alpha, "base_url": other}},
            runs=[*configs.runs(alpha=["m1"]), *entries],
            retriever={"type": "folder", "folder": "sources"},
            **{"playoffs": {"enabled": False}, **more},
        )
        if guidelines is not None:
            config["guidelines_file"] = "guidelines.md"
        project = Project(folder, config, {"canals.md": "# Canals\n\nWhat locks are good for.\n"})
        project.write("guidelines.md", guidelines or "")
        for name, text in _SOURCES.items():
            # Each one is found by any question, and with less text nothing is embedded.
            last = text.splitlines()[-1]
            project.write(f"sources/{name}", f"{text} {_COMMON}\n\n" + f"{last} " * 150)
        env = {"ACM_GPTR_ENVIRONMENT": str(installed), "ALPHA_KEY": "sk-the-real-key"}
        end = project.acm("run", "--json", env=env, deadline_s=300)
        stats = provider.stats()
    served = [json.loads(line) for line in log.read_text().splitlines()]
    return Research(project, end, stats, served)


def assert_bill_is_the_providers(done: Research) -> None:
    """Compare the ledger with what the provider counted: calls, tokens and USD."""
    sums = "count(*), sum(input_tokens), sum(output_tokens), sum(cost_usd)"
    (own,) = done.project.rows(f"select {sums} from calls where not cached")  # noqa: S608
    tokens, billed = done.stats["tokens"], done.stats["billed"]
    assert own[:3] == (done.stats["requests"], tokens["input"], tokens["output"])
    embedded = done.project.number("select sum(input_tokens) from calls where model = 'e1'")
    read = tokens["input"] - embedded
    assert own[3] == pytest.approx((read + 4 * tokens["output"] + 0.1 * embedded) / 1e6)
    assert done.end.last["usd"] == pytest.approx(own[3])
    assert billed["answers"] == own[0]
