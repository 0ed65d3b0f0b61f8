"""The overview of a run: certainty of winners, results of models, cost."""

from collections.abc import Iterable, Sequence
from statistics import fmean

from acm_workers.reporting import money
from acm_workers.reporting.data import (
    Candidate,
    Certainty,
    DocumentReport,
    ModelRow,
    StageCost,
)
from schemas.calls import Call

CLEAR, LIKELY = 0.9, 0.7
"""Minimum probabilities of being the best for the words "clear" and "likely"."""

_STAGES = ("generate", "combine", "score", "compare")


def word(p_best: float | None) -> str:
    """Return one word for the certainty that a candidate is the best."""
    if p_best is None:
        return "not measured"
    shown = float(f"{100 * p_best:.0f}")  # or "70 %" would stand beside "toss-up"
    if shown >= 100 * CLEAR:
        return "clear"
    return "likely" if shown >= 100 * LIKELY else "toss-up"


def p_best(candidate: Candidate | None) -> float | None:
    """Return the probability that a candidate is the best of its document."""
    return candidate.standing.p_best if candidate and candidate.standing else None


def certainty(pages: Sequence[DocumentReport]) -> Certainty:
    """Count the documents by the certainty of their winner."""
    words = [word(p_best(page.winner)) for page in pages if page.winner]
    return Certainty(
        documents=len(pages),
        decided=len(words),
        clear=words.count("clear"),
        likely=words.count("likely"),
        toss_up=words.count("toss-up"),
        not_measured=words.count("not measured"),
        running=sum(page.document.state == "running" for page in pages),
    )


def stage_costs(calls: Iterable[Call], combined: set[str]) -> tuple[StageCost, ...]:
    """Sum the calls by kind of work; shares are of the known cost."""
    groups: dict[str, list[Call]] = {}
    for call in calls:
        groups.setdefault(money.kind_of_work(call, combined), []).append(call)
    spent = {name: money.total_cost(group) for name, group in groups.items()}
    total = sum(one.usd for one in spent.values())
    return tuple(
        StageCost(
            work=name,
            counts=money.call_counts(groups[name]),
            spent=spent[name],
            share=spent[name].usd / total if total else 0.0,
        )
        for name in _STAGES
        if name in groups
    )


def models(pages: Sequence[DocumentReport]) -> tuple[ModelRow, ...]:
    """Return the models that wrote candidates, ordered by the P(best) of their texts."""
    written: dict[tuple[str, bool], list[tuple[DocumentReport, Candidate]]] = {}
    for page in pages:
        for one in page.candidates:
            key = (f"{one.artifact.provider}:{one.artifact.model}", one.artifact.combined)
            written.setdefault(key, []).append((page, one))
    rows = [_model(*key, found) for key, found in written.items()]
    return tuple(sorted(rows, key=lambda row: (-(row.p_best or 0.0), -row.wins, row.name)))


def _model(
    name: str, combined: bool, found: Sequence[tuple[DocumentReport, Candidate]]
) -> ModelRow:
    decided = {page.number for page, _ in found if page.winner}
    ranked = [(page.number, p_best(one)) for page, one in found]
    measured = {number for number, chance in ranked if chance is not None}
    texts = [one for _, one in found if one.artifact.state == "done"]
    scored = [one.summary.overall for one in texts if one.summary and one.summary.same_scale]
    paid = [one for one in texts if not one.artifact.taken_from]
    known = [one.spent.exact for one in paid if one.spent.exact is not None]
    return ModelRow(
        name=name,
        combined=combined,
        texts=len(texts),
        failed=len(found) - len(texts),
        wins=sum(page.winner is one for page, one in found),
        of=len(decided),
        score=fmean(scored) if scored else None,
        p_best=sum(chance or 0.0 for _, chance in ranked) / len(measured) if measured else None,
        usd_per_text=fmean(known) if known and len(known) == len(paid) else None,
    )
