"""Builds the report's data from a run's material."""

from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

import yaml

from acm_workers.reporting import (
    cost_quality,
    failures,
    fusions,
    judges,
    money,
    pairs,
    profiles,
    schedule,
    texts,
    verdict,
)
from acm_workers.reporting.data import DocumentReport, RunReport
from acm_workers.reporting.facts import DocumentRecords, by_document, candidates
from schemas.config.config import Config
from schemas.run import RunRecords


def report(material: RunRecords, generated_at: datetime) -> RunReport:
    """Gather everything that pages and exports say about one run."""
    documents = by_document(material)
    room = texts.room(len(documents))
    panel, findings = judges.described(
        material.artifacts, material.evaluations, material.comparisons, material.run.config
    )
    combined = {artifact.id for artifact in material.artifacts if artifact.combined}
    return RunReport(
        run=material.run,
        generated_at=generated_at,
        pages=tuple(_page(number, facts, room) for number, facts in enumerate(documents, 1)),
        models=tuple(dict.fromkeys(artifact.model for artifact in material.artifacts)),
        judges=panel,
        findings=findings,
        counts=money.counts(material.calls),
        spent=money.of(material.calls),
        costs=money.rows(material.calls, combined),
        schedule=schedule.of_run(documents) if len(documents) > 1 else None,
        failures=failures.units(documents),
        failed_calls=failures.calls(material.calls),
        config_yaml=config_yaml(material.run.config),
    )


def _page(number: int, facts: DocumentRecords, room: texts.CharacterBudget) -> DocumentReport:
    found = candidates(facts)
    ranked = [candidate for candidate in found if candidate.standing]
    winner_id = facts.document.winner_id
    winner = next((one for one in found if one.artifact.id == winner_id), None)
    runner_up = next((one for one in ranked if winner and one is not winner), None)
    spent = money.of(facts.calls)
    method = verdict.method(facts)
    panel, findings = judges.described(
        facts.artifacts, facts.evaluations, facts.comparisons, facts.run.config
    )
    reasons, left_out = texts.reasons(facts, found, room)
    return DocumentReport(
        document=facts.document,
        number=number,
        source=facts.source if len(facts.source) <= room.plain else None,
        candidates=found,
        labels={candidate.artifact.id: candidate.label for candidate in found},
        winner=winner,
        runner_up=runner_up,
        method=method,
        margin=verdict.margin(winner, runner_up),
        duel=verdict.duel(facts, winner, runner_up),
        warnings=(
            *verdict.warnings(facts, found, spent),
            *judges.warnings(panel, facts.run.config),
        ),
        notes=verdict.notes(facts, found, winner),
        fusions=fusions.rows(facts, found),
        judges=panel,
        findings=findings,
        bars=pairs.bars(facts, ranked, winner, method),
        intervals=pairs.intervals(ranked, winner),
        profiles=profiles.profiles(found, winner, facts.run.config.criteria),
        matrix=pairs.wins(facts, found),
        lines=pairs.course(ranked),
        worth=cost_quality.worth(facts, ranked, winner, method),
        schedule=schedule.of_document(facts, found, winner),
        texts=texts.texts(found, winner, room),
        reasons=reasons,
        reasons_left_out=left_out,
        spent=spent,
        tally=verdict.tally(facts),
    )


def config_yaml(config: Config) -> str:
    """Write the effective config; addresses lose user names, passwords and queries."""
    values: dict[str, Any] = config.model_dump(mode="json", by_alias=True)
    for provider in values["providers"].values():
        provider["base_url"] = _bare(provider["base_url"])
    return yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=100)


def _bare(address: str) -> str:
    parts = urlsplit(address)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()
