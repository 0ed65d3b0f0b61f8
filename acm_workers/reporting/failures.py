"""Everything that has no result, and why."""

from collections import Counter
from collections.abc import Sequence

from acm_workers.reporting.data import FailedCalls, FailedUnit
from acm_workers.reporting.facts import DocumentRecords, label
from schemas.calls import Call
from schemas.units import Artifact, Comparison, Evaluation


def units(documents: Sequence[DocumentRecords]) -> tuple[FailedUnit, ...]:
    """Return every unit that failed, was cancelled or never ended, document by document."""
    return tuple(failure for facts in documents for failure in _of(facts))


def _of(facts: DocumentRecords) -> list[FailedUnit]:
    asked = Counter(call.unit_id for call in facts.calls if not call.cached)
    labels = {artifact.id: label(artifact) for artifact in facts.artifacts}
    return [
        FailedUnit(
            kind=kind,
            path=facts.document.path,
            what=what,
            state=unit.state,
            error_kind=unit.error_kind,
            error=unit.error,
            attempts=asked[unit.id],
            raw=None if isinstance(unit, Artifact) else unit.raw,
        )
        for kind, what, unit in _named(facts, labels)
        if unit.state != "done"
    ]


def _named(
    facts: DocumentRecords, labels: dict[str, str]
) -> list[tuple[str, str, Artifact | Evaluation | Comparison]]:
    return [
        *(("candidate", labels[unit.id], unit) for unit in facts.artifacts),
        *(
            ("evaluation", f"{labels.get(unit.artifact_id, '?')}, by {unit.judge}", unit)
            for unit in facts.evaluations
        ),
        *(
            (
                "comparison",
                f"{labels.get(unit.a_id, '?')} with {labels.get(unit.b_id, '?')}, by {unit.judge}",
                unit,
            )
            for unit in facts.comparisons
        ),
    ]


def calls(sent: Sequence[Call]) -> tuple[FailedCalls, ...]:
    """Count failed and uncertain requests by model and kind, with one message each."""
    counted: Counter[tuple[str, str, str]] = Counter()
    examples: dict[tuple[str, str, str], str] = {}
    for call in sent:
        if call.state not in ("failed", "uncertain"):
            continue
        key = (call.provider, call.model, _kind(call))
        counted[key] += 1
        if call.error:
            examples.setdefault(key, call.error)
    return tuple(FailedCalls(*key, counted[key], examples.get(key)) for key in sorted(counted))


def _kind(call: Call) -> str:
    if call.state == "uncertain":
        return "uncertain"
    return call.error_kind or (f"HTTP {call.status}" if call.status else "unknown")
