from datetime import UTC, datetime

import pytest

from acm_workers.providers.catalog import consumption
from schemas.calls import Effort
from schemas.config.provider import KNOWN
from schemas.config.variant import RequiredEvidence

AT = datetime(2026, 11, 20, tzinfo=UTC)
BEFORE = datetime(2025, 10, 31, tzinfo=UTC)
OPENAI, GOOGLE, RESEARCH = (KNOWN[name] for name in ("openai", "google", "openaidp"))
SEARCHING = RequiredEvidence(grounding="searched")


def test_measured_values_hold_from_their_day_and_for_their_models() -> None:
    measured = consumption.of(OPENAI, "gpt-6-luna", AT)

    assert (measured.searches, measured.search_tokens) == (24, 7250)
    assert consumption.of(OPENAI, "gpt-6-luna", BEFORE).searches == 10
    assert consumption.of(OPENAI, "sim-a", AT).searches == 10
    assert consumption.of(GOOGLE, "gemini-3.8-flash", AT).search_tokens == 5200
    assert consumption.searches(OPENAI, "gpt-6-luna", AT) == 24
    assert consumption.searches(RESEARCH, "gpt-6-sol", AT) == 40


@pytest.mark.parametrize(
    ("model", "effort", "require", "expected"),
    [
        ("gpt-6-luna", None, RequiredEvidence(), 4_000),
        ("gpt-6-luna", "high", RequiredEvidence(), 10_000),
        ("gpt-6-luna", "low", SEARCHING, 19_900),
        ("gpt-4.1", None, SEARCHING, 0),
        ("gpt-5.4", None, SEARCHING, 0),
        ("gpt-5.4", None, RequiredEvidence(reasoning="tokens"), 4_000),
    ],
)
def test_thinking_depends_on_model_effort_and_search(
    model: str, effort: Effort | None, require: RequiredEvidence, expected: int
) -> None:
    assert consumption.thinking_tokens(OPENAI, model, effort, require, AT) == expected


def test_every_value_says_where_it_was_read() -> None:
    assert all(entry.source for entry in consumption.table())
