"""Measures intervals and winners with the votes of simulated people.

Each person chooses the better of two texts with a fixed probability, regardless of the difference;
judges have the errors of ``simulated``. Pairs are chosen and results are estimated by the functions
that runs use.
"""

import math
import random
import statistics
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from acm_workers.pipeline import voting
from acm_workers.pipeline.snapshot import DocumentSnapshot
from acm_workers.pipeline.voting import VotableDocument
from ops.benchmarks import simulated, table, vote_intervals
from ops.benchmarks.table import Interval, Measured, Target
from schemas.config.config import Config
from schemas.units import Artifact, Comparison, Document, Evaluation, Winner
from schemas.votes import Vote
from tests.support import judging_records, stored

_START = datetime(2026, 1, 1, tzinfo=UTC)
_RELIABILITIES = (0.6, 0.75, 0.85, 0.95)
_VOTES = (10, 20, 50, 200)
_FEW = 20
_MANY = 10
"""Number of runs for intervals only, for each whole run."""
_BETWEEN = 6
"""Number of votes after which the reliability of people is estimated again."""
_CANDIDATES = 6
_DOCUMENTS = {10: 10, 20: 10, 50: 20, 200: 40}
"""Number of documents of a run, by the number of votes on it."""
_SHARPNESS = 1.5
_JUDGES = 3
_COMPARISONS = 12
"""Number of comparisons of each document under a budget."""
_LEAST_BETTER = 0.01
_IN_INTERVAL = 1.96


class _Field(NamedTuple):
    """A run with hidden qualities by candidate."""

    documents: tuple[VotableDocument, ...]
    quality: dict[str, float]
    config: Config


class _Held(NamedTuple):
    """Coverage of one interval of one judge.

    Attributes:
        wider: Ratio of its width to that of an interval from votes alone.
    """

    holds: bool
    wider: float
    width: float


class _Won(NamedTuple):
    """Winners of one run: the number of best candidates among them, without and with votes.

    Attributes:
        lost: Total difference of quality between the best candidates and the winners.
        lost_voted: The same with votes.
    """

    documents: int
    right: int
    right_voted: int
    lost: float
    lost_voted: float


class _Played(NamedTuple):
    """One run."""

    held: list[_Held]
    won: _Won | None


def measure(runs: int, *, jobs: int = 1, first_seed: int = 0) -> Measured:
    """Simulate ``runs`` runs for each reliability and number of votes, in ``jobs`` processes.

    With 200 votes only a third of the runs are simulated, because each is slow.
    """
    cells = [(one, number) for number in _VOTES for one in _RELIABILITIES]
    played: dict[tuple[float, int], list[_Played]] = {}
    with ProcessPoolExecutor(jobs) as pool:
        for cell in cells:
            seeds = range(first_seed, first_seed + max(1, runs // (3 if cell[1] == 200 else 1)))
            played[cell] = [*pool.map(_play, [cell] * len(seeds), seeds)]
    rows = [_row(cell, found) for cell, found in played.items()]
    intervals, targets = vote_intervals.measure(_MANY * runs, jobs, first_seed)
    rows = [{key: row.get(key) for key in {**rows[0], **intervals[0]}} for row in rows + intervals]
    for number in _VOTES:
        targets += _coverage(number, [run for one in _RELIABILITIES for run in played[one, number]])
    won = [run.won for one in _RELIABILITIES for run in played[one, _FEW] if run.won]
    better = [(one.right_voted - one.right) / one.documents for one in won]
    value, error = statistics.fmean(better), statistics.stdev(better) / math.sqrt(len(better))
    interval = Interval(value - _IN_INTERVAL * error, value + _IN_INTERVAL * error)
    name = f"documents whose best wins by {_FEW} votes on 10 documents, beyond those without votes"
    targets.append(Target(name, value, _LEAST_BETTER, True, interval))
    return Measured("votes", rows, targets)


def _play(cell: tuple[float, int], seed: int) -> _Played:
    reliability, number = cell
    draw = random.Random(f"{reliability} {number} {seed}")  # noqa: S311
    field = _field(_DOCUMENTS[number], draw)
    votes = _vote(field, reliability, number, draw)
    truth = dict(_truth(field, reliability))
    held = [
        _Held(
            one.low <= truth[one.judge] <= one.high,
            (one.high - one.low) / (one.people_high - one.people_low),
            one.high - one.low,
        )
        for one in voting.agreements(field.documents, votes, field.config)
        if one.low is not None
        and one.high is not None
        and one.people_low is not None
        and one.people_high is not None
    ]
    return _Played(held, _won(field, votes) if number <= _FEW else None)


def _won(field: _Field, votes: Sequence[Vote]) -> _Won:
    found = voting.result("RUN", field.documents, votes, field.config)
    voted = {one.document_id: one.voted_winner_id for one in found.winners}
    right, right_voted, lost, lost_voted = 0, 0, 0.0, 0.0
    for one in field.documents:
        best = max(one.ids, key=field.quality.__getitem__)
        old = one.snapshot.document.winner_id or ""
        new = voted.get(one.snapshot.document.id) or old
        right += old == best
        right_voted += new == best
        lost += field.quality[best] - field.quality[old]
        lost_voted += field.quality[best] - field.quality[new]
    return _Won(len(field.documents), right, right_voted, lost, lost_voted)


def _field(documents: int, draw: random.Random) -> _Field:
    """Return a run whose judges have scored each candidate and compared some pairs."""
    judges = [
        {"name": f"j{number}", "provider": "alpha", "model": "m", "iterations": 1}
        for number in range(_JUDGES)
    ]
    criteria = [{"name": "all", "min": -6, "max": 6, "step": 0.01}]
    config = stored.config(judges=judges, criteria=criteria, pairwise={"strategy": "adaptive"})
    found: list[VotableDocument] = []
    quality: dict[str, float] = {}
    for number in range(documents):
        case = simulated.case(_CANDIDATES, draw)
        own = {one: f"{number:03d}-{one}" for one in case.ids}
        quality |= {own[one]: of for one, of in case.quality.items()}
        snapshot = _snapshot(f"D{number:03d}", case, own, draw)
        one = voting.votable(snapshot, config, {name: name for name in own.values()})
        if one is None:
            raise RuntimeError("a document without two candidates")
        chances = dict(zip(one.ids, one.drawn.p_best().tolist(), strict=True))
        won = snapshot.document.model_copy(
            update={"winner_id": max(chances, key=chances.__getitem__)}
        )
        found.append(one._replace(snapshot=snapshot._replace(document=won)))
    return _Field(tuple(found), quality, config)


def _snapshot(
    document_id: str, case: simulated.Case, own: dict[str, str], draw: random.Random
) -> DocumentSnapshot:
    document = Document(
        id=document_id, run_id="RUN", path=f"{document_id}.md", key="k", created_at=_START
    )
    here = {"document_id": document_id, "run_id": "RUN"}
    artifacts: list[Artifact] = [
        judging_records.artifact(own[one]).model_copy(update={**here, "number": number})
        for number, one in enumerate(case.ids, 1)
    ]
    evaluations: list[Evaluation] = [
        judging_records.evaluation(own[one], score, judge=judge).model_copy(update=here)
        for one, summary in case.summaries.items()
        for judge, score in summary.by_judge.items()
    ]
    comparisons: list[Comparison] = []
    pairs = [(a, b) for number, a in enumerate(case.ids) for b in case.ids[:number]]
    for number in range(_COMPARISONS):
        a, b = draw.sample(draw.choice(pairs), 2)
        winner = _prefers(case.quality[a] - case.quality[b], draw)
        judge = f"j{number % _JUDGES}"
        given = judging_records.comparison((own[a], own[b]), winner, judge=judge, iteration=number)
        comparisons.append(given.model_copy(update=here))
    return DocumentSnapshot(document, artifacts, evaluations, comparisons)


def _prefers(difference: float, draw: random.Random) -> Winner:
    odds = _SHARPNESS * difference + simulated.POSITION_BIAS
    return "a" if draw.random() < 1 / (1 + math.exp(-odds)) else "b"


def _vote(field: _Field, reliability: float, number: int, draw: random.Random) -> list[Vote]:
    """Return the votes of three people in turn, or of one person if there are few."""
    people = ["ann", "bob", "eve"][: max(1, min(3, number // 10))]
    votes: list[Vote] = []
    sharpness = dict.fromkeys(people, 0.6)
    for turn in range(number):
        voter = people[turn % len(people)]
        if turn % _BETWEEN == 0:
            sharpness |= voting.sharpness_of(field.documents, votes)
        chosen = voting.choose(field.documents, votes, voter, draw, sharpness)
        if chosen is None:
            raise RuntimeError("too few pairs")
        better = field.quality[chosen.left] > field.quality[chosen.right]
        left = better if draw.random() < reliability else not better
        at = _START + timedelta(seconds=10 * turn)
        votes.append(
            Vote(
                id=f"V{turn:05d}", run_id="RUN",
                document_id=field.documents[chosen.document].snapshot.document.id,
                left_id=chosen.left, right_id=chosen.right, voter=voter,
                choice="left" if left else "right", probability=chosen.probability,
                eligible=chosen.eligible, shown_at=at, voted_at=at + timedelta(seconds=9),
            )
        )  # fmt: skip
    return votes


def _truth(field: _Field, reliability: float) -> Iterator[tuple[str, float]]:
    """Yield the expected agreement of each judge with people over all pairs of the run."""
    for judge, pairs in voting.preferences(field.documents, field.config).items():
        same = []
        for (a, b), preference in pairs.items():
            better = 1.0 if field.quality[a] > field.quality[b] else 0.0
            right = 1 - abs(better - preference.first)
            same.append(right * reliability + (1 - right) * (1 - reliability))
        yield judge, statistics.fmean(same)


def _coverage(number: int, played: Sequence[_Played]) -> list[Target]:
    """Return the target for the coverage of intervals, over people of all reliabilities."""
    # The intervals of one run are about the same votes, so each run counts once.
    held = [statistics.fmean(one.holds for one in run.held) for run in played if run.held]
    value, interval = statistics.fmean(held), table.share_interval(held)
    name = f"95 % intervals of whole runs that hold, {number} votes"
    targets = [Target(name, value, vote_intervals.LEAST_COVERED, True, interval)]
    if number > _FEW:
        targets.append(Target(name, value, vote_intervals.MOST_COVERED, False, interval))
    return targets


def _row(cell: tuple[float, int], played: Sequence[_Played]) -> dict[str, Any]:
    held = [one for run in played for one in run.held]
    won = [run.won for run in played if run.won is not None]
    documents = sum(one.documents for one in won)
    return {
        "people": cell[0],
        "votes": cell[1],
        "documents": _DOCUMENTS[cell[1]],
        "intervals": len(held),
        "covered": statistics.fmean(one.holds for one in held),
        "width": statistics.fmean(one.width for one in held),
        "beside people only": statistics.fmean(one.wider for one in held),
        "best won": sum(one.right for one in won) / documents if won else None,
        "with votes": sum(one.right_voted for one in won) / documents if won else None,
        "lost": sum(one.lost for one in won) / documents if won else None,
        "lost with votes": sum(one.lost_voted for one in won) / documents if won else None,
    }
