"""Faults O1 to O25 of the catalogue, each in the dialects that the table names."""

import pytest

from tests.support.faults import check, form, openai, work
from tests.support.faults.form import Case
from tests.support.faults.work import Worked

CASES = form.cases(openai.ROWS)


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Worked:
    return work.work(CASES, tmp_path_factory.mktemp("faults"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_fault_of_openai_gets_its_reaction_and_is_booked(case: Case, worked: Worked) -> None:
    check.check(case, worked)


def test_commentary_is_no_part_of_the_text(worked: Worked) -> None:
    text = worked.happened["O17-openai"].text

    assert text
    assert "I will look at the criteria" not in text


def test_a_text_that_is_too_long_is_told_in_words_for_people(worked: Worked) -> None:
    assert "the texts are too long for this model" in str(worked.happened["O7-openai"].unit.error)


def test_a_snapshot_is_priced_by_the_name_that_answered(worked: Worked) -> None:
    (call,) = worked.happened["O24-openai"].calls

    assert call.model.startswith("gpt-6-luna@")
    assert str(call.price).startswith("gpt-6-luna from ")


def test_researches_are_called_off_at_their_deadline_and_not_before(worked: Worked) -> None:
    background = worked.stats["background"]

    assert background["submitted"] == 6
    assert background["cancels"] == 2
