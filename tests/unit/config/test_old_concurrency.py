"""How many children run at once: keys and policies of the first version."""

from pathlib import Path
from typing import Any

import pytest

from acm_api.config import version_1
from acm_api.config.draft import ConfigDraft
from acm_api.config.source import YamlFile

_REPORTS, _RUNS = "max_concurrent_reports", "max_concurrent_runs"


def _draft(**data: Any) -> ConfigDraft:
    return version_1.translate(YamlFile(Path("config.yaml"), data, {}))


def _policy(**bounds: Any) -> dict[str, Any]:
    return {"concurrency": {"gpt_researcher": bounds}}


@pytest.mark.parametrize(
    ("given", "policies", "limits"),
    [
        ({"enabled": True, _REPORTS: 3}, None, {"max_in_flight": 3}),
        ({"max_in_flight": 3}, None, {"max_in_flight": 3}),
        ({"enabled": False, _REPORTS: 3}, None, {"max_in_flight": 1}),
        ({_REPORTS: 3}, None, {"max_in_flight": 1}),
        ({"enabled": True}, None, None),
        ({"launch_delay_seconds": 2.5}, None, {"launch_delay_seconds": 2.5}),
        (
            {"enabled": True, _REPORTS: 9},
            _policy(enforce=True, max_concurrent_reports_cap=5),
            {"max_in_flight": 5},
        ),
        (None, _policy(enforce=True, max_concurrent_reports_cap=2), {"max_in_flight": 2}),
        (None, _policy(enforce=True, max_concurrent_reports_cap=8), None),
        (None, _policy(enforce=False, max_concurrent_reports_cap=2), None),
        (
            {"launch_delay_seconds": 0.5},
            _policy(enforce=True, launch_delay_seconds_min=4),
            {"launch_delay_seconds": 4},
        ),
    ],
)
def test_limits_are_kept_within_the_bounds_that_policies_enforce(
    given: dict[str, Any] | None, policies: dict[str, Any] | None, limits: dict[str, Any] | None
) -> None:
    data = {"concurrency": {"gpt_researcher": given}, "policies": policies}
    draft = _draft(**data)

    assert draft.problems == []
    assert (draft.data.get("concurrency") or {}).get("gpt_researcher") == limits


def test_each_part_has_its_own_limits_and_the_key_that_they_come_from() -> None:
    draft = _draft(
        concurrency={
            "multi_agent": {"enabled": True, _RUNS: 2},
            "fpf": {"max_in_flight": 24},
        }
    )

    assert draft.data["concurrency"] == {
        "multi_agent": {"max_in_flight": 2},
        "fpf": {"max_in_flight": 24},
    }
    assert draft.sources["concurrency", "multi_agent", "max_in_flight"] == (
        "concurrency", "multi_agent", _RUNS
    )  # fmt: skip


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            {"concurrency": {"multi_agent": {"enabled": "maybe"}}},
            "concurrency.multi_agent.enabled must be true or false",
        ),
        (
            {"concurrency": {"multi_agent": {_RUNS: 2, "max_in_flight": 2}}},
            "say the same thing",
        ),
        (
            {"policies": _policy(enforce=True, max_concurrent_reports_cap="two")},
            "max_concurrent_reports_cap must be a number",
        ),
    ],
)
def test_what_cannot_be_understood_is_refused(data: dict[str, Any], message: str) -> None:
    (problem,) = _draft(**data).problems

    assert message in problem.message


def test_a_limit_that_is_no_number_is_left_to_validation() -> None:
    draft = _draft(
        concurrency={"gpt_researcher": {"enabled": True, _REPORTS: "many"}},
        policies=_policy(enforce=True, max_concurrent_reports_cap=2),
    )

    assert draft.data["concurrency"]["gpt_researcher"] == {"max_in_flight": "many"}
