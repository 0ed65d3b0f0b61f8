import json
from typing import Any

import pytest

from acm_workers.simulator.faults import registry
from acm_workers.simulator.service import SimulatedProvider
from acm_workers.simulator.settings import SimulatorSettings
from tests.support import simulated
from tests.support.simulated import DIALECTS, DialectName, Wanted

NEEDS = {entry.number: entry.needs for entry in registry.catalogue()}


def texts(fault: str, dialect: DialectName = "openai", wanted: Wanted | None = None) -> list[str]:
    """Return the good answer to a request, and the one with the fault."""
    request = simulated.arrived(dialect, wanted or simulated.meeting(NEEDS[fault.split(".")[0]]))
    outcomes = [
        SimulatedProvider(SimulatorSettings(faults=faults)).decide(request)
        for faults in ((), (fault,))
    ]
    assert [outcome.fault for outcome in outcomes] == [None, fault.split(".")[0]]
    return [simulated.text(dialect, json.loads(each.answer.body)) for each in outcomes]


def values(fault: str) -> list[Any]:
    return [json.loads(text) for text in texts(fault)]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_c1_and_c2_wrap_the_answer_in_every_dialect(dialect: DialectName) -> None:
    good, fenced = texts("C1", dialect)
    _, wrapped = texts("C2", dialect)

    assert fenced == f"```json\n{good}\n```"
    assert good in wrapped
    assert not wrapped.startswith("{")


def test_c3_gives_two_objects() -> None:
    good, equal = texts("C3.equal")
    _, different = texts("C3.different")

    second = json.loads(different.removeprefix(good))
    assert equal.split("\n\n") == [good, good]
    assert second != json.loads(good)
    assert list(second) == list(json.loads(good))


@pytest.mark.parametrize("variant", ["comma", "quotes", "nan", "comment"])
def test_c4_is_no_json(variant: str) -> None:
    def refuse(word: str) -> None:
        raise ValueError(word)

    _, bad = texts(f"C4.{variant}")

    with pytest.raises(ValueError, match=r".*"):
        json.loads(bad, parse_constant=refuse)


def test_c5_is_torn_off() -> None:
    good, torn = texts("C5")

    assert good.startswith(torn)
    assert len(torn) < len(good)


def test_c6_lacks_a_criterion() -> None:
    good, bad = values("C6")

    assert list(bad) == list(good)[:-1]


def test_c7_has_a_criterion_more_or_one_of_another_name() -> None:
    assert list(values("C7")[1]) == ["accuracy", "clear_language", "overall_impression"]
    assert list(values("C7.renamed")[1]) == ["accuracy_of_the_text", "clear_language"]
    assert list(values("C7.spelled")[1]) == ["Accuracy ", "clear_language"]


def test_c8_says_a_criterion_twice() -> None:
    def pairs(text: str) -> list[Any]:
        found: list[Any] = json.loads(text, object_pairs_hook=list)
        return found

    equal, different = pairs(texts("C8.equal")[1]), pairs(texts("C8")[1])
    rows = values("C8.array")[1]["scores"]

    assert equal[0] == equal[-1]
    assert different[0][0] == different[-1][0]
    assert different[0][1] != different[-1][1]
    assert [row["criterion"] for row in rows] == ["accuracy", "clear_language", "accuracy"]


@pytest.mark.parametrize("variant", ["above", "below", "fraction", "text", "null", "bool"])
def test_c9_has_a_score_that_is_none(variant: str) -> None:
    good, bad = values(f"C9.{variant}")

    score = bad["accuracy"]["score"]
    assert score is True or score not in {1, 2, 3, 4, 5}
    assert (score == str(good["accuracy"]["score"])) is (variant == "text")
    assert bad["clear_language"] == good["clear_language"]


def test_c10_has_a_winner_that_is_not_called_as_asked() -> None:
    winners = [
        values(f"C10.{variant}")[1]["winner"] for variant in ("both", "name", "alias", "small")
    ]

    assert winners[:2] == ["both", "the first document"]
    assert winners[2] in {"Doc A", "Doc B"}
    assert winners[3] in {"a", "b"}


def test_c11_speaks_for_the_other_side() -> None:
    _, bad = values("C11")

    assert f"Text {bad['winner']}" not in bad["reasoning"]
    assert bad["reasoning"].startswith("Text ")


def test_c12_gives_no_reason() -> None:
    scores = values("C12")[1]
    verdict = json.loads(texts("C12", wanted=simulated.meeting("a verdict as JSON"))[1])

    assert {cell["reason"] for cell in scores.values()} == {""}
    assert verdict["reasoning"] == ""


def test_c13_is_sure_in_another_unit() -> None:
    assert values("C13")[1]["confidence"] == 85
    assert values("C13.word")[1]["confidence"] == "high"


def test_c14_echoes_the_schema_or_something_else() -> None:
    assert values("C14")[1] == simulated.SCORES
    assert values("C14.other")[1] == {"result": "ok", "rating": "good"}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_c15_and_c16_leave_no_trace_of_search_and_thinking(dialect: DialectName) -> None:
    wanted = Wanted(search=True, thinking=True)
    found = [
        SimulatedProvider(SimulatorSettings(faults=(fault,))).decide(
            simulated.arrived(dialect, wanted)
        )
        for fault in ("C15", "C16")
    ]

    unsearched, unthought = (outcome.answer.body for outcome in found)
    for trace in (b"web_search_call", b"server_tool_use", b"citation", b"grounding", b"toolUse"):
        assert trace not in unsearched
    for trace in (b"Weighing", b'"type":"thinking"', b"thoughtsTokenCount"):
        assert trace not in unthought
    assert [outcome.fault for outcome in found] == ["C15", "C16"]


def test_c17_declines_in_words_or_in_json() -> None:
    plain, inside = texts("C17")[1], texts("C17.json")[1]

    assert "cannot" in plain
    assert "cannot" in json.loads(inside)["error"]


def test_c18_quotes_a_verdict_before_its_own() -> None:
    good, bad = texts("C18")

    assert bad.endswith(good)
    assert '"score": 10' in bad


def test_c19_garbles_reasons_but_no_scores() -> None:
    for variant in ("mojibake", "language"):
        good, bad = values(f"C19.{variant}")
        assert [cell["score"] for cell in bad.values()] == [cell["score"] for cell in good.values()]
    assert "Ã" in texts("C19")[1]


def test_c20_is_short_or_ends_in_mid_sentence() -> None:
    good, short = texts("C20")
    _, cut = texts("C20.cut")

    assert len(short.split()) == 20
    assert good.startswith(cut)
    assert cut[-1] not in ".!?\n"
