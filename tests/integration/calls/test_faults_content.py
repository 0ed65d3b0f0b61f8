"""Faults C1 to C20 of the catalogue: scores, verdicts and texts, each in another dialect.

``test_run_content_faults`` sends most of them through a whole run.
"""

import pytest

from schemas.units import Evaluation
from tests.support.faults import check, content, form, work
from tests.support.faults.form import Case
from tests.support.faults.work import Happened, Worked

CASES = form.cases(content.ROWS)
ALL = form.cases((*content.ROWS, *content.BROKEN_OFF))


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Worked:
    return work.work(ALL, tmp_path_factory.mktemp("faults"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_fault_of_the_content_gets_its_reaction_and_is_booked(case: Case, worked: Worked) -> None:
    check.check(case, worked)


def _flags(happened: Happened) -> tuple[str, ...]:
    proof = happened.unit.proof
    assert proof is not None
    return proof.flags


def test_odd_answers_that_are_taken_are_flagged(worked: Worked) -> None:
    for name, flags in (
        ("C1-anthropic-scores", ()),
        ("C12*-anthropic-scores", ("empty_reason",)),
        ("C12*-google-verdict", ("empty_reason",)),
        ("C19.mojibake-anthropic-scores", ("garbled",)),
        ("C19.language-google-verdict", ()),
    ):
        assert _flags(worked.happened[name]) == flags, name


def test_what_cannot_be_read_is_kept_as_it_came(worked: Worked) -> None:
    unit = worked.happened["C5*-anthropic-scores"].unit

    assert isinstance(unit, Evaluation)
    assert str(unit.raw).startswith("{")
    assert (unit.scores, unit.overall) == ({}, None)


def test_every_score_is_one_that_the_scale_has(worked: Worked) -> None:
    units = [happened.unit for happened in worked.happened.values()]

    scored = [unit for unit in units if isinstance(unit, Evaluation) and unit.state == "done"]
    assert len(scored) > 20
    assert all(unit.filled == () for unit in scored)
    assert all(set(unit.scores.values()) <= set(range(1, 11)) for unit in scored)


def test_a_text_that_breaks_off_is_asked_for_once_more_if_that_can_be_told(
    worked: Worked,
) -> None:
    found = [worked.happened[case.name] for case in ALL[len(CASES) :]]

    assert all(happened.unit.state == "done" for happened in found)
    assert {len(happened.calls) for happened in found} <= {1, 2}
    assert any(len(happened.calls) == 2 for happened in found)
    # The second one breaks off as well, so that it is taken as it is.
    flagged = [happened for happened in found if _flags(happened)]
    assert flagged
    assert all(_flags(happened) == ("unfinished",) for happened in flagged)
    assert all(len(happened.calls) == 2 for happened in flagged)
