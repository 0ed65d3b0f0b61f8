from datetime import UTC, date, datetime

import pytest

from acm_workers.providers.catalog import capabilities, prices
from schemas.calls import Effort
from schemas.config.provider import KNOWN, OwnCapabilities, Provider

OPENAI, ANTHROPIC, GOOGLE, ROUTER = (
    KNOWN[name] for name in ("openai", "anthropic", "google", "openrouter")
)


def chat(base_url: str) -> Provider:
    return Provider(dialect="openai_chat", base_url=base_url, key_env="K")


def test_every_line_of_the_table_is_reached_by_its_own_names() -> None:
    for entry in capabilities._table():
        place = entry.at[0].replace("*.", "api.").replace(":*", "").replace("*:", "127.0.0.1:")
        base_url = "http://example.com" if entry.at == ("*",) else f"https://{place}"
        there = Provider(dialect=entry.dialect, base_url=base_url, key_env="K")
        for pattern in entry.models:
            found = capabilities.of(there, pattern.replace("*", "zz"))
            assert found.model_dump() == {
                name: value
                for name, value in entry.model_dump().items()
                if name not in ("dialect", "models", "at")
            }, pattern


def test_every_line_says_where_it_was_read() -> None:
    assert all(entry.source for entry in capabilities._table())


@pytest.mark.parametrize(
    ("provider", "model", "expected"),
    [
        (OPENAI, "o3-deep-research", date(2026, 7, 23)),
        (OPENAI, "gpt-4.1-nano", date(2026, 10, 23)),
        (OPENAI, "o4-mini-2025-04-16", date(2026, 10, 23)),
        (OPENAI, "gpt-5-mini", date(2026, 12, 11)),
        (OPENAI, "gpt-5-pro", date(2026, 12, 11)),
        (OPENAI, "gpt-4o", date(2027, 1, 14)),
        (OPENAI, "gpt-5.4-nano", date(2027, 4, 1)),
        (OPENAI, "gpt-5.4", None),
        (OPENAI, "gpt-6-luna", None),
        (ANTHROPIC, "claude-sonnet-4-5-20250929", date(2026, 11, 30)),
        (ANTHROPIC, "claude-haiku-4-5", None),
        (GOOGLE, "gemini-1.5-pro-002", date(2025, 9, 24)),
        (GOOGLE, "gemini-1.5-flash-8b", date(2025, 9, 24)),
        (GOOGLE, "gemini-2.0-flash", date(2026, 6, 1)),
        (GOOGLE, "models/gemini-2.0-flash-lite-001", date(2026, 6, 1)),
        (GOOGLE, "gemini-3-pro-preview", date(2026, 3, 9)),
        (GOOGLE, "gemini-3.1-pro-preview", None),
        (GOOGLE, "gemma-3-27b-it", None),
    ],
)
def test_announced_ends_are_known(provider: Provider, model: str, expected: date | None) -> None:
    found = capabilities.of(provider, model)

    assert found.known
    assert found.shutdown == expected


@pytest.mark.parametrize(
    ("provider", "model", "expected"),
    [
        (GOOGLE, "gemini-2.5-flash", False),
        (GOOGLE, "gemini-3.8-flash", True),
        (GOOGLE, "models/gemini-2.5-pro", False),
        (OPENAI, "gpt-6-luna", True),
        (OPENAI, "o3-deep-research", False),
        (ROUTER, "google/gemini-2.5-pro", False),
        (ROUTER, "openai/gpt-6-luna", True),
    ],
)
def test_search_and_schema_work_in_one_call_or_not(
    provider: Provider, model: str, expected: bool
) -> None:
    assert capabilities.of(provider, model).tools_with_json is expected


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        (OPENAI, "gpt-9"),
        (OPENAI, "gpt-6-lunatic"),
        (ANTHROPIC, "claude-zeta-9"),
        (GOOGLE, "gemini-9-neon"),
        (ROUTER, "vendor/model"),
        (chat("https://models.example.com/v1"), "m1"),
    ],
)
def test_unknown_model_is_called_so_and_may_do_everything(provider: Provider, model: str) -> None:
    found = capabilities.of(provider, model)

    assert not found.known
    assert found.search
    assert found.tools_with_json
    assert found.json_schema
    assert found.reasoning_evidence == "summary"
    assert found.shutdown is None


def test_server_decides_what_the_same_dialect_can_do() -> None:
    openai = capabilities.of(chat("https://api.openai.com/v1"), "gpt-6-luna")
    ollama = capabilities.of(chat("http://localhost:11434/v1"), "llama3.1:8b")
    cloud = capabilities.of(chat("https://ollama.com/v1"), "llama3.1:8b")
    mixed = capabilities.of(chat("http://localhost:11434/v1"), "gpt-oss:120b-cloud")

    assert (openai.known, openai.search, openai.background) == (True, False, False)
    assert (ollama.known, ollama.search, ollama.json_schema) == (False, False, True)
    assert not cloud.json_schema
    assert not mixed.json_schema


def test_users_word_wins_field_by_field() -> None:
    own = {
        "gpt-4o": OwnCapabilities(sampling=False),
        "gpt-*": OwnCapabilities(max_output=5, shutdown=date(2030, 1, 1)),
    }
    provider = OPENAI.model_copy(update={"capabilities": own})

    exact = capabilities.of(provider, "gpt-4o")
    pattern = capabilities.of(provider, "gpt-9")

    assert (exact.sampling, exact.search, exact.max_output) == (False, True, None)
    assert exact.shutdown == date(2027, 1, 14)
    assert (exact.source, exact.known) == ("config", True)
    assert (pattern.max_output, pattern.known) == (5, True)
    assert capabilities.of(provider, "o3").source != "config"


def test_users_word_survives_being_stored() -> None:
    own = {"gpt-4o": OwnCapabilities(sampling=False)}
    provider = OPENAI.model_copy(update={"capabilities": own})

    back = Provider.model_validate_json(provider.model_dump_json())

    assert capabilities.of(back, "gpt-4o") == capabilities.of(provider, "gpt-4o")


def test_own_capabilities_name_every_capability() -> None:
    facts = {"known", "source", "successor"}

    assert set(OwnCapabilities.model_fields) == set(capabilities.Capabilities.model_fields) - facts


@pytest.mark.parametrize(
    ("efforts", "wanted", "expected"),
    [
        ((), "low", None),
        (("low", "medium", "high"), "medium", "medium"),
        (("low", "high"), "medium", "low"),
        (("high", "low"), "medium", "low"),
        (("high",), "low", "high"),
        (("medium", "high"), "low", "medium"),
    ],
)
def test_nearest_effort_is_taken(
    efforts: tuple[Effort, ...], wanted: Effort, expected: Effort | None
) -> None:
    assert capabilities.Capabilities(efforts=efforts).nearest(wanted) == expected


TODAY = date(2026, 11, 20)
ENDING = [entry for entry in capabilities._table() if entry.shutdown is not None]


@pytest.mark.parametrize("entry", ENDING, ids=lambda entry: entry.models[0])
def test_model_that_ends_has_a_successor_that_is_alive(entry: capabilities._Entry) -> None:
    (provider,) = (one for one in (OPENAI, ANTHROPIC, GOOGLE) if one.dialect == entry.dialect)

    for pattern in entry.models:
        found = capabilities.living_successor(provider, pattern.replace("*", ""), TODAY)

        assert found is not None
        assert capabilities.of(provider, found).known
        assert prices.known(provider, found, datetime(2026, 11, 20, tzinfo=UTC))


def test_successor_that_ended_itself_is_passed_over() -> None:
    late = date(2027, 6, 1)

    assert capabilities.living_successor(GOOGLE, "gemini-2.0-flash-lite", TODAY) == (
        "gemini-3.1-flash-lite"
    )
    assert capabilities.living_successor(GOOGLE, "gemini-2.0-flash-lite", late) == (
        "gemini-3.5-flash-lite"
    )
    assert capabilities.living_successor(OPENAI, "gpt-6-luna", TODAY) is None
