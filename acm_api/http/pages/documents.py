"""Pages of a document: its candidates with judges' remarks, and two texts side by side."""

from collections.abc import Iterable, Sequence
from typing import Annotated, NamedTuple

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from acm_api.http.pages import forms, rendering
from acm_api.http.service import CurrentService
from acm_api.http.shapes import RunId, UnitId
from acm_workers.store import artifacts, comparisons, documents, evaluations, runs
from schemas.ranking import Standing
from schemas.units import Artifact, Comparison, Evaluation

router = APIRouter(include_in_schema=False)

SOURCE = "source"
"""Stands for the document's own text in a list of candidates."""

_MOST_CANDIDATES = 500
_MOST_JUDGEMENTS = 200
_MOST_IN_MATRIX = 12
_MOST_SAID = 4_000
"""Maximum length of a reason on a page, in characters; the export has all of it."""

_Side = Annotated[str | None, Query(max_length=32)]


class CandidateView(NamedTuple):
    """A candidate in the list of a page."""

    artifact: Artifact
    standing: Standing | None


class MatrixRow(NamedTuple):
    """The games of a candidate: (other candidate, wins, games) by column; None on the diagonal."""

    candidate: CandidateView
    cells: tuple[tuple[str, float, int] | None, ...]


class TextView(NamedTuple):
    """One of two texts shown side by side."""

    id: str
    name: str
    text: str


@router.get("/runs/{run_id}/documents/{document_id}")
def show_document(
    request: Request,
    run_id: RunId,
    document_id: UnitId,
    service: CurrentService,
    text: _Side = None,
) -> Response:
    """Show a document: its candidates, and the text and judgements of one of them."""
    caller = forms.caller(request)
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
        document = documents.in_run(connection, run.id, document_id)
        found = artifacts.page(connection, run.id, _MOST_CANDIDATES, document_id=document.id)
        standings, _ = documents.ranking(connection, document.id)
        candidates = _in_order(found, standings)
        chosen = _chosen(candidates, text or document.winner_id)
        written, scores, verdicts = None, [], []
        if chosen is not None:
            written = artifacts.text(connection, chosen.artifact.id)
            scores = evaluations.shown(
                connection, document.id, _MOST_JUDGEMENTS + 1, chosen.artifact.id
            )
            verdicts = comparisons.shown(
                connection, document.id, _MOST_JUDGEMENTS + 1, [chosen.artifact.id]
            )
        games = comparisons.verdict_counts(connection, document.id)
        source = documents.text(connection, document.id)
    return rendering.page(
        request,
        "document",
        caller,
        run=run,
        document=document,
        candidates=candidates,
        chosen=chosen,
        written=written,
        scores=[_clipped_scores(one) for one in scores[:_MOST_JUDGEMENTS]],
        verdicts=[_clipped(one) for one in verdicts[:_MOST_JUDGEMENTS]],
        more=len(scores) > _MOST_JUDGEMENTS or len(verdicts) > _MOST_JUDGEMENTS,
        labels={one.artifact.id: one.artifact.name for one in candidates},
        matrix=_matrix(candidates, games),
        source=source,
    )


@router.get("/runs/{run_id}/documents/{document_id}/diff")
def show_diff(
    request: Request,
    run_id: RunId,
    document_id: UnitId,
    service: CurrentService,
    left: _Side = None,
    right: _Side = None,
) -> Response:
    """Show two texts of a document side by side, with words marked that only one of them has."""
    caller = forms.caller(request)
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
        document = documents.in_run(connection, run.id, document_id)
        found = artifacts.page(connection, run.id, _MOST_CANDIDATES, document_id=document.id)
        standings, _ = documents.ranking(connection, document.id)
        written = [one for one in _in_order(found, standings) if one.artifact.state == "done"]
        names = {one.artifact.id: one.artifact.name for one in written}
        names[SOURCE] = "the source"
        order = [*names]
        right = right if right in names else (document.winner_id or order[0])
        left = left if left in names else next((one for one in order if one != right), SOURCE)
        sides = []
        for one in (left, right):
            text = (
                documents.text(connection, document.id)
                if one == SOURCE
                else artifacts.text(connection, one)
            )
            sides.append(TextView(one, names.get(one, one), text or ""))
        verdicts = comparisons.shown(connection, document.id, _MOST_JUDGEMENTS, [left, right])
    return rendering.page(
        request,
        "diff",
        caller,
        run=run,
        document=document,
        names=names,
        left=sides[0],
        right=sides[1],
        diff=rendering.diff(sides[0].text, sides[1].text),
        verdicts=[_clipped(one) for one in verdicts],
        labels=names,
    )


def _in_order(found: Sequence[Artifact], standings: Iterable[Standing]) -> list[CandidateView]:
    by_id = {one.artifact_id: one for one in standings}
    candidates = [CandidateView(one, by_id.get(one.id)) for one in found]
    candidates.sort(key=lambda one: (one.standing.rank if one.standing else 10**6, one.artifact.id))
    return candidates


def _chosen(candidates: Sequence[CandidateView], wanted: str | None) -> CandidateView | None:
    for one in candidates:
        if one.artifact.id == wanted:
            return one
    return next((one for one in candidates if one.artifact.state == "done"), None)


def _matrix(
    candidates: Sequence[CandidateView], games: Sequence[comparisons.VerdictCount]
) -> list[MatrixRow]:
    """Return the games between the best candidates; empty without games."""
    wins: dict[tuple[str, str], float] = {}
    for game in games:
        won = {"a": 1.0, "tie": 0.5}.get(game.winner, 0.0)
        wins[game.a_id, game.b_id] = wins.get((game.a_id, game.b_id), 0.0) + won * game.games
        wins[game.b_id, game.a_id] = wins.get((game.b_id, game.a_id), 0.0) + (1 - won) * game.games
    played = {one for pair in wins for one in pair}
    shown = [one for one in candidates if one.artifact.id in played][:_MOST_IN_MATRIX]

    def cell(row: str, column: str) -> tuple[str, float, int] | None:
        won, lost = wins.get((row, column)), wins.get((column, row))
        return None if won is None or lost is None else (column, won, round(won + lost))

    return [
        MatrixRow(row, tuple(cell(row.artifact.id, one.artifact.id) for one in shown))
        for row in shown
    ]


def _clipped(one: Comparison) -> Comparison:
    reason = one.reason and one.reason[:_MOST_SAID]
    return one.model_copy(update={"reason": reason})


def _clipped_scores(one: Evaluation) -> Evaluation:
    reasons = {name: said[:_MOST_SAID] for name, said in one.reasons.items()}
    summary = one.summary and one.summary[:_MOST_SAID]
    return one.model_copy(update={"reasons": reasons, "summary": summary})
