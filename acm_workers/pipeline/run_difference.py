"""Two runs over the same documents, paired by document; pure."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from acm_workers.pipeline import config_changes
from acm_workers.pipeline.snapshot import DocumentSnapshot
from acm_workers.ranking import paired, posterior, score_effects, scores
from acm_workers.ranking.paired import MeanDifference
from acm_workers.reporting import money
from schemas.calls import Call
from schemas.ranking import ScoreSummary
from schemas.run import Run
from schemas.run_difference import (
    Comparability,
    ComparedRun,
    DocumentDifference,
    MeasuredDifference,
    RunDifference,
    WinnerSide,
    WinRate,
)
from schemas.units import Artifact

WINNERS = "winners"
TEXTS = "all texts"

_LEAST_SHARE = 0.03
"""Minimum standard deviation of a document's difference, as a share of the scale; see 0036."""
_NOTICEABLE = 0.005
_MOST_CRITERIA = 3


class DecidedDocument(NamedTuple):
    """A document of a run with all of its units.

    Attributes:
        path: Path in the compared run; a skipped document may have another path in its own run.
        digest: Digest of its source; empty if candidates have no source.
        snapshot: Artifacts may be without texts.
        winner_text: Digest of the winner's text.
    """

    path: str
    digest: str
    snapshot: DocumentSnapshot
    winner_text: str | None
    p_best: float | None
    calls: Sequence[Call]


class RunDocuments(NamedTuple):
    """A run with its documents, including skipped documents."""

    run: Run
    documents: Sequence[DecidedDocument]


class PairedDocuments(NamedTuple):
    """The documents of two runs, paired.

    Attributes:
        pairs: Pairs of a document of the first run and one of the second, by path.
        altered: Paths that exist in both runs with different texts.
    """

    pairs: list[tuple[DecidedDocument, DecidedDocument]]
    only_a: list[str]
    only_b: list[str]
    altered: list[str]


class _DocumentResults(NamedTuple):
    """The results of one document of one run."""

    side: WinnerSide
    criteria: Mapping[str, float]
    scale: float


def pair(a: Sequence[DecidedDocument], b: Sequence[DecidedDocument]) -> PairedDocuments:
    """Pair documents with the same path and content; pair the rest by unique content."""
    old, new = ({one.path: one for one in side} for side in (a, b))
    same = [path for path in new if path in old and old[path].digest == new[path].digest]
    pairs = [(old[path], new[path]) for path in same]
    left_a, left_b = (
        _by_digest(one for one in side if one.path not in set(same)) for side in (a, b)
    )
    for digest in sorted(left_a.keys() & left_b.keys() - {""}):
        if len(left_a[digest]) == len(left_b[digest]) == 1:
            pairs.append((left_a[digest][0], left_b[digest][0]))
    paired_a, paired_b = {one.path for one, _ in pairs}, {other.path for _, other in pairs}
    altered = [path for path in old if path in new and not {path} & (paired_a | paired_b)]
    return PairedDocuments(
        sorted(pairs, key=lambda both: both[1].path),
        sorted(old.keys() - paired_a - set(altered)),
        sorted(new.keys() - paired_b - set(altered)),
        sorted(altered),
    )


def difference(a: RunDocuments, b: RunDocuments, win_rate: WinRate | None = None) -> RunDifference:
    """Compare the texts, costs and configs of two runs.

    Args:
        a: The baseline run.
        b: The run that is judged better or worse.
        win_rate: Win rate of the winners of ``b`` against the winners of ``a``, if they were
            compared.
    """
    found = pair(a.documents, b.documents)
    comparable = config_changes.same_scores(a.run.config, b.run.config)
    decided = [(old, new) for old, new in found.pairs if _winner(old) and _winner(new)]
    judged = [_alike(old, new, _judged(old, a.run), _judged(new, b.run)) for old, new in decided]
    rows = tuple(
        _document(old, new, *sides, comparable=comparable)
        for (old, new), sides in zip(decided, judged, strict=True)
    )
    measures = _measures(judged) if comparable else ()
    word, reason = _conclusion(measures, win_rate, comparable=comparable, pairs=len(rows))
    return RunDifference(
        a=_compared(a, [old for old, _ in found.pairs]),
        b=_compared(b, [new for _, new in found.pairs]),
        conclusion=word,
        reason=reason,
        interval=paired.TOGETHER,
        measures=measures,
        criteria=_by_criterion(judged) if comparable else (),
        win_rate=win_rate,
        changes=tuple(config_changes.changes(a.run, b.run)),
        documents=rows,
        only_a=tuple(found.only_a),
        only_b=tuple(found.only_b),
        altered=tuple(found.altered),
        undecided=tuple(
            new.path for old, new in found.pairs if not (_winner(old) and _winner(new))
        ),
        warnings=tuple(_warnings(a.run, b.run, judged, comparable=comparable)),
    )


def _by_digest(documents: Iterator[DecidedDocument]) -> dict[str, list[DecidedDocument]]:
    groups: dict[str, list[DecidedDocument]] = defaultdict(list)
    for one in documents:
        groups[one.digest].append(one)
    return groups


def _winner(document: DecidedDocument) -> Artifact | None:
    winner_id = document.snapshot.document.winner_id
    return next((one for one in document.snapshot.candidates if one.id == winner_id), None)


def _judged(document: DecidedDocument, run: Run) -> _DocumentResults:
    snapshot, config = document.snapshot, run.config
    winner = _winner(document)
    assert winner is not None  # noqa: S101  callers have looked
    summaries = scores.summaries(snapshot.artifacts, snapshot.evaluations, config)
    own = summaries.get(winner.id)
    given = own if own is not None and own.same_scale else None
    first = [
        summaries[one.id].overall
        for one in snapshot.candidates
        if not one.combined and one.id in summaries
    ]
    side = WinnerSide(
        artifact_id=winner.id,
        name=winner.name,
        prompt=config.prompt_of(winner),
        provider=winner.provider,
        model=winner.model,
        score=None if given is None else given.overall,
        expected=None if given is None else _expected(winner, snapshot, summaries, run),
        texts=fmean(first) if first else None,
        p_best=document.p_best,
        candidates=len(snapshot.candidates),
    )
    scale = next((one.scale for one in summaries.values() if one.same_scale), 0.0)
    return _DocumentResults(side, {} if given is None else given.criteria, scale)


def _alike(
    old: DecidedDocument, new: DecidedDocument, a: _DocumentResults, b: _DocumentResults
) -> tuple[_DocumentResults, _DocumentResults]:
    """Return the results of both winners; if one text won in both runs, its results are equal."""
    scores_of_both = (a.side.expected, b.side.expected)
    if not _same_text(old, new) or None in scores_of_both:
        return a, b
    same = {"expected": fmean(score for score in scores_of_both if score is not None)}
    one, other = (known._replace(side=known.side.model_copy(update=same)) for known in (a, b))
    return one, other


def _same_text(old: DecidedDocument, new: DecidedDocument) -> bool:
    return old.winner_text is not None and old.winner_text == new.winner_text


def _expected(
    winner: Artifact, snapshot: DocumentSnapshot, summaries: Mapping[str, ScoreSummary], run: Run
) -> float:
    effects = score_effects.estimate(summaries)
    assert effects is not None  # noqa: S101  the winner has a score
    return posterior.expected_score(
        winner.id,
        [one.id for one in snapshot.candidates],
        effects,
        snapshot.comparisons,
        run.config.comparing_judges,
        tie_below=run.config.pairwise.tie_below_confidence,
    )


def _document(
    old: DecidedDocument,
    new: DecidedDocument,
    a: _DocumentResults,
    b: _DocumentResults,
    *,
    comparable: bool,
) -> DocumentDifference:
    criteria = {
        name: b.criteria[name] - score for name, score in a.criteria.items() if name in b.criteria
    }
    known = comparable and a.side.expected is not None and b.side.expected is not None
    return DocumentDifference(
        path=new.path,
        a_path=old.path,
        a=a.side,
        b=b.side,
        difference=(b.side.expected or 0.0) - (a.side.expected or 0.0) if known else None,
        criteria=criteria if comparable else {},
        same_text=_same_text(old, new),
        why=tuple(_why(old, new, a, b, criteria if comparable else {})),
    )


def _why(
    old: DecidedDocument,
    new: DecidedDocument,
    a: _DocumentResults,
    b: _DocumentResults,
    criteria: Mapping[str, float],
) -> Iterator[str]:
    if _same_text(old, new):
        yield f"Both runs chose the same text, {b.side.name}."
        return
    writers = [_written_by(one.side) for one in (a, b)]
    if writers[0] == writers[1]:
        yield f"Another text of {writers[1]} wins."
    else:
        yield f"{_winner_name(b.side)} wins instead of {_winner_name(a.side)}."
    telling = sorted(criteria, key=lambda name: -abs(criteria[name]))[:_MOST_CRITERIA]
    parts = [
        f"{name} {criteria[name]:+.2f}" for name in telling if abs(criteria[name]) > _NOTICEABLE
    ]
    if parts:
        yield f"By criterion: {', '.join(parts)}."


def _winner_name(side: WinnerSide) -> str:
    return side.name if side.prompt is None else f"{side.name} ({side.prompt})"


def _written_by(side: WinnerSide) -> str:
    prompt = "" if side.prompt is None else f" with {side.prompt}"
    return f"{side.provider}:{side.model}{prompt}"


def _measures(
    judged: Sequence[tuple[_DocumentResults, _DocumentResults]],
) -> tuple[MeasuredDifference, ...]:
    least = _LEAST_SHARE * max((one.scale for both in judged for one in both), default=0.0)
    sides = {
        WINNERS: [(a.side.expected, b.side.expected) for a, b in judged],
        TEXTS: [(a.side.texts, b.side.texts) for a, b in judged],
    }
    return tuple(_measured(name, given, len(sides), least) for name, given in sides.items())


def _by_criterion(
    judged: Sequence[tuple[_DocumentResults, _DocumentResults]],
) -> tuple[MeasuredDifference, ...]:
    names = dict.fromkeys(name for a, _ in judged for name in a.criteria)
    return tuple(
        _measured(name, [(a.criteria.get(name), b.criteria.get(name)) for a, b in judged], 1, 0.0)
        for name in names
    )


def _measured(
    name: str, given: Sequence[tuple[float | None, float | None]], endpoints: int, least: float
) -> MeasuredDifference:
    known = [(a, b) for a, b in given if a is not None and b is not None]
    found = paired.mean_difference([b - a for a, b in known], endpoints=endpoints, least_sd=least)
    if found is None:
        return MeasuredDifference(name=name, pairs=0)
    return MeasuredDifference(
        name=name,
        pairs=found.pairs,
        a=fmean(a for a, _ in known),
        b=fmean(b for _, b in known),
        difference=found.mean,
        low=found.low,
        high=found.high,
        detectable=found.detectable,
    )


def _conclusion(
    measures: Sequence[MeasuredDifference],
    win_rate: WinRate | None,
    *,
    comparable: bool,
    pairs: int,
) -> tuple[Comparability, str]:
    """Return the conclusion and its reason: by scores, else by the win rate."""
    if not pairs:
        return "not comparable", "no document has a winner in both runs"
    known = [one for one in measures if one.pairs]
    if not known and win_rate is not None and win_rate.pairs:
        return _of_intervals([win_rate])
    if not comparable:
        return (
            "not comparable",
            "judges or criteria differ, so scores mean something else in each run; --cross-judge"
            " has the same judges compare the winners",
        )
    if not known:
        return "not comparable", "no document has scores in both runs"
    return _of_intervals(known)


def _of_intervals(known: Sequence[MeasuredDifference]) -> tuple[Comparability, str]:
    intervals = {
        one.name: MeanDifference(one.pairs, one.difference or 0.0, one.low, one.high)
        for one in known
    }
    word = paired.conclusion(list(intervals.values()))
    if word == "no difference seen":
        if max(one.pairs for one in known) == 1:
            return word, "one document says nothing of how others would differ"
        return word, f"the intervals of the differences have 0 in them{_detectable(known)}"
    name = next(name for name, one in intervals.items() if one.direction == word)
    return word, f"the whole interval of the difference lies on one side of 0, for {name}"


def _detectable(known: Sequence[MeasuredDifference]) -> str:
    """Return the smallest difference that any of the measures would have detected."""
    found = [(one.detectable, one.name) for one in known if one.detectable is not None]
    if not found:
        return ""
    least, name = min(found)
    share = f"{100 * paired.FOUND:g} %"
    return f"; a true difference of {least:.2f} for {name} would be found in {share} of all cases"


def _compared(side: RunDocuments, documents: Sequence[DecidedDocument]) -> ComparedRun:
    run = side.run
    calls = [call for one in documents for call in one.calls]
    counts = money.call_counts(calls)
    ended = run.finished_at
    return ComparedRun(
        run_id=run.id,
        title=run.title,
        state=run.state,
        documents=len(side.documents),
        usd=money.total_cost(calls).exact,
        seconds=None if ended is None else (ended - run.created_at).total_seconds(),
        calls=counts.total,
        cached=counts.cached,
    )


def _warnings(
    a: Run, b: Run, judged: Sequence[tuple[_DocumentResults, _DocumentResults]], *, comparable: bool
) -> Iterator[str]:
    if not comparable:
        yield (
            "JUDGES DIFFER: the runs were scored by other judges or criteria; their scores say"
            " nothing about which run writes better"
        )
    for name, old, new in (
        ("instructions", a.instructions, b.instructions),
        ("guidelines", a.guidelines, b.guidelines),
    ):
        if old != new:
            yield f"the {name} differ, and judges see them: each run was judged by its own"
    if a.config.ranking.aggregation != b.config.ranking.aggregation:
        yield "the runs aggregate scores differently (ranking.aggregation)"
    for run in (a, b):
        if run.state in ("running", "paused"):
            yield f"run {run.id} is {run.state}: only what it has decided is compared"
        if run.config.missing_score is not None:
            yield f"run {run.id} may have scores filled by missing_score"
    numbers = [sorted({one[side].side.candidates for one in judged}) for side in (0, 1)]
    if numbers[0] != numbers[1]:
        yield (
            "the runs have different numbers of candidates: the best of more is better by itself"
        )
