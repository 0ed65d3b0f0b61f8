"""Where ``delivery: batch`` is possible, and what is said about it."""

from datetime import UTC, datetime
from typing import Any

import pytest

from acm_api.config import batch_checks
from acm_workers.pipeline import units
from schemas.units import Document
from tests.support import stored

AT = datetime(2026, 11, 25, tzinfo=UTC)
URL = "http://127.0.0.1:1/v1"
PROVIDERS = {
    name: {"dialect": name, "base_url": URL}
    for name in ("openai", "openai_chat", "anthropic", "google")
}


def found(entry: dict[str, Any], **provider: Any) -> list[tuple[Any, str]]:
    """Return the problems of a config with one entry under ``runs``."""
    variant = {"type": "fpf", "delivery": "batch", **entry}
    name = variant["provider"]
    providers = {**PROVIDERS, name: {**PROVIDERS[name], **provider}}
    given = stored.config(providers=providers, runs=[variant], judges=[])
    return [(problem.key, problem.message) for problem in batch_checks.problems(given, AT)]


@pytest.mark.parametrize("provider", ["openai", "anthropic", "google"])
def test_whoever_has_batches_and_a_price_of_them_is_taken(provider: str) -> None:
    assert found({"provider": provider, "model": "sim-a"}) == []


@pytest.mark.parametrize(
    ("entry", "provider", "message"),
    [
        ({"provider": "openai_chat", "model": "sim-a"}, {},
         "provider openai_chat speaks openai_chat, which has no batches; openai, anthropic, google"
         " have them"),
        ({"provider": "openai", "model": "sim-a"}, {"background": True},
         "sim-a of openai answers in the background, and in no batch"),
        ({"provider": "openai", "model": "m1"}, {"prices": {"m1": {"input": 1, "output": 4}}},
         "no batch price of m1 of openai is known; if there is one, say which share of the usual"
         " price it is, such as batch: 0.5 in providers.openai.prices.m1"),
        ({"provider": "openai", "model": "sim-a", "type": "gptr"}, {},
         "type gptr sends its requests itself, or none; batches are for type fpf"),
        ({"provider": "openai", "model": "sim-a", "engine": "external"}, {},
         "engine external sends its requests itself, or none; batches are for type fpf"),
    ],
)  # fmt: skip
def test_batches_are_refused_where_there_are_none(
    entry: dict[str, Any], provider: dict[str, Any], message: str
) -> None:
    assert found(entry, **provider) == [(("runs", 0, "delivery"), f"delivery: batch: {message}")]


def test_a_share_of_the_price_is_the_price_of_batches() -> None:
    price = {"input": 1, "output": 4, "batch": 0.5}

    assert found({"provider": "openai", "model": "m1"}, prices={"m1": price}) == []


@pytest.mark.parametrize(("strategy", "notes"), [("adaptive", 1), ("round_robin", 0)])
def test_comparisons_in_rounds_of_batches_are_pointed_out(strategy: str, notes: int) -> None:
    judge = {"name": "j1", "provider": "openai", "model": "sim-j", "delivery": "batch"}

    given = stored.config(providers=PROVIDERS, judges=[judge], pairwise={"strategy": strategy})

    assert len(list(batch_checks.notes(given))) == notes


def test_delivery_is_no_part_of_what_decides_results() -> None:
    variant = {"type": "fpf", "provider": "openai", "model": "sim-a"}

    live, batch = (
        stored.config(providers=PROVIDERS, runs=[{**variant, "delivery": delivery}])
        for delivery in ("live", "batch")
    )

    assert live.identity() == batch.identity()


def test_entries_that_differ_only_in_delivery_get_answers_of_their_own() -> None:
    variant = {"type": "fpf", "provider": "openai", "model": "sim-a"}
    given = stored.config(providers=PROVIDERS, runs=[variant, {**variant, "delivery": "batch"}])
    document = Document(
        id="d", run_id="r", path="a.md", key="k", stage="generate", created_at=stored.NOW
    )

    planned = units.candidates(document, given, stored.making())
    samples = [units.sample_number(one, given) for one in planned]

    assert len(set(samples)) == 2
