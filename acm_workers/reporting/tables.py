"""CSV exports: rankings, ratings, evaluations, comparisons and calls."""

import csv
import io
from collections.abc import Iterable, Sequence

from acm_workers.reporting.data import Candidate, DocumentReport, RunReport
from acm_workers.reporting.formatting import stamp
from schemas.leaderboard import Leaderboard, LeaderboardRow
from schemas.run import RunRecords

# Spreadsheets evaluate cells that start with one of these, full-width forms included.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")

Cell = str | int | float | None

_RANKINGS = (
    "path", "rank", "artifact_id", "file", "generator", "provider", "model", "iteration",
    "overall", "std_dev", "elo", "games", "wins", "losses", "ties", "rank_score", "selected",
    "winner", "p_best", "strength", "strength_low", "strength_high", "filled", "fails",
)  # fmt: skip
_ELO = ("doc_id", "elo", "path", "artifact_id")
_EVALUATIONS = (
    "path", "evaluation_id", "artifact_id", "candidate", "judge", "provider", "model", "iteration",
    "state", "overall", "criterion", "score", "filled", "reason", "summary", "confidence", "error",
)  # fmt: skip
_COMPARISONS = (
    "path", "comparison_id", "a_id", "a", "b_id", "b", "judge", "provider", "model", "iteration",
    "state", "winner", "winner_id", "confidence", "reason", "error",
)  # fmt: skip
_CHECKS = (
    "path", "artifact_id", "candidate", "check", "type", "gate", "weight", "passed", "score",
    "reason",
)  # fmt: skip
_CALLS = (
    "call_id", "path", "unit_kind", "unit_id", "stage", "attempt", "provider", "model", "state",
    "cached", "status", "finish_reason", "input_tokens", "output_tokens", "cached_tokens",
    "reasoning_tokens", "searches", "cost_usd", "price", "wait_s", "started_at", "ended_at",
    "error_kind", "error",
)  # fmt: skip
_VOTES = (
    "path", "vote_id", "voter", "left_id", "left", "right_id", "right", "choice", "better_id",
    "probability", "eligible_pairs", "shown_at", "voted_at", "duration_s",
)  # fmt: skip


def leaderboard(found: Leaderboard) -> bytes:
    """Return a CSV file with one row per model and period."""
    names = tuple(LeaderboardRow.model_fields)
    return _csv(names, [[getattr(row, name) for name in names] for row in found.rows])


def rankings(report: RunReport) -> bytes:
    """Return a CSV file with one row per candidate, best first within a document."""
    return _csv(
        _RANKINGS,
        (_ranking(page, candidate) for page in report.pages for candidate in page.candidates),
    )


def _ranking(page: DocumentReport, candidate: Candidate) -> list[Cell]:
    artifact, standing = candidate.artifact, candidate.standing
    summary, rating = candidate.summary, candidate.rating
    belief = standing.posterior if standing else None
    return [
        page.document.path,
        standing.rank if standing else None,
        artifact.id,
        artifact.file,
        artifact.generator,
        artifact.provider,
        artifact.model,
        artifact.iteration,
        summary.overall if summary else None,
        summary.std_dev if summary else None,
        rating.points if rating else None,
        rating.games if rating else None,
        rating.wins if rating else None,
        rating.losses if rating else None,
        rating.ties if rating else None,
        standing.rank_score if standing else None,
        _yes(standing is not None and standing.selected),
        _yes(candidate is page.winner),
        standing.p_best if standing else None,
        belief.points if belief else None,
        belief.low if belief else None,
        belief.high if belief else None,
        summary.filled if summary else None,
        ", ".join(check.name for check in artifact.checks if check.bars) or None,
    ]


def _yes(value: bool) -> str:
    return "true" if value else "false"


def elo_summary(report: RunReport) -> bytes:
    """Return a CSV file with the ratings of each document, the highest first."""
    rows: list[list[Cell]] = []
    for page in report.pages:
        rated = [(one, one.rating) for one in page.candidates if one.rating]
        rated.sort(key=lambda pair: -pair[1].points)
        rows += [
            [
                candidate.artifact.file or candidate.label,
                f"{rating.points:.2f}",
                page.document.path,
                candidate.artifact.id,
            ]
            for candidate, rating in rated
        ]
    return _csv(_ELO, rows)


def evaluations(known: RunRecords) -> bytes:
    """Return a CSV file with one row per evaluation and criterion; failed ones have one row."""
    paths, names = _names(known)
    rows: list[list[Cell]] = []
    for unit in known.evaluations:
        about: list[Cell] = [
            paths.get(unit.document_id), unit.id, unit.artifact_id, names.get(unit.artifact_id),
            unit.judge, unit.provider, unit.model, unit.iteration, unit.state, unit.overall,
        ]  # fmt: skip
        rest: list[Cell] = [unit.summary, unit.confidence, unit.error]
        rows += [
            [*about, name, score, _yes(name in unit.filled), unit.reasons.get(name), *rest]
            for name, score in unit.scores.items()
        ] or [[*about, None, None, None, None, *rest]]
    return _csv(_EVALUATIONS, rows)


def comparisons(known: RunRecords) -> bytes:
    """Return a CSV file with one row per comparison; ``a`` was shown first."""
    paths, names = _names(known)
    return _csv(
        _COMPARISONS,
        (
            [
                paths.get(unit.document_id), unit.id, unit.a_id, names.get(unit.a_id), unit.b_id,
                names.get(unit.b_id), unit.judge, unit.provider, unit.model, unit.iteration,
                unit.state, unit.winner,
                {"a": unit.a_id, "b": unit.b_id}.get(unit.winner or ""), unit.confidence,
                unit.reason, unit.error,
            ]
            for unit in known.comparisons
        ),
    )  # fmt: skip


def checks(known: RunRecords) -> bytes:
    """Return a CSV file with one row per candidate and check; checks cost nothing."""
    paths, names = _names(known)
    return _csv(
        _CHECKS,
        (
            [
                paths.get(artifact.document_id), artifact.id, names[artifact.id], check.name,
                check.type, _yes(check.gate), check.weight,
                None if check.passed is None else _yes(check.passed), check.score, check.reason,
            ]
            for artifact in known.artifacts
            for check in artifact.checks
        ),
    )  # fmt: skip


def calls(known: RunRecords) -> bytes:
    """Return a CSV file with one row per call, in the order of the ledger; times are UTC."""
    paths, _ = _names(known)
    return _csv(
        _CALLS,
        (
            [
                call.id, paths.get(call.document_id), call.unit_kind, call.unit_id, call.stage,
                call.attempt, call.provider, call.model, call.state, _yes(call.cached),
                call.status, call.finish_reason, call.usage.input_tokens,
                call.usage.output_tokens, call.usage.cached_tokens, call.usage.reasoning_tokens,
                call.usage.searches, call.cost_usd, call.price, call.wait_s,
                stamp(call.started_at), None if call.ended_at is None else stamp(call.ended_at),
                call.error_kind, call.error,
            ]
            for call in known.calls
        ),
    )  # fmt: skip


def votes(known: RunRecords) -> bytes:
    """Return a CSV file with one row per vote of a person, including skipped pairs."""
    paths, names = _names(known)
    return _csv(
        _VOTES,
        (
            [
                paths.get(vote.document_id), vote.id, vote.voter, vote.left_id,
                names.get(vote.left_id), vote.right_id, names.get(vote.right_id), vote.choice,
                {"left": vote.left_id, "right": vote.right_id}.get(vote.choice or ""),
                vote.probability, vote.eligible, stamp(vote.shown_at),
                None if vote.voted_at is None else stamp(vote.voted_at), vote.duration_s,
            ]
            for vote in known.votes
        ),
    )  # fmt: skip


def _names(known: RunRecords) -> tuple[dict[str, str], dict[str, str]]:
    """Return the paths of documents and the names of candidates, by id."""
    return (
        {document.id: document.path for document in known.documents},
        {artifact.id: artifact.name for artifact in known.artifacts},
    )


def _csv(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([_inert(cell) for cell in row] for row in rows)
    return text.getvalue().encode("utf-8", "replace")


def _inert(cell: Cell) -> Cell:
    """Return a cell that no spreadsheet evaluates, and that stays within its row."""
    if not isinstance(cell, str):
        return cell
    # The csv module leaves a carriage return unquoted, which ends a row for some readers.
    text = cell.replace("\r\n", "\n").replace("\r", "\n") if "\r" in cell else cell
    return f"'{text}" if text.startswith(_FORMULA) and not _numeric(text) else text


def _numeric(cell: str) -> bool:
    return cell.removeprefix("-").replace(".", "", 1).isascii() and (
        cell.removeprefix("-").replace(".", "", 1).isdigit()
    )
