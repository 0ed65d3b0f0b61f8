"""What a report says first: how sure, which models, why, what it cost, what to do."""

import re
from datetime import UTC, datetime

import pytest

from acm_workers.reporting import overview, quoting, report, word_diff
from acm_workers.reporting.charts import histogram, scatter
from acm_workers.reporting.charts.scatter import ScatterPoint
from acm_workers.reporting.data import RunReport
from schemas.calls import Evidence, Source
from tests.support import sample_records
from tests.support.records_builder import RecordsBuilder

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


def two_models(*, documents: int = 2) -> RecordsBuilder:
    """Return documents in which ``small-1`` writes much better than ``large-2``."""
    made = RecordsBuilder()
    for number in range(documents):
        document = made.document(f"{number}.md")
        good, bad = made.artifact(document, "good words", 1), made.artifact(document, "bad", 3)
        made.evaluate(good, 9.0)
        made.evaluate(bad, 4.0)
        for _ in range(3):
            made.compare(document, (good, bad), 5.0)
        made.rank(document)
    return made


def built(made: RecordsBuilder) -> RunReport:
    return report.build(made.material(state="done"), NOW)


@pytest.mark.parametrize(
    ("p_best", "word"),
    [(1.0, "clear"), (0.896, "clear"), (0.894, "likely"), (0.696, "likely"), (0.694, "toss-up"),
     (0.0, "toss-up"), (None, "not measured")],
)  # fmt: skip
def test_a_word_says_how_sure_a_winner_is_and_fits_the_rounded_percentage(
    p_best: float | None, word: str
) -> None:
    assert overview.word(p_best) == word


def test_documents_are_counted_by_how_sure_their_winner_is() -> None:
    made = two_models()
    lost = made.document("lost.md")
    made.artifact(lost, None, 1)

    found = built(made).certainty

    assert (found.documents, found.decided, found.running) == (3, 2, 1)
    assert found.clear + found.likely + found.toss_up + found.not_measured == 2


def test_models_are_ordered_by_how_probably_the_best_text_is_theirs() -> None:
    first, second = built(two_models()).model_rows

    assert (first.name, first.wins, first.of, first.texts) == ("alpha:small-1", 2, 2, 2)
    assert (second.name, second.wins, second.of) == ("beta:large-2", 0, 2)
    assert first.p_best is not None
    assert second.p_best is not None
    assert first.p_best + second.p_best == pytest.approx(1.0)
    assert first.usd_per_text == pytest.approx(0.0031)
    assert second.usd_per_text is None  # its price is not known


def test_costs_by_stage_add_up_to_the_whole() -> None:
    found = built(two_models())

    assert [stage.work for stage in found.stages] == ["generate", "score", "compare"]
    assert sum(stage.spent.usd for stage in found.stages) == pytest.approx(found.spent.usd)
    assert sum(stage.share for stage in found.stages) == pytest.approx(1.0)


def test_why_cites_judges_for_the_winner_and_for_the_runner_up() -> None:
    page = built(two_models(documents=1)).pages[0]

    assert [one.about.label for one in page.why] == ["small-1 #1", "small-1 #1", "large-2 #3"]
    assert page.why[0].context == "preferring it to large-2 #3"
    scored = page.why[2].context  # it won no comparison
    assert re.fullmatch(r"scoring its \w+ \d+ of 10", scored)


def test_a_cited_win_is_told_with_the_verdicts_of_other_judges_on_the_same_pair() -> None:
    made = two_models(documents=1)
    good, bad = (one.id for one in made.artifacts)
    made.comparisons = [
        unit.model_copy(update={"a_id": good, "b_id": bad, **ended})
        for unit, ended in zip(
            made.comparisons,
            [
                {"judge": "one", "winner": "a", "confidence": 0.38, "reason": "It is fuller."},
                {"judge": "two", "winner": "tie", "confidence": 0.9, "reason": "Both miss it."},
                {"judge": "two", "winner": "b", "confidence": 0.2, "reason": "B is shorter."},
            ],
            strict=False,
        )
    ]

    page = built(made).pages[0]

    cited = page.why[0]
    assert cited.record == "confidence 0.38, won 1, lost 1, tied 1 of 3 verdicts on this pair"
    assert cited.dissent is not None
    assert (cited.dissent.judge, cited.dissent.context) == ("two", "calling it a tie")
    assert "".join(part.text for part in cited.dissent.parts) == "Both miss it."
    shown = report.render(built(made))
    assert "Both miss it." in shown
    assert cited.record in shown


def test_verdicts_on_a_pair_that_agree_are_counted_without_a_dissent() -> None:
    page = built(two_models(documents=1)).pages[0]

    assert page.why[0].record.endswith("won 6 of 6 verdicts on this pair")
    assert page.why[0].dissent is None


def test_a_model_that_never_writes_the_best_text_is_said_to_be_dispensable() -> None:
    said = " ".join(built(two_models()).recommendations)

    assert "Leave beta:large-2 out: none of its 2 texts was the best one of 2 documents." in said


def test_a_toss_up_is_to_be_read_by_people() -> None:
    said = " ".join(report.build(sample_records.large(1, 4), NOW).recommendations)

    assert "side by side before you choose" in said


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("Text B is clearer than Text A.", "<two> is clearer than <one>."),
        ("Candidate A covers more; B stays vague.", "<one> covers more; <two> stays vague."),
        ("A is better, B is not.", "<one> is better, <two> is not."),
        ("I prefer B.", "I prefer <two>."),
        ("The text A wins over B", "<one> wins over <two>"),
        ("A careful text with vitamin B and plan B.", "A careful text with vitamin B and plan B."),
        ("a text b", "a text b"),
        ("", ""),
    ],
)
def test_letters_of_the_prompt_become_names_of_candidates(said: str, shown: str) -> None:
    parts = quoting.named(said, "one", "two")

    assert "".join(f"<{part.text}>" if part.is_name else part.text for part in parts) == shown


def test_a_long_sentence_is_cut_at_the_end_of_a_sentence() -> None:
    parts = quoting.clipped(quoting.named("Text B is short. " * 9, "one", "two"), 60)

    assert (
        "".join(part.text for part in parts)
        == "two is short. two is short. two is short. two is short. …"
    )


def test_words_that_only_one_text_has_are_marked() -> None:
    found = word_diff.diff("The red fox.\n\nThe end.", "The quick fox.\n\nThe end.")

    assert found is not None
    assert [[(span.text, span.changed) for span in row.left] for row in found.rows] == [
        [("The ", False), ("red ", True), ("fox.\n\n", False)],
        [("The end.", False)],
    ]
    assert [span.text for row in found.rows for span in row.right if span.changed] == ["quick "]
    assert found.shared == pytest.approx(0.8)


def test_a_diff_loses_no_character_of_either_text() -> None:
    left, right = sample_records.HOSTILE, sample_records.PLAIN + sample_records.HOSTILE

    found = word_diff.diff(left, right)

    assert found is not None
    assert "".join(span.text for row in found.rows for span in row.left) == left.lstrip()
    assert "".join(span.text for row in found.rows for span in row.right) == right.lstrip()


def test_texts_too_long_to_compare_are_not_compared() -> None:
    assert word_diff.diff("a" * 50_000, "b") is None


def test_the_winner_stands_beside_runner_up_parents_and_source() -> None:
    page = report.build(sample_records.small(), NOW).pages[0]

    assert page.winner is not None
    others = [one.other for one in page.diffs]
    assert page.runner_up is not None
    assert others[0] == f"{page.runner_up.label}, the runner-up"
    assert others[-1] == "the source"


def test_sources_are_told_with_those_that_the_text_cites_first() -> None:
    made = two_models(documents=1)
    pages = (Source(url="javascript:alert(1)"), Source(url="https://good.example/", cited=True))
    evidence = Evidence(grounding="cited", queries=("locks of the Marrow",), sources=pages)
    made.calls[0] = made.calls[0].model_copy(update={"evidence": evidence})

    found = built(made).pages[0].sources[made.artifacts[0].id]

    assert found.queries == ("locks of the Marrow",)
    assert [(page.url, page.link) for page in found.pages] == [
        ("https://good.example/", "https://good.example/"),
        ("javascript:alert(1)", None),
    ]
    assert found.cited == 1


def test_failures_are_grouped_by_cause() -> None:
    groups = report.build(sample_records.small(), NOW).failure_groups

    assert [(len(group.units), group.source) for group in groups] == [
        (2, "beta:j2"), (2, "beta:large-2"),
    ]  # fmt: skip


def test_a_histogram_counts_every_candidate_once() -> None:
    bins = histogram.histogram([7.0, 7.2, 9.9, 10.0], 9.9, 1, 10)

    assert sum(one.number for one in bins) == 4
    assert [(one.low, one.number) for one in bins if one.number] == [(7.0, 2), (9.5, 2)]
    assert [one.low for one in bins if one.winner] == [9.5]


def test_the_front_goes_through_what_nothing_cheaper_beats() -> None:
    points = [
        ScatterPoint(str(usd), "", "m", winner=False, usd=usd, quality=quality)
        for usd, quality in ((1.0, 5.0), (2.0, 4.0), (3.0, 8.0), (4.0, 8.0))
    ]

    chart = scatter.scatter(points)

    assert chart is not None
    at = {dot.point.usd: (dot.x, dot.y) for dot in chart.dots}
    corners = [tuple(map(float, corner.split(","))) for corner in chart.front.split()]
    assert corners == [at[1.0], (at[3.0][0], at[1.0][1]), at[3.0]]
