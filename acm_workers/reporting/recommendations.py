"""Recommendations to the reader of a report, derived from its figures."""

from collections.abc import Iterator, Sequence

from acm_workers.reporting import overview
from acm_workers.reporting.data import DocumentReport, ModelRow, RunReport
from acm_workers.reporting.formatting import chance, dollars, many

_MOST = 6
_NEAR = 0.5
"""Maximum difference of scores at which a text is nearly as good, in points."""

_CHEAPER = 0.5
"""Maximum ratio of costs at which a model is much cheaper."""


def of_run(report: RunReport) -> tuple[str, ...]:
    """Return a few recommendations, the most important first."""
    found = [
        *_unfinished(report),
        *_toss_ups(report.pages),
        *_failing(report),
        *_judges(report),
        *_models(report.model_rows),
    ]
    return tuple(found[:_MOST])


def _unfinished(report: RunReport) -> Iterator[str]:
    missing = [page for page in report.pages if not page.winner and page.candidates]
    if report.run.state in ("partial", "paused", "cancelled", "failed") and missing:
        yield (
            f"{many(len(missing), 'document')} {'has' if len(missing) == 1 else 'have'} no winner:"
            f" acm resume {report.run.id} continues with what failed or was cancelled."
        )


def _toss_ups(pages: Sequence[DocumentReport]) -> Iterator[str]:
    open_pages = [
        page
        for page in pages
        if page.winner and overview.word(overview.p_best(page.winner)) == "toss-up"
    ]
    if not open_pages:
        return
    if len(pages) == 1 and open_pages[0].winner and open_pages[0].runner_up:
        first, second = open_pages[0].winner, open_pages[0].runner_up
        yield (
            f"Read {first.label} and {second.label} side by side before you choose: the judges "
            f"cannot tell them apart (P(best) {chance(overview.p_best(first))} and "
            f"{chance(overview.p_best(second))})."
        )
    else:
        yield (
            f"Read the two best texts of the {many(len(open_pages), 'toss-up')} yourself: "
            "there the judges cannot tell them apart."
        )
    if any(page.unit_counts.comparisons for page in open_pages):
        yield (
            "More judges help more than more verdicts of the same one; acm rejudge asks others "
            "about the same texts, and writes none anew."
        )


def _failing(report: RunReport) -> Iterator[str]:
    for cause in report.causes[:2]:
        yield (
            f"{many(cause.number, 'unit')} of {cause.provider}:{cause.model} failed: "
            f"{cause.reason.rstrip('.')}. Mend that, or leave the model out."
        )


def _judges(report: RunReport) -> Iterator[str]:
    for judge in report.judges.judges:
        ties = judge.verdicts.ties
        silent = (ties is not None and ties.hits == ties.of and ties.of > 1) or (
            judge.scores.given > 1 and judge.scores.spread == 0
        )
        if silent and judge.counts:
            yield f"Replace judge {judge.name}: it tells no two texts apart."
    if len([judge for judge in report.judges.judges if judge.counts]) == 1:
        yield "Add a second judge of another family: one judge's taste decides everything here."


def _models(rows: Sequence[ModelRow]) -> Iterator[str]:
    first = [row for row in rows if not row.combined]
    best = next((row for row in first if row.wins), None)
    if best is None or len(first) < 2:
        return
    cheaper = [row for row in first if row is not best and _is_bargain(row, best)]
    if cheaper:
        row = min(cheaper, key=lambda one: one.usd_per_text or 0.0)
        yield (
            f"{row.name} writes nearly as well as {best.name} "
            f"({row.score:.2f} against {best.score:.2f}) for {dollars(row.usd_per_text or 0.0)} "
            f"instead of {dollars(best.usd_per_text or 0.0)} a text."
        )
    for row in first:
        if row.of >= 2 and not row.wins and (row.p_best or 0.0) < 0.05:
            yield (
                f"Leave {row.name} out: none of its {many(row.texts, 'text')} was the best one of "
                f"{many(row.of, 'document')}."
            )


def _is_bargain(row: ModelRow, best: ModelRow) -> bool:
    if row.score is None or best.score is None or not row.usd_per_text or not best.usd_per_text:
        return False
    near = best.score - row.score <= _NEAR
    return near and row.usd_per_text <= _CHEAPER * best.usd_per_text
