"""CSV exports: rankings.csv and elo_summary.csv."""

import csv
import io
from collections.abc import Iterable, Sequence

from acm_workers.reporting.data import Candidate, DocumentReport, RunReport

# Spreadsheets evaluate cells that start with one of these.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")

Cell = str | int | float | None

_RANKINGS = (
    "path", "rank", "artifact_id", "file", "generator", "provider", "model", "iteration",
    "overall", "std_dev", "elo", "games", "wins", "losses", "ties", "rank_score", "selected",
    "winner", "p_best", "strength", "strength_low", "strength_high", "filled",
)  # fmt: skip
_ELO = ("doc_id", "elo", "path", "artifact_id")


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


def _csv(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([_inert(cell) for cell in row] for row in rows)
    return text.getvalue().encode("utf-8", "replace")


def _inert(cell: Cell) -> Cell:
    if isinstance(cell, str) and cell.startswith(_FORMULA) and not _numeric(cell):
        return f"'{cell}"
    return cell


def _numeric(cell: str) -> bool:
    return cell.removeprefix("-").replace(".", "", 1).isascii() and (
        cell.removeprefix("-").replace(".", "", 1).isdigit()
    )
