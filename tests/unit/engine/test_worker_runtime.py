"""Runs that go on at the same time share what their providers allow."""

from collections.abc import Mapping
from typing import Any

from acm_workers.engine.worker_runtime import merged_limits
from schemas.config.provider import Provider
from tests.support import stored


def providers(**limits: Any) -> Mapping[str, Provider]:
    alpha = {"dialect": "openai_chat", "base_url": "http://127.0.0.1:1/v1"} | limits
    return stored.config(providers={"alpha": alpha}).providers


def test_the_lowest_limit_that_any_run_names_holds_for_all() -> None:
    one = providers(requests_per_minute=60, max_in_flight=4, launch_delay_seconds=0.5)
    other = providers(requests_per_minute=600, tokens_per_minute=9000, max_in_flight=2)

    alpha = merged_limits([one, other])["alpha"]

    assert (alpha.requests_per_minute, alpha.tokens_per_minute) == (60, 9000)
    assert (alpha.max_in_flight, alpha.launch_delay_seconds) == (2, 0.5)
    assert merged_limits([other, one])["alpha"] == alpha


def test_limits_of_models_are_shared_as_well() -> None:
    one = providers(models={"m1": {"requests_per_minute": 5}, "m2": {"max_in_flight": 3}})
    other = providers(models={"m1": {"requests_per_minute": 7, "tokens_per_minute": 100}})

    models = merged_limits([one, other])["alpha"].models

    assert (models["m1"].requests_per_minute, models["m1"].tokens_per_minute) == (5, 100)
    assert models["m2"].max_in_flight == 3


def test_providers_of_every_run_are_known() -> None:
    beta = stored.config(
        providers={"beta": {"dialect": "openai", "base_url": "http://127.0.0.1:1/v1"}},
        runs=[{"type": "fpf", "provider": "beta", "model": "m"}],
        judges=[{"name": "j", "provider": "beta", "model": "m"}],
    ).providers

    assert set(merged_limits([providers(), beta])) == {"alpha", "beta"}
    assert merged_limits([]) == {}
