"""Output of pairs to vote on, and of the results of votes."""

from rich.table import Table
from rich.text import Text

from acm_api.cli.view.formatting import console, count, number
from acm_api.cli.view.output import echo, printable
from schemas.votes import Ballot, JudgeAgreement, PersonStatistics, VotedWinner, VotingResult

_SIDE_BY_SIDE = 140
"""Minimum width of a terminal for two texts side by side, in columns."""
_TAB = 4


def print_ballot(ballot: Ballot) -> None:
    """Print two texts without hints at their writers."""
    out = console()
    out.rule()
    out.print(Text(printable(f"document: {ballot.document}"), style="bold"), soft_wrap=True)
    masked = ", ".join(f"{kind}: {many}" for kind, many in ballot.masked.items())
    if masked:
        out.print(Text(f"masked, as it could tell who wrote it: {masked}", style="dim"))
    left, right = _shown(ballot.left), _shown(ballot.right)
    if out.is_terminal and out.width >= _SIDE_BY_SIDE:
        table = Table(box=None, padding=(0, 2, 0, 0), expand=True)
        for side in ("LEFT", "RIGHT"):
            table.add_column(side, ratio=1, overflow="fold")
        table.add_row(Text(left), Text(right))
        out.print(table)
        return
    for side, text in (("LEFT", left), ("RIGHT", right)):
        out.print(Text(f"\n{side}", style="bold"))
        echo(text)


def print_document(ballot: Ballot) -> None:
    """Print the instructions and the source document."""
    echo(f"\nINSTRUCTIONS\n{_shown(ballot.instructions)}")
    echo(f"\nDOCUMENT {ballot.document}\n{_shown(ballot.source)}")


def print_result(found: VotingResult) -> None:
    """Print the results of votes on people, judges and winners."""
    if not found.votes:
        echo(f"no votes on run {found.run_id} yet; `acm vote {found.run_id}` begins")
        return
    out = console()
    skipped = f", {found.skipped} skipped" if found.skipped else ""
    people = count(len(found.people), "person").replace("persons", "people")
    echo(f"\nrun {found.run_id}: {count(found.votes, 'vote')} by {people}{skipped}\n")
    out.print(_people(found.people))
    echo("")
    out.print(_judges(found.judges))
    echo("")
    out.print(_winners(found.winners))


def summary(found: VotingResult) -> str:
    """Return the number of winners that change with votes, as one line."""
    changed = [one for one in found.winners if one.changed]
    people = count(len(found.people), "person").replace("persons", "people")
    return (
        f"{count(found.votes, 'vote')} by {people}: they change the winner of {len(changed)}"
        f" of {count(len(found.winners), 'document')} with votes; see `acm vote --results`"
    )


def _people(people: tuple[PersonStatistics, ...]) -> Table:
    table = _table(
        "person",
        "votes",
        "ties",
        "both bad",
        "left chosen",
        "as others",
        "reliability",
        "95 %",
        "s",
    )
    for one in people:
        table.add_row(
            Text(printable(one.name)),
            str(one.votes),
            str(one.ties),
            str(one.both_bad),
            f"{one.left}/{one.decided}",
            f"{one.same:g}/{one.shared}" if one.shared else "",
            number(one.reliability),
            f"{one.low:.2f} to {one.high:.2f}",
            number(one.seconds, 0),
        )
    return table


def _judges(judges: tuple[JudgeAgreement, ...]) -> Table:
    table = _table("judge", "votes", "agrees with people", "95 %", "from")
    for one in judges:
        ends = "" if one.low is None else f"{one.low:.2f} to {one.high:.2f}"
        source = "votes and judges" if one.method == "prediction" else "votes"
        table.add_row(
            Text(printable(one.judge)),
            str(one.votes),
            number(one.agreement),
            ends,
            source if one.agreement is not None else "too few votes",
        )
    return table


def _winners(winners: tuple[VotedWinner, ...]) -> Table:
    table = _table("document", "votes", "winner", "P(best)", "with votes", "P(best)")
    for one in winners:
        table.add_row(
            Text(printable(one.document)),
            str(one.votes),
            Text(printable(one.winner or "")),
            number(one.p_best),
            Text(printable(one.voted_winner or ""), style="bold" if one.changed else ""),
            number(one.voted_p_best),
        )
    return table


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for heading in headings:
        words = heading in ("person", "judge", "document", "winner", "with votes", "from")
        table.add_column(heading, justify="left" if words else "right", no_wrap=True)
    return table


def _shown(text: str) -> str:
    return printable(text.replace("\r\n", "\n").expandtabs(_TAB), keep="\n")
