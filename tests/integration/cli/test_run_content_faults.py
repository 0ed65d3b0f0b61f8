"""Faults C1 to C19 of the catalogue: whole answers that say something wrong, through a whole run.

Each judge and each writer meets one fault with its first answer about each text.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support import configs, simulator
from tests.support.project import Outcome, Project
from tests.support.texts import first

ACCEPTED, REPAIRED, ASKED_ANEW = ["main"], ["main", "repair"], ["main", "main"]

BOTH: dict[str, list[str]] = {
    "C1": ACCEPTED,
    "C2": ACCEPTED,
    "C3.different": REPAIRED,
    "C3.equal": ACCEPTED,
    "C4.comma": REPAIRED,
    "C4.quotes": REPAIRED,
    "C4.nan": REPAIRED,
    "C4.comment": REPAIRED,
    "C5": REPAIRED,
    "C12": REPAIRED,
    "C14.schema": REPAIRED,
    "C14.other": REPAIRED,
    "C15": ASKED_ANEW,
    "C16": ASKED_ANEW,
    "C17.plain": ASKED_ANEW,
    "C17.json": ASKED_ANEW,
    "C18": REPAIRED,
    "C19.mojibake": ACCEPTED,
    "C19.language": ACCEPTED,
}
SCORES: dict[str, list[str]] = BOTH | {
    "C6": REPAIRED,
    "C7.extra": REPAIRED,
    "C7.renamed": REPAIRED,
    "C7.spelled": ACCEPTED,
    "C8.different": REPAIRED,
    "C8.equal": ACCEPTED,
    "C8.array": REPAIRED,
    "C9.above": REPAIRED,
    "C9.below": REPAIRED,
    "C9.fraction": REPAIRED,
    "C9.text": ACCEPTED,
    "C9.null": REPAIRED,
    "C9.bool": REPAIRED,
}
VERDICTS: dict[str, list[str]] = BOTH | {
    "C10.both": REPAIRED,
    "C10.name": REPAIRED,
    "C10.alias": ACCEPTED,
    "C10.small": ACCEPTED,
    "C11": ACCEPTED,
    "C13.percent": REPAIRED,
    "C13.word": REPAIRED,
}
TEXTS = ("C15", "C16", "C17.plain")
"""What happens to writers: all of these are asked for anew. Whether C20, a text without an end, can
be told from a whole one depends on the text; see ``generators.ending``."""

_EVIDENCE: dict[str, Any] = {
    "C15": {"require": {"grounding": "searched"}},
    "C16": {"require": {"reasoning": "tokens"}},
}


def model(fault: str) -> str:
    return f"sim-think@{fault}"


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Project, Outcome]]:
    """Run one document with a judge for each fault, and a writer for some."""
    judges = [
        configs.judge(model(fault), name=fault, **_EVIDENCE.get(fault, {}))
        for fault in {**SCORES, **VERDICTS}
    ]
    writers = [
        {"type": "fpf", "provider": "alpha", "model": model(fault), **_EVIDENCE.get(fault, {})}
        for fault in TEXTS
    ]
    with simulator.running(latency_s=0.0) as provider:
        names = [str(entry["model"]) for entry in (*judges, *writers)]
        prices = {name: {"input": 1.0, "output": 4.0, "search": 10.0} for name in names}
        alpha = configs.provider(provider.url, dialect="openai", prices=prices)
        config = configs.base(
            {"alpha": alpha},
            runs=writers,
            judges=judges,
            pairwise={"strategy": "round_robin", "position_swap": "none", "top_n": 2},
            playoffs={"enabled": False},
        )
        project = Project(tmp_path_factory.mktemp("project"), config, first(1))
        yield project, project.acm("run", "--json")


def asked(project: Project, table: str, key: str, judge: str) -> dict[str, list[str]]:
    """Return the stages of all calls, in their order, by unit."""
    rows = project.rows(
        f"select unit_id, stage, calls.state, cost_usd from calls join {table} on unit_id = {key}"  # noqa: S608
        " where judge = ? order by call_id",
        judge,
    )
    stages: dict[str, list[str]] = {}
    for unit, stage, state, cost_usd in rows:
        # Answers that cannot be used are answers, and paid.
        assert state == "done"
        assert cost_usd > 0
        stages.setdefault(unit, []).append(stage)
    return stages


def test_every_unit_gets_its_result_in_the_end(ran: tuple[Project, Outcome]) -> None:
    _, outcome = ran

    document = outcome.last["documents"][0]
    assert outcome.code == 0, outcome.err
    assert (document["artifacts"], document["missing"]) == (3, 0)
    assert document["evaluations"] == 3 * len({**SCORES, **VERDICTS})
    assert document["comparisons"] == len({**SCORES, **VERDICTS})


@pytest.mark.parametrize("fault", SCORES)
def test_scores_with_the_fault_are_treated_as_the_catalogue_says(
    ran: tuple[Project, Outcome], fault: str
) -> None:
    found = asked(ran[0], "eval_results", "eval_id", fault)

    assert list(found.values()) == [SCORES[fault]] * 3


@pytest.mark.parametrize("fault", VERDICTS)
def test_verdicts_with_the_fault_are_treated_as_the_catalogue_says(
    ran: tuple[Project, Outcome], fault: str
) -> None:
    found = asked(ran[0], "pairwise_comparisons", "comparison_id", fault)

    assert list(found.values()) == [VERDICTS[fault]]


@pytest.mark.parametrize("fault", TEXTS)
def test_texts_with_the_fault_are_asked_for_anew(ran: tuple[Project, Outcome], fault: str) -> None:
    rows = ran[0].rows(
        "select stage, calls.state from calls join artifacts on unit_id = artifact_id"
        " where artifacts.model = ?",
        model(fault),
    )

    assert rows == [("main", "done")] * 2


def test_garbled_reasons_are_kept_and_flagged(ran: tuple[Project, Outcome]) -> None:
    proofs = ran[0].rows("select judge, proof from eval_results order by judge")

    flagged = {judge for judge, proof in proofs if json.loads(proof)["flags"] == ["garbled"]}
    assert flagged == {"C19.mojibake"}


def test_no_score_was_made_up(ran: tuple[Project, Outcome]) -> None:
    rows = ran[0].rows("select criteria_scores, filled from eval_results")

    assert all(json.loads(filled) == [] for _, filled in rows)
    given = {score for scores, _ in rows for score in json.loads(scores).values()}
    assert given <= set(range(1, 11))


def test_what_evidence_was_missing_is_in_the_log(ran: tuple[Project, Outcome]) -> None:
    lines = (ran[0].folder / ".acm" / "acm.log").read_text("utf-8").splitlines()

    reports = [json.loads(line) for line in lines if "evidence missing" in line]
    found = {(report["code"], *report["missing"]) for report in reports}
    assert found == {(1, "grounding"), (2, "reasoning")}
    assert all(not report["validation_summary"]["validation_passed"] for report in reports)
