"""Batch interfaces over real HTTP: what is sent, and what odd answers come to."""

import json
from datetime import timedelta
from typing import Any

import pytest

from acm_workers.errors import (
    AcmError,
    ParameterRefused,
    ProviderPaused,
    ProviderRejected,
    ProviderUnavailable,
    RateLimited,
)
from acm_workers.providers.batches import delivery
from acm_workers.providers.batches.records import (
    BatchedRequest,
    BatchLabel,
    BatchProgress,
    BatchResult,
)
from schemas.config.provider import Dialect
from tests.support.provider_calls import RESPONSE, provider
from tests.support.scripted_server import Reply, running
from tests.support.stored import NOW

pytestmark = pytest.mark.usefixtures("closed")

LABEL = BatchLabel("01B", 2, NOW)
REQUESTS = (BatchedRequest("a-1", {"x": 1}), BatchedRequest("b-1", {"x": 2}))
ENDED = BatchProgress(ended=True, answered=2)


def lines(*values: Any) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def test_a_batch_of_openai_is_a_file_of_lines_with_our_id_in_its_metadata() -> None:
    with running(Reply(body={"id": "file-1"}), Reply(body={"id": "batch_1"})) as server:
        there = provider(server, "openai")
        found = delivery.of(there).submit(there, "alpha", LABEL, "m1", REQUESTS)

    upload, created = server.seen
    sent = [json.loads(line) for line in upload.raw.splitlines() if line.startswith(b"{")]
    assert found == "batch_1"
    assert b'filename="acm-01B.jsonl"' in upload.raw
    assert sent[0] == {
        "custom_id": "a-1", "method": "POST", "url": "/v1/responses", "body": {"x": 1}
    }  # fmt: skip
    assert created.body == {
        "input_file_id": "file-1", "endpoint": "/v1/responses", "completion_window": "24h",
        "metadata": {"acm_batch": "01B"},
    }  # fmt: skip


def test_a_batch_is_found_on_a_later_page_of_the_list() -> None:
    at = NOW.timestamp()
    other = {"id": "batch_9", "metadata": {"acm_batch": "other"}, "created_at": at + 60}
    ours = {"id": "batch_1", "metadata": {"acm_batch": "01B"}, "created_at": at + 1}
    pages = [{"data": [other, other], "has_more": True}, {"data": [ours], "has_more": False}]

    with running(*(Reply(body=page) for page in pages)) as server:
        there = provider(server, "openai")
        found = delivery.of(there).find(there, "alpha", LABEL)

    assert found == "batch_1"
    assert server.seen[1].path.endswith("batches?limit=100&after=batch_9")


def test_a_list_is_not_read_beyond_the_time_when_a_batch_was_sent() -> None:
    old = {"id": "batch_9", "created_at": (NOW - timedelta(days=2)).timestamp()}

    with running(Reply(body={"data": [old], "has_more": True})) as server:
        there = provider(server, "openai")
        found = delivery.of(there).find(there, "alpha", LABEL)

    assert found is None
    assert len(server.seen) == 1


def test_of_anthropics_batches_the_oldest_one_of_that_size_is_taken() -> None:
    def batch(id: str, size: int, seconds: float) -> dict[str, Any]:
        created = (NOW + timedelta(seconds=seconds)).isoformat()
        return {"id": id, "request_counts": {"processing": size}, "created_at": created}

    found_there = [batch("b4", 2, 90), batch("b3", 2, 60), batch("b2", 3, 30), batch("b1", 2, 5),
                   batch("b0", 2, -3600)]  # fmt: skip
    label = LABEL._replace(others=frozenset({"b1"}))

    with running(Reply(body={"data": found_there, "has_more": True})) as server:
        there = provider(server, "anthropic")
        found = delivery.of(there).find(there, "alpha", label)

    assert found == "b3"


@pytest.mark.parametrize("dialect", ["openai", "anthropic", "google"])
@pytest.mark.parametrize("id", [None, "../files", "a b", 7, "x" * 300])
def test_an_id_that_cannot_stand_in_an_address_is_refused(dialect: Dialect, id: object) -> None:
    upload = [Reply(body={"id": "file-1"})] if dialect == "openai" else []

    with running(*upload, Reply(body={"id": id, "name": id})) as server:
        there = provider(server, dialect)
        with pytest.raises(ProviderUnavailable) as caught:
            delivery.of(there).submit(there, "alpha", LABEL, "m1", REQUESTS)

    assert caught.value.maybe_billed


@pytest.mark.parametrize(
    ("dialect", "answer", "expected"),
    [
        ("openai",
         lines({"custom_id": "a-1", "response": {"status_code": 200, "body": {"id": "r"}}},
               {"custom_id": "b-1", "response": None, "error": {"code": "batch_expired"}},
               {"custom_id": None}, [], "text"),
         [BatchResult("a-1", 200, {"id": "r"}),
          BatchResult("b-1", None, {"code": "batch_expired"}, "expired")]),
        ("anthropic",
         lines({"custom_id": "a-1", "result": {"type": "succeeded", "message": {"id": "r"}}},
               {"custom_id": "b-1", "result": {"type": "errored", "error": {
                   "error": {"type": "overloaded_error"}}}},
               {"custom_id": "c-1", "result": {"type": "canceled"}},
               {"custom_id": "d-1", "result": 7})
         + b"no JSON\n",
         [BatchResult("a-1", 200, {"id": "r"}),
          BatchResult("b-1", 529, {"error": {"type": "overloaded_error"}}),
          BatchResult("c-1", None, None, "cancelled"),
          BatchResult("d-1", None, None, "failed")]),
        ("google",
         json.dumps({"response": {"inlinedResponses": {"inlinedResponses": [
             {"metadata": {"key": "a-1"}, "response": {"responseId": "r"}},
             {"metadata": {"key": "b-1"}, "error": {"code": 8, "message": "slow"}},
             {"metadata": {"key": "c-1"}, "error": {"code": 4}},
             {"metadata": 7, "response": {}}, None]}}}).encode(),
         [BatchResult("a-1", 200, {"responseId": "r"}),
          BatchResult("b-1", 429, {"error": {"code": 429, "message": "slow"}}),
          BatchResult("c-1", None, None, "expired")]),
    ],
)  # fmt: skip
def test_results_are_read_one_by_one_and_odd_ones_left_out(
    dialect: Dialect, answer: bytes, expected: list[BatchResult]
) -> None:
    with running(Reply(body=answer)) as server:
        there = provider(server, dialect)
        progress = ENDED._replace(results=("file-2",))
        found = list(delivery.of(there).fetch(there, "alpha", "b1", progress))

    assert found == expected


@pytest.mark.parametrize("dialect", ["openai", "anthropic", "google"])
def test_a_page_that_is_no_answer_of_the_api_ends_no_batch(dialect: Dialect) -> None:
    with running(Reply(body=b"<html>busy</html>")) as server:
        there = provider(server, dialect)
        with pytest.raises(ProviderUnavailable):
            delivery.of(there).poll(there, "alpha", "b1")


@pytest.mark.parametrize(
    ("dialect", "body", "expected"),
    [
        ("openai", {"status": "failed", "errors": {"data": [{"message": "no such model"}]}},
         BatchProgress(ended=True, answered=0, failure="no such model")),
        ("openai", {"status": "finalizing", "request_counts": {"completed": 4, "failed": 1}},
         BatchProgress(ended=False, answered=5)),
        ("anthropic", {"processing_status": "canceling", "request_counts": {"processing": 2}},
         BatchProgress(ended=False, answered=0)),
        ("google", {"metadata": {"state": "JOB_STATE_FAILED"}, "error": {"message": "no"}},
         BatchProgress(ended=True, answered=0, failure="no")),
        ("google", {"metadata": {"state": "BATCH_STATE_RUNNING",
                                 "batchStats": {"successfulRequestCount": "3"}}},
         BatchProgress(ended=False, answered=3)),
    ],
)  # fmt: skip
def test_a_look_tells_how_far_a_batch_is(
    dialect: Dialect, body: dict[str, Any], expected: BatchProgress
) -> None:
    with running(Reply(body=body)) as server:
        there = provider(server, dialect)
        found = delivery.of(there).poll(there, "alpha", "b1")

    assert found == expected


@pytest.mark.parametrize(
    ("result", "kind"),
    [
        (BatchResult("a", 429, {"error": {"code": "rate_limit_exceeded"}}), RateLimited),
        (BatchResult("a", 400, {"error": {"code": "unsupported_value", "param": "temperature"}}),
         ParameterRefused),
        (BatchResult("a", 400, {"error": {"message": "bad"}}), ProviderRejected),
        (BatchResult("a", 401, {"error": {"code": "invalid_api_key"}}), ProviderPaused),
        (BatchResult("a", 200, "text"), ProviderUnavailable),
        (BatchResult("a", None, None, "missing"), ProviderUnavailable),
    ],
)  # fmt: skip
def test_a_failed_result_is_the_error_that_the_request_would_have_had_by_itself(
    result: BatchResult, kind: type[AcmError]
) -> None:
    with running() as server, pytest.raises(kind) as caught:
        delivery.read(provider(server, "openai"), "alpha", result)

    assert caught.value.final


def test_an_answer_in_a_batch_has_the_price_of_batches_whatever_its_provider_says() -> None:
    with running() as server:
        found = delivery.read(provider(server, "openai"), "alpha", BatchResult("a", 200, RESPONSE))

    assert found.usage.service_tier == "batch"
    assert found.usage.input_tokens is not None
