"""Vote pairs: chooses the next two texts to show to a person, with a known probability."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import NamedTuple

import numpy as np

from acm_workers.ranking import adaptive, people
from acm_workers.ranking.newton import Floats
from acm_workers.ranking.people import VotedDocument

_ANY = 0.5
"""Share of pairs that are drawn uniformly; the others are drawn by information. The weight of a
vote in averages is at most the inverse of this share."""
_MOST_DOCUMENTS = 12
"""Maximum number of documents considered for one vote; larger runs use a random sample."""
_LEAST_GAIN = 1e-12


class ChosenPair(NamedTuple):
    """A pair to be shown.

    Attributes:
        document: Index of its document.
        probability: Probability with which the pair was chosen from all ``eligible`` pairs.
    """

    document: int
    left: str
    right: str
    probability: float
    eligible: int


def choose(
    documents: Sequence[VotedDocument],
    open_pairs: Sequence[Sequence[tuple[str, str]]],
    by_voter: Mapping[str, float],
    voter: str,
    draw: Random,
) -> ChosenPair | None:
    """Draw the next pair; None if there is no open pair.

    Half of the pairs are drawn uniformly, and half in proportion to the information that the vote
    is expected to give on the best candidate. Every open pair therefore has a known probability
    above 0, which averages over all pairs require.

    Args:
        documents: Documents with all votes so far.
        open_pairs: Pairs of each document that the person may be shown.
        by_voter: Sharpness of each voter, by name.
        voter: Name of the person; a new voter is assumed to be like the others.
        draw: Source of randomness.
    """
    eligible = sum(map(len, open_pairs))
    if not eligible:
        return None
    places = [place for place, pairs in enumerate(open_pairs) if pairs]
    share = min(1.0, _MOST_DOCUMENTS / len(places))
    if share < 1:
        places = draw.sample(places, _MOST_DOCUMENTS)
    known = [*by_voter.values()]
    own = by_voter.get(voter, float(np.mean(known)) if known else 1.0)
    gain = np.concatenate(
        [
            _gains(people.thinned(documents[place]), open_pairs[place], by_voter, own)
            for place in places
        ]
    )
    chance = chances(gain)
    pairs = [(place, pair) for place in places for pair in open_pairs[place]]
    number = draw.choices(range(len(pairs)), chance.tolist())[0]
    place, pair = pairs[number]
    left, right = pair if draw.random() < 0.5 else pair[::-1]
    return ChosenPair(place, left, right, float(chance[number]) * share, eligible)


def chances(gain: Floats) -> Floats:
    """Return the probability of drawing each pair, given its expected information."""
    found: Floats = _ANY / len(gain) + (1 - _ANY) * gain / gain.sum()
    return found


def _gains(
    document: VotedDocument,
    pairs: Sequence[tuple[str, str]],
    by_voter: Mapping[str, float],
    sharpness: float,
) -> Floats:
    """Return the expected information of a vote on each pair; above 0."""
    drawn = document.drawn
    if document.votes:
        known = np.cumsum(people.weights(document, by_voter))
        # Evenly spaced, so that nothing is drawn here: the same state has the same gains.
        at = (np.arange(len(drawn)) + 0.5) / len(drawn)
        drawn = drawn[np.minimum(np.searchsorted(known, at), len(drawn) - 1)]
    index = {candidate: number for number, candidate in enumerate(document.ids)}
    first, second = np.array([(index[a], index[b]) for a, b in pairs]).T
    gains: Floats = adaptive.information_gain(drawn * sharpness, first, second)
    return np.maximum(gains, _LEAST_GAIN)
