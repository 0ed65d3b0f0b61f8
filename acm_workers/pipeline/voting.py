"""Voting: the choice of pairs for people, and the results of all votes on a run; pure."""

import itertools
import statistics
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import NamedTuple

import numpy as np

from acm_workers.pipeline.document_ranking import rank, ranked_together, summaries
from acm_workers.pipeline.snapshot import DocumentSnapshot
from acm_workers.ranking import (
    fusion,
    human_agreement,
    judgements,
    people,
    posterior,
    score_effects,
    vote_pairs,
)
from acm_workers.ranking.judgements import JudgementTables
from acm_workers.ranking.laplace import PeopleVotes
from acm_workers.ranking.people import Reliability, VotedDocument
from acm_workers.ranking.posterior import StrengthDraws
from acm_workers.ranking.vote_pairs import ChosenPair
from schemas.config.config import Config
from schemas.run import RunRecords
from schemas.votes import JudgeAgreement, PersonStatistics, Vote, VotedWinner, VotingResult


class VotableDocument(NamedTuple):
    """A document with candidates to vote on, and the judges' results for them.

    Attributes:
        ids: The candidates that are ranked together.
        drawn: Strengths of the candidates by the judges alone.
        pairs: Pairs with different texts.
    """

    snapshot: DocumentSnapshot
    ids: tuple[str, ...]
    drawn: StrengthDraws
    pairs: tuple[tuple[str, str], ...]


class JudgePreference(NamedTuple):
    """A judge's preference in a pair: 1 for the first, 0 for the second, a half for neither.

    Attributes:
        right: Probability that people have the same preference, predicted from all judges.
    """

    first: float
    right: float


def votable(
    snapshot: DocumentSnapshot, config: Config, contents: Mapping[str, str]
) -> VotableDocument | None:
    """Return a document for voting; None if it does not have two different candidates.

    Args:
        snapshot: Snapshot of a document that has ended.
        config: Config of its run.
        contents: Digest of the text of each candidate, by id.
    """
    seen = {one for unit in snapshot.comparisons for one in (unit.a_id, unit.b_id)}
    players = [artifact.id for artifact in snapshot.candidates if artifact.id in seen]
    ids = tuple(ranked_together(snapshot, players, config))
    pairs = tuple(
        (a, b) for a, b in itertools.combinations(ids, 2) if contents.get(a) != contents.get(b)
    )
    if not pairs:
        return None
    drawn = posterior.draws(
        ids,
        score_effects.estimate(summaries(snapshot, config)),
        snapshot.comparisons,
        config.comparing_judges,
        tie_below=config.pairwise.tie_below_confidence,
        seed=config.seed,
    )
    return VotableDocument(snapshot, ids, drawn, pairs)


def choose(
    documents: Sequence[VotableDocument],
    votes: Sequence[Vote],
    voter: str,
    draw: Random,
    sharpness: Mapping[str, float] | None = None,
) -> ChosenPair | None:
    """Draw the next pair to show to a person; None if the person has seen all pairs.

    Args:
        documents: Documents of one run.
        votes: Votes of all people, including pairs that were shown but not answered.
        voter: Name of the person.
        draw: Source of randomness.
        sharpness: Sharpness of each voter, by name; estimated by default.
    """
    shown = {vote.pair for vote in votes if vote.voter == voter}
    voted = _voted(documents, votes)
    open_pairs = [
        [pair for pair in one.pairs if not shown & {frozenset(pair)}] for one in documents
    ]
    if sharpness is None:
        sharpness = sharpness_of(documents, votes)
    return vote_pairs.choose(voted, open_pairs, sharpness, voter, draw)


def sharpness_of(documents: Sequence[VotableDocument], votes: Sequence[Vote]) -> dict[str, float]:
    """Return the estimated sharpness of each voter, by name."""
    voted = _voted(documents, votes)
    return people.sharpness(people.reliabilities([one for one in voted if one.votes]))


def open_pairs(documents: Sequence[VotableDocument], votes: Sequence[Vote], voter: str) -> int:
    """Return the number of pairs that a person has not been shown yet."""
    shown = {vote.pair for vote in votes if vote.voter == voter}
    return sum(frozenset(pair) not in shown for one in documents for pair in one.pairs)


def result(
    run_id: str, documents: Sequence[VotableDocument], votes: Sequence[Vote], config: Config
) -> VotingResult:
    """Return the results of all votes on a run: people, judges, and the winners with votes."""
    counted = [vote for vote in votes if vote.points is not None]
    voted = _voted(documents, counted)
    found = people.reliabilities([one for one in voted if one.votes])
    return VotingResult(
        run_id=run_id,
        votes=len(counted),
        skipped=sum(vote.choice == "skip" for vote in votes),
        people=tuple(_person(name, found, votes) for name in sorted(found)),
        judges=tuple(agreements(documents, votes, config)) if counted else (),
        winners=tuple(
            winner(document, one.votes, config, people.sharpness(found))
            for document, one in zip(documents, voted, strict=True)
            if one.votes
        ),
    )


def with_result(known: RunRecords) -> RunRecords:
    """Return the records of a run with the results of its votes; unchanged without votes."""
    if not known.votes:
        return known
    texts = {one.id: (one.text or "").strip() for one in known.artifacts}
    config = known.run.config
    found = []
    for document in known.documents:
        snapshot = DocumentSnapshot(
            document,
            [one for one in known.artifacts if one.document_id == document.id],
            [one for one in known.evaluations if one.document_id == document.id],
            [one for one in known.comparisons if one.document_id == document.id],
        )
        if any(vote.document_id == document.id for vote in known.votes):
            found.append(votable(snapshot, config, texts))
    voted = [one for one in found if one is not None]
    return known.model_copy(update={"voting": result(known.run.id, voted, known.votes, config)})


def winner(
    document: VotableDocument,
    votes: Sequence[Vote],
    config: Config,
    sharpness: Mapping[str, float],
) -> VotedWinner:
    """Return the winners of a document by the posterior with and without votes."""
    snapshot = document.snapshot
    names = {artifact.id: artifact.name for artifact in snapshot.candidates}
    before = dict(zip(document.ids, document.drawn.p_best().tolist(), strict=True))
    by_posterior = config.ranking.model_copy(update={"method": "posterior"})
    posterior_config = config.model_copy(update={"ranking": by_posterior})
    here = {vote.voter: sharpness[vote.voter] for vote in votes}
    ranking = rank(snapshot, posterior_config, people=PeopleVotes(votes, here))
    voted_id, _ = fusion.winner(
        ranking.standings,
        snapshot.candidates,
        ranking.fusions,
        config.playoffs.min_confidence,
        "posterior",
    )
    old_id = snapshot.document.winner_id
    return VotedWinner(
        document=snapshot.document.path,
        document_id=snapshot.document.id,
        votes=len(votes),
        winner=names.get(old_id or ""),
        p_best=before.get(old_id or ""),
        voted_winner=names.get(voted_id or ""),
        voted_winner_id=voted_id,
        voted_p_best=ranking.posterior.p_best.get(voted_id or ""),
    )


def _voted(documents: Sequence[VotableDocument], votes: Sequence[Vote]) -> list[VotedDocument]:
    by_document: dict[str, list[Vote]] = defaultdict(list)
    for vote in votes:
        if vote.points is not None:
            by_document[vote.document_id].append(vote)
    return [
        VotedDocument(
            one.ids,
            one.drawn.strengths,
            tuple(
                vote for vote in by_document[one.snapshot.document.id] if vote.pair <= {*one.ids}
            ),
        )
        for one in documents
    ]


def _person(name: str, found: Mapping[str, Reliability], votes: Sequence[Vote]) -> PersonStatistics:
    own = [vote for vote in votes if vote.voter == name]
    given = [vote for vote in own if vote.points is not None]
    decided = [vote for vote in given if vote.choice in ("left", "right")]
    times = [vote.duration_s for vote in given if vote.duration_s is not None]
    same = [
        1 - abs(_points_of(vote, vote.left_id) - _points_of(other, vote.left_id))
        for vote in given
        for other in votes
        if other.voter != name and other.pair == vote.pair and other.points is not None
    ]
    return PersonStatistics(
        name=name,
        votes=len(given),
        ties=sum(vote.choice == "tie" for vote in given),
        both_bad=sum(vote.choice == "both_bad" for vote in given),
        skipped=sum(vote.choice == "skip" for vote in own),
        left=sum(vote.choice == "left" for vote in decided),
        decided=len(decided),
        same=sum(same),
        shared=len(same),
        reliability=found[name].value,
        low=found[name].low,
        high=found[name].high,
        sharpness=found[name].sharpness,
        seconds=statistics.median(times) if times else None,
    )


def _points_of(vote: Vote, artifact_id: str) -> float:
    """Return the points that a vote gives to one of its artifacts."""
    points = 0.5 if vote.points is None else vote.points
    return points if vote.left_id == artifact_id else 1 - points


def agreements(
    documents: Sequence[VotableDocument], votes: Sequence[Vote], config: Config
) -> Iterator[JudgeAgreement]:
    """Yield the rate at which each judge has the same preference as people."""
    found_by_judge = preferences(documents, config)
    weight = dict(weights(votes))
    for judge in sorted(found_by_judge):
        own = found_by_judge[judge]
        rows = [
            (1 - abs(_points_of(vote, pair[0]) - own[pair].first), weight[vote.id], own[pair].right)
            for vote in votes
            if vote.points is not None and (pair := _key(vote)) in own
        ]
        agreed, weighed, right = np.array(rows, np.float64).reshape(-1, 3).T
        everywhere = np.array([one.right for one in own.values()])
        found = human_agreement.estimate(agreed, weighed, right, everywhere)
        figures = JudgeAgreement(judge=judge, votes=len(rows), pairs=len(own))
        if found is not None:
            values = {
                "agreement": found.best.value,
                "low": found.best.low,
                "high": found.best.high,
                "method": "prediction" if found.predicted else "people",
                "people_low": found.people.low,
                "people_high": found.people.high,
            }
            figures = figures.model_copy(update=values)
        yield figures


def _key(vote: Vote) -> tuple[str, str]:
    a, b = sorted((vote.left_id, vote.right_id))
    return a, b


def weights(votes: Sequence[Vote]) -> Iterator[tuple[str, float]]:
    """Yield the weight of each vote in an average over all pairs, by the vote's id.

    The weight is the inverse of the vote's probability, corrected for drawing without replacement.

    Source: Farquhar, Gal and Rainforth, "On Statistical Bias in Active Learning" (2021), where
    the estimator is called levelled and unbiased.
    """
    for _, group in itertools.groupby(
        sorted(votes, key=lambda vote: vote.voter), key=lambda vote: vote.voter
    ):
        own = list(group)
        left_over = max(vote.eligible for vote in own) - len(own)
        for vote in own:
            inverse = 1 / (vote.eligible * vote.probability)
            share = left_over / (vote.eligible - 1) if vote.eligible > 1 else 0.0
            yield vote.id, 1 + min(max(share, 0.0), 1.0) * (inverse - 1)


def preferences(
    documents: Sequence[VotableDocument], config: Config
) -> dict[str, dict[tuple[str, str], JudgePreference]]:
    """Return the preferences of each judge by pair; a pair is in the order of its ids."""
    found: dict[str, dict[tuple[str, str], JudgePreference]] = defaultdict(dict)
    for one in documents:
        snapshot, strengths = one.snapshot, one.drawn.strengths
        tables = judgements.arrange(
            snapshot.artifacts, snapshot.evaluations, snapshot.comparisons, config
        )
        place = {candidate: number for number, candidate in enumerate(one.ids)}
        for a, b in (sorted(pair) for pair in one.pairs):
            margin = strengths[:, place[a]] - strengths[:, place[b]]
            better = float(np.mean((np.sign(margin) + 1) / 2))
            for judge, first in _by_judge(tables, a, b):
                right = (better if first > 0.5 else 1 - better) if first != 0.5 else 0.5
                found[judge][a, b] = JudgePreference(first, right)
    return found


def _by_judge(tables: JudgementTables, a: str, b: str) -> Iterator[tuple[str, float]]:
    """Yield each judge's preference: by its verdicts on the pair, or else by its scores."""
    verdicts = tables.verdicts.get(f"{a}\n{b}", {})
    scored = tables.same_scale(tables.scores)
    first, second = scored.get(a, {}), scored.get(b, {})
    for judge in sorted({*verdicts, *(first.keys() & second.keys())}):
        if judge in verdicts:
            yield judge, (np.sign(verdicts[judge] - 0.5) + 1) / 2
        else:
            yield judge, (np.sign(round(first[judge] - second[judge], 9)) + 1) / 2
