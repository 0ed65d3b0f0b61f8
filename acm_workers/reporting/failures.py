"""Units without a result, and failed calls."""

from collections import Counter
from collections.abc import Iterator, Sequence

from acm_workers import causes
from acm_workers.causes import FailedUnits
from acm_workers.reporting.data import FailedCalls, FailedUnit, FailureGroup
from acm_workers.reporting.document_records import DocumentRecords
from schemas.calls import Call
from schemas.run import FailureCause
from schemas.units import Artifact, Comparison, Evaluation, UnitKind


def failed_units(documents: Sequence[DocumentRecords]) -> tuple[FailedUnit, ...]:
    """Return every unit that failed, was cancelled or never ended, document by document."""
    return tuple(failure for records in documents for failure in _failures(records))


def failure_causes(documents: Sequence[DocumentRecords]) -> tuple[FailureCause, ...]:
    """Return the causes of all failed units, the most frequent first."""
    return causes.grouped(failed for records in documents for failed in _failed(records))


def _failed(records: DocumentRecords) -> Iterator[FailedUnits]:
    units: list[tuple[UnitKind, Artifact | Evaluation | Comparison]] = [
        *(("artifact", unit) for unit in records.artifacts),
        *(("evaluation", unit) for unit in records.evaluations),
        *(("comparison", unit) for unit in records.comparisons),
    ]
    for kind, unit in units:
        if unit.state == "failed":
            yield FailedUnits(kind, unit.provider, unit.model, unit.error_kind, unit.error)


def _failures(records: DocumentRecords) -> list[FailedUnit]:
    asked = Counter(call.unit_id for call in records.calls if not call.cached)
    labels = {artifact.id: artifact.name for artifact in records.artifacts}
    return [
        FailedUnit(
            kind=kind,
            path=records.document.path,
            source=f"{unit.provider}:{unit.model}",
            what=what,
            state=unit.state,
            error_kind=unit.error_kind,
            error=unit.error,
            attempts=asked[unit.id],
            raw=None if isinstance(unit, Artifact) else unit.raw,
        )
        for kind, what, unit in _labelled_units(records, labels)
        if unit.state != "done"
    ]


def _labelled_units(
    records: DocumentRecords, labels: dict[str, str]
) -> list[tuple[str, str, Artifact | Evaluation | Comparison]]:
    return [
        *(("candidate", labels[unit.id], unit) for unit in records.artifacts),
        *(
            ("evaluation", f"{labels.get(unit.artifact_id, '?')}, by {unit.judge}", unit)
            for unit in records.evaluations
        ),
        *(
            (
                "comparison",
                f"{labels.get(unit.a_id, '?')} with {labels.get(unit.b_id, '?')}, by {unit.judge}",
                unit,
            )
            for unit in records.comparisons
        ),
    ]


def by_cause(failed: Sequence[FailedUnit]) -> tuple[FailureGroup, ...]:
    """Group units without a result by their cause, the most frequent cause first."""
    groups: dict[tuple[str, str, str], list[FailedUnit]] = {}
    for unit in failed:
        key = (unit.source, unit.state, causes.same(unit.error) if unit.error else "")
        groups.setdefault(key, []).append(unit)
    found = [
        FailureGroup(source, state, members[0].error, tuple(members))
        for (source, state, _), members in groups.items()
    ]
    return tuple(sorted(found, key=lambda group: (-len(group.units), group.source, group.state)))


def failed_calls(sent: Sequence[Call]) -> tuple[FailedCalls, ...]:
    """Count failed and uncertain calls by model and kind, with one error message each."""
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
    kind = call.error_kind or (f"HTTP {call.status}" if call.status else "unknown")
    return kind.replace("_", " ")
