"""Which messages of Redis are tasks."""

import base64
import json
from typing import Any

import pytest

from acm_workers import app


def _message(**changes: Any) -> dict[str, Any]:
    body = json.dumps([["id"], {}, {"chord": None}]).encode()
    return {
        "body": base64.b64encode(body).decode(),
        "content-type": "application/json",
        "headers": {"task": "acm.score", "id": "1"},
        "properties": {"delivery_tag": "1", "delivery_info": {}},
        **changes,
    }


def test_a_message_of_celery_is_a_task() -> None:
    assert app.is_task(_message())


@pytest.mark.parametrize(
    "message",
    [
        None,
        1,
        [],
        {},
        _message(headers=None),
        _message(headers={"task": {"a": 1}, "id": "1"}),
        _message(properties={"delivery_tag": "1"}),
        _message(body="%%%"),
        _message(body=base64.b64encode(b"[[],{}]").decode()),
        _message(body=base64.b64encode(b"[" * 100_000).decode()),
        _message(**{"content-type": "application/x-python-serialize"}),
    ],
)
def test_a_message_of_another_form_is_no_task(message: Any) -> None:
    assert not app.is_task(message)
