"""When each unit ran, in the shape of the first version's ``timeline_data.json``."""

from datetime import UTC, datetime
from typing import Any

from acm_workers.reporting.facts import grouped
from schemas.calls import Call
from schemas.run import RunRecords
from schemas.units import Artifact, Comparison, Evaluation

_TYPES = {"fpf": "FPF rest", "combine": "Combine"}
_RESULTS = {"done": "success"}

Unit = Artifact | Evaluation | Comparison


def data(material: RunRecords) -> dict[str, Any]:
    """Return one record per unit that made calls, by start; all times are UTC."""
    calls = grouped(material.calls, lambda call: call.unit_id)
    paths = {document.id: document.path for document in material.documents}
    units: list[Unit] = [*material.artifacts, *material.evaluations, *material.comparisons]
    began = min((call.started_at for call in material.calls), default=material.run.created_at)
    records = [
        _record(unit, calls[unit.id], began) | {"document": paths.get(unit.document_id)}
        for unit in units
        if unit.id in calls
    ]
    records.sort(key=lambda record: (record["start_ts"], record["unit_id"]))
    return {"run_start": stamp(began), "t0_iso": stamp(began), "records": records}


def _record(unit: Unit, calls: tuple[Call, ...], began: datetime) -> dict[str, Any]:
    start = min(call.started_at for call in calls)
    end = max(call.ended_at or unit.finished_at or call.started_at for call in calls)
    text = unit.text if isinstance(unit, Artifact) else None
    return {
        "run_id": _name(unit),
        "report_type": _type(unit),
        "model": unit.model,
        "start_ts": stamp(start),
        "end_ts": stamp(end),
        "result": _RESULTS.get(unit.state, "failure"),
        "output_file": unit.file if isinstance(unit, Artifact) else None,
        "file_size": None if text is None else len(text.encode("utf-8", "replace")),
        "start_mmss": _clock((start - began).total_seconds()),
        "end_mmss": _clock((end - began).total_seconds()),
        "duration_mmss": _clock((end - start).total_seconds()),
        "duration_seconds": round((end - start).total_seconds(), 3),
        "unit_id": unit.id,
        "state": unit.state,
    }


def _name(unit: Unit) -> str:
    if isinstance(unit, Artifact):
        return f"{unit.generator}-{unit.variant}-{unit.iteration}"
    return f"{_type(unit).lower()}-{unit.judge}-{unit.iteration}"


def _type(unit: Unit) -> str:
    if isinstance(unit, Artifact):
        return _TYPES[unit.generator]
    return type(unit).__name__


def stamp(moment: datetime) -> str:
    """Write a time as ISO 8601 in UTC."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes:02d}:{rest:02d}"
