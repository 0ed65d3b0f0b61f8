"""Why the winner won, in the words of the judges."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from acm_workers.reporting import quoting
from acm_workers.reporting.data import Candidate, JudgeSentence
from acm_workers.reporting.document_records import DocumentRecords
from acm_workers.reporting.quoting import Quoted
from schemas.units import Comparison

_CHARACTERS = 260
"""Of one sentence in the box; the verdict that it is from has all."""

_READ = 4 * _CHARACTERS
"""Of what a judge said, however long it is."""

_OF_WINNER, _OF_RUNNER_UP = 2, 1


class _Sides(NamedTuple):
    """The two candidates that the box is about, and the names of all."""

    winner: Candidate
    runner_up: Candidate | None
    labels: dict[str, str]


def sentences(
    records: DocumentRecords, candidates: Sequence[Candidate]
) -> tuple[JudgeSentence, ...]:
    """Return the judges' remarks for the winner and for the runner-up, the surest verdicts first.

    Verdicts on pairs say most; where there are none, the reasons of scores stand in.
    """
    won = next((one for one in candidates if one.artifact.id == records.document.winner_id), None)
    if won is None:
        return ()
    other = next((one for one in candidates if one.standing and one is not won), None)
    sides = _Sides(won, other, {one.artifact.id: one.label for one in candidates})
    said = _first(_for_side(records, sides, won, other), _OF_WINNER)
    if other is not None:
        said += _first(_for_side(records, sides, other, won), _OF_RUNNER_UP)
    return tuple(said)


def _first(found: Iterator[JudgeSentence], most: int) -> list[JudgeSentence]:
    """Return the first sentences, of different judges as far as possible."""
    sentences: list[JudgeSentence] = []
    rest: list[JudgeSentence] = []
    seen: set[str] = set()
    for one in found:
        words = "".join(part.text for part in one.parts)
        if words in seen:
            continue
        seen.add(words)
        fresh = all(one.judge != other.judge for other in sentences)
        (sentences if fresh else rest).append(one)
        if len(sentences) == most:
            break
    return [*sentences, *rest][:most]


def _for_side(
    records: DocumentRecords, sides: _Sides, one: Candidate, other: Candidate | None
) -> Iterator[JudgeSentence]:
    verdicts = [unit for unit in records.comparisons if _is_for(unit, one.artifact.id)]
    verdicts.sort(key=lambda unit: (not _is_between(unit, one, other), -(unit.confidence or 0.0)))
    for unit in verdicts[:20]:
        beaten = unit.b_id if unit.winner == "a" else unit.a_id
        parts = quoting.named(
            (unit.reason or "")[:_READ],
            *(sides.labels.get(end, "?") for end in (unit.a_id, unit.b_id)),
        )
        yield JudgeSentence(
            about=one,
            judge=unit.judge,
            context=f"preferring it to {sides.labels.get(beaten, '?')}",
            parts=quoting.clipped(parts, _CHARACTERS),
        )
    yield from _reasons_of_scores(records, one, other)


def _is_for(unit: Comparison, artifact_id: str) -> bool:
    chosen = {"a": unit.a_id, "b": unit.b_id}.get(unit.winner or "")
    return unit.state == "done" and chosen == artifact_id and bool((unit.reason or "").strip())


def _is_between(unit: Comparison, one: Candidate, other: Candidate | None) -> bool:
    ids = {one.artifact.id, other.artifact.id if other else ""}
    return {unit.a_id, unit.b_id} == ids


def _reasons_of_scores(
    records: DocumentRecords, one: Candidate, other: Candidate | None
) -> Iterator[JudgeSentence]:
    """Yield reasons of scores, those of the criterion with the largest lead first."""
    ours = one.summary.criteria if one.summary else {}
    theirs = other.summary.criteria if other and other.summary else {}
    leads = sorted(ours, key=lambda name: -(ours[name] - theirs.get(name, 0.0)))
    units = [
        unit
        for unit in records.evaluations
        if unit.artifact_id == one.artifact.id and unit.state == "done"
    ]
    for name in leads[:3]:
        for unit in units:
            reason = unit.reasons.get(name, "")[:_READ].strip()
            if reason and name in unit.scores:
                parts = (Quoted(reason, is_name=False),)
                yield JudgeSentence(
                    about=one,
                    judge=unit.judge,
                    context=f"scoring its {name} {unit.scores[name]:g}",
                    parts=quoting.clipped(parts, _CHARACTERS),
                )
