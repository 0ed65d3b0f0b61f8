"""Texts and reasons in a report: all of them in a small run, the best in a large run."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from acm_workers.reporting import markdown, word_diff
from acm_workers.reporting.data import Candidate, CandidateText, JudgeReasons, TextDiff
from acm_workers.reporting.document_records import DocumentRecords, grouped
from schemas.units import Comparison, Evaluation

# Characters in the whole report. Rendering Markdown takes about 3 s per million.
RENDERED = 500_000
PLAIN = 3_000_000
REASONS = 2_000_000
DIFFED = 1_500_000
_FRAME = 120


class CharacterBudget(NamedTuple):
    """Characters that one document may use."""

    rendered: int
    plain: int
    reasons: int
    diffed: int


def share_characters(documents: int) -> CharacterBudget:
    """Share the report evenly between ``documents``."""
    share = max(1, documents)
    return CharacterBudget(RENDERED // share, PLAIN // share, REASONS // share, DIFFED // share)


def shown_texts(
    candidates: Sequence[Candidate], winner: Candidate | None, budget: CharacterBudget
) -> tuple[CandidateText, ...]:
    """Return the winner's text, then the others in their order, within the budget."""
    written = [candidate for candidate in candidates if candidate.artifact.text is not None]
    written.sort(key=lambda candidate: candidate is not winner)
    rendered, plain = budget.rendered, budget.plain
    shown = []
    for candidate in written:
        text = candidate.artifact.text or ""
        html = markdown.html(text) if len(text) <= rendered else None
        if html is not None:
            rendered -= len(text)
            shown.append(CandidateText(candidate, html, None))
        elif len(text) <= plain:
            plain -= len(text)
            shown.append(CandidateText(candidate, None, text))
        else:
            shown.append(CandidateText(candidate, None, None))
    return tuple(shown)


def judge_reasons(
    records: DocumentRecords, candidates: Sequence[Candidate], budget: CharacterBudget
) -> tuple[tuple[JudgeReasons, ...], int]:
    """Return the judgements by candidate and by pair, and the number of omitted ones."""
    labels = {candidate.artifact.id: candidate.label for candidate in candidates}
    evaluations = grouped(records.evaluations, lambda unit: unit.artifact_id)
    pairs = grouped(records.comparisons, lambda unit: "\n".join(sorted((unit.a_id, unit.b_id))))
    groups = [
        JudgeReasons(
            candidate.label,
            score_anchor(candidate.artifact.id),
            evaluations=evaluations[candidate.artifact.id],
        )
        for candidate in candidates
        if candidate.artifact.id in evaluations
    ] + [
        JudgeReasons(
            _pair(units, labels), pair_anchor(units[0].a_id, units[0].b_id), comparisons=units
        )
        for units in pairs.values()
    ]
    return _fitting(groups, budget.reasons)


def score_anchor(artifact_id: str) -> str:
    """Return the anchor of the judges' remarks on a single candidate."""
    return f"s-{artifact_id}"


def pair_anchor(one: str, other: str) -> str:
    """Return the anchor of the judges' remarks on a pair, regardless of the order shown."""
    return f"v-{min(one, other)}-{max(one, other)}"


def diffs(
    source: str, candidates: Sequence[Candidate], winner: Candidate | None, left: int
) -> tuple[TextDiff, ...]:
    """Compare the winner with the runner-up, its parents and the source, within a budget.

    Args:
        source: The input text.
        candidates: Best first.
        winner: Winner of the document.
        left: Characters that may be compared.
    """
    text = winner.artifact.text if winner else None
    if winner is None or text is None:
        return ()
    runner_up = next((one for one in candidates if one.standing and one is not winner), None)
    parents = [one for one in candidates if one.artifact.id in winner.artifact.parents]
    others = [("the runner-up", runner_up)] if runner_up else []
    others += [("a parent", one) for one in parents if one is not runner_up]
    sides = [(f"{one.label}, {what}", one.artifact.text or "") for what, one in others if one]
    found = []
    for name, other in [*sides, ("the source", source)]:
        left -= len(text) + len(other)
        compared = word_diff.diff(other, text) if left >= 0 else None
        if compared is not None:
            found.append(TextDiff(name, compared))
    return tuple(found)


def _pair(units: tuple[Comparison, ...], labels: dict[str, str]) -> str:
    first = units[0]
    return f"{labels.get(first.a_id, first.a_id)}  –  {labels.get(first.b_id, first.b_id)}"


def _fitting(groups: list[JudgeReasons], left: int) -> tuple[tuple[JudgeReasons, ...], int]:
    shown, left_out = [], 0
    for group in groups:
        left -= _length(group.evaluations) + sum(
            len(unit.reason or "") + _FRAME for unit in group.comparisons
        )
        if left >= 0:
            shown.append(group)
        else:
            left_out += len(group.evaluations) + len(group.comparisons)
    return tuple(shown), left_out


def _length(evaluations: Iterable[Evaluation]) -> int:
    return sum(
        len(said) + _FRAME
        for unit in evaluations
        for said in (*unit.reasons.values(), unit.summary or "")
    )
