"""Faults G1 to G19 of the catalogue, in the dialect of Google."""

import pytest

from tests.support.faults import check, form, google, work
from tests.support.faults.form import Case
from tests.support.faults.work import Worked

CASES = form.cases(google.ROWS)


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Worked:
    return work.work(CASES, tmp_path_factory.mktemp("faults"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_fault_of_google_gets_its_reaction_and_is_booked(case: Case, worked: Worked) -> None:
    check.check(case, worked)


def test_a_refusal_keeps_its_reason(worked: Worked) -> None:
    for wish, reason in (("G8", "PROHIBITED_CONTENT"), ("G9.spii", "SPII")):
        assert f"({reason})" in str(worked.happened[f"{wish}-google"].unit.error)


def test_thoughts_among_the_parts_are_no_part_of_the_text(worked: Worked) -> None:
    text = worked.happened["G17-google"].text

    assert text
    assert "Now the second half." not in text


def test_a_continued_answer_ends_as_one_text(worked: Worked) -> None:
    happened = worked.happened["G14-google"]

    assert [call.finish_reason for call in happened.calls] == ["pause", "stop"]
    assert happened.text
    assert happened.text.startswith("#")
    assert happened.text.endswith(".")


def test_searches_without_pages_are_searches(worked: Worked) -> None:
    (call,) = worked.happened["G16-google"].calls

    assert call.evidence.grounding == "searched"
    assert call.usage.searches


def test_what_google_leaves_out_of_its_counts_is_zero(worked: Worked) -> None:
    (call,) = worked.happened["G19-google"].calls

    assert call.usage.output_tokens == 0
