"""What a report says of the judges."""

import json
from datetime import UTC, datetime
from functools import cache
from itertools import combinations

import pytest

from acm_workers.ranking.agreement import Alpha
from acm_workers.reporting import judges, report
from schemas.config.config import Config
from schemas.config.judging import Judge, Pairwise, PositionSwap
from schemas.run import RunRecords
from schemas.units import Comparison, Winner
from tests.support import records_builder
from tests.support.judging_records import comparison
from tests.support.markup import Markup
from tests.support.records_builder import RecordsBuilder

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


def config(*named: Judge, swap: PositionSwap = "random") -> Config:
    known = records_builder.config()
    changed = {"judges": named or known.judges, "pairwise": Pairwise(position_swap=swap)}
    return known.model_copy(update=changed)


def material(
    verdicts: dict[str, Winner], known: Config, *, scored: dict[str, float] | None = None
) -> RunRecords:
    """Return a document of seven candidates where each judge gives every pair one verdict."""
    made = RecordsBuilder()
    made.config = known
    document = made.document("a.md")
    ids = [made.artifact(document, "word " * number, number) for number in range(1, 8)]
    for one in ids:
        for judge in known.judges:
            artifact = next(artifact for artifact in made.artifacts if artifact.id == one)
            made.evaluation(artifact, judge, 1, (scored or {}).get(judge.name, 7.0), failed=False)
    made.comparisons += [
        comparison(pair, winner, judge=name).model_copy(update={"document_id": document.id})
        for name, winner in verdicts.items()
        for pair in combinations(ids, 2)
    ]
    made.rank(document)
    return made.material()


def text(known: RunRecords) -> str:
    page = report.files(known, generated_at=NOW)["index.html"].decode()
    return " ".join(Markup(page.replace("<", " <")).text.split())


def planted(swap: PositionSwap) -> RunRecords:
    """Return one judge that always names the first, and one that names each as often."""
    known = config(swap=swap)
    biased, fair = (judge.name for judge in known.judges)
    found = material({biased: "a", fair: "a"}, known)
    turned: list[Comparison] = []
    for place, one in enumerate(found.comparisons):
        winner: Winner = "a" if one.judge == biased or place % 2 else "b"
        turned.append(one.model_copy(update={"winner": winner}))
    return found.model_copy(update={"comparisons": tuple(turned)})


@cache
def shown(swap: PositionSwap) -> str:
    return text(planted(swap))


def test_judge_with_planted_position_bias_is_shown_as_biased_and_the_fair_one_is_not() -> None:
    said = shown("random")

    assert (
        "Judge alpha:j1 is biased by position: it prefers the text shown first. The text shown "
        "first won 100 % of 21 decided comparisons (95 %: 85 % to 100 %); half would be fair. "
        "Each candidate was shown first about as often as second, so this favours none." in said
    )
    assert said.count("biased to the first") == 1
    assert "Judge beta:j2 is biased" not in said
    assert said.count("no clear bias") == 1


def test_position_bias_is_a_warning_only_where_one_order_was_always_shown() -> None:
    warning = "biased by position, and candidates were always shown in one order"

    assert f"Judge alpha:j1 is {warning}." in shown("none")
    assert warning not in shown("random")


def test_judge_of_weight_zero_is_shown_and_said_not_to_count() -> None:
    counting, silent = records_builder.config().judges
    known = config(counting, silent.model_copy(update={"weight": 0.0}))

    said = text(material({counting.name: "a"}, known))

    assert "Judge beta:j2 has a weight of 0: it is shown, but does not count." in said
    assert "weight 0, not counted" in said
    assert "nothing was judged by two judges" not in said  # one judge: there is no such table


def test_one_judge_alone_has_figures_and_no_agreement() -> None:
    (only, _) = records_builder.config().judges

    said = text(material({only.name: "a"}, config(only)))

    assert "How far the judges agree" not in said
    assert "Krippendorff's alpha Which is" not in said
    assert "First shown won" in said


def test_judge_that_always_ties_is_said_to_tell_nothing() -> None:
    said = text(material({"alpha:j1": "tie", "beta:j2": "a"}, config()))

    assert "Judge alpha:j1 called every comparison a tie: its verdicts are not informative." in said


def test_judge_without_a_judgement_is_named() -> None:
    extra = Judge(name="late <b>", provider="alpha", model="m", weight=0.0)
    known = config(*records_builder.config().judges)

    found = material({"alpha:j1": "a"}, known)
    run = found.run.model_copy(update={"config": config(*known.judges, extra)})

    assert "Without a judgement here: late <b> (weight 0)." in text(
        found.model_copy(update={"run": run})
    )


def always_failing(*named: Judge) -> RunRecords:
    """Return a document whose first judge has no result; the others have."""
    made = RecordsBuilder()
    made.config = config(*named)
    document = made.document("a.md")
    for number in (1, 2):
        made.artifact(document, "word " * number, number)
    for artifact in made.artifacts:
        for judge in named:
            made.evaluation(artifact, judge, 1, 7.0, failed=judge is named[0])
    made.rank(document)
    return made.material()


def test_a_judge_that_failed_every_time_leaves_the_result_to_others_only_if_there_are_any() -> None:
    dead, well = (Judge(name=name, provider="alpha", model=name) for name in ("dead", "well"))

    alone, beside = text(always_failing(dead)), text(always_failing(dead, well))

    assert "Judge dead failed every time." in alone
    assert "rests on the others" not in alone
    assert "Judge dead failed every time; the result rests on the others." in beside


def test_results_hold_the_judges_figures_of_the_run_and_of_each_document() -> None:
    results = json.loads(report.files(planted("random"), generated_at=NOW)["results.json"])

    for told in (results["judges"], results["documents"][0]["judges"]):
        biased = told["figures"][0]
        assert biased["name"] == "alpha:j1"
        assert biased["verdicts"]["first"]["hits"] == 21
        assert biased["verdicts"]["first"]["low"] == pytest.approx(0.8454, abs=1e-4)
        assert told["agreement"]["overall"]["units"] == 7
        assert set(told["agreement"]["criteria"]) == {
            "accuracy", "completeness", "clarity", "relevance", "formatting",
        }  # fmt: skip
        assert told["agreement"]["couples"][0]["two"] == "beta:j2"
        assert told["findings"][0].startswith("Judge alpha:j1 is biased by position")


@pytest.mark.parametrize(
    ("value", "units", "said"),
    [
        (0.8, 5, "solid"),
        (0.79, 5, "tentative"),
        (0.667, 5, "tentative"),
        (0.66, 5, "weak"),
        (-0.2, 5, "weak"),
        (None, 5, "all values are equal"),
        (None, 0, "nothing was judged by two judges"),
    ],
)
def test_agreement_is_named_by_the_rule_of_thumb(
    value: float | None, units: int, said: str
) -> None:
    assert judges.strength(Alpha(value, units, 2 * units)) == said
