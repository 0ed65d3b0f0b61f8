"""What is done about an answer follows from its status and codes, never from its words."""

from typing import Any

import pytest

from acm_workers.errors import (
    ProviderPaused,
    ProviderRejected,
    ProviderUnavailable,
    RateLimited,
)
from acm_workers.providers.http import failures
from acm_workers.providers.http.responses import ProviderResponse
from tests.support.provider_responses.failures import anthropic, google, openai


@pytest.mark.parametrize("status", [408, 409, 425])
def test_what_only_came_at_a_bad_moment_is_sent_again(status: int) -> None:
    assert (
        type(failures.failure(ProviderResponse("alpha", status), openai(None)))
        is ProviderUnavailable
    )


@pytest.mark.parametrize("status", [400, 403, 404, 413, 422])
def test_what_is_wrong_stays_wrong(status: int) -> None:
    assert (
        type(failures.failure(ProviderResponse("alpha", status), openai(None))) is ProviderRejected
    )


def test_wait_is_told_from_header_and_body() -> None:
    in_header = failures.failure(ProviderResponse("a", 429, {"retry-after": "7"}), None)
    in_body = failures.failure(ProviderResponse("a", 429), {"details": [{"retryDelay": "37s"}]})
    overloaded = failures.failure(ProviderResponse("a", 503, {"retry-after": "9"}), None)

    told = [getattr(error, "retry_after_s", None) for error in (in_header, in_body, overloaded)]
    assert told == [7.0, 37.0, 9.0]


def test_paused_provider_is_named() -> None:
    error = failures.failure(ProviderResponse("alpha", 402), None)

    assert isinstance(error, ProviderPaused)
    assert error.provider == "alpha"


@pytest.mark.parametrize(
    "error",
    [
        openai("context_length_exceeded"),
        anthropic("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
        google(400, "INVALID_ARGUMENT", "The input token count (9) exceeds the maximum (8)."),
    ],
)
def test_texts_that_are_too_long_are_called_so(error: Any) -> None:
    assert "too long for this model" in str(failures.failure(ProviderResponse("alpha", 400), error))


@pytest.mark.parametrize(
    "message",
    [
        "Your credit balance is too low.",
        "temperature: Extra inputs are not permitted",
        "insufficient_quota 429 rate_limit_exceeded PerDay",
    ],
)
def test_words_decide_nothing_where_status_and_codes_do(message: str) -> None:
    assert (
        type(failures.failure(ProviderResponse("a", 500), anthropic("api_error", message)))
        is ProviderUnavailable
    )
    assert (
        type(failures.failure(ProviderResponse("a", 404), openai(None) | {"message": message}))
        is ProviderRejected
    )


def test_success_passes() -> None:
    failures.check(ProviderResponse("alpha", 200, body={"choices": []}))


@pytest.mark.parametrize("body", [None, [], "text", 1])
def test_success_without_an_object_may_pass_later_and_may_be_billed(body: Any) -> None:
    with pytest.raises(ProviderUnavailable, match=r"not an answer.*<html>") as caught:
        failures.check(ProviderResponse("alpha", 200, body=body, excerpt="<html>"))

    assert caught.value.maybe_billed


def test_error_in_a_list_is_unwrapped() -> None:
    body = [{"error": google(429, "RESOURCE_EXHAUSTED", "", {"retryDelay": "5s"})}]

    with pytest.raises(RateLimited) as caught:
        failures.check(ProviderResponse("alpha", 429, body=body))

    assert caught.value.retry_after_s == 5.0
