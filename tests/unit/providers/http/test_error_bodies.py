from typing import Any

import pytest

from acm_workers.providers.http import failures
from acm_workers.providers.http.responses import ProviderResponse


def told(status: int, body: Any) -> str:
    answer = ProviderResponse("alpha", status, body=body)
    return failures.describe(answer, failures.read_error(failures.error_object(body), answer))


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "no such model", "code": "model_not_found"}},
        {"error": {"message": "no such model", "status": "NOT_FOUND", "code": 404}},
        {"type": "error", "error": {"message": "no such model", "type": "not_found_error"}},
        {"error": "no such model"},
        {"detail": "no such model"},
        {"message": "no such model"},
        [{"error": {"message": "no such model"}}],
        "no such model",
    ],
)
def test_message_is_found_in_every_shape(body: Any) -> None:
    text = told(404, body)

    assert text.startswith("alpha: HTTP 404")
    assert text.endswith("no such model")


@pytest.mark.parametrize("body", [None, [], {}, 7, {"error": {}}, {"error": {"details": [1]}}])
def test_what_says_nothing_is_told_by_its_status(body: Any) -> None:
    assert told(500, body).startswith("alpha: HTTP 500")


def test_page_of_a_gateway_shows_its_beginning() -> None:
    answer = ProviderResponse("alpha", 502, excerpt="<html>Bad gateway")

    assert "<html>Bad gateway" in failures.describe(answer, failures.read_error(None, answer))


def test_message_names_code_and_parameter() -> None:
    error = {"message": "m\n m", "code": "unsupported_value", "param": "temperature"}

    text = told(400, {"error": error})

    assert text == "alpha: HTTP 400 (unsupported_value, param temperature): m m"


def test_message_is_short_and_shows_no_key() -> None:
    said = (
        "Incorrect key sk-proj-abc***123 or sk-ant-api03-q_q in Bearer tok3n_x, "
        "not AIzaSyB1234567890. " + "x" * 5000
    )

    text = told(401, {"error": {"message": said}})

    assert len(text) <= failures.MAX_MESSAGE_CHARACTERS
    assert not any(key in text for key in ("abc", "api03", "tok3n", "SyB"))
    assert text.count("[key]") == 4


def test_message_holds_only_what_a_store_can_hold() -> None:
    text = told(400, {"error": {"message": "a\x00b \ud83d", "code": "x\x00"}})

    assert text == "alpha: HTTP 400 (x\ufffd): a\ufffdb \ufffd"
