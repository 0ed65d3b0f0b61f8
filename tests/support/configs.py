"""Minimal configs of test projects, for a simulated provider."""

from collections.abc import Mapping, Sequence
from typing import Any

PRICE = {"input": 1.0, "cached": 0.5, "output": 4.0}


def provider(url: str, *models: str, dialect: str = "openai_chat", **more: Any) -> dict[str, Any]:
    """Return a provider at ``url`` that has a price for each of ``models``."""
    prices = dict.fromkeys(models, PRICE)
    return {"dialect": dialect, "base_url": url, "max_in_flight": 8, "prices": prices} | more


def runs(**models: Sequence[str]) -> list[dict[str, Any]]:
    """Return a variant for each of the models, by provider."""
    return [
        {"type": "fpf", "provider": provider, "model": model}
        for provider, names in models.items()
        for model in names
    ]


def judge(model: str = "j1", provider: str = "alpha", **more: Any) -> dict[str, Any]:
    """Return a judge that scores once."""
    return {"provider": provider, "model": model, "iterations": 1} | more


def small(url: str, **changes: Any) -> dict[str, Any]:
    """Return a config of one provider, two models, one judge and both orders.

    A document takes 2 candidates, 2 scores, 2 comparisons, 1 combination, 2 scores of it and 4
    comparisons with it: 13 calls.
    """
    return base({"alpha": provider(url, "m1", "m2", "j1")}, **changes)


def base(providers: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    """Return a config with ``providers``; the candidates come from alpha's m1 and m2."""
    return {
        "input_folder": "inputs",
        "output_folder": "outputs",
        "instructions_file": "instructions.md",
        "providers": dict(providers),
        "runs": runs(alpha=["m1", "m2"]),
        "judges": [judge()],
        "pairwise": {"strategy": "round_robin", "position_swap": "both"},
        "retries": {"attempts": 2, "base_delay_seconds": 0.05},
    } | changes
