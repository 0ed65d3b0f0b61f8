"""Builds the files of a report from the records of a run.

The page is one HTML file that loads nothing and runs one script, which is allowed by its hash.
"""

import base64
import hashlib
import json
from collections.abc import Callable
from datetime import datetime
from functools import cache
from importlib import resources
from typing import Any
from urllib.parse import urlsplit

import yaml
from jinja2 import Environment, PackageLoader, StrictUndefined

from acm_workers.reporting import (
    cost_quality,
    failures,
    formatting,
    judges,
    junit,
    money,
    overview,
    prompts_and_models,
    quoting,
    ranking_charts,
    recommendations,
    results,
    sources,
    tables,
    texts,
    verdict,
    why,
    work_timeline,
)
from acm_workers.reporting.data import DocumentReport, RunReport
from acm_workers.reporting.document_records import (
    DocumentRecords,
    candidates,
    document_records,
    grouped,
)
from schemas.config.config import Config
from schemas.run import RunRecords


def files(run_records: RunRecords, *, generated_at: datetime) -> dict[str, bytes]:
    """Return the content of every report file by name; the same input gives the same bytes."""
    report = build(run_records, generated_at)
    made = {
        "index.html": render(report).encode("utf-8", "replace"),
        "timeline_data.json": _json(results.timeline(run_records)),
        "rankings.csv": tables.rankings(report),
        "results.json": _json(results.results(report, run_records)),
        "elo_summary.csv": tables.elo_summary(report),
        "evaluations.csv": tables.evaluations(run_records),
        "comparisons.csv": tables.comparisons(run_records),
        "calls.csv": tables.calls(run_records),
        "junit.xml": junit.suite(report),
        **({"votes.csv": tables.votes(run_records)} if run_records.votes else {}),
        **child_logs(run_records),
    }
    if run_records.run.config.checks:
        made["checks.csv"] = tables.checks(run_records)
    meta = {
        "format": results.FORMAT,
        "run_id": run_records.run.id,
        "generated_at": formatting.stamp(generated_at),
        "files": {
            name: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
            for name, content in made.items()
        },
    }
    return made | {"meta.json": _json(meta)}


def child_logs(run_records: RunRecords) -> dict[str, bytes]:
    """Return the kept output of each child process, by the first version's file names."""
    return {
        f"acm_subproc_{artifact.id}.log": (
            f"{artifact.generator} {artifact.number} · {artifact.provider}:{artifact.model}\n"
            f"{artifact.child.outcome}\n\n"
            f"--- stdout\n{artifact.child.stdout}\n--- stderr\n{artifact.child.stderr}\n"
        ).encode("utf-8", "replace")
        for artifact in run_records.artifacts
        if artifact.child is not None
    }


def values(run_records: RunRecords, *, generated_at: datetime) -> dict[str, Any]:
    """Return the content of ``results.json``."""
    return results.results(build(run_records, generated_at), run_records)


def _json(value: dict[str, Any]) -> bytes:
    """Write one key or list item per line, because ``indent`` would take three times as long."""
    lines = (f"{json.dumps(name)}: {_items(one)}" for name, one in value.items())
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode("utf-8", "replace")


def _items(value: Any) -> str:
    if not isinstance(value, list) or not value:
        return json.dumps(value, ensure_ascii=False)
    return "[\n" + ",\n".join(json.dumps(one, ensure_ascii=False) for one in value) + "\n]"


def build(run_records: RunRecords, generated_at: datetime) -> RunReport:
    """Compute everything that the page and the exports show of one run."""
    documents = document_records(run_records)
    budget = texts.share_characters(len(documents))
    panel, findings = judges.describe(
        run_records.artifacts,
        run_records.evaluations,
        run_records.comparisons,
        run_records.run.config,
    )
    combined = {artifact.id for artifact in run_records.artifacts if artifact.combined}
    pages = tuple(
        _document_report(number, records, budget) for number, records in enumerate(documents, 1)
    )
    failed = failures.failed_units(documents)
    report = RunReport(
        run=run_records.run,
        generated_at=generated_at,
        pages=pages,
        models=tuple(dict.fromkeys(artifact.model for artifact in run_records.artifacts)),
        judges=panel,
        findings=findings,
        counts=money.call_counts(run_records.calls),
        spent=money.total_cost(run_records.calls),
        costs=money.cost_rows(run_records.calls, combined),
        timeline=work_timeline.of_run(documents) if len(documents) > 1 else None,
        causes=failures.failure_causes(documents),
        failures=failed,
        failure_groups=failures.by_cause(failed),
        failed_calls=failures.failed_calls(run_records.calls),
        config_yaml=config_yaml(run_records.run.config),
        certainty=overview.certainty(pages),
        stages=overview.stage_costs(run_records.calls, combined),
        model_rows=overview.models(pages),
        factors=prompts_and_models.of_run(run_records.run.config, pages),
        people=run_records.voting,
    )
    return report._replace(recommendations=recommendations.of_run(report))


def _document_report(
    number: int, records: DocumentRecords, budget: texts.CharacterBudget
) -> DocumentReport:
    found = candidates(records)
    ranked = [candidate for candidate in found if candidate.standing]
    winner_id = records.document.winner_id
    winner = next((one for one in found if one.artifact.id == winner_id), None)
    runner_up = next((one for one in ranked if winner and one is not winner), None)
    spent = money.total_cost(records.calls)
    method = verdict.method(records)
    panel, findings = judges.describe(
        records.artifacts, records.evaluations, records.comparisons, records.run.config
    )
    reasons, left_out = texts.judge_reasons(records, found, budget)
    by_unit = grouped(records.calls, lambda call: call.unit_id)
    researched = {
        one.artifact.id: sources.of_candidate(one.artifact, by_unit.get(one.artifact.id, ()))
        for one in found
    }
    criteria = records.run.config.criteria
    return DocumentReport(
        document=records.document,
        number=number,
        source=records.source if len(records.source) <= budget.plain else None,
        candidates=found,
        labels={candidate.artifact.id: candidate.label for candidate in found},
        winner=winner,
        runner_up=runner_up,
        method=method,
        margin=verdict.margin(winner, runner_up),
        direct_games=verdict.direct_games(records, winner, runner_up),
        warnings=(
            *verdict.warnings(records, found, spent),
            *judges.warnings(panel, records.run.config),
        ),
        notes=verdict.notes(records, found, winner),
        fusions=verdict.fusion_rows(records, found),
        judges=panel,
        findings=findings,
        score_bars=ranking_charts.score_bars(ranked, winner, criteria),
        histogram=ranking_charts.score_histogram(found, winner, criteria),
        intervals=ranking_charts.strength_intervals(ranked, winner),
        criterion_profiles=ranking_charts.criterion_profiles(found, winner, criteria),
        win_matrix=ranking_charts.matrix_of_wins(records, found),
        rating_lines=ranking_charts.rating_lines(ranked),
        cost_quality=cost_quality.cost_quality(records, ranked, winner, method),
        timeline=work_timeline.of_document(records, found, winner),
        texts=texts.shown_texts(found, winner, budget),
        reasons=reasons,
        reasons_left_out=left_out,
        spent=spent,
        unit_counts=verdict.count_units(records),
        why=why.sentences(records, found),
        diffs=texts.diffs(records.source, found, winner, budget.diffed),
        sources={name: one for name, one in researched.items() if one is not None},
        anchors=frozenset(group.anchor for group in reasons),
    )


def config_yaml(config: Config) -> str:
    """Return the effective config as YAML; credentials and queries are removed from addresses."""
    values: dict[str, Any] = config.model_dump(mode="json", by_alias=True)
    for provider in values["providers"].values():
        provider["base_url"] = _bare(provider["base_url"])
    return yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=100)


def _bare(address: str) -> str:
    parts = urlsplit(address)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


FILTERS: dict[str, Callable[..., Any]] = {
    "number": formatting.number,
    "signed": formatting.signed,
    "count": formatting.count,
    "percent": formatting.percent,
    "dollars": formatting.dollars,
    "cost": formatting.cost,
    "proof": formatting.proof,
    "chance": formatting.chance,
    "ranked": formatting.ranked,
    "interval": formatting.interval,
    "of": judges.share_of,
    "share_interval": judges.interval,
    "position": judges.position,
    "strength": judges.strength,
    "moment": formatting.moment,
    "duration": formatting.duration,
    "shortened": formatting.shortened,
    "clipped": formatting.clipped,
    "step": formatting.step,
    "share": formatting.share,
    "word": overview.word,
    "named": quoting.named,
}


GLOBALS: dict[str, Callable[..., Any]] = {
    "many": formatting.many,
    "score_anchor": texts.score_anchor,
    "pair_anchor": texts.pair_anchor,
}


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("acm_workers.reporting"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(FILTERS)
    environment.globals.update(GLOBALS)
    return environment


@cache
def _script() -> str:
    return (
        resources.files("acm_workers.reporting").joinpath("templates/report.js").read_text("utf-8")
    )


@cache
def policy() -> str:
    """Return the content security policy, which allows only the script with the report's hash."""
    digest = base64.b64encode(hashlib.sha256(_script().encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def render(report: RunReport) -> str:
    """Render the page of a report as HTML."""
    template = _environment().get_template("index.html.j2")
    return template.render(report=report, run=report.run, policy=policy(), script=_script())
