"""People as judges in the posterior."""

import pytest

from acm_workers.ranking.laplace import PeopleVotes
from acm_workers.ranking.posterior import Posterior, posterior
from tests.support.ballots import vote
from tests.support.judging_records import comparison, judge

IDS = ("c0", "c1", "c2")


def believed(*people: PeopleVotes) -> Posterior:
    given = [comparison(("c0", "c1"), "a")]
    return posterior(IDS, None, given, (judge(),), people=people[0] if people else None)


def people(sharpness: float, *choices: str) -> PeopleVotes:
    votes = [vote(left, "c2" if left != "c2" else "c0", "left", number=number)
             for number, left in enumerate(choices)]  # fmt: skip
    return PeopleVotes(votes, {"ann": sharpness})


def test_a_vote_moves_the_belief_as_far_as_its_voter_is_sharp() -> None:
    without = believed().p_best["c2"]
    some, more = (believed(people(sharp, "c2")).p_best["c2"] for sharp in (0.5, 2.0))

    assert without < some < more


def test_votes_of_somebody_who_draws_lots_change_nothing_but_chance() -> None:
    random = believed(people(0.0, "c2", "c2", "c2")).p_best

    assert random == pytest.approx(believed().p_best, abs=0.03)


def test_votes_on_other_candidates_and_skipped_pairs_are_left_out() -> None:
    other = PeopleVotes([vote("x", "y"), vote("c0", "c1", "skip")], {"ann": 1.0})

    assert believed(other).p_best == believed().p_best


def test_the_side_does_not_matter_and_a_tie_brings_two_together() -> None:
    left = believed(PeopleVotes([vote("c2", "c0", "left")], {"ann": 1.0})).beats("c2", "c0")
    right = believed(PeopleVotes([vote("c0", "c2", "right")], {"ann": 1.0})).beats("c2", "c0")
    tied = believed(
        PeopleVotes([vote("c0", "c1", "tie", number=n) for n in range(9)], {"ann": 2.0})
    )

    assert left == pytest.approx(right, abs=0.05)
    assert tied.beats("c0", "c1") < believed().beats("c0", "c1")
