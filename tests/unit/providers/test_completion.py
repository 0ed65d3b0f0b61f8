from typing import Any, get_args

import pytest

from acm_workers.errors import ParameterRefused
from acm_workers.providers import completion
from acm_workers.providers.catalog import capabilities
from schemas.calls import Message, Request
from schemas.config.provider import KNOWN, Dialect, OwnCapabilities, Provider

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"b": {"type": "string"}, "a": {"type": "string"}},
}
ASK = Request(
    provider="alpha",
    model="sim-a",
    messages=(Message(role="system", content="Be brief."), Message(role="user", content="Hi")),
)
DIALECTS: tuple[Dialect, ...] = get_args(Dialect)


def local(dialect: Dialect) -> Provider:
    return Provider(dialect=dialect, base_url="http://127.0.0.1:8077/v1")


SEARCHING = [d for d in DIALECTS if capabilities.of(local(d), ASK.model).search]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_digest_differs_with_everything_that_changes_the_answer(dialect: Dialect) -> None:
    there = local(dialect)
    able = capabilities.of(there, ASK.model)
    changes: list[dict[str, Any]] = [
        {},
        {"model": "sim-b"},
        {"provider": "beta"},
        {"messages": ASK.messages[1:]},
        {"max_tokens": 5},
        {"temperature": 0.5},
    ]
    if able.json_schema:
        turned = {**SCHEMA, "properties": dict(reversed(SCHEMA["properties"].items()))}
        changes += [{"json_schema": SCHEMA}, {"json_schema": turned}]
    if able.search:
        changes.append({"search": True})
    if able.efforts:
        changes += [{"reasoning": "tokens"}, {"effort": "high"}]

    digests = {completion.digest(there, ASK.model_copy(update=change)) for change in changes}

    assert len(digests) == len(changes)


def test_digest_differs_with_whom_is_asked() -> None:
    elsewhere = local("openai").model_copy(update={"base_url": "http://127.0.0.1:1/v1"})

    digests = {completion.digest(there, ASK) for there in (*map(local, DIALECTS), elsewhere)}

    assert len(digests) == len(DIALECTS) + 1


@pytest.mark.parametrize("dialect", DIALECTS)
def test_digest_is_the_same_whatever_does_not_change_the_answer(dialect: Dialect) -> None:
    there = local(dialect)
    slower = there.model_copy(update={"max_in_flight": 1, "timeout_seconds": 5.0, "prices": {}})

    assert completion.digest(slower, ASK) == completion.digest(there, ASK)


@pytest.mark.parametrize("dialect", ["anthropic", "google"])
def test_answer_that_goes_on_is_another_question(dialect: Dialect) -> None:
    more = ASK.model_copy(update={"so_far": ({"type": "text", "continuationToken": "t"},)})

    assert completion.digest(local(dialect), more) != completion.digest(local(dialect), ASK)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_was_refused_makes_another_question(dialect: Dialect) -> None:
    asked = ASK.model_copy(update={"json_schema": SCHEMA, "temperature": 0.1})
    without = asked.model_copy(update={"left_out": frozenset({"json_schema", "temperature"})})

    digest = completion.digest(local(dialect), without)

    assert digest == completion.digest(local(dialect), ASK)
    assert digest != completion.digest(local(dialect), asked)


@pytest.mark.parametrize("dialect", SEARCHING)
def test_search_with_a_schema_is_refused_where_it_takes_two_calls(dialect: Dialect) -> None:
    never = {"sim-*": OwnCapabilities(tools_with_json=False)}
    there = local(dialect).model_copy(update={"capabilities": never})
    asked = ASK.model_copy(update={"search": True, "json_schema": SCHEMA})

    with pytest.raises(ParameterRefused) as caught:
        completion.complete(there, "alpha", asked, "call-1")

    assert caught.value.parameter == "search_with_schema"
    assert completion.digest(local(dialect), asked)


def test_budget_is_never_above_what_the_model_can_write() -> None:
    asked = ASK.model_copy(update={"model": "claude-haiku-4-5", "max_tokens": 90_000})

    enough = asked.model_copy(update={"max_tokens": 64_000})

    anthropic = KNOWN["anthropic"]
    assert completion.digest(anthropic, asked) == completion.digest(anthropic, enough)
