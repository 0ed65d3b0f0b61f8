"""The timeline: its geometry, and what is drawn of a run."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acm_workers.reporting import document_records, work_timeline
from acm_workers.reporting.charts import axes, gantt
from acm_workers.reporting.charts.gantt import GanttChart, TimeSpan
from acm_workers.reporting.data import WorkTimeline
from tests.support import sample_records
from tests.support.records_builder import RecordsBuilder


def drawn(*lines: tuple[str, Mapping[str, Sequence[TimeSpan]]]) -> GanttChart:
    chart = gantt.gantt(lines)
    assert chart is not None
    return chart


def test_bars_lie_in_proportion_to_their_time() -> None:
    chart = drawn(
        ("one", {"wait": [TimeSpan(0, 10)], "generate": [TimeSpan(10, 30)]}),
        ("two", {"score": [TimeSpan(30, 40)]}),
    )

    assert [[(bar.kind, bar.left, bar.width) for bar in row.bars] for row in chart.rows] == [
        [("wait", 0, 25), ("generate", 25, 50)],
        [("score", 75, 25)],
    ]
    assert [row.took_s for row in chart.rows] == [30, 10]
    assert [(tick.at, tick.label) for tick in chart.ticks] == [
        (0, "0 s"), (25, "10 s"), (50, "20 s"), (75, "30 s"), (100, "40 s"),
    ]  # fmt: skip


def test_calls_at_the_same_time_are_one_bar() -> None:
    chart = drawn(
        ("one", {"score": [TimeSpan(5, 9), TimeSpan(0, 6), TimeSpan(20, 40), TimeSpan(9, 10)]})
    )

    assert [(bar.left, bar.width) for bar in chart.rows[0].bars] == [(0, 25), (50, 50)]


def test_gaps_that_nobody_sees_are_closed() -> None:
    spans = [TimeSpan(second, second + 0.999) for second in range(1000)]

    (row,) = drawn(("one", {"score": spans})).rows

    assert len(row.bars) == 1


def test_a_long_pause_is_cut_out_and_told() -> None:
    chart = drawn(("one", {"score": [TimeSpan(0, 60), TimeSpan(36_060, 36_096)]}))

    # 96 s share what the cut of 4 % leaves.
    assert [(bar.left, bar.width) for bar in chart.rows[0].bars] == [(0, 60), (64, 36)]
    assert chart.cuts == (gantt.AxisBreak(60, 4, 36_000),)
    # What follows the cut at once, 10:01, has no room for its label.
    assert [tick.label for tick in chart.ticks] == ["0 s", "30 s", "1 min", "10:01:30 h"]
    assert chart.rows[0].took_s == 36_096


def test_what_took_no_time_has_no_chart() -> None:
    assert gantt.gantt([]) is None
    assert gantt.gantt([("one", {"score": [TimeSpan(3, 3)]})]) is None


spans = st.builds(
    lambda start, length: TimeSpan(start, start + length),
    st.floats(min_value=0, max_value=1e6),
    st.floats(min_value=0.001, max_value=1e5),
)


@given(st.lists(spans, min_size=1, max_size=30))
def test_bars_and_ticks_stay_on_the_axis(some: list[TimeSpan]) -> None:
    chart = drawn(("one", {"score": some}))

    for bar in chart.rows[0].bars:
        assert -0.01 <= bar.left <= bar.left + bar.width <= 100.02
    assert all(-0.01 <= tick.at <= 100.01 for tick in chart.ticks)
    assert [tick.at for tick in chart.ticks] == sorted(tick.at for tick in chart.ticks)
    assert len(chart.ticks) <= 10
    assert len(chart.rows[0].bars) <= 200


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 s"), (0.5, "0.5 s"), (30, "30 s"), (60, "1 min"), (90, "1:30 min"),
        (3600, "1:00 h"), (5400, "1:30 h"), (3690, "1:01:30 h"),
    ],
)  # fmt: skip
def test_times_are_written_as_on_a_clock(seconds: float, said: str) -> None:
    assert gantt.clock(seconds) == said


def of(maker: RecordsBuilder) -> WorkTimeline | None:
    (known,) = document_records.document_records(maker.material())
    found = document_records.candidates(known)
    return work_timeline.of_document(known, found, found[0] if found else None)


def two() -> RecordsBuilder:
    """Return two candidates, written from 0 and 2 s on, scored from 12 and compared from 17 s."""
    maker = RecordsBuilder()
    maker.config = maker.config.model_copy(
        update={"judges": (maker.config.judges[0].model_copy(update={"iterations": 2}),)}
    )
    document = maker.document("a.md")
    ids = [maker.artifact(document, "text", number) for number in (1, 2)]
    maker.clock = 12
    for one, quality in zip(ids, (6.0, 8.0), strict=True):
        maker.evaluate(one, quality)
    maker.clock = 17
    maker.compare(document, (ids[0], ids[1]), -2.0)
    maker.rank(document)
    return maker


def test_all_calls_of_a_kind_have_a_row_and_then_each_candidate_by_its_start() -> None:
    found = of(two())

    assert found is not None
    assert found.kinds == ("generate", "score", "compare")
    rows = [(row.label, [(bar.kind, *bar.span) for bar in row.bars]) for row in found.chart.rows]
    assert rows == [
        ("Generation", [("generate", 0, 10)]),
        ("Evaluation", [("score", 12, 17.25)]),
        ("Comparison", [("compare", 17, 20)]),
        ("small-1 #1", [("generate", 0, 8), ("score", 12, 15.75), ("compare", 17, 20)]),
        ("★ small-1 #2", [("generate", 2, 10), ("score", 13.5, 17.25), ("compare", 17, 20)]),
    ]


def test_waiting_comes_before_the_call_and_the_chart_begins_with_it() -> None:
    maker = two()
    maker.calls[0] = maker.calls[0].model_copy(update={"wait_s": 4.0})

    found = of(maker)

    assert found is not None
    row = next(row for row in found.chart.rows if row.label == "small-1 #1")
    assert [(bar.kind, *bar.span) for bar in row.bars][:2] == [("wait", 0, 4), ("generate", 4, 12)]
    assert (found.waits, found.waited_s) == (1, 4.0)


def test_a_wait_of_odd_length_begins_at_zero() -> None:
    maker = two()
    maker.calls[0] = maker.calls[0].model_copy(update={"wait_s": 0.1234567})

    found = of(maker)

    assert found is not None
    assert found.chart.ticks[0] == axes.Tick(0, "0 s")


def test_combining_is_a_kind_of_its_own() -> None:
    known = sample_records.small()
    first = document_records.document_records(known)[0]

    found = work_timeline.of_document(first, document_records.candidates(first), None)

    assert found is not None
    assert found.kinds == ("generate", "score", "compare", "combine")


def test_cached_calls_were_never_under_way() -> None:
    maker = two()
    maker.calls = [call.model_copy(update={"cached": True}) for call in maker.calls]

    assert of(maker) is None


def test_a_call_without_a_known_end_is_drawn_as_its_beginning_and_counted() -> None:
    maker = two()
    maker.calls[1] = maker.calls[1].model_copy(update={"ended_at": None, "state": "started"})

    found = of(maker)

    assert found is not None
    row = next(row for row in found.chart.rows if "#2" in row.label)
    assert row.bars[0].span == TimeSpan(2, 2)
    assert found.unended == 1


def test_a_call_that_ends_before_it_begins_by_another_clock_takes_no_time() -> None:
    maker = two()
    early = maker.calls[1].started_at - timedelta(seconds=1)
    maker.calls[1] = maker.calls[1].model_copy(update={"ended_at": early})

    found = of(maker)

    assert found is not None
    row = next(row for row in found.chart.rows if "#2" in row.label)
    assert row.bars[0].span == TimeSpan(2, 2)


def test_a_run_that_only_judges_shows_no_generation() -> None:
    maker = two()
    maker.calls = maker.calls[2:]

    found = of(maker)

    assert found is not None
    assert found.kinds == ("score", "compare")


def test_candidates_that_do_not_fit_are_counted_and_still_in_the_rows_of_all() -> None:
    maker = RecordsBuilder()
    document = maker.document("a.md")
    for number in range(1, work_timeline.CANDIDATES_LIMIT + 4):
        maker.artifact(document, "text", number)

    found = of(maker)

    assert found is not None
    assert len(found.chart.rows) == 1 + work_timeline.CANDIDATES_LIMIT
    assert found.left_out == 3
    assert found.chart.rows[0].took_s == 2 * (work_timeline.CANDIDATES_LIMIT + 2) + 8


def test_a_run_has_a_row_for_each_of_its_documents() -> None:
    known = document_records.document_records(sample_records.small())

    found = work_timeline.of_run(known)

    assert found is not None
    assert [row.label for row in found.chart.rows[4:]] == [one.document.path for one in known]
