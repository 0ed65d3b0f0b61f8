"""The next step of a document: a pure function of its snapshot and its config."""

from acm_workers import causes
from acm_workers.pipeline import units
from acm_workers.pipeline.document_ranking import (
    DocumentRanking,
    admitted_candidates,
    rank,
    summaries,
)
from acm_workers.pipeline.snapshot import DocumentOutcome, DocumentSnapshot, NextStep, RecordContext
from acm_workers.ranking import fusion, rounds
from acm_workers.ranking.comparison_state import ComparisonRound, ComparisonState
from schemas.config.config import Config
from schemas.units import Artifact, DocumentState

_LONGEST = 500
"""Maximum total length of the reasons for missing candidates, in characters."""


def next_step(
    snapshot: DocumentSnapshot, config: Config, context: RecordContext
) -> NextStep | None:
    """Return the next step of a document; None while its stage has open or cancelled units.

    Stages: generate (each candidate is scored as soon as it is written), compare (in rounds that
        the strategy selects), combine (with the scores of the new candidates), playoff (comparisons
        with the new candidates, in rounds as well), finished. A reopened document goes through all
        stages again, and only missing units are planned.
    """
    if snapshot.open or snapshot.interrupted:
        return None
    match snapshot.document.stage:
        case "generate" | "compare":
            return _compare(snapshot, config, context)
        case "combine" | "playoff":
            return _playoff(snapshot, config, context)
        case _:
            return None


def _compare(snapshot: DocumentSnapshot, config: Config, context: RecordContext) -> NextStep:
    found = first_round(snapshot, config)
    if not found.pairs:
        return _combine(snapshot, config, context)
    return NextStep(
        "compare", comparisons=units.comparisons(snapshot, found.pairs, config, context)
    )


def _combine(snapshot: DocumentSnapshot, config: Config, context: RecordContext) -> NextStep:
    parents = _parents(snapshot, config) if config.playoffs.enabled else []
    if len(parents) >= 2:
        combinations = units.missing_combinations(snapshot, parents, config, context)
        if combinations:
            return NextStep("combine", artifacts=combinations)
    # A run that judges the candidates of another run combines nothing, but may have combined ones.
    if any(artifact.combined for artifact in snapshot.candidates):
        return _playoff(snapshot, config, context)
    return NextStep("finished", outcome=outcome(snapshot, config))


def _playoff(snapshot: DocumentSnapshot, config: Config, context: RecordContext) -> NextStep:
    found = playoff_round(snapshot, config)
    if not found.pairs:
        return NextStep("finished", outcome=outcome(snapshot, config))
    return NextStep(
        "playoff", comparisons=units.comparisons(snapshot, found.pairs, config, context)
    )


def _parents(snapshot: DocumentSnapshot, config: Config) -> list[Artifact]:
    """Return the candidates to combine, best first; candidates of unknown quality are left out."""
    by_id = {artifact.id: artifact for artifact in snapshot.candidates if not artifact.combined}
    known = [
        standing
        for standing in rank(snapshot, config).standings
        if standing.rank_score is not None and standing.artifact_id in by_id
    ]
    if config.playoffs.parents == "top_n":
        number = max(2, sum(standing.selected for standing in known))
    else:
        number = config.playoffs.parents
    return [by_id[standing.artifact_id] for standing in known[:number]]


def first_round(snapshot: DocumentSnapshot, config: Config) -> ComparisonRound:
    """Return the next comparisons before any candidates are combined."""
    ids = {artifact.id for artifact in snapshot.candidates if not artifact.combined}
    # The results of playoffs must not change the reason why the first comparisons ended.
    between = [unit for unit in snapshot.comparisons if {unit.a_id, unit.b_id} <= ids]
    return rounds.next_round(
        _comparison_state(snapshot._replace(comparisons=between), config, new=())
    )


def playoff_round(snapshot: DocumentSnapshot, config: Config) -> ComparisonRound:
    """Return the next comparisons between combined candidates and the others."""
    if not config.playoffs.pairwise:
        return ComparisonRound((), "Combined candidates are judged by their scores alone.")
    new = tuple(artifact.id for artifact in snapshot.candidates if artifact.combined)
    return rounds.next_round(_comparison_state(snapshot, config, new))


def _comparison_state(
    snapshot: DocumentSnapshot, config: Config, new: tuple[str, ...]
) -> ComparisonState:
    known = summaries(snapshot, config)
    # The scores of combined candidates must not change the first comparisons either.
    combined = {artifact.id for artifact in snapshot.candidates if artifact.combined} - set(new)
    return ComparisonState(
        old=tuple(artifact.id for artifact in admitted_candidates(snapshot, config)),
        new=new,
        summaries={one: summary for one, summary in known.items() if one not in combined},
        comparisons=snapshot.comparisons,
        judges=config.comparing_judges,
        pairwise=config.pairwise,
        seed=config.seed,
    )


def outcome(snapshot: DocumentSnapshot, config: Config) -> DocumentOutcome:
    """Return the outcome of a document whose units have all ended."""
    if not snapshot.candidates:
        return DocumentOutcome("failed", _why_no_candidate(snapshot), None, [], [], [])
    result = rank(snapshot, config)
    state, winner_id, reason = _choose_winner(snapshot, result, config)
    return DocumentOutcome(
        state,
        " ".join([reason, *result.notes, *_notes(snapshot, config)]),
        winner_id,
        result.standings,
        list(result.ratings.values()),
        result.fusions,
    )


def _notes(snapshot: DocumentSnapshot, config: Config) -> list[str]:
    """Return why comparing ended, and how many units failed."""
    notes = []
    if snapshot.comparisons:
        notes.append(first_round(snapshot, config).ended)
    if any(artifact.combined for artifact in snapshot.candidates):
        ended = playoff_round(snapshot, config).ended
        if ended:
            notes.append(f"In the playoffs: {ended[0].lower()}{ended[1:]}")
    if snapshot.barred:
        notes.append(_barred(snapshot))
    if snapshot.failed:
        notes.append(f"{snapshot.failed} of its units failed.")
    return [note for note in notes if note]


def _choose_winner(
    snapshot: DocumentSnapshot, result: DocumentRanking, config: Config
) -> tuple[DocumentState, str | None, str]:
    """Return state, winner and reason."""
    candidates = snapshot.candidates
    if len(candidates) == 1:
        which = "The only candidate" + (" that passes the checks" if snapshot.barred else "")
        return "done", candidates[0].id, f"{which}; nothing was compared."
    if not config.scoring_judges and not config.comparing_judges:
        reason = f"{len(candidates)} candidates; nothing was judged, as the configuration says."
        return "partial" if snapshot.failed else "done", None, reason
    if all(standing.rank_score is None for standing in result.standings):
        reason = f"{len(candidates)} candidates, but no judge's result to choose by."
        return "partial", None, reason
    winner_id, reason = fusion.winner(
        result.standings,
        candidates,
        result.fusions,
        config.playoffs.min_confidence,
        config.ranking.method,
    )
    return "partial" if winner_id is None else "done", winner_id, reason


def _barred(snapshot: DocumentSnapshot) -> str:
    """Return how many candidates cannot win because of a check, and which checks they fail."""
    number = len(snapshot.barred)
    noun = "candidate does" if number == 1 else "candidates do"
    return f"{number} {noun} not pass the checks: {_gates(snapshot)}."


def _gates(snapshot: DocumentSnapshot) -> str:
    """Return each gate that candidates do not pass, with their number and a reason."""
    found: dict[str, list[str]] = {}
    for artifact in snapshot.barred:
        for check in artifact.checks:
            if check.bars:
                found.setdefault(check.name, []).append(check.reason)
    told = (f"{len(reasons)} × {name} ({reasons[0]})" for name, reasons in found.items())
    return ", ".join(told)[:_LONGEST]


def _why_no_candidate(snapshot: DocumentSnapshot) -> str:
    if snapshot.barred:
        return f"no candidate passes the checks: {_gates(snapshot)}"
    found = causes.counted(artifact.error or artifact.state for artifact in snapshot.artifacts)
    return f"no candidate was written: {'; '.join(reason for reason, _ in found)[:_LONGEST]}"
