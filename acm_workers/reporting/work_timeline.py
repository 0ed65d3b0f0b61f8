"""Charts of calls and of waiting for limits over time, by kind of work, candidate and document."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from acm_workers.reporting import money
from acm_workers.reporting.charts.gantt import TimeSpan, gantt
from acm_workers.reporting.data import Candidate, WorkTimeline
from acm_workers.reporting.document_records import DocumentRecords
from schemas.calls import Call

CANDIDATES_LIMIT, DOCUMENTS_LIMIT = 12, 20

_STAGES = {
    "generate": "Generation",
    "score": "Evaluation",
    "compare": "Comparison",
    "combine": "Combining",
}
_WAIT = "wait"

_TimelineRow = dict[str, list[TimeSpan]]
"""Time spans by kind of work, or ``wait``."""


class _TimelineRows(NamedTuple):
    """Rows by kind of work, and by owner: a candidate or a document."""

    stages: Mapping[str, _TimelineRow]
    owners: Mapping[str, _TimelineRow]


def of_document(
    records: DocumentRecords, candidates: Sequence[Candidate], winner: Candidate | None
) -> WorkTimeline | None:
    """Draw the calls of a document by kind of work and for the best candidates.

    A comparison belongs to both of its candidates. None if no call was sent.
    """
    owners: dict[str, tuple[str, ...]] = {one.id: (one.id,) for one in records.artifacts}
    owners |= {one.id: (one.artifact_id,) for one in records.evaluations}
    owners |= {one.id: (one.a_id, one.b_id) for one in records.comparisons}
    best = sorted(candidates, key=lambda one: one is not winner)
    named = {one.artifact.id: f"★ {one.label}" if one is winner else one.label for one in best}
    return _timeline([records], lambda call: owners.get(call.unit_id, ()), named, CANDIDATES_LIMIT)


def of_run(documents: Sequence[DocumentRecords]) -> WorkTimeline | None:
    """Draw the calls of a run by kind of work and for the first documents."""
    named = {records.document.id: records.document.path for records in documents}
    return _timeline(documents, lambda call: (call.document_id,), named, DOCUMENTS_LIMIT)


def _timeline(
    documents: Sequence[DocumentRecords],
    owners: Callable[[Call], Iterable[str]],
    named: Mapping[str, str],
    limit: int,
) -> WorkTimeline | None:
    sent = [call for records in documents for call in records.calls if not call.cached]
    combined = {one.id for records in documents for one in records.artifacts if one.combined}
    lines = _timeline_rows(sent, owners, combined)
    present = [owner for owner in named if owner in lines.owners]
    shown = sorted(present[:limit], key=lambda owner: _start(lines.owners[owner]))
    stages = [(_STAGES[work], lines.stages[work]) for work in _STAGES if work in lines.stages]
    chart = gantt([*stages, *((named[owner], lines.owners[owner]) for owner in shown)])
    if chart is None:
        return None
    waits = [call.wait_s for call in sent if call.wait_s]
    return WorkTimeline(
        chart=chart,
        kinds=tuple(work for work in _STAGES if work in lines.stages),
        waits=len(waits),
        waited_s=sum(waits),
        unended=sum(call.ended_at is None for call in sent),
        left_out=len(present) - len(shown),
    )


def _timeline_rows(
    calls: Sequence[Call], owners: Callable[[Call], Iterable[str]], combined: set[str]
) -> _TimelineRows:
    began = min((_asked(call) for call in calls), default=None)
    stages: dict[str, _TimelineRow] = {}
    found: dict[str, _TimelineRow] = {}
    for call in calls:
        work = money.kind_of_work(call, combined)
        lines = [stages.setdefault(work, {})]
        lines += [found.setdefault(owner, {}) for owner in owners(call)]
        for kind, span in _spans(call, work, began or call.started_at):
            for line in lines:
                line.setdefault(kind, []).append(span)
    return _TimelineRows(stages, found)


def _spans(call: Call, work: str, began: datetime) -> Iterator[tuple[str, TimeSpan]]:
    """Yield the spans in which a call waited and ran, in seconds since ``began``."""
    start = _since(began, call.started_at)
    if call.wait_s:
        yield _WAIT, TimeSpan(round(start - call.wait_s, 3), start)
    # The clocks of two machines may differ.
    yield work, TimeSpan(start, max(start, _since(began, call.ended_at or call.started_at)))


def _since(began: datetime, moment: datetime) -> float:
    return round((moment - began).total_seconds(), 3)


def _asked(call: Call) -> datetime:
    return call.started_at - timedelta(seconds=call.wait_s) if call.wait_s else call.started_at


def _start(line: _TimelineRow) -> float:
    return min(span.start for spans in line.values() for span in spans)
