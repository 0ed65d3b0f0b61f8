"""The machine form of a report: everything but the texts, which are files of their own."""

from typing import Any

from acm_workers.ranking.panel import Panel
from acm_workers.reporting.data import Candidate, DocumentReport, FusionRow, RunReport
from acm_workers.reporting.money import CallCost, CostRow
from acm_workers.reporting.timeline import stamp
from schemas.record import Record
from schemas.run import RunRecords

FORMAT = 1


def data(report: RunReport, material: RunRecords) -> dict[str, Any]:
    """Return what is known of the run, with names as in the records."""
    run = report.run
    return {
        "format": FORMAT,
        "generated_at": stamp(report.generated_at),
        "run": {
            "id": run.id,
            "title": run.title,
            "state": run.state,
            "reason": run.reason,
            "rejudged_from": run.rejudged_from,
            "expected": None if run.expected is None else _plain(run.expected),
            "budget_usd": run.config.budget_usd,
            "created_at": stamp(run.created_at),
            "finished_at": None if run.finished_at is None else stamp(run.finished_at),
        },
        "documents": [_document(page) for page in report.pages],
        "skipped": [_plain(skipped) for skipped in run.skipped],
        "calls": _plain(report.counts),
        "cost": _money(report.spent),
        "costs": [_cost(row) for row in report.costs],
        "judges": _judges(report.judges, report.findings),
        "failures": [failure._asdict() for failure in report.failures],
        "failed_calls": [row._asdict() for row in report.failed_calls],
        "evaluations": [_unit(unit) for unit in material.evaluations],
        "comparisons": [_unit(unit) for unit in material.comparisons],
    }


def _document(page: DocumentReport) -> dict[str, Any]:
    winner = page.winner
    return {
        "id": page.document.id,
        "path": page.document.path,
        "state": page.document.state,
        "reason": page.document.reason,
        "winner": None if winner is None else _winner(winner),
        "runner_up": None if page.runner_up is None else page.runner_up.artifact.id,
        "margin": page.margin,
        "direct_games": page.duel._asdict(),
        "warnings": list(page.warnings),
        "notes": list(page.notes),
        "counts": page.tally._asdict(),
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
        "strength": _plain(winner.standing.posterior) if winner.standing else None,
    }


def _candidate(candidate: Candidate) -> dict[str, Any]:
    artifact = candidate.artifact
    return {
        "artifact": artifact.model_dump(mode="json", exclude={"text", "run_id", "document_id"}),
        "label": candidate.label,
        "standing": _plain(candidate.standing),
        "summary": _plain(candidate.summary),
        "rating": _plain(candidate.rating),
        "missing": candidate.missing,
        "cost": _money(candidate.spent),
    }


def _fusion(row: FusionRow) -> dict[str, Any]:
    fields = {"verdict": row.word, "same_scale": row.same_scale, "may_win": row.may_win}
    return row.fusion.model_dump(mode="json") | fields


def _judges(panel: Panel, findings: tuple[str, ...]) -> dict[str, Any]:
    return {
        "figures": [_tree(judge) for judge in panel.judges],
        "agreement": _tree(panel.agreement),
        "findings": list(findings),
    }


def _tree(value: object) -> Any:
    """Return named tuples in named tuples as objects in objects."""
    fields = getattr(value, "_fields", None)
    if fields is not None:
        return {name: _tree(getattr(value, name)) for name in fields}
    if isinstance(value, dict):
        return {name: _tree(one) for name, one in value.items()}
    if isinstance(value, tuple):
        return [_tree(one) for one in value]
    return value


def _cost(row: CostRow) -> dict[str, Any]:
    return row._asdict() | {"counts": _plain(row.counts), "spent": _money(row.spent)}


def _money(money: CallCost) -> dict[str, Any]:
    """Return ``usd`` only where it is exact; the known part stands beside it."""
    return {
        "usd": money.exact,
        "known_usd": money.usd,
        "unknown_calls": money.unknown,
        "uncertain_calls": money.uncertain,
        "uncertain_usd": money.uncertain_usd,
    }


def _unit(unit: Record) -> dict[str, Any]:
    return unit.model_dump(mode="json", exclude={"run_id", "raw"})


def _plain(record: Record | None) -> dict[str, Any] | None:
    return None if record is None else record.model_dump(mode="json")
