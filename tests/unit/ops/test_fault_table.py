"""The table of faults and reactions, held to the catalogue, to its tests and to its page."""

import re
from collections import Counter
from pathlib import Path

import pytest

from acm_workers.simulator.faults import registry
from ops import fault_table
from tests.support.faults import form
from tests.support.faults.form import Row
from tests.support.faults.table import FAMILIES, NEVER, Family

_TESTS = Path(__file__).parents[2] / "integration" / "calls"
ROWS = [row for family in FAMILIES for row in family.rows]


def _said(row: Row) -> set[str]:
    """Return the fault and the variant of it that a row is about."""
    (wish,) = registry.parse_requests((row.wish,))
    return {row.number, f"{row.number}.{wish.variant}"}


def test_the_page_is_what_the_script_writes() -> None:
    assert fault_table.PAGE.read_text("utf-8") == fault_table.page()


def test_every_fault_and_every_variant_has_a_row_or_a_reason() -> None:
    told = set(NEVER) | {"T1", "T2"}
    told |= {one for row in ROWS if row.number not in told for one in _said(row)}

    for entry in registry.catalogue():
        wanted = {f"{entry.number}.{variant}" for variant in entry.variants} or {entry.number}
        assert entry.number in NEVER or wanted <= told, entry.number


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.letter)
def test_rows_stand_in_their_family_and_can_happen(family: Family) -> None:
    dialects = {entry.number: entry.dialects for entry in registry.catalogue()}

    assert {row.number[0] for row in family.rows} == {family.letter}
    for row in family.rows:
        assert set(row.dialects) <= set(dialects[row.number]) or row.number in ("T1", "T2")
        assert row.number not in NEVER


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.letter)
def test_every_row_has_a_test(family: Family) -> None:
    text = (_TESTS / family.file).read_text("utf-8")
    names = Counter(case.name for case in form.cases(family.rows))

    assert set(names.values()) == {1}
    for test in {family.test, *(row.test for row in family.rows if row.test)}:
        assert re.search(rf"^def {test}\(", text, re.MULTILINE), test


def test_units_that_end_well_end_with_a_call_that_is_done() -> None:
    for row in ROWS:
        assert (row.calls[-1].state == "done") >= (row.end == "done"), row.wish


def test_reactions_that_ask_again_ask_again() -> None:
    once = {"accept", "fail", "pause", "poll again"}

    for row in ROWS:
        assert (len(row.calls) == 1) == (row.reaction in once), row.wish
