"""How two rankings of the same candidates look side by side, and whose winners are delivered."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from acm_api.cli.show import console, number
from acm_api.cli.terminal import plain
from acm_api.files import delivered, export
from acm_workers.store import documents
from acm_workers.store.connection.database import Database
from schemas.rejudged import CandidateResult, DocumentChange, RejudgedResult
from schemas.run import Run

_HEADINGS = ("candidate", "rank", "was", "score", "was", "won", "was")


def print_changes(found: RejudgedResult) -> None:
    """Print, for each document, the new ranking beside the earlier one, and what changed it."""
    out = console()
    for change in found.changes:
        out.print()
        _print(change, out)
    changed = [change for change in found.changes if change.winner_changed]
    decided = [change for change in found.changes if change.winner_changed is not None]
    out.print(
        Text(
            f"\nwinner changed in {len(changed)} of {len(decided)} documents that both runs decided"
        )
    )


def undelivered(database: Database, found: Run) -> list[str]:
    """Return how winners get into their folder that judging again leaves as it is, for people."""
    with database.read() as connection:
        won = any(one.winner_id for one in documents.of_run(connection, found.id))
    folder = export.folders(found.config).winners
    there = delivered.runs(database, found, folder)
    if not won or found.id in there:
        return []
    command = f"`acm export {found.id}` puts"
    if there:
        runs = ", ".join(sorted(there))
        return [f"{folder} still has winners of run {runs}; {command} these there"]
    return [f"{command} its winners into {folder}"]


def _print(change: DocumentChange, out: Console) -> None:
    out.print(Text(plain(change.path), style="bold"), soft_wrap=True)
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for heading in _HEADINGS:
        right = heading != "candidate"
        table.add_column(heading, justify="right" if right else "left", no_wrap=True)
    for move in change.moves:
        name = plain(move.name)
        won = " *" if move.name == change.new_winner else ""
        table.add_row(
            Text(f"{name}{won}", style="bold" if won else ""),
            *(str(place.rank or "") for place in (move.new, move.old)),
            *(number(place.overall) for place in (move.new, move.old)),
            *(_won(place) for place in (move.new, move.old)),
        )
    out.print(table)
    for sentence in change.why:
        out.print(Text(f"  {plain(sentence)}"), soft_wrap=True)


def _won(place: CandidateResult) -> str:
    return f"{place.points:g}/{place.games}" if place.games else ""
