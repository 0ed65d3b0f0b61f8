"""Reliability of people, from overlap with judges and with each other."""

import numpy as np
import pytest

from acm_workers.ranking import people
from acm_workers.ranking.people import VotedDocument
from schemas.votes import Choice, Vote
from tests.support.ballots import vote

IDS = ("good", "fair", "poor")
KNOWN = np.tile([2.0, 0.0, -2.0], (200, 1))
"""Strengths that the judges leave no doubt about."""
UNKNOWN = np.random.default_rng(1).normal(size=(500, 3))


LEFT: list[Choice] = ["left"]
RIGHT: list[Choice] = ["right"]


def votes(voter: str, *choices: Choice) -> tuple[Vote, ...]:
    """Return votes on the best and the worst one; left is the better one."""
    return tuple(
        vote("good", "poor", choice, voter=voter, number=number)
        for number, choice in enumerate(choices)
    )


def test_who_agrees_with_the_judges_is_more_reliable_than_who_draws_lots() -> None:
    sure = votes("sure", *LEFT * 8)
    random = votes("random", *(LEFT + RIGHT) * 4)

    found = people.reliabilities([VotedDocument(IDS, KNOWN, sure + random)])

    assert found["sure"].value > 0.8 > 0.7 > found["random"].value > 0.5
    assert found["sure"].sharpness > found["random"].sharpness
    for one in found.values():
        assert 0.5 <= one.low <= one.value <= one.high <= 1


def test_few_votes_say_little_and_are_pooled_with_those_of_others() -> None:
    good = [votes(name, *LEFT * 8) for name in ("a", "b", "c")]
    bad = [votes(name, *(LEFT + RIGHT) * 4) for name in ("a", "b", "c")]
    new = votes("new", "tie")

    among_good = people.reliabilities([VotedDocument(IDS, KNOWN, sum(good, new))])["new"]
    among_bad = people.reliabilities([VotedDocument(IDS, KNOWN, sum(bad, new))])["new"]

    assert among_good.value > among_bad.value
    assert among_good.high - among_good.low > 0.2


def test_without_judges_people_are_known_by_each_other() -> None:
    agreeing = [votes(name, *LEFT * 5) for name in ("a", "b", "c")]
    other = votes("odd", *RIGHT * 5)

    found = people.reliabilities([VotedDocument(IDS, UNKNOWN, sum(agreeing, other))])

    assert found["odd"].value < min(found[name].value for name in "abc")


def test_nobody_is_known_where_nobody_voted() -> None:
    assert people.reliabilities([VotedDocument(IDS, KNOWN, ())]) == {}


def test_votes_make_draws_in_which_they_are_likely_count_more() -> None:
    drawn = np.array([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]])
    one = VotedDocument(IDS, drawn, (vote("good", "fair"),))

    weight = people.weights(one, {"ann": 1.0})

    chance = 1 / (1 + np.exp(-1.0))
    assert weight == pytest.approx([chance, 1 - chance])


def test_an_answer_that_is_missing_counts_as_none_of_both() -> None:
    one = VotedDocument(IDS, KNOWN, (vote("good", "fair", "skip"),))

    assert people.weights(one, {"ann": 1.0}) == pytest.approx(np.full(200, 1 / 200))
