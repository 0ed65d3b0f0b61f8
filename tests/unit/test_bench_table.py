"""What a benchmark says of its targets, to people and to machines."""

import json

import pytest

from ops.benchmarks.table import Measured, Target


@pytest.mark.parametrize(
    ("value", "at_least", "ok"),
    [(0.96, True, False), (0.97, True, True), (0.98, False, False), (0.97, False, True)],
)
def test_a_target_is_reached_on_the_right_side_of_its_limit(
    value: float, at_least: bool, ok: bool
) -> None:
    assert Target("share", value, 0.97, at_least).ok is ok


def test_machines_get_one_object_with_rows_and_targets(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Measured("b", [{"what": "x"}], [Target("share", 0.9, 0.97, True)]).show_json()

    assert json.loads(capsys.readouterr().out) == {
        "bench": "b",
        "rows": [{"what": "x"}],
        "targets": [{"name": "share", "value": 0.9, "limit": 0.97, "ok": False}],
    }


def test_people_see_which_side_of_a_limit_is_good(capsys: pytest.CaptureFixture[str]) -> None:
    targets = [Target("share", 0.9, 0.97, True), Target("seconds", 1.5, 2.0)]
    Measured("b", [{"what": "x", "seconds": None}], targets).show()

    told = capsys.readouterr().out.splitlines()[2:]
    assert told == ["MISSED share: 0.900 (at least 0.97)", "ok     seconds: 1.500 (limit 2)"]
