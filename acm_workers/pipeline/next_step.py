"""What comes next for a document: a pure function of all that is known of it."""

from acm_workers.pipeline import units
from acm_workers.pipeline.comparing import first_round, playoff_round
from acm_workers.pipeline.outcome import outcome
from acm_workers.pipeline.ranked import ranked
from acm_workers.pipeline.snapshot import DocumentSnapshot, NextStep, RecordContext
from schemas.config.config import Config
from schemas.units import Artifact


def next_step(view: DocumentSnapshot, config: Config, making: RecordContext) -> NextStep | None:
    """Return the next step of a document; None while its stage has open or cancelled units.

    Stages: generate (scores stream in behind each candidate), compare (in as many rounds as the
    strategy wants), combine (with the scores of the new candidates), playoff (comparisons with
    the new candidates, in rounds as well), finished. A document that was reopened goes through
    them again; only what it does not have yet is planned.
    """
    if view.open or view.interrupted:
        return None
    match view.document.stage:
        case "generate" | "compare":
            return _compare(view, config, making)
        case "combine" | "playoff":
            return _playoff(view, config, making)
        case "planned" | "finished":
            return None


def _compare(view: DocumentSnapshot, config: Config, making: RecordContext) -> NextStep:
    found = first_round(view, config)
    if not found.pairs:
        return _combine(view, config, making)
    return NextStep("compare", comparisons=units.comparisons(view, found.pairs, config, making))


def _combine(view: DocumentSnapshot, config: Config, making: RecordContext) -> NextStep:
    parents = _best_two(view, config) if config.playoffs.enabled else []
    if len(parents) == 2:
        combinations = units.missing_combinations(view, parents, config, making)
        if combinations:
            return NextStep("combine", artifacts=combinations)
    # A run that judges the texts of another one combines nothing, and may have combined texts.
    if any(artifact.combined for artifact in view.candidates):
        return _playoff(view, config, making)
    return _finish(view, config)


def _playoff(view: DocumentSnapshot, config: Config, making: RecordContext) -> NextStep:
    found = playoff_round(view, config)
    if not found.pairs:
        return _finish(view, config)
    return NextStep("playoff", comparisons=units.comparisons(view, found.pairs, config, making))


def _finish(view: DocumentSnapshot, config: Config) -> NextStep:
    return NextStep("finished", outcome=outcome(view, config))


def _best_two(view: DocumentSnapshot, config: Config) -> list[Artifact]:
    """Return the best two candidates, best first; fewer where nothing tells which are best."""
    by_id = {artifact.id: artifact for artifact in view.candidates if not artifact.combined}
    return [
        by_id[standing.artifact_id]
        for standing in ranked(view, config).standings
        if standing.rank_score is not None and standing.artifact_id in by_id
    ][:2]
