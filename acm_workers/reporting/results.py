"""JSON exports: results.json, timeline_data.json and winner.json; texts are separate files."""

import hashlib
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from acm_workers.providers.catalog import capabilities
from acm_workers.ranking import scores
from acm_workers.ranking.factors import FactorEffects
from acm_workers.ranking.panel import Panel
from acm_workers.reporting.data import Candidate, DocumentReport, FusionRow, RunReport
from acm_workers.reporting.document_records import grouped
from acm_workers.reporting.formatting import stamp
from acm_workers.reporting.money import CallCost, CostRow
from schemas.calls import Call
from schemas.record import Record
from schemas.run import RunRecords
from schemas.units import Artifact, Comparison, Document, Evaluation, Remark

FORMAT = 1
SCHEMA = f"urn:acm:results:{FORMAT}"
"""Identifier of the schema of ``results.json``, which is in ``schemas/results.schema.json``."""


def results(report: RunReport, run_records: RunRecords) -> dict[str, Any]:
    """Return the content of ``results.json``, with the field names of the records."""
    run = report.run
    return {
        "format": FORMAT,
        "schema": SCHEMA,
        "generated_at": stamp(report.generated_at),
        "run": {
            "id": run.id,
            "title": run.title,
            "state": run.state,
            "reason": run.reason,
            "rejudged_from": run.rejudged_from,
            "expected": None if run.expected is None else _fields(run.expected),
            "budget_usd": run.config.budget_usd,
            "created_at": stamp(run.created_at),
            "finished_at": None if run.finished_at is None else stamp(run.finished_at),
        },
        "documents": [_document(page) for page in report.pages],
        "skipped": [_fields(skipped) for skipped in run.skipped],
        "calls": _fields(report.counts),
        "cost": _money(report.spent),
        "costs": [_cost(row) for row in report.costs],
        "judges": _judges(report.judges, report.findings),
        "factors": None if report.factors is None else _factors(report.factors),
        "failures": [failure._asdict() for failure in report.failures],
        "failed_calls": [row._asdict() for row in report.failed_calls],
        "evaluations": [_unit(unit) for unit in run_records.evaluations],
        "comparisons": [_unit(unit) for unit in run_records.comparisons],
        "votes": [_unit(vote) for vote in run_records.votes],
        "people": _fields(report.people),
    }


def _factors(found: FactorEffects) -> dict[str, Any]:
    return {
        "documents": found.documents,
        "left_out": found.left_out,
        "interacts": found.interacts,
        "means": [cell._asdict() | {"mean": mean} for cell, mean in found.means.items()],
        "effects": [_tree(one) for one in found.effects],
    }


def _document(page: DocumentReport) -> dict[str, Any]:
    winner = page.winner
    return {
        "id": page.document.id,
        "path": page.document.path,
        "state": page.document.state,
        "reason": page.document.reason,
        "settled": page.document.settled,
        "winner": None if winner is None else _winner(winner),
        "runner_up": None if page.runner_up is None else page.runner_up.artifact.id,
        "margin": page.margin,
        "direct_games": page.direct_games._asdict(),
        "warnings": list(page.warnings),
        "notes": list(page.notes),
        "counts": page.unit_counts._asdict(),
        "cost": _money(page.spent),
        "method": page.method,
        "fusions": [_fusion(row) for row in page.fusions],
        "judges": _judges(page.judges, page.findings),
        "candidates": [_candidate(candidate) for candidate in page.candidates],
    }


def _winner(winner: Candidate) -> dict[str, Any]:
    return {
        "artifact_id": winner.artifact.id,
        "file": winner.artifact.file,
        "overall": winner.summary.overall if winner.summary else None,
        "elo": winner.rating.points if winner.rating else None,
        "rank_score": winner.standing.rank_score if winner.standing else None,
        "p_best": winner.standing.p_best if winner.standing else None,
        "strength": _fields(winner.standing.posterior) if winner.standing else None,
    }


def _candidate(candidate: Candidate) -> dict[str, Any]:
    artifact = candidate.artifact
    return {
        "artifact": artifact.model_dump(mode="json", exclude={"text", "run_id", "document_id"}),
        "label": candidate.label,
        "standing": _fields(candidate.standing),
        "summary": _fields(candidate.summary),
        "rating": _fields(candidate.rating),
        "missing": candidate.missing,
        "cost": _money(candidate.spent),
    }


def _fusion(row: FusionRow) -> dict[str, Any]:
    fields = {"verdict": row.word, "same_scale": row.same_scale, "may_win": row.may_win}
    return row.fusion.model_dump(mode="json") | {"parents": list(row.parents)} | fields


def _judges(panel: Panel, findings: tuple[str, ...]) -> dict[str, Any]:
    return {
        "figures": [_tree(judge) for judge in panel.judges],
        "agreement": _tree(panel.agreement),
        "findings": list(findings),
    }


def _tree(value: object) -> Any:
    """Return nested named tuples as nested objects."""
    fields = getattr(value, "_fields", None)
    if fields is not None:
        return {name: _tree(getattr(value, name)) for name in fields}
    if isinstance(value, dict):
        return {name: _tree(one) for name, one in value.items()}
    if isinstance(value, tuple):
        return [_tree(one) for one in value]
    return value


def _cost(row: CostRow) -> dict[str, Any]:
    return row._asdict() | {"counts": _fields(row.counts), "spent": _money(row.spent)}


def _money(money: CallCost) -> dict[str, Any]:
    """Return ``usd`` only if it is exact, and the known part in any case."""
    return {
        "usd": money.exact,
        "known_usd": money.usd,
        "unknown_calls": money.unknown,
        "uncertain_calls": money.uncertain,
        "uncertain_usd": money.uncertain_usd,
    }


def _unit(unit: Record) -> dict[str, Any]:
    return unit.model_dump(mode="json", exclude={"run_id", "raw"})


def _fields(record: Record | None) -> dict[str, Any] | None:
    return None if record is None else record.model_dump(mode="json")


_TYPES = {"fpf": "FPF rest", "combine": "Combine", "gptr": "GPTR", "dr": "DR", "ma": "MA"}
_RESULTS = {"done": "success"}

Unit = Artifact | Evaluation | Comparison


def timeline(run_records: RunRecords) -> dict[str, Any]:
    """Return ``timeline_data.json``: one record per unit with calls, by start; times are UTC."""
    calls = grouped(run_records.calls, lambda call: call.unit_id)
    paths = {document.id: document.path for document in run_records.documents}
    units: list[Unit] = [*run_records.artifacts, *run_records.evaluations, *run_records.comparisons]
    began = min((call.started_at for call in run_records.calls), default=run_records.run.created_at)
    records = [
        _timeline_record(unit, calls[unit.id], began, deep=_is_deep(unit, run_records))
        | {"document": paths.get(unit.document_id)}
        for unit in units
        if unit.id in calls
    ]
    records.sort(key=lambda record: (record["start_ts"], record["unit_id"]))
    return {"run_start": stamp(began), "t0_iso": stamp(began), "records": records}


def _timeline_record(
    unit: Unit, calls: tuple[Call, ...], began: datetime, *, deep: bool
) -> dict[str, Any]:
    start = min(call.started_at for call in calls)
    end = max(call.ended_at or unit.finished_at or call.started_at for call in calls)
    text = unit.text if isinstance(unit, Artifact) else None
    return {
        "run_id": _timeline_name(unit),
        "report_type": _report_type(unit, deep=deep),
        "model": unit.model,
        "start_ts": stamp(start),
        "end_ts": stamp(end),
        "result": _RESULTS.get(unit.state, "failure"),
        "output_file": unit.file if isinstance(unit, Artifact) else None,
        "file_size": None if text is None else len(text.encode("utf-8", "replace")),
        "start_mmss": _minutes((start - began).total_seconds()),
        "end_mmss": _minutes((end - began).total_seconds()),
        "duration_mmss": _minutes((end - start).total_seconds()),
        "duration_seconds": round((end - start).total_seconds(), 3),
        "unit_id": unit.id,
        "state": unit.state,
    }


def _is_deep(unit: Unit, run_records: RunRecords) -> bool:
    """Return whether a model that researches in the background wrote the unit."""
    if not isinstance(unit, Artifact) or unit.generator != "fpf":
        return False
    provider = run_records.run.config.providers.get(unit.provider)
    return provider is not None and capabilities.of(provider, unit.model).background


def _timeline_name(unit: Unit) -> str:
    if isinstance(unit, Artifact):
        return f"{unit.generator}-{unit.variant}-{unit.iteration}"
    return f"{_report_type(unit).lower()}-{unit.judge}-{unit.iteration}"


def _report_type(unit: Unit, *, deep: bool = False) -> str:
    if isinstance(unit, Artifact) and deep:
        return "FPF deep"
    if isinstance(unit, Artifact):
        return _TYPES[unit.generator]
    return type(unit).__name__


def _minutes(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes:02d}:{rest:02d}"


def winner_json(known: RunRecords, document: Document) -> dict[str, Any]:
    """Return the content of ``winner.json``: the winner, reason, scores, rating, cost, parents."""
    winner = next(one for one in known.artifacts if one.id == document.winner_id)
    summaries = scores.summaries([winner], known.evaluations, known.run.config)
    summary = summaries.get(winner.id)
    standings = known.standings.get(document.id, ())
    ratings = {rating.artifact_id: rating for rating in known.ratings.get(document.id, ())}
    standing = next(one for one in standings if one.artifact_id == winner.id)
    rating = ratings.get(winner.id)
    paid = [call for call in known.calls if call.state == "done"]
    costs = [call.cost_usd for call in paid if call.document_id == document.id]
    own = [call.cost_usd for call in paid if call.unit_id == winner.id]
    return {
        "document": document.path,
        "run_id": known.run.id,
        "artifact_id": winner.id,
        "file": winner.file,
        "generator": winner.generator,
        "provider": winner.provider,
        "model": winner.model,
        "iteration": winner.iteration,
        "parents": list(winner.parents),
        "proof": None if winner.proof is None else winner.proof.model_dump(mode="json"),
        "reason": document.reason,
        "settled_early": document.settled,
        "overall": standing.overall,
        "criteria": None if summary is None else summary.criteria,
        "std_dev": None if summary is None else summary.std_dev,
        "missing_evaluations": None if summary is None else summary.missing,
        "checks": [check.model_dump() for check in winner.checks],
        "remarks": [
            one.model_dump(include=set(Remark.model_fields))
            for one in known.evaluations
            if one.artifact_id == winner.id and (one.summary or one.confidence is not None)
        ],
        "rank_score": standing.rank_score,
        "p_best": standing.p_best,
        "strength": _fields(standing.posterior),
        "elo": standing.elo,
        "games": None if rating is None else rating.games,
        "wins": None if rating is None else rating.wins,
        "losses": None if rating is None else rating.losses,
        "ties": None if rating is None else rating.ties,
        "fusions": [one.model_dump() for one in known.fusions.get(document.id, ())],
        "usd": {"winner": _sum_of_costs(own), "document": _sum_of_costs(costs)},
        "digests": {
            "input": _digest(known.texts.get(document.id, "")),
            # What was settled early is not done: the same work does the rest.
            "config": None if document.settled else document.key,
            "text": _digest(winner.text or ""),
        },
    }


def _digest(text: str) -> str:
    """Return the digest of a text in the form that is written to a file."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _sum_of_costs(costs: Iterable[float | None]) -> float | None:
    """Return the sum of costs; None if a cost is unknown."""
    total = 0.0
    for cost in costs:
        if cost is None:
            return None
        total += cost
    return round(total, 9)
