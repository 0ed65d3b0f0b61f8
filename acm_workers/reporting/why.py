"""Why the winner won, in the words of the judges."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from acm_workers.reporting import quoting
from acm_workers.reporting.data import Candidate, JudgeRemark
from acm_workers.reporting.document_records import DocumentRecords
from acm_workers.reporting.formatting import number
from acm_workers.reporting.quoting import RemarkPart
from schemas.units import Comparison

_CHARACTERS = 260
"""Maximum length of a sentence in the box, in characters; the verdict is shown in full."""

_READ = 4 * _CHARACTERS
"""Length of a judge's remark that is read, in characters."""

_OF_WINNER, _OF_RUNNER_UP = 2, 1


class _Sides(NamedTuple):
    """The two compared candidates, and the names of all candidates."""

    winner: Candidate
    runner_up: Candidate | None
    labels: dict[str, str]


def sentences(records: DocumentRecords, candidates: Sequence[Candidate]) -> tuple[JudgeRemark, ...]:
    """Return the judges' remarks for the winner and the runner-up, by confidence of the verdict.

    Verdicts on pairs are the most informative; without verdicts, reasons of scores are used. If
    judges disagree on a pair, the first remark on it is shown with a reason of the other side.
    """
    won = next((one for one in candidates if one.artifact.id == records.document.winner_id), None)
    if won is None:
        return ()
    other = next((one for one in candidates if one.standing and one is not won), None)
    sides = _Sides(won, other, {one.artifact.id: one.label for one in candidates})
    said = _first(_for_side(records, sides, won, other), _OF_WINNER, set())
    dissents: set[str] = set()
    for place, one in enumerate(said):
        if one.dissent is not None and _words(one.dissent) in dissents:
            said[place] = one._replace(dissent=None)
        elif one.dissent is not None:
            dissents.add(_words(one.dissent))
    if other is not None:
        for_other = _for_side(records, sides, other, won)
        said += [one._replace(dissent=None) for one in _first(for_other, _OF_RUNNER_UP, dissents)]
    return tuple(said)


def _words(one: JudgeRemark) -> str:
    return "".join(part.text for part in one.parts)


def _first(found: Iterator[JudgeRemark], most: int, seen: set[str]) -> list[JudgeRemark]:
    """Return the first sentences, of different judges as far as possible.

    Args:
        seen: Texts that are not repeated.
    """
    sentences: list[JudgeRemark] = []
    rest: list[JudgeRemark] = []
    for one in found:
        words = _words(one)
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
) -> Iterator[JudgeRemark]:
    verdicts = [unit for unit in records.comparisons if _is_for(unit, one.artifact.id)]
    verdicts.sort(key=lambda unit: (not _is_between(unit, one, other), -(unit.confidence or 0.0)))
    for unit in verdicts[:20]:
        ends = (unit.a_id, unit.b_id)
        pair = [
            verdict
            for verdict in records.comparisons
            if verdict.state == "done" and verdict.a_id in ends and verdict.b_id in ends
        ]
        said = _sentence(unit, sides, one)
        told = (said.record, _record(pair, one.artifact.id))
        yield said._replace(
            record=", ".join(part for part in told if part),
            dissent=_dissent(pair, unit, sides, one),
        )
    yield from _reasons_of_scores(records, one, other)


def _sentence(unit: Comparison, sides: _Sides, one: Candidate) -> JudgeRemark:
    chosen = _chosen(unit)
    other = unit.b_id if unit.a_id == one.artifact.id else unit.a_id
    name = sides.labels.get(other, "?")
    preferring = f"preferring it to {name}" if chosen == one.artifact.id else f"preferring {name}"
    parts = quoting.named(
        (unit.reason or "")[:_READ],
        *(sides.labels.get(end, "?") for end in (unit.a_id, unit.b_id)),
    )
    return JudgeRemark(
        about=one,
        judge=unit.judge,
        context=preferring if chosen else "calling it a tie",
        parts=quoting.clipped(parts, _CHARACTERS),
        record="" if unit.confidence is None else f"confidence {number(unit.confidence)}",
    )


def _record(pair: Sequence[Comparison], artifact_id: str) -> str:
    """Summarise all verdicts on a pair from one candidate's side."""
    if len(pair) == 1:
        return "the only verdict on this pair"
    ends = [_chosen(unit) for unit in pair]
    won, tied = ends.count(artifact_id), ends.count(None)
    lost = len(ends) - won - tied
    if not tied:
        return f"won {won} of {len(ends)} verdicts on this pair"
    counts = (("won", won), ("lost", lost), ("tied", tied))
    told = ", ".join(f"{word} {count}" for word, count in counts if count)
    return f"{told} of {len(ends)} verdicts on this pair"


def _dissent(
    pair: Sequence[Comparison], unit: Comparison, sides: _Sides, one: Candidate
) -> JudgeRemark | None:
    """Return the most certain reason for another result, by another judge if possible."""
    others = [
        verdict
        for verdict in pair
        if _chosen(verdict) != one.artifact.id and (verdict.reason or "").strip()
    ]
    others.sort(key=lambda verdict: (verdict.judge == unit.judge, -(verdict.confidence or 0.0)))
    return _sentence(others[0], sides, one) if others else None


def _chosen(unit: Comparison) -> str | None:
    """Return the id of the candidate that a verdict is for; None for a tie."""
    return {"a": unit.a_id, "b": unit.b_id}.get(unit.winner or "")


def _is_for(unit: Comparison, artifact_id: str) -> bool:
    is_for = unit.state == "done" and _chosen(unit) == artifact_id
    return is_for and bool((unit.reason or "").strip())


def _is_between(unit: Comparison, one: Candidate, other: Candidate | None) -> bool:
    ids = {one.artifact.id, other.artifact.id if other else ""}
    return {unit.a_id, unit.b_id} == ids


def _reasons_of_scores(
    records: DocumentRecords, one: Candidate, other: Candidate | None
) -> Iterator[JudgeRemark]:
    """Yield reasons of scores, those of the criterion with the largest lead first."""
    ours = one.summary.criteria if one.summary else {}
    theirs = other.summary.criteria if other and other.summary else {}
    leads = sorted(ours, key=lambda name: -(ours[name] - theirs.get(name, 0.0)))
    units = [
        unit
        for unit in records.evaluations
        if unit.artifact_id == one.artifact.id and unit.state == "done"
    ]
    ends = {criterion.name: criterion.max for criterion in records.run.config.criteria}
    for name in leads[:3]:
        of = f" of {ends[name]:g}" if name in ends else ""
        for unit in units:
            reason = unit.reasons.get(name, "")[:_READ].strip()
            if reason and name in unit.scores:
                parts = (RemarkPart(reason, is_name=False),)
                yield JudgeRemark(
                    about=one,
                    judge=unit.judge,
                    context=f"scoring its {name} {unit.scores[name]:g}{of}",
                    parts=quoting.clipped(parts, _CHARACTERS),
                )
