"""Errors that quote the request."""

import json

import pytest

from acm_workers.errors import ParameterRefused, ProviderRejected
from acm_workers.providers.http import redaction
from schemas.calls import Message, Request
from schemas.config.provider import Provider

TEXT = (
    "# The oxbow\n\nIt is older than the river beside it, and has no name.\n"
    "Älter als der Fluß daneben, 日本."
)


def test_quotations_are_taken_out_in_whatever_form() -> None:
    one_line = " ".join(TEXT.split())

    for quoted in (one_line, json.dumps(TEXT)[1:-1], json.dumps(TEXT, ensure_ascii=False)[1:-1]):
        assert (
            redaction.without_quotations(f"no: {quoted} (too long)", [TEXT]) == "no: […] (too long)"
        )


def test_what_is_cut_off_in_a_quotation_is_taken_out_too() -> None:
    quoted = " ".join(TEXT.split())[5:50]

    assert redaction.without_quotations(f"no: {quoted}", ["Another text.", TEXT]) == "no: […]"


@pytest.mark.parametrize(
    "said", ["", "older than the river", "Unsupported parameter: 'temperature'"]
)
def test_a_few_words_and_words_of_others_stay(said: str) -> None:
    assert redaction.without_quotations(said, [TEXT]) == said


def test_an_error_keeps_all_but_the_key_and_the_quotation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("A_KEY", "hush/hush+1")
    provider = Provider(dialect="openai", base_url="http://127.0.0.1:1/v1", key_env="A_KEY")
    request = Request(provider="a", model="m", messages=(Message(role="user", content=TEXT),))
    error = ParameterRefused(f"a: x-api-key: hush/hush+1 {TEXT}", "temperature", 400)

    redaction.redact_error(error, provider, request)

    assert error.args == ("a: x-api-key: [key] […]", "temperature", 400, None)
    assert (error.parameter, error.status) == ("temperature", 400)


def test_a_key_that_is_a_word_is_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", "ollama")
    provider = Provider(dialect="openai", base_url="http://127.0.0.1:1/v1", key_env="A_KEY")
    error = ProviderRejected("ollama: no such model")

    redaction.redact_error(error, provider)

    assert str(error) == "ollama: no such model"
