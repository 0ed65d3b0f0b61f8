"""Answers that take long, over real HTTP."""

from typing import Any

import pytest

from acm_workers.errors import (
    AcmError,
    ProviderPaused,
    ProviderRejected,
    ProviderUnavailable,
)
from acm_workers.providers import background
from schemas.calls import Request, Usage
from tests.support.provider_calls import ASK, FIT, RESPONSE, provider
from tests.support.scripted_server import Reply, running

pytestmark = pytest.mark.usefixtures("closed")

RESEARCH = Request(
    provider="alpha", model="sim-research", messages=ASK.messages, search=True, max_searches=9
)
QUEUED = {**RESPONSE, "status": "queued", "output": [], "usage": None}


def test_background_answer_is_asked_for_once_and_then_looked_for() -> None:
    script = [QUEUED, QUEUED, {**QUEUED, "status": "in_progress"}, RESPONSE]

    with running(*(Reply(body=body) for body in script)) as server:
        there = provider(server, "openai")
        submitted = background.submit(there, "alpha", RESEARCH, "call-1")
        looks = [background.poll(there, "alpha", submitted[0]) for _ in range(3)]

    assert submitted == ("resp_1", "queued")
    assert looks[:2] == [None, None]
    assert looks[2] is not None
    assert looks[2].text == "Hello"
    asked, *looked = server.seen
    assert (asked.body["background"], asked.body["store"]) == (True, True)
    assert asked.body["metadata"] == {"client_request_id": "call-1"}
    assert asked.body["max_tool_calls"] == 9
    assert {(seen.method, seen.path) for seen in looked} == {
        ("GET", "/v1/responses/resp_1?include%5B%5D=web_search_call.action.sources")
    }


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"status": "cancelled", "usage": RESPONSE["usage"]}, ProviderRejected),
        ({"status": "failed", "error": {"code": "server_error"}}, ProviderUnavailable),
        ({"status": "failed", "error": {"code": "invalid_prompt"}}, ProviderRejected),
        ({"status": "failed", "error": {"code": "insufficient_quota"}}, ProviderPaused),
    ],
)
def test_background_answer_that_failed_tells_what_it_cost(
    body: dict[str, Any], kind: type[AcmError]
) -> None:
    with running(Reply(body={**RESPONSE, **body})) as server, pytest.raises(AcmError) as caught:
        background.poll(provider(server, "openai"), "alpha", "resp_1")

    assert type(caught.value) is kind
    assert caught.value.final
    assert caught.value.usage == Usage(input_tokens=3, output_tokens=1, searches=0)


def test_background_answer_may_end_unfinished() -> None:
    cut = {
        **RESPONSE,
        "status": "incomplete",
        "incomplete_details": {"reason": "max_output_tokens"},
    }

    with running(Reply(body=cut)) as server:
        answer = background.poll(provider(server, "openai"), "alpha", "resp_1")

    assert answer is not None
    assert answer.finish_reason == "length"


def test_background_answer_that_is_not_found_may_come_later() -> None:
    with (
        running(Reply(404, {"error": {"message": "none"}})) as server,
        pytest.raises(ProviderUnavailable) as caught,
    ):
        background.poll(provider(server, "openai"), "alpha", "resp_1")

    assert caught.value.status == 404


@pytest.mark.parametrize(
    "reply",
    [
        Reply(503, b"<html>no"),
        Reply(200, b"<html>hello"),
        Reply(200, {}),
        Reply(200, {"error": {"message": "upstream", "code": 502}}),
        Reply(401, {"error": {"code": "invalid_api_key", "message": "no"}}),
        Reply(400, {"error": {"message": "what?"}}),
    ],
)
def test_a_look_that_does_not_reach_the_answer_is_not_its_end(reply: Reply) -> None:
    with running(reply) as server, pytest.raises(AcmError) as caught:
        background.poll(provider(server, "openai"), "alpha", "resp_1")

    assert not caught.value.final


def test_a_background_answer_that_was_cancelled_may_have_been_paid_all_the_same() -> None:
    body = {**RESPONSE, "status": "cancelled", "usage": None, "output": []}

    with running(Reply(body=body)) as server, pytest.raises(ProviderRejected) as caught:
        background.poll(provider(server, "openai"), "alpha", "resp_1")

    assert (caught.value.final, caught.value.maybe_billed) == (True, True)
    assert caught.value.usage is None


def test_background_answer_without_a_name_may_be_under_way() -> None:
    with (
        running(Reply(body={**QUEUED, "id": "../x"})) as server,
        pytest.raises(ProviderUnavailable) as caught,
    ):
        background.submit(provider(server, "openai"), "alpha", RESEARCH, "call-1")

    assert caught.value.maybe_billed


@pytest.mark.parametrize("name", ["", "../models", "resp 1", "resp?x=1", "r" * 300])
def test_what_names_no_background_answer_is_not_looked_for(name: str) -> None:
    with running(FIT) as server, pytest.raises(ProviderRejected):
        background.poll(provider(server, "openai"), "alpha", name)

    assert server.seen == []


@pytest.mark.parametrize("status", [200, 400, 404, 409])
def test_cancelling_what_is_over_does_nothing(status: int) -> None:
    with running(Reply(status, {**RESPONSE, "status": "completed"})) as server:
        background.cancel(provider(server, "openai"), "alpha", "resp_1")

    (seen,) = server.seen
    assert (seen.method, seen.path) == ("POST", "/v1/responses/resp_1/cancel")


def test_cancelling_that_fails_is_told() -> None:
    with running(Reply(503, b"")) as server, pytest.raises(ProviderUnavailable):
        background.cancel(provider(server, "openai"), "alpha", "resp_1")
