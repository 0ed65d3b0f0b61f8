"""`acm vote`: blind votes between two texts."""

from typing import TYPE_CHECKING, Annotated, Protocol

import typer

from acm_api.cli.common import AsJson, RunId
from acm_api.cli.view.output import echo
from acm_workers.errors import Conflict

if TYPE_CHECKING:
    from acm_workers.settings import Settings
    from schemas.votes import Ballot, CastVote, Choice, VotingResult

_CHOICES: "dict[str, Choice]" = {
    "left": "left", "l": "left", "1": "left",
    "right": "right", "r": "right", "2": "right",
    "tie": "tie", "t": "tie", "=": "tie",
    "both_bad": "both_bad", "b": "both_bad",
    "skip": "skip", "s": "skip",
}  # fmt: skip
_KEYS = "left (l), right (r), tie (t), both bad (b), skip (s), undo (u), document (d), quit (q)"


class _Voting(Protocol):
    """Interface to votes, in the store of this machine or on a server."""

    def next(self) -> "Ballot | None": ...
    def cast(self, vote_id: str, choice: "Choice") -> "CastVote": ...
    def undo(self) -> "CastVote": ...
    def result(self) -> "VotingResult": ...


def vote(
    run_id: RunId = None,
    voter: Annotated[
        str | None,
        typer.Option(
            "--as", metavar="NAME", help="Name of the voter; default: the user of this machine."
        ),
    ] = None,
    results: Annotated[
        bool,
        typer.Option("--results", help="Show the results of the votes so far, without voting."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Choose the better of two texts of a run, pair after pair, without knowing their writers.

    Sides are chosen at random, and names of models are masked. Pairs that are most informative
    about the winner come first. Each vote is saved at once. Keys: left or l, right or r, t tie, b
    both bad, s skip, u undo, d show the document, q quit. If stdin is not a terminal, an answer is
    a line.

    At the end, and with --results, the output shows the reliability of each person, the agreement
    of each judge with people, and the winners that change with votes. No calls are made.
    """
    from acm_api.cli.view import ballots
    from acm_api.cli.view.formatting import print_json
    from acm_workers.settings import Settings

    voting = _voting(Settings(), run_id, voter)
    if not results and not as_json:
        _ask(voting)
    found = voting.result()
    if as_json:
        print_json(found)
    else:
        ballots.print_result(found)


def _ask(voting: _Voting) -> None:
    """Show pairs until none is left or the person quits."""
    from acm_api.cli.view import ballots

    while (ballot := voting.next()) is not None:
        ballots.print_ballot(ballot)
        if not _answered(voting, ballot):
            return
    echo("you have seen every pair")


def _answered(voting: _Voting, ballot: "Ballot") -> bool:
    """Read the answer to a pair; return whether voting continues."""
    from acm_api.cli.view import ballots, keyboard

    while True:
        echo(f"\nwhich is better? {_KEYS}")
        given = keyboard.read()
        if given is None or given in ("q", "quit"):
            return False
        if given in ("d", "document"):
            ballots.print_document(ballot)
            continue
        if given in ("u", "undo"):
            try:
                voting.undo()
            except Conflict as error:
                echo(str(error))
                continue
            echo("undone; the pair before:")
            return True
        choice = _CHOICES.get(given)
        if choice is None:
            echo(f"{given!r} is not an answer")
            continue
        done = voting.cast(ballot.vote_id, choice)
        said = "skipped" if choice == "skip" else choice.replace("_", " ")
        echo(f"{said}; votes so far: {done.votes}")
        return True


def _voting(settings: "Settings", run_id: str | None, voter: str | None) -> _Voting:
    from acm_api import voting

    name = voter or voting.user_name()
    if settings.api_url is not None:
        from acm_api.cli import remote

        return remote.RemoteVoting(settings, run_id, name)
    return _LocalVoting(run_id, name)


class _LocalVoting:
    """Votes in the store of this machine."""

    def __init__(self, run_id: str | None, voter: str) -> None:
        from acm_api import voting

        self._voting, self._voter = voting, voter
        self._run_id = voting.votes(run_id).run_id

    def next(self) -> "Ballot | None":
        return self._voting.next_vote(self._run_id, voter=self._voter)

    def cast(self, vote_id: str, choice: "Choice") -> "CastVote":
        return self._voting.cast_vote(self._run_id, vote_id, choice, voter=self._voter)

    def undo(self) -> "CastVote":
        return self._voting.undo_vote(self._run_id, voter=self._voter)

    def result(self) -> "VotingResult":
        return self._voting.votes(self._run_id)
