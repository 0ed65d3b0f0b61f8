"""Faults of providers, models and GPT Researcher itself: each ends in time, with its reason."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support import configs, research_runs
from tests.support.intercepting_proxy import Reply
from tests.support.research_runs import Research

_WITHIN_S = 40.0


class _Fault(NamedTuple):
    """A candidate and how it must end.

    Attributes:
        cause: The child's own name of what went wrong.
        is_priced: Whether each answer came with what it took; else the cost is not known.
        is_replaced: Whether the provider counts the longer answers that it had for those it gave.
    """

    model: str
    kind: str = "gptr"
    provider: str = "alpha"
    options: dict[str, Any] = {}  # noqa: RUF012  never changed
    state: str = "failed"
    error: str | None = "child_failed"
    exit_code: int = 4
    cause: str | None = "provider"
    is_priced: bool = True
    is_replaced: bool = False


_DONE: dict[str, Any] = {"state": "done", "error": None, "exit_code": 0, "cause": None}
_FAULTS = {
    "refused three times for its rate": _Fault("late@O1x3", **_DONE),
    # It is retried for a quarter of its time.
    "refused for its rate for ever": _Fault(
        "limited@O1*", options={"timeout_seconds": 60}, cause="rate_limited"
    ),
    "model unknown": _Fault("gone@O8*.404", cause="model_not_found"),
    "error 500 for ever": _Fault("broken@500"),
    "empty answers": _Fault("empty@O15*.text"),
    "a page instead of an answer": _Fault("page@T7*", is_priced=False),
    "answers cut off": _Fault("cut@T6*", is_priced=False),
    "no answer": _Fault("hangs@L300", exit_code=6, cause="timeout", is_priced=False),
    "no answer to a deep report": _Fault(
        "silent@L300", "dr", exit_code=6, cause="timeout", is_priced=False
    ),
    "stream cut": _Fault(
        "stream",
        provider="beta",
        error="empty_answer",
        exit_code=5,
        cause="empty_report",
        is_priced=False,
    ),
    "usage missing": _Fault("nousage@O23*", is_priced=False, **_DONE),
    "prose instead of a list": _Fault(
        "prose@C17*.plain", exit_code=1, cause="bug", is_replaced=True
    ),
    "embeddings broken": _Fault("m2", options={"embedding": "e1@500"}),
    "reviewer never satisfied": _Fault(
        "strict", "ma", options={"follow_guidelines": True}, exit_code=7, cause="too_many_steps"
    ),
}  # fmt: skip


_KEY = Reply(401, {"error": {"message": "Incorrect API key.", "code": "invalid_api_key"}})
_CUT = Reply(
    200,
    b'data: {"id":"1","choices":[{"index":0,"delta":{"content":"The rep"}}]}\n\n',
    {"Content-Type": "text/event-stream", "Content-Length": "10000", "Connection": "close"},
)


def _cut_streams(body: bytes) -> Reply | None:
    return _CUT if json.loads(body or b"{}").get("stream") else None


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Research:
    entries = [
        {
            "type": fault.kind,
            "provider": fault.provider,
            "model": fault.model,
            "research": {"timeout_seconds": _WITHIN_S, **fault.options},
        }
        for fault in _FAULTS.values()
    ]
    return research_runs.run(
        tmp_path_factory.mktemp("faults") / "project",
        *entries,
        beta=_cut_streams,
        guidelines="Always ask for another revision.",
        pairwise={"enabled": False},
        retries={"attempts": 3, "base_delay_seconds": 0.1, "give_up_after": None},
    )


@pytest.mark.parametrize("name", _FAULTS)
def test_a_fault_ends_in_time_with_state_reason_and_exit_code(done: Research, name: str) -> None:
    fault = _FAULTS[name]
    row = _candidate(done, name)
    child = json.loads(row[2])

    assert (row[0], row[1]) == (fault.state, fault.error), child
    assert (child["exit_code"], child["error_code"]) == (fault.exit_code, fault.cause), child
    assert child["wall_s"] < _WITHIN_S + 15


@pytest.mark.parametrize("name", _FAULTS)
def test_a_fault_costs_what_the_provider_counted_for_it_or_an_unknown_sum(
    done: Research, name: str
) -> None:
    fault = _FAULTS[name]
    *_, child, unit_id = _candidate(done, name)
    query = "select sum(cost_usd) from calls where unit_id = ? and not cached"
    ((booked_usd,),) = done.project.rows(query, unit_id)
    price = configs.PRICE
    counted_usd = sum(
        one["input_tokens"] * price["input"] + one["output_tokens"] * price["output"]
        for one in done.served
        if one["model"] == fault.model and one["status"] == 200
    )

    told_usd = json.loads(child)["cost_usd"]
    if fault.is_priced:
        if fault.is_replaced:
            assert 0 < told_usd < counted_usd / 1e6
        else:
            assert told_usd == pytest.approx(counted_usd / 1e6, abs=1e-12)
        assert (booked_usd or 0) == pytest.approx(told_usd, abs=1e-12)
    else:
        assert told_usd is None
        assert (booked_usd or 0) <= counted_usd / 1e6 + 1e-12


def _candidate(done: Research, name: str) -> Any:
    """Return state, kind of the error, child and id of the candidate that meets a fault."""
    variant = 2 + list(_FAULTS).index(name)
    query = "select state, error_kind, child, artifact_id from artifacts where variant = ?"
    (row,) = done.project.rows(query, variant)
    return row


def test_no_call_is_left_open_and_each_one_is_counted(done: Research) -> None:
    assert done.project.number("select count(*) from calls where state = 'started'") == 0
    # What was cut did not come to the provider that counts.
    cut = "where not cached and not (provider = 'beta' and state = 'uncertain')"
    sent = done.project.number(f"select count(*) from calls {cut}")  # noqa: S608
    assert sent == done.stats["requests"]


def test_a_refused_key_ends_a_deep_report_at_its_first_call_and_pauses_its_provider(
    tmp_path: Path,
) -> None:
    refused = list[bytes]()

    def refuse(body: bytes) -> Reply:
        refused.append(body)
        return _KEY

    entry = {"type": "dr", "provider": "beta", "model": "m2"}
    ended = research_runs.run(tmp_path / "project", entry, beta=refuse)

    assert (ended.end.code, len(refused)) == (4, 1), ended.end.err
    assert "invalid_api_key" in ended.end.err + ended.end.out
    project = ended.project
    assert project.rows("select state from artifacts where generator = 'dr'") == [("planned",)]
    about = "state, status, coalesce(cost_usd, 0)"
    query = f"select {about} from calls where provider = 'beta'"  # noqa: S608
    assert project.rows(query) == [("failed", 401, 0)]
