"""The tables of documents and models in the live view, and what they are read from."""

import io
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table

from acm_api.cli.view.activity import ActivityTables
from acm_workers.store.activity import DocumentActivity, ModelActivity, RunActivity

SEEN = RunActivity(
    documents=tuple(
        DocumentActivity(
            f"part/{number}\x1b[31m.md", "compare", {"artifact": (4, 4), "comparison": (2, 9)}
        )
        for number in range(6)
    ),
    left_out=40,
    models=(
        ModelActivity("alpha:swift", 120, 8, 3, 1.25),
        ModelActivity("beta:deep", 7, 0, 0, 0.0),
    ),
)


def drawn(width: int, rows: int) -> tuple[list[str], list[int]]:
    """Return the lines of the tables, and the numbers of documents that were asked for."""
    asked: list[int] = []

    def read(most: int) -> RunActivity:
        asked.append(most)
        return SEEN

    table = ActivityTables(read).draw(width, rows)
    return lines(table, width), asked


def lines(table: Table | None, width: int) -> list[str]:
    if table is None:
        return []
    out = io.StringIO()
    Console(file=out, width=width, color_system=None).print(table)
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_a_wide_terminal_has_models_beside_documents() -> None:
    found, asked = drawn(140, 8)

    assert found[0].split() == [
        "document", "stage", "texts", "scores", "pairs", "model", "calls", "now", "failed", "USD",
    ]  # fmt: skip
    assert found[1].split() == [
        "part/0\N{REPLACEMENT CHARACTER}[31m.md", "compare", "4/4", "2/9",
        "alpha:swift", "120", "8", "3", "$1.25",
    ]  # fmt: skip
    assert asked == [6]


def test_a_narrow_terminal_has_them_one_below_the_other() -> None:
    found, _ = drawn(80, 14)

    headings = [line.split()[0] for line in found if line.startswith(("document", "model"))]
    assert headings == ["document", "model"]
    assert "part/4" in found[5]
    assert "41 more" in found[6]


@pytest.mark.parametrize("width", [40, 80, 100, 120, 200])
@pytest.mark.parametrize("rows", [0, 4, 10, 30])
def test_tables_stay_within_the_terminal(width: int, rows: int) -> None:
    found, _ = drawn(width, rows)

    assert len(found) <= rows
    assert all(len(line) <= width for line in found)


def test_the_store_is_not_asked_at_every_turn(tmp_path: Path) -> None:
    asked: list[int] = []

    def read(most: int) -> RunActivity:
        asked.append(most)
        return SEEN

    tables = ActivityTables(read)
    for _ in range(5):
        tables.draw(120, 10)

    assert len(asked) == 1


def test_a_document_whose_texts_are_all_written_is_in_score() -> None:
    written = DocumentActivity("a.md", "generate", {"artifact": (4, 4), "evaluation": (1, 8)})
    writing = DocumentActivity("b.md", "generate", {"artifact": (3, 4)})

    table = ActivityTables(lambda _: RunActivity((written, writing), 0, ())).draw(120, 10)

    assert [line.split()[1] for line in lines(table, 120)[1:3]] == ["score", "generate"]
