"""Which pair a person is shown next."""

from collections import Counter
from random import Random

import numpy as np
import pytest

from acm_workers.ranking import vote_pairs
from acm_workers.ranking.people import VotedDocument
from tests.support.ballots import vote

CLEAR = VotedDocument(("a", "b"), np.tile([5.0, -5.0], (100, 1)), ())
OPEN = VotedDocument(("c", "d"), np.random.default_rng(1).normal(size=(500, 2)), ())
PAIRS = [[("a", "b")], [("c", "d")]]


def test_pairs_that_tell_most_are_more_probable_and_each_one_is_possible() -> None:
    drawn = [vote_pairs.choose([CLEAR, OPEN], PAIRS, {}, "ann", Random(seed))
             for seed in range(400)]  # fmt: skip

    known = {one.document: one.probability for one in drawn if one is not None}
    assert known[0] == pytest.approx(0.25, abs=0.01)
    assert known[0] + known[1] == pytest.approx(1)
    shares = Counter(one.document for one in drawn if one is not None)
    assert shares[0] / 400 == pytest.approx(known[0], abs=0.08)
    assert {one.eligible for one in drawn if one is not None} == {2}


def test_sides_are_drawn() -> None:
    drawn = [vote_pairs.choose([OPEN], [[("c", "d")]], {}, "ann", Random(seed))
             for seed in range(200)]  # fmt: skip

    left = Counter(one.left for one in drawn if one is not None)
    assert 70 < left["c"] < 130


def test_nothing_is_shown_when_no_pair_is_open() -> None:
    assert vote_pairs.choose([CLEAR], [[]], {}, "ann", Random(1)) is None


def test_a_pair_tells_less_once_it_was_voted_on() -> None:
    other = OPEN._replace(ids=("e", "f"))
    given = OPEN._replace(votes=tuple(vote("c", "d", number=n) for n in range(8)))
    pairs = [[("c", "d")], [("e", "f")]]

    chosen = [vote_pairs.choose([given, other], pairs, {"ann": 2.0}, "ann", Random(seed))
              for seed in range(20)]  # fmt: skip

    known = {one.document: one.probability for one in chosen if one is not None}
    assert known[0] < known[1]


def test_people_who_draw_lots_are_shown_all_pairs_alike() -> None:
    chosen = vote_pairs.choose([CLEAR, OPEN], PAIRS, {"ann": 0.0}, "ann", Random(1))

    assert chosen is not None
    assert chosen.probability == pytest.approx(0.5)


def test_of_many_documents_some_are_considered_and_the_probability_allows_for_it() -> None:
    many = [OPEN._replace(ids=(f"{n}a", f"{n}b")) for n in range(80)]
    pairs = [[(f"{n}a", f"{n}b")] for n in range(80)]

    chosen = vote_pairs.choose(many, pairs, {}, "ann", Random(3))

    assert chosen is not None
    assert chosen.eligible == 80
    assert chosen.probability == pytest.approx(1 / 80)
