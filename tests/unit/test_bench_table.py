"""What a benchmark says of its targets, to people and to machines."""

import json
import signal
from pathlib import Path

import pytest

from ops.benchmarks import __main__
from ops.benchmarks.table import Interval, Measured, Target, share_interval, share_target


@pytest.mark.parametrize(
    ("value", "at_least", "ok"),
    [(0.96, True, False), (0.97, True, True), (0.98, False, False), (0.97, False, True)],
)
def test_a_target_is_reached_on_the_right_side_of_its_limit(
    value: float, at_least: bool, ok: bool
) -> None:
    assert Target("share", value, 0.97, at_least).ok is ok


@pytest.mark.parametrize(
    ("value", "at_least", "ok"),
    [(0.94, True, False), (0.96, True, True), (0.98, False, True), (1.00, False, False)],
)
def test_a_target_that_chance_may_have_missed_is_not_missed(
    value: float, at_least: bool, ok: bool
) -> None:
    interval = Interval(value - 0.02, value + 0.02)

    assert Target("share", value, 0.97, at_least, interval).ok is ok


def test_interval_of_a_share_is_wilsons() -> None:
    """Of 0 and of 10 by 10: 1.96^2 / (10 + 1.96^2) = 0.2775; of 80 by 100: 0.711 to 0.867."""
    assert share_interval([False] * 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert share_interval([True] * 10) == pytest.approx((0.7225, 1.0), abs=1e-4)
    assert share_interval([True] * 80 + [False] * 20) == pytest.approx((0.711, 0.867), abs=1e-3)


@pytest.mark.parametrize(("found", "ok"), [(100, True), (85, True), (80, False)])
def test_a_share_is_held_against_its_least_with_its_interval(found: int, ok: bool) -> None:
    target = share_target("any", [True] * found + [False] * (100 - found), 0.88)

    assert target.value == found / 100
    assert target.ok is ok


def test_machines_get_one_object_with_rows_and_targets(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Measured("b", [{"what": "x"}], [Target("share", 0.9, 0.97, True)]).show_json()

    assert json.loads(capsys.readouterr().out) == {
        "bench": "b",
        "rows": [{"what": "x"}],
        "targets": [{"name": "share", "value": 0.9, "limit": 0.97, "ok": False}],
    }


def test_machines_and_people_see_the_interval(capsys: pytest.CaptureFixture[str]) -> None:
    measured = Measured("b", [{"what": "x"}], [Target("share", 0.9, 0.97, True, Interval(0.8, 1))])
    measured.show()
    measured.show_json()

    *_, line, machine = capsys.readouterr().out.splitlines()
    assert line == "ok     share: 0.900, 0.800 to 1.000 (at least 0.97)"
    assert json.loads(machine)["targets"][0]["interval"] == [0.8, 1]


def test_people_see_which_side_of_a_limit_is_good(capsys: pytest.CaptureFixture[str]) -> None:
    targets = [Target("share", 0.9, 0.97, True), Target("seconds", 1.5, 2.0)]
    Measured("b", [{"what": "x", "seconds": None}], targets).show()

    told = capsys.readouterr().out.splitlines()[2:]
    assert told == ["MISSED share: 0.900 (at least 0.97)", "ok     seconds: 1.500 (limit 2)"]


def test_a_benchmark_without_what_it_needs_says_so_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["ops/bench", "subprocess"])
    monkeypatch.setenv("ACM_GPTR_ENVIRONMENT", str(tmp_path / "nowhere"))
    before = signal.getsignal(signal.SIGTERM)

    try:
        code = __main__.main()
    finally:
        signal.signal(signal.SIGTERM, before)

    printed = capsys.readouterr()
    assert (code, printed.out) == (2, "")
    (line,) = printed.err.splitlines()
    assert line.startswith("ops/bench subprocess: type gptr: GPT Researcher is not in")
