"""Votes on a run: which pair is next, and what all votes tell."""

from random import Random

import pytest

from acm_workers.pipeline import voting
from acm_workers.pipeline.voting import VotableDocument
from schemas.config.config import Config
from schemas.votes import Choice, Vote
from tests.support import ballots, stored
from tests.support.pipeline_runs import ByRank, play
from tests.support.records_builder import RecordsBuilder

CONFIG = stored.config(
    runs=[{"type": "fpf", "provider": "alpha", "model": "m1", "iterations": 3}],
    judges=[{"name": "j1", "provider": "alpha", "model": "j1", "iterations": 1},
            {"name": "j2", "provider": "alpha", "model": "j2", "iterations": 1}],
    pairwise={"judges": [{"name": "j1", "provider": "alpha", "model": "j1"}]},
    playoffs={"enabled": False},
)  # fmt: skip


def document(config: Config = CONFIG, same: bool = False) -> VotableDocument:
    """Return a document whose last candidate is the best one before the judges."""
    view = play(config, ByRank()).view
    winner = view.candidates[-1].id
    view = view._replace(document=view.document.model_copy(update={"winner_id": winner}))
    contents = {one.id: "text" if same else one.id for one in view.candidates}
    found = voting.votable(view, config, contents)
    assert found is not None
    return found


def voted(
    one: VotableDocument, left: int, right: int, choice: Choice | None, number: int = 1,
    voter: str = "ann",
) -> Vote:  # fmt: skip
    """Return a vote on two candidates by their places, at even odds."""
    eligible = len(one.pairs) - number + 1
    return ballots.vote(
        one.ids[left], one.ids[right], choice, voter=voter, number=number,
        probability=1 / max(eligible, 1), eligible=max(eligible, 1),
        document=one.snapshot.document.id,
    )  # fmt: skip


def test_a_document_with_equal_texts_alone_cannot_be_voted_on() -> None:
    view = play(CONFIG, ByRank()).view

    assert voting.votable(view, CONFIG, dict.fromkeys((a.id for a in view.artifacts), "x")) is None


def test_a_person_sees_each_pair_once_and_then_none() -> None:
    one = document()
    votes: list[Vote] = []
    for number in range(3):
        chosen = voting.choose([one], votes, "ann", Random(number))
        assert chosen is not None
        assert chosen.eligible == voting.open_pairs([one], votes, "ann") == 3 - number
        left, right = one.ids.index(chosen.left), one.ids.index(chosen.right)
        votes.append(voted(one, left, right, "skip" if number else None, number))

    assert voting.choose([one], votes, "ann", Random(1)) is None
    assert voting.open_pairs([one], votes, "bob") == 3
    assert len({vote.pair for vote in votes}) == 3


def test_votes_against_the_judges_change_the_winner() -> None:
    one = document()
    others = [voted(one, 0, place, "left", place, voter)
              for place in (1, 2) for voter in "abcdefghijkl"]  # fmt: skip

    found = voting.result("RUN", [one], others, CONFIG).winners

    assert [(row.votes, row.changed) for row in found] == [(24, True)]
    assert found[0].voted_winner_id == one.ids[0]
    assert found[0].voted_p_best is not None
    assert found[0].p_best is not None


def test_without_judges_votes_alone_make_a_winner() -> None:
    silent = CONFIG.model_copy(update={"judges": (), "pairwise": CONFIG.pairwise.model_copy(
        update={"enabled": False})})  # fmt: skip
    one = document(silent)
    view = one.snapshot
    unknown = one._replace(
        snapshot=view._replace(document=view.document.model_copy(update={"winner_id": None}))
    )
    votes = [voted(one, 1, 0, "left", 1), voted(one, 1, 2, "left", 2)]

    found = voting.result("RUN", [unknown], votes, silent)

    assert found.judges == ()
    assert found.winners[0].voted_winner_id == one.ids[1]
    assert (found.winners[0].winner, found.winners[0].p_best) == (None, None)


def test_agreement_is_with_verdicts_where_there_are_any_and_else_with_scores() -> None:
    one = document()
    # The later one is better: j1 by its verdicts, j2 by its scores.
    votes = [voted(one, 2, 0, "left", 1), voted(one, 1, 2, "left", 2), voted(one, 0, 1, "tie", 3)]

    found = {row.judge: row for row in voting.result("RUN", [one], votes, CONFIG).judges}

    assert found.keys() == {"j1", "j2"}
    for row in found.values():
        # One agrees, one does not, a tie is half: all three pairs are known.
        assert (row.votes, row.pairs) == (3, 3)
        assert row.agreement == pytest.approx(0.5)
        assert row.method == "people"
        assert row.low is not None
        assert row.low < 0.5
        assert (row.low, row.high) == (row.people_low, row.people_high)


def test_one_vote_is_too_few_for_an_agreement() -> None:
    one = document()

    found = voting.result("RUN", [one], [voted(one, 0, 1, "left")], CONFIG)

    assert [(row.votes, row.agreement, row.low) for row in found.judges] == [(1, None, None)] * 2


def test_many_votes_are_joined_by_what_judges_say_of_the_other_pairs() -> None:
    several = [document() for _ in range(15)]
    votes = [
        voted(one, a, b, "right" if (place + a) % 7 else "left", 1 + a + b, "ann")
        for place, one in enumerate(several)
        for a, b in ((0, 1), (0, 2), (1, 2))
    ]

    found = voting.result("RUN", several, votes, CONFIG).judges

    assert all(row.votes == row.pairs == 45 for row in found)
    assert all(0.7 < (row.agreement or 0) < 1 for row in found)


def test_people_are_described_by_what_they_said() -> None:
    one = document()
    votes = [
        voted(one, 0, 1, "left", 1), voted(one, 0, 2, "both_bad", 2), voted(one, 1, 2, "skip", 3),
        voted(one, 1, 0, "right", 1, "bob"), voted(one, 0, 2, "right", 2, "bob"),
        voted(one, 1, 2, "tie", 3, "bob"),
    ]  # fmt: skip

    found = voting.result("RUN", [one], votes, CONFIG)

    ann, bob = found.people
    assert (found.votes, found.skipped, ann.name, bob.name) == (5, 1, "ann", "bob")
    assert (ann.votes, ann.ties, ann.both_bad, ann.skipped) == (2, 0, 1, 1)
    assert (ann.left, ann.decided, ann.seconds) == (1, 1, 10.0)
    # On the first pair both chose the same text, on the second one of them saw no difference.
    assert (ann.same, ann.shared) == (bob.same, bob.shared) == (1.5, 2)
    assert 0.5 <= ann.low <= ann.reliability <= ann.high


def test_the_records_of_a_run_tell_the_same() -> None:
    made = RecordsBuilder()
    paper = made.document("paper.md")
    a = made.artifact(paper, "one", 1)
    b = made.artifact(paper, "two", 2)
    empty = made.document("empty.md")
    vote = ballots.vote(a, b, "left", document=paper.id)
    known = made.material().model_copy(update={"votes": (vote,)})

    found = voting.with_result(known).voting

    assert found is not None
    assert (found.votes, [row.document for row in found.winners]) == (1, [paper.path])
    assert empty.path not in {row.document for row in found.winners}
    assert voting.with_result(made.material()).voting is None


def test_a_vote_on_texts_that_are_gone_counts_nowhere() -> None:
    one = document()
    lost = ballots.vote("x", "y", "left", document=one.snapshot.document.id)

    found = voting.result("RUN", [one], [lost], CONFIG)

    assert (found.winners, found.people) == ((), ())


def test_ties_of_a_judge_agree_half_with_a_choice() -> None:
    def equal(unit: object) -> float:
        return 5.0 if type(unit).__name__ != "Comparison" else 0.0

    view = play(CONFIG, equal).view
    one = voting.votable(view, CONFIG, {each.id: each.id for each in view.candidates})
    assert one is not None
    votes = [voted(one, 0, 1, "left", 1), voted(one, 0, 2, "tie", 2)]

    found = voting.result("RUN", [one], votes, CONFIG).judges

    assert {row.judge for row in found} == {"j1", "j2"}
    assert all(row.low is not None and 0.5 <= (row.agreement or 0) <= 1 for row in found)
