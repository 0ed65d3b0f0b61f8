"""Makes ``ops/faults.md``: what ACM does about each fault, and which test says so."""

import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from acm_workers.simulator.faults.registry import FaultEntry, catalogue
from tests.support.faults.form import IN_WORDS, Row, Stored, cases
from tests.support.faults.table import FAMILIES, NEVER, Family

PAGE = Path(__file__).with_name("faults.md")

_HEAD = """# What ACM does when a provider fails

Made by `ops/faults` from the simulator's catalogue (`acm simulate --list-faults`) and from the
table in `tests/support/faults`; changes below are lost. Each line is a test: a unit is worked on by
the real code, over HTTP, against the simulator with that fault, and its calls, their cost and the
simulator's own counts are compared with the line. `x.y` is variant y of fault x; `*` means that
every answer has the fault, else only the first one has.

Answers in the background meet many of these in `tests/integration/test_run_research.py` as well,
and whole runs meet C1 to C19 in `tests/integration/test_run_content_faults.py`.

| reaction | what it is |
|---|---|
"""

_COSTS = """
Of each call there is its state, its error and what is booked: *booked* is what its tokens and
searches cost, also where the answer is of no use; *nothing* is a request that was refused;
*unknown* is stored as absent, never as 0. A call that may have been paid though nobody saw an
answer is *uncertain*, and counted as such wherever calls are shown.
"""


def page() -> str:
    """Return the page as it should be."""
    words = "".join(f"| {reaction} | {said} |\n" for reaction, said in IN_WORDS.items())
    entries = {entry.number: entry for entry in catalogue()}
    families = "".join("\n" + _section(family, entries) for family in FAMILIES)
    return _HEAD + words + _COSTS + families + "\n" + _never(entries)


def main() -> int:
    """Write the page; return the exit code."""
    PAGE.write_text(page(), encoding="utf-8")
    return 0


def _section(family: Family, entries: dict[str, FaultEntry]) -> str:
    place = f"`tests/integration/{family.file}::{family.test}[…]`"
    head = (
        f"## {family.letter}: {family.title}\n\nTests: {place} with the names in the last column.\n"
    )
    lines = [_line(row, entries[row.number]) for row in family.rows]
    table = "| fault | | reaction | calls | unit | tests |\n|---|---|---|---|---|---|\n"
    return f"{head}\n{table}{''.join(lines)}{''.join(_reasons(family.rows))}"


def _line(row: Row, entry: FaultEntry) -> str:
    calls = ", then ".join(_times(call, len(list(same))) for call, same in groupby(row.calls))
    names = [f"`{case.name}`" for case in cases((row,))] or [f"`{row.test}`"]
    tests = ", ".join(names)
    return f"| {row.wish} | {entry.title} | {row.reaction} | {calls} | {row.end} | {tests} |\n"


def _times(call: Stored, times: int) -> str:
    what = {"main": "", "jsonify": " jsonify", "repair": " repair"}[call.stage]
    kind = f" {call.kind}" if call.kind else ""
    often = f"{times} times " if times > 1 else ""
    return f"{often}{call.state}{what}{kind} ({call.cost})"


def _reasons(rows: tuple[Row, ...]) -> Iterator[str]:
    """Yield why some rows are not what the provider reference says."""
    by_reason: dict[str, list[str]] = {}
    for row in rows:
        if row.why and row.wish not in by_reason.setdefault(row.why, []):
            by_reason[row.why].append(row.wish)
    if by_reason:
        yield "\nNot as the provider reference has it:\n\n"
    for why, wishes in by_reason.items():
        yield f"- {', '.join(wishes)}: {why}.\n"


def _never(entries: dict[str, FaultEntry]) -> str:
    lines = [
        f"| {wish} | {entries[wish.partition('.')[0]].title} | {why} |\n"
        for wish, why in NEVER.items()
    ]
    head = "## Faults without a test\n\n| fault | | why |\n|---|---|---|\n"
    return head + "".join(lines)


if __name__ == "__main__":
    sys.exit(main())
