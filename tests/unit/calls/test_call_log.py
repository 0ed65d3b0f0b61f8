"""What the ledger keeps of a call's end."""

from datetime import UTC, datetime
from typing import Any

import pytest
from structlog.testing import capture_logs

from acm_workers.calls import call_log
from acm_workers.calls.context import UnitRef
from acm_workers.errors import ProviderRejected, ProviderUnavailable, RateLimited
from acm_workers.pipeline import units
from schemas.calls import Call, Completion, Message, Request, Usage
from schemas.config.provider import Provider
from schemas.units import Document
from tests.support import stored
from tests.support.stored import NOW, at

ASK = Request(provider="alpha", model="sim-a", messages=(Message(role="user", content="Write."),))
PLACE: dict[str, Any] = {"dialect": "openai_chat", "base_url": "http://127.0.0.1:1/v1"}
ALPHA = Provider(**PLACE)
TODAY = datetime(2026, 11, 20, tzinfo=UTC)
USED = Usage(input_tokens=1_000_000, output_tokens=0)


def started(model: str = "sim-a") -> Call:
    document = Document(id="d", run_id="r", path="p", key="k", created_at=NOW)
    unit = units.candidates(document, stored.config(), stored.making())[0]
    return stored.call(unit, model=model, reserved_usd=0.5, started_at=TODAY)


def answered(completion: Completion, model: str = "sim-a", provider: Provider = ALPHA) -> Call:
    return call_log.answered(started(model), completion, ASK, provider, at(1))


def said(**changes: Any) -> Completion:
    return Completion.model_validate(
        {"text": "Yes.", "finish_reason": "stop", "usage": USED} | changes
    )


def test_an_answer_costs_what_the_table_says_whatever_the_provider_does() -> None:
    call = answered(said(cost_usd=9.0))

    assert (call.cost_usd, call.price) == (1.0, "sim-* from 2020-01-01")


def test_what_the_provider_says_is_the_cost_where_the_table_says_nothing() -> None:
    call = answered(said(cost_usd=0.25), model="someone/model")

    assert (call.state, call.cost_usd, call.price) == ("done", 0.25, "provider")


def test_an_answer_is_priced_by_the_name_that_comes_back() -> None:
    alias = answered(said(model="gpt-6-luna-2026-10-01"), model="luna-latest")
    unknown = answered(said(model="my-file.gguf"))

    assert alias.price == "gpt-6-luna above 272000 from 2026-11-01"
    assert unknown.price == "sim-* from 2020-01-01"


def test_an_own_price_holds_whatever_name_comes_back() -> None:
    own = Provider.model_validate(PLACE | {"prices": {"sim-a": {"input": 7, "output": 0}}})

    assert answered(said(model="gpt-6-luna"), provider=own).cost_usd == 7.0


def test_searches_that_nobody_counted_make_the_cost_unknown() -> None:
    searching = ASK.model_copy(update={"search": True})

    call = call_log.answered(started(), said(), searching, ALPHA, at(1))

    assert (call.cost_usd, call.price) == (None, "sim-* from 2020-01-01")


def test_a_failed_call_costs_what_its_answer_says_that_it_took() -> None:
    error = ProviderUnavailable("alpha: HTTP 200 (server_error)", None, 200)
    error.usage = USED

    call = call_log.failed(started(), error, ALPHA, at(1))

    assert (call.state, call.status, call.cost_usd) == ("failed", 200, 1.0)
    assert call.usage == USED


def test_a_call_that_may_have_been_paid_is_uncertain() -> None:
    error = ProviderUnavailable("alpha: no whole answer within 5 s")
    error.maybe_billed = True

    call = call_log.failed(started(), error, ALPHA, at(1))

    assert (call.state, call.cost_usd, call.reserved_usd) == ("uncertain", None, 0.5)
    assert call.error_kind == "provider_unavailable"


@pytest.mark.parametrize("error", [RateLimited("slow down", 1.0, 429), ProviderRejected("no", 400)])
def test_a_refused_call_costs_nothing(error: RateLimited | ProviderRejected) -> None:
    call = call_log.failed(started(), error, ALPHA, at(1))

    assert (call.state, call.status, call.cost_usd) == ("failed", error.status, None)


@pytest.mark.parametrize("error", [MemoryError(), RecursionError("deep"), ValueError("a bug")])
def test_call_that_ended_for_a_reason_of_our_own_may_be_billed(error: Exception) -> None:
    call = call_log.failed(started(), error, ALPHA, at(1))

    assert (call.state, call.cost_usd) == ("uncertain", None)


def test_start_retry_and_end_of_a_call_are_logged_with_sizes_and_without_texts() -> None:
    unit = UnitRef("artifact", "u", "r", "d", 1)
    searching = ASK.model_copy(update={"search": True})

    with capture_logs() as logs:
        call_log.started(started(), searching)
        call_log.retried(unit, ASK, RateLimited("too many of you", status=429), 1.23456)
        call_log.failed(started(), ProviderUnavailable("down", status=503), ALPHA, at(1))
        answered(said())

    begun, again, lost, ended = logs
    assert (begun["event"], begun["kind"], begun["searching"]) == ("call started", "artifact", True)
    assert (begun["prompt_chars"], begun["attempt"]) == (len("Write."), 1)
    assert (begun["provider"], begun["model"], begun["run"]) == ("alpha", "sim-a", "r")
    assert (again["event"], again["retry_reason"]) == ("call retried", "rate_limited")
    assert (again["status"], again["delay_s"], again["unit"]) == (429, 1.235, "u")
    assert (lost["event"], lost["answer_chars"]) == ("call ended", None)
    assert (ended["answer_chars"], ended["input_tokens"]) == (len("Yes."), 1_000_000)
    assert not [line for line in logs if "Write." in str(line) or "Yes." in str(line)]
