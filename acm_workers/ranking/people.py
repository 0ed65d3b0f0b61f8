"""People as judges: the reliability of each person, estimated from overlap with all others."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from acm_workers.ranking.newton import Floats
from schemas.votes import Vote

_SHARPNESS = np.concatenate([[0.0], 2.0 ** np.arange(-3, 3.5, 0.5)])
"""Possible values of a person's sharpness; 1 is a judge, 0 a random choice."""
_PLACES = np.concatenate([[-4.0], np.arange(-3, 3.5, 0.5)])
"""Position of each value on a logarithmic scale, in doublings."""
_CENTRE, _CENTRE_SPREAD = -1.0, 1.5
"""Mean and standard deviation of the expected average of a run's voters, on this scale."""
_SPREAD = 1.0
"""Standard deviation of voters around their average, on this scale."""
_PASSES = 3
"""Number of passes in which each estimate uses the estimates of the others."""
_MOST_DRAWS = 250
_MOST_GAPS = 4000


class VotedDocument(NamedTuple):
    """A document on which people voted.

    Attributes:
        ids: Ids of its candidates.
        drawn: Possible strengths of the candidates by the judges; shape (draws, candidates).
        votes: Votes of all people, on pairs of these candidates.
    """

    ids: tuple[str, ...]
    drawn: Floats
    votes: tuple[Vote, ...]


class Reliability(NamedTuple):
    """The reliability of a person's choices.

    Attributes:
        sharpness: Log odds of choosing the better text for each logit between the texts.
        value: Expected probability of choosing the better of two texts drawn at random.
        low: Lower end of the 95 % interval of that probability.
        high: Upper end.
    """

    sharpness: float
    value: float
    low: float
    high: float


def reliabilities(documents: Sequence[VotedDocument]) -> dict[str, Reliability]:
    """Return the reliability of each person, by name.

    A person chooses the better text with log odds of sharpness times the difference of the
    strengths. The strengths are known from the judges and from the votes of all others, never from
    the person's own. The sharpness of people varies around a common value, which is estimated as
    well, so that people with few votes are assumed to be similar to the others.
    """
    names = sorted({vote.voter for one in documents for vote in one.votes})
    thin = [thinned(one) for one in documents]
    said = [
        {name: _log_chances(one, name) for name in {vote.voter for vote in one.votes}}
        for one in thin
    ]
    belief = dict.fromkeys(names, _prior())
    for _ in range(_PASSES if len(names) > 1 else 1):
        likelihood = np.array([_log_likelihood(name, said, belief) for name in names])
        pooled = _pooled(likelihood.reshape(len(names), len(_SHARPNESS)))
        belief = dict(zip(names, pooled, strict=True))
    chances = _chances(thin)
    return {name: _reliability(one, chances) for name, one in belief.items()}


def sharpness(found: Mapping[str, Reliability]) -> dict[str, float]:
    """Return the sharpness of each person, by name."""
    return {name: one.sharpness for name, one in found.items()}


def weights(document: VotedDocument, by_voter: Mapping[str, float]) -> Floats:
    """Return the probability of each draw, given the votes of all people; shape (draws,).

    Args:
        document: The document with its votes.
        by_voter: Sharpness of each person, by name.
    """
    odds, points = _odds(document, document.votes)
    odds = odds * np.array([by_voter[vote.voter] for vote in document.votes])
    log_weight = (points * odds - np.logaddexp(0, odds)).sum(axis=1)
    weight = np.exp(log_weight - log_weight.max())
    return np.asarray(weight / weight.sum(), np.float64)


def thinned(document: VotedDocument) -> VotedDocument:
    """Return a document with fewer draws, enough to choose pairs and estimate reliability."""
    step = max(1, len(document.drawn) // _MOST_DRAWS)
    return document._replace(drawn=document.drawn[::step])


def _odds(document: VotedDocument, votes: Sequence[Vote]) -> tuple[Floats, Floats]:
    """Return log odds of the left text in each draw, shape (draws, votes), and its vote points."""
    index = {candidate: number for number, candidate in enumerate(document.ids)}
    left = [index[vote.left_id] for vote in votes]
    right = [index[vote.right_id] for vote in votes]
    points = [0.5 if vote.points is None else vote.points for vote in votes]
    return document.drawn[:, left] - document.drawn[:, right], np.array(points)


def _log_chances(document: VotedDocument, name: str) -> Floats:
    """Return the log probability of a person's votes; shape (draws, sharpness)."""
    odds, points = _odds(document, [vote for vote in document.votes if vote.voter == name])
    sharp = odds[:, :, None] * _SHARPNESS
    chances: Floats = (points[:, None] * sharp - np.logaddexp(0, sharp)).sum(axis=1)
    return chances


def _log_likelihood(
    name: str, said: Sequence[Mapping[str, Floats]], belief: Mapping[str, Floats]
) -> Floats:
    """Return how probable a person's votes are at each sharpness, as logarithms."""
    total = np.zeros(len(_SHARPNESS))
    for one in said:
        if name in one:
            known = np.zeros(len(one[name]))
            for other in sorted(one.keys() - {name}):
                highest = one[other].max(axis=1)
                known += highest + np.log(np.exp(one[other] - highest[:, None]) @ belief[other])
            weight = np.exp(known - known.max())
            highest = one[name].max(axis=0)
            total += highest + np.log(weight / weight.sum() @ np.exp(one[name] - highest))
    return total


def _sharpness_prior(centre: float) -> Floats:
    """Return the prior of a person's sharpness, given the common sharpness."""
    prior = np.exp(-(((_PLACES - centre) / _SPREAD) ** 2) / 2)
    return np.asarray(prior / prior.sum(), np.float64)


def _prior() -> Floats:
    centres = np.exp(-(((_PLACES - _CENTRE) / _CENTRE_SPREAD) ** 2) / 2)
    prior: Floats = (
        centres / centres.sum() @ np.array([_sharpness_prior(place) for place in _PLACES])
    )
    return prior


def _pooled(log_likelihood: Floats) -> Floats:
    """Return the belief in each sharpness of each person; shape (people, sharpness)."""
    likelihood = np.exp(log_likelihood - log_likelihood.max(axis=1, keepdims=True))
    priors = np.array([_sharpness_prior(place) for place in _PLACES])
    evidence = likelihood @ priors.T
    log_centre = -(((_PLACES - _CENTRE) / _CENTRE_SPREAD) ** 2) / 2 + np.log(evidence).sum(axis=0)
    centre = np.exp(log_centre - log_centre.max())
    # A person's own votes are in the belief about all already, and must not count twice.
    each = (centre / centre.sum())[None, :, None] * priors[None] * likelihood[:, None, :]
    each /= evidence[:, :, None]
    belief = each.sum(axis=1)
    return np.asarray(belief / belief.sum(axis=1, keepdims=True), np.float64)


def _chances(documents: Sequence[VotedDocument]) -> Floats:
    """Return the probability of choosing the better of two texts, at each sharpness."""
    gaps = [
        np.abs(one.drawn[:, a] - one.drawn[:, b])
        for one in documents
        for a in range(len(one.ids))
        for b in range(a)
    ]
    gap = np.concatenate(gaps) if gaps else np.ones(1)
    gap = gap[:: max(1, len(gap) // _MOST_GAPS)]
    return np.array([float(((1 + np.tanh(by * gap / 2)) / 2).mean()) for by in _SHARPNESS])


def _reliability(belief: Floats, chances: Floats) -> Reliability:
    known = np.cumsum(belief)
    low, high = (float(np.interp(at, known, chances)) for at in (0.025, 0.975))
    value = float(belief @ chances)
    # Not the expected sharpness, which rests on what is least probable: that of the reliability.
    sharp = float(np.interp(value, chances, _SHARPNESS))
    return Reliability(sharp, value, min(low, value), max(high, value))
