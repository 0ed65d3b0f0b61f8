import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from acm_workers.simulator.faults import registry
from acm_workers.simulator.service import SimulatedProvider
from acm_workers.simulator.settings import SimulatorSettings
from tests.support import simulated
from tests.support.simulated import DialectName


class Shown(NamedTuple):
    """What must be seen of a refusal.

    Attributes:
        where: The values to find, by their path in the body.
        headers: The values to find, by name.
        lacks: A header that must not be there.
    """

    fault: str
    status: int
    where: dict[str, Any]
    headers: Mapping[str, str] = MappingProxyType({})
    lacks: str = "retry-after"


def openai(fault: str, status: int, code: str | int | None, **more: Any) -> Shown:
    return Shown(fault, status, {"error.code": code} | more)


def anthropic(fault: str, status: int, kind: str, code: str | None = None) -> Shown:
    found = {"type": "error", "error.type": kind, "request_id": "req_0"}
    return Shown(fault, status, found | ({"error.details.error_code": code} if code else {}))


def google(fault: str, status: int, name: str, **more: Any) -> Shown:
    return Shown(fault, status, {"error.code": status, "error.status": name} | more)


REFUSALS: dict[DialectName, list[Shown]] = {
    "openai": [
        Shown(
            "O1",
            429,
            {"error.code": "rate_limit_exceeded"},
            {"x-ratelimit-remaining-requests": "0", "retry-after-ms": "250"},
            lacks="x-should-retry",
        ),
        openai("O2.quota", 429, "insufficient_quota"),
        openai("O2.balance", 429, "credit_balance_exhausted"),
        openai("O2.billing", 429, "billing_hard_limit_reached"),
        openai("O2.organization", 429, "organization_spend_limit_exceeded"),
        openai("O2.project", 429, "project_spend_limit_exceeded"),
        openai("O2.usage", 429, "organization_usage_limit_exceeded"),
        openai("O3.slow_down", 429, "slow_down", **{"error.type": "rate_limit_error"}),
        openai("O3.overloaded", 503, "server_is_overloaded"),
        openai("O4", 400, "unsupported_value", **{"error.param": "temperature"}),
        openai("O5.parameter", 400, "unsupported_parameter", **{"error.param": "reasoning.effort"}),
        openai("O5.value", 400, "unsupported_value", **{"error.param": "reasoning.effort"}),
        openai("O6", 400, "invalid_json_schema", **{"error.param": "text.format.schema"}),
        openai("O7", 400, "context_length_exceeded"),
        openai("O8.401", 401, "invalid_api_key"),
        openai("O8.403", 403, "unsupported_country_region_territory"),
        openai("O8.404", 404, "model_not_found"),
        openai("O25", 429, "resource_unavailable"),
    ],
    "openai_chat": [
        openai("R1", 402, 402),
        Shown(
            "R2",
            402,
            {"error.metadata.limit_source": "openrouter_in_flight_budget"},
            {"retry-after": "1"},
            lacks="x-should-retry",
        ),
        openai("R3", 403, 403, **{"error.metadata.reasons": ["violence"]}),
        openai("R9.loading", 503, 503, **{"error.message": "Loading model"}),
        openai("R9.pulled", 404, None),
    ],
    "anthropic": [
        Shown(
            "A1",
            429,
            {"error.type": "rate_limit_error"},
            {"retry-after": "1", "anthropic-ratelimit-requests-remaining": "0"},
            lacks="x-should-retry",
        ),
        Shown(
            "A2",
            429,
            {"error.details.error_code": "ramp_limit_exceeded"},
            {"retry-after": "1"},
            lacks="x-should-retry",
        ),
        anthropic("A3.contract", 429, "rate_limit_error", "contract_spend_limit_reached"),
        anthropic("A3.enforced", 429, "rate_limit_error", "enforced_spend_limit_reached"),
        anthropic("A3.billing", 402, "billing_error"),
        anthropic("A3.credit", 400, "invalid_request_error"),
        anthropic("A4.untold", 529, "overloaded_error"),
        Shown(
            "A4.told",
            529,
            {"error.type": "overloaded_error"},
            {"retry-after": "1"},
            lacks="x-should-retry",
        ),
        anthropic("A5.500", 500, "api_error"),
        anthropic("A5.504", 504, "timeout_error"),
        anthropic("A6", 400, "invalid_request_error"),
        anthropic("A7", 400, "invalid_request_error"),
        anthropic("A8", 400, "invalid_request_error"),
        anthropic("A9.complex", 400, "invalid_request_error"),
        anthropic("A9.grammar", 400, "invalid_request_error"),
        anthropic("A10", 400, "invalid_request_error"),
        anthropic("A11", 413, "request_too_large"),
    ],
    "google": [
        google("G1.long", 429, "RESOURCE_EXHAUSTED", **{"error.details.1.retryDelay": "37s"}),
        google("G1.brief", 429, "RESOURCE_EXHAUSTED", **{"error.details.1.retryDelay": "0.3s"}),
        google(
            "G2",
            429,
            "RESOURCE_EXHAUSTED",
            **{
                "error.details.0.violations.0.quotaId": (
                    "GenerateRequestsPerDayPerProjectPerModel-FreeTier"
                )
            },
        ),
        google("G3", 429, "RESOURCE_EXHAUSTED", **{"error.details": None}),
        google("G4.503", 503, "UNAVAILABLE"),
        google("G4.500", 500, "INTERNAL"),
        google("G5", 400, "INVALID_ARGUMENT"),
        google("G6", 400, "INVALID_ARGUMENT"),
        google("G7", 400, "INVALID_ARGUMENT", **{"error.details.0.reason": "API_KEY_INVALID"}),
        Shown("G18", 503, {"0.error.status": "UNAVAILABLE"}),
    ],
}
WORDS = {
    "A3.credit": "credit balance is too low",
    "A6": "temperature: Extra inputs are not permitted",
    "A7": '"thinking.type.enabled" is not supported',
    "A8": "tool_choice.type.any is not supported",
    "A9.complex": "schema is too complex",
    "A9.grammar": "compiled grammar is too large",
    "A10": "Citations cannot be enabled",
    "G5": "Tool use with a response mime type: 'application/json' is unsupported",
    "G6": "Thinking level is not supported",
    "R9.pulled": "try pulling it",
}
CASES = [(dialect, shown) for dialect, all_shown in REFUSALS.items() for shown in all_shown]


def at(body: Any, path: str) -> Any:
    for step in path.split("."):
        body = body[int(step)] if isinstance(body, list) else (body or {}).get(step)
    return body


@pytest.mark.parametrize(("dialect", "shown"), CASES, ids=lambda each: getattr(each, "fault", each))
def test_a_refusal_says_what_the_real_one_says(dialect: DialectName, shown: Shown) -> None:
    entry = {each.number: each for each in registry.catalogue()}[shown.fault.split(".")[0]]
    wanted = simulated.meeting(entry.needs)
    if entry.number == "A6":
        wanted = wanted._replace(temperature=0.5)
    service = SimulatedProvider(SimulatorSettings(faults=(shown.fault,)))

    outcome = service.decide(simulated.arrived(dialect, wanted))

    body = json.loads(outcome.answer.body)
    headers = {name.decode(): value.decode() for name, value in outcome.answer.headers}
    assert outcome.status == shown.status
    assert {path: at(body, path) for path in shown.where} == shown.where
    assert shown.headers.items() <= headers.items()
    assert shown.lacks not in headers
    assert WORDS.get(shown.fault, "") in json.dumps(body).replace('\\"', '"')
    assert not outcome.answer.billed


def test_chat_completions_name_their_own_parameters() -> None:
    service = SimulatedProvider(SimulatorSettings(faults=("O5", "O6", "O7")))
    wanted = simulated.meeting("a schema")._replace(thinking=True)

    refused = [service.decide(simulated.arrived("openai_chat", wanted)) for _ in range(3)]

    params = [json.loads(each.answer.body)["error"]["param"] for each in refused]
    assert params == ["reasoning_effort", "response_format", "messages"]


def test_all_faults_with_an_error_status_are_in_this_table_or_are_of_the_transport() -> None:
    listed = {shown.fault.split(".")[0] for _, shown in CASES}
    unlisted: set[str] = set()
    for entry in registry.catalogue():
        if entry.number[0] == "T" or entry.needs == "a message batch":
            continue
        service = SimulatedProvider(SimulatorSettings(faults=(entry.number,)))
        request = simulated.arrived(entry.dialects[0], simulated.meeting(entry.needs))
        if service.decide(request).status != 200 and entry.number not in listed:
            unlisted.add(entry.number)

    assert unlisted == set()
