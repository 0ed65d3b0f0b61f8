"""Requests of children: their digests, what is added to them, and what they may cost."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from acm_workers.errors import PriceUnknown, RequestError
from acm_workers.gateway import requests
from acm_workers.gateway.requests import GatewayRequest
from schemas.config.provider import OwnCapabilities, Provider, TokenPrice

AT = datetime(2026, 11, 22, tzinfo=UTC)
URL = "http://127.0.0.1:1/v1"
SIMULATED = Provider(dialect="openai_chat", base_url=URL)
MESSAGES = '"messages":[{"role":"user","content":"Hi"}]'


def chat(more: str = "") -> GatewayRequest:
    return requests.parse("chat/completions", f'{{"model":"sim-a",{MESSAGES}{more}}}'.encode())


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"{}", b'{"model": 7}', b'{"model":"m","background":true}']
)
def test_what_is_no_request_is_refused(body: bytes) -> None:
    with pytest.raises(RequestError):
        requests.parse("responses", body)


def test_a_request_is_sent_as_it_came() -> None:
    body = b'\n{ "model" : "sim-a", "messages":[ ], "tools": [{"type":"function"}], "n":1e0 }'

    request = requests.parse("chat/completions", body)

    assert request.sent == request.body == body
    assert not request.hides_usage


def test_the_usage_of_a_streamed_chat_is_asked_for_and_all_else_stays_byte_for_byte() -> None:
    body = b'  {"model": "sim-a",\t"messages":[{"content":"\xc3\xa9 \\u00e9"}] , "stream":true}\n'

    request = requests.parse("chat/completions", body)

    added = b'"stream_options":{"include_usage":true},'
    assert request.sent == body.replace(b"{", b"{" + added, 1)
    assert request.hides_usage
    assert request.unchanged.sent == body


@pytest.mark.parametrize(
    "given", ["null", '{"include_usage" : false}', '{"include_obfuscation":false}', "{ }"]
)
def test_options_of_the_child_are_kept_when_the_usage_is_asked_for(given: str) -> None:
    text = (
        '{"a":{"stream_options":1},"model":"m","é":"}","stream":true,"stream_options": %s ,"n":2}'
    )

    request = requests.parse("chat/completions", (text % given).encode())

    sent = json.loads(request.sent)
    assert sent["stream_options"] == {**(json.loads(given) or {}), "include_usage": True}
    before, after = (text % "\0").split("\0")
    assert request.sent.startswith(before.encode())
    assert request.sent.endswith(after.encode())


@pytest.mark.parametrize(
    "more", [',"stream":true,"stream_options":{"include_usage":true}', ',"stream":false', ""]
)
def test_nothing_is_added_where_the_usage_comes_anyway(more: str) -> None:
    request = chat(more)

    assert request.sent == request.body
    assert not request.hides_usage


def test_digests_tell_requests_apart_by_bytes_endpoint_and_provider() -> None:
    one = chat()
    others = [
        chat(" ").digest("alpha", SIMULATED),
        one._replace(endpoint="responses").digest("alpha", SIMULATED),
        one.digest("beta", SIMULATED),
        one.digest("alpha", SIMULATED.model_copy(update={"base_url": URL + "/x"})),
    ]

    assert one.digest("alpha", SIMULATED) == chat().digest("alpha", SIMULATED)
    assert len({one.digest("alpha", SIMULATED), *others}) == 5


def test_a_request_costs_at_most_its_bytes_and_the_answer_it_allows() -> None:
    request = chat(',"max_completion_tokens":100,"n":2')

    most = request.most_usd(SIMULATED, AT)

    assert most == pytest.approx((len(request.body) + 1000) * 1e-6 + 200 * 4e-6)


@pytest.mark.parametrize(("max_output", "tokens"), [(8192, 8192), (None, 131_072)])
def test_an_answer_without_a_limit_is_as_long_as_the_model_allows(
    max_output: int | None, tokens: int
) -> None:
    price = TokenPrice(input=0.0, output=1.0)
    able = OwnCapabilities(max_output=max_output)
    provider = Provider(
        dialect="openai_chat", base_url=URL, prices={"m": price}, capabilities={"m": able}
    )

    request = requests.parse("chat/completions", b'{"model":"m"}')

    assert request.most_usd(provider, AT) == pytest.approx(tokens * 1e-6)


def test_embeddings_cost_nothing_but_their_input() -> None:
    body = b'{"model":"text-embedding-3-small","input":["a"]}'

    request = requests.parse("embeddings", body)

    assert request.most_usd(SIMULATED, AT) == pytest.approx((len(body) + 1000) * 0.02e-6)


def test_a_price_that_is_not_known_is_not_guessed() -> None:
    request = requests.parse("embeddings", b'{"model":"somebody/embeds","input":"a"}')

    assert request.most_usd(SIMULATED, AT) is None


@pytest.mark.parametrize(
    "fields",
    [
        {"input": [{"role": "user", "content": [{"type": "input_image", "file_id": "f"}]}]},
        {"messages": [{"content": [{"type": "image_url", "image_url": {"url": "u"}}]}]},
        {"input": "a", "previous_response_id": "resp_1"},
    ],
)
def test_material_that_is_elsewhere_has_no_bound(fields: dict[str, Any]) -> None:
    body = json.dumps({"model": "sim-a", **fields}).encode()
    request = requests.parse("responses", body)

    with pytest.raises(PriceUnknown, match="images, files or conversations"):
        request.most_usd(SIMULATED, AT)


@pytest.mark.parametrize(
    ("more", "searching"),
    [
        ("", False),
        (',"tools":[{"type":"function","function":{"name":"web_search"}}]', False),
        (',"tools":[{"type":"web_search_preview"}]', True),
        (',"tools":[7,{"type":"openrouter:web_search"}]', True),
        (',"plugins":[{"id":"web"}]', True),
        (',"web_search_options":{}', True),
    ],
)
def test_it_is_seen_that_a_model_may_search(more: str, searching: bool) -> None:
    assert chat(more).searching is searching
