import pytest

from acm_workers.errors import RequestError
from acm_workers.providers.http import endpoints, responses
from schemas.config.provider import Provider

LOCAL = "http://127.0.0.1:8077/v1"
FAR = "https://api.example.com/v1"


def provider(base_url: str = FAR, key_env: str | None = "ALPHA_KEY") -> Provider:
    return Provider(dialect="openai_chat", base_url=base_url, key_env=key_env)


def test_key_is_read_from_the_named_variable_without_its_line_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ALPHA_KEY", "secret-value\n")

    assert endpoints.api_key(provider(), "alpha") == "secret-value"


def test_missing_key_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ALPHA_KEY", raising=False)

    with pytest.raises(RequestError, match=r"alpha.*ALPHA_KEY"):
        endpoints.api_key(provider(), "alpha")


def test_key_that_cannot_be_sent_is_refused_without_showing_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ALPHA_KEY", "secret\nvalue")

    with pytest.raises(RequestError, match="ALPHA_KEY") as caught:
        endpoints.api_key(provider(), "alpha")

    assert "secret" not in repr(caught.value)


def test_only_a_local_server_needs_no_key() -> None:
    assert endpoints.api_key(provider(LOCAL, None), "alpha") is None

    with pytest.raises(RequestError, match="no key_env"):
        endpoints.api_key(provider(FAR, None), "alpha")


@pytest.mark.parametrize(
    ("base_url", "expected"),
    [
        (LOCAL, True),
        ("http://localhost:1/v1", True),
        ("http://[::1]:1/v1", True),
        ("http://127.8.9.1/v1", True),
        ("http://127.0.0.1.example.com/v1", False),
        ("http://10.0.0.1/v1", False),
        (FAR, False),
    ],
)
def test_loopback_is_told_from_other_addresses(base_url: str, expected: bool) -> None:
    assert endpoints.is_loopback(base_url) is expected


@pytest.mark.parametrize("base_url", ["", "alpha", "ftp://example.com/v1", "http://", "http://[1"])
def test_what_is_no_address_is_refused(base_url: str) -> None:
    with pytest.raises(RequestError, match="base_url"):
        endpoints.host(base_url)


def test_own_parameter_names_apply_at_openai_and_azure_only() -> None:
    assert endpoints.is_openai("https://api.openai.com/v1")
    assert endpoints.is_openai("https://mine.openai.azure.com/openai/v1/")
    assert not endpoints.is_openai("https://api.openai.com.example.com/v1")


@pytest.mark.parametrize(
    "raw",
    [
        b'{"a": 1}',
        b'\xef\xbb\xbf{"a": 1}',
        b'\n\n  {"a": 1}\n',
        b': PROCESSING\n\n: PROCESSING\n\n{"a": 1}',
    ],
)
def test_json_is_read_through_what_gateways_put_around_it(raw: bytes) -> None:
    assert responses.parse_json(raw) == ({"a": 1}, "")


def test_broken_utf8_and_single_surrogates_do_not_lose_an_answer() -> None:
    assert responses.parse_json(b'{"a": "x\xff"}')[0] == {"a": "x\ufffd"}
    assert responses.parse_json(rb'{"a": "x\ud83d"}')[0] == {"a": "x\ud83d"}


def test_what_is_no_json_keeps_its_beginning() -> None:
    body, excerpt = responses.parse_json(b"<html>" + b"x" * 5000)

    assert body is None
    assert excerpt.startswith("<html>")
    assert len(excerpt) == responses.EXCERPT_CHARACTERS


def test_text_becomes_what_a_store_can_hold() -> None:
    assert responses.storable("a\x00b") == "a\ufffdb"
    assert responses.storable("x\ud83d\ude00y") == "x\U0001f600y"
    assert responses.storable("\ude00x\ud83dy\ud83d") == "\ufffdx\ufffdy\ufffd"
