"""G1 to G7 and G18: what Google refuses."""

import json
from typing import Any, Final

from acm_workers.simulator.answer import Answer
from acm_workers.simulator.asked import Asked, DialectName, Reply
from acm_workers.simulator.dialects.google import (
    TOOLS_WITH_JSON,
    error_body,
    invalid_key,
    retry_info,
)
from acm_workers.simulator.faults.fault import Case, Fault
from acm_workers.simulator.reading import mapping

_HERE: Final[tuple[DialectName, ...]] = ("google",)
_METRIC: Final = "generativelanguage.googleapis.com/generate_content_requests"
_EXCEEDED: Final = "You exceeded your current quota, please check your plan and billing details."
_DELAYS: Final = {"long": "37s", "brief": "0.3s"}


def _quota(id: str) -> dict[str, Any]:
    violation = {"quotaMetric": _METRIC, "quotaId": id, "quotaValue": "50"}
    kind = "type.googleapis.com/google.rpc.QuotaFailure"
    return {"@type": kind, "violations": [violation]}


def _limited(case: Case) -> Answer:
    details = [_quota("GenerateRequestsPerMinutePerProjectPerModel")]
    details.append(retry_info(_DELAYS[case.variant]))
    return case.refused(429, error_body(429, _EXCEEDED, details))


def _daily(case: Case) -> Answer:
    details = [_quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier"), retry_info("21s")]
    return case.refused(429, error_body(429, _EXCEEDED, details))


def _untold(case: Case) -> Answer:
    return case.refused(429, error_body(429, "Resource has been exhausted (e.g. check quota)."))


def _broken(case: Case) -> Answer:
    if case.variant == "500":
        return case.refused(500, error_body(500, "An internal error has occurred."))
    return case.refused(503, error_body(503, "The model is overloaded. Please try again later."))


def _tools_with_json(case: Case) -> Answer:
    return case.refused(400, error_body(400, TOOLS_WITH_JSON))


def _thinking(case: Case) -> Answer:
    kind = (
        "Thinking level" if "thinkingLevel" in _thinking_config(case.asked) else "Thinking budget"
    )
    return case.refused(400, error_body(400, f"{kind} is not supported for this model."))


def _key(case: Case) -> Answer:
    return case.refused(400, invalid_key())


def _list(case: Case) -> Answer:
    error = json.loads(error_body(503, "The model is overloaded. Please try again later."))
    return case.refused(503, json.dumps([error]).encode())


def _thinking_config(asked: Asked) -> Any:
    return mapping(mapping(asked.body.get("generationConfig")).get("thinkingConfig"))


def _sets_thinking(asked: Asked, _: Reply) -> bool:
    config = _thinking_config(asked)
    return "thinkingLevel" in config or "thinkingBudget" in config


def _searches_with_json(asked: Asked, _: Reply) -> bool:
    config = mapping(asked.body.get("generationConfig"))
    return asked.searches > 0 and ("responseMimeType" in config or "responseFormat" in config)


FAULTS: Final = (
    Fault("G1", "429 with RetryInfo in the body", _limited, _HERE, variants=tuple(_DELAYS)),
    Fault("G2", "429, the day's quota is used up", _daily, _HERE),
    Fault("G3", "429 without details", _untold, _HERE),
    Fault("G4", "503 UNAVAILABLE or 500 INTERNAL", _broken, _HERE, variants=("503", "500")),
    Fault(
        "G5",
        "400, no search together with JSON",
        _tools_with_json,
        _HERE,
        _searches_with_json,
        "web search with a schema",
    ),
    Fault(
        "G6",
        "400, thinking level or budget is not accepted",
        _thinking,
        _HERE,
        _sets_thinking,
        "a thinking level or budget",
    ),
    Fault("G7", "400 API_KEY_INVALID", _key, _HERE),
    Fault("G18", "an error inside a list", _list, _HERE),
)
