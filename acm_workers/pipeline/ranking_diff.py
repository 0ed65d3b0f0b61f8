"""The difference between two rankings of a document by different judges, with reasons; pure."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

from acm_workers.pipeline.snapshot import DocumentSnapshot
from acm_workers.ranking import games, scores
from schemas.config.config import Config
from schemas.ranking import Standing
from schemas.rejudged import CandidateChange, CandidateResult, DocumentChange

_MOST_CRITERIA = 3
_NOTICEABLE = 0.005
"""Minimum difference that is not rounded to 0.00."""


class JudgedDocument(NamedTuple):
    """A document with its results in one run.

    Attributes:
        standings: The standings stored when the document was finished; empty before that.
    """

    snapshot: DocumentSnapshot
    config: Config
    standings: Sequence[Standing]


class _JudgeSet(NamedTuple):
    """One set of judges.

    Attributes:
        places: Place by the candidate's id in the new run.
        winner_id: The winner's id in the new run.
        judges: Mean overall score by judge.
    """

    places: dict[str, CandidateResult]
    winner_id: str | None
    judges: dict[str, float]


def compare_rankings(old: JudgedDocument, new: JudgedDocument) -> DocumentChange:
    """Return both rankings of a document, and the reasons for the difference.

    Args:
        old: The document from which the candidates of ``new`` were taken.
        new: The same candidates, judged again.
    """
    artifacts = new.snapshot.candidates
    new_id = {one.taken_from: one.id for one in artifacts if one.taken_from is not None}
    before, after = _judge_set(old, new_id), _judge_set(new, {one.id: one.id for one in artifacts})
    names = {one.id: one.name for one in artifacts}
    moves = [
        CandidateChange(
            artifact_id=one.id,
            name=names[one.id],
            old=before.places.get(one.id, CandidateResult()),
            new=after.places.get(one.id, CandidateResult()),
        )
        for one in artifacts
    ]
    moves.sort(key=lambda move: (move.new.rank is None, move.new.rank or 0, move.old.rank or 0))
    decided = before.winner_id is not None and after.winner_id is not None
    alike = old.config.criteria == new.config.criteria
    return DocumentChange(
        path=new.snapshot.document.path,
        old_winner=names.get(before.winner_id or ""),
        new_winner=names.get(after.winner_id or ""),
        winner_changed=before.winner_id != after.winner_id if decided else None,
        moves=tuple(moves),
        why=tuple(_why(before, after, moves, same_criteria=alike)),
    )


def _judge_set(judged: JudgedDocument, new_id: dict[str, str]) -> _JudgeSet:
    snapshot, config = judged.snapshot, judged.config
    summaries = scores.summaries(snapshot.artifacts, snapshot.evaluations, config)
    points: dict[str, list[float]] = defaultdict(list)
    for game in games.games(snapshot.comparisons, tie_below=config.pairwise.tie_below_confidence):
        points[game.a].append(game.score_a)
        points[game.b].append(1 - game.score_a)
    standings = {standing.artifact_id: standing for standing in judged.standings}
    places = {}
    for artifact in snapshot.candidates:
        if artifact.id not in new_id:
            continue
        standing, summary = standings.get(artifact.id), summaries.get(artifact.id)
        places[new_id[artifact.id]] = CandidateResult(
            rank=None if standing is None else standing.rank,
            overall=None if summary is None else summary.overall,
            criteria={} if summary is None else summary.criteria,
            points=sum(points[artifact.id]),
            games=len(points[artifact.id]),
            p_best=None if standing is None else standing.p_best,
        )
    return _JudgeSet(places, new_id.get(snapshot.document.winner_id or ""), _means(snapshot))


def _means(snapshot: DocumentSnapshot) -> dict[str, float]:
    """Return each judge's mean score of the original candidates, which both runs have."""
    first = {artifact.id for artifact in snapshot.candidates if not artifact.combined}
    given: dict[str, list[float]] = defaultdict(list)
    for unit in snapshot.evaluations:
        if unit.artifact_id in first and unit.state == "done" and unit.overall is not None:
            given[unit.judge].append(unit.overall)
    return {judge: fmean(values) for judge, values in given.items()}


def _why(
    before: _JudgeSet, after: _JudgeSet, moves: Sequence[CandidateChange], *, same_criteria: bool
) -> Iterator[str]:
    by_id = {move.artifact_id: move for move in moves}
    won, lost = by_id.get(after.winner_id or ""), by_id.get(before.winner_id or "")
    if won is None:
        yield "There is no winner by the new judges." if after.places else "Nothing was judged."
    elif lost is None:
        yield f"{won.name} wins; the earlier judges had no winner among these candidates."
    elif won is not lost:
        yield f"{won.name} wins instead of {lost.name}."
        yield from _duel(won, lost)
    else:
        yield f"{won.name} wins as before."
        other = next((move for move in moves if move is not won and move.new.rank), None)
        if other is not None:
            yield from _duel(won, other)
    yield from _judges(before, after, same_criteria=same_criteria)


def _duel(won: CandidateChange, other: CandidateChange) -> Iterator[str]:
    """Yield the scores and verdicts that put one candidate ahead of another, now and before."""
    yield from _pair("score", won, other, _overall(won), _overall(other))
    differences = {
        name: score - other.new.criteria[name]
        for name, score in won.new.criteria.items()
        if name in other.new.criteria
    }
    telling = sorted(differences, key=lambda name: -abs(differences[name]))[:_MOST_CRITERIA]
    parts = [
        f"{name} {differences[name]:+.2f}"
        for name in telling
        if abs(differences[name]) > _NOTICEABLE
    ]
    if parts:
        yield f"By criterion, {won.name} against {other.name}: {', '.join(parts)}."
    yield from _pair("share of won comparisons", won, other, _share(won), _share(other))


def _pair(
    what: str,
    won: CandidateChange,
    other: CandidateChange,
    ours: tuple[float | None, float | None],
    theirs: tuple[float | None, float | None],
) -> Iterator[str]:
    """Yield one measure of two candidates, now and before; nothing if it is unknown now."""
    if ours[1] is None or theirs[1] is None:
        return
    sentence = f"{what.capitalize()}: {ours[1]:.2f} against {theirs[1]:.2f} of {other.name}"
    if ours[0] is not None and theirs[0] is not None:
        sentence += f"; before, {ours[0]:.2f} against {theirs[0]:.2f}"
    yield f"{sentence}."


def _overall(move: CandidateChange) -> tuple[float | None, float | None]:
    return move.old.overall, move.new.overall


def _share(move: CandidateChange) -> tuple[float | None, float | None]:
    old, new = (
        place.points / place.games if place.games else None for place in (move.old, move.new)
    )
    return old, new


def _judges(before: _JudgeSet, after: _JudgeSet, *, same_criteria: bool) -> Iterator[str]:
    """Yield the mean score by judge, if the criteria are the same."""
    if not same_criteria:
        if after.judges:
            yield "The criteria differ, so scores cannot be compared with the earlier ones."
        return
    if not before.judges or not after.judges or before.judges == after.judges:
        return
    now = [f"{name} {mean:.2f}" for name, mean in sorted(after.judges.items())]
    earlier = [f"{name} {mean:.2f}" for name, mean in sorted(before.judges.items())]
    yield f"Mean score by judge: {', '.join(now)}; before: {', '.join(earlier)}."
