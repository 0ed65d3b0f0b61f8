"""The content of a report as plain values, which the page and the exports are written from."""

from datetime import datetime
from typing import NamedTuple

from acm_workers.ranking.panel import Panel
from acm_workers.reporting.charts.bars import ScoreBar, StrengthInterval
from acm_workers.reporting.charts.gantt import GanttChart
from acm_workers.reporting.charts.lines import LineChart
from acm_workers.reporting.charts.radar import RadarChart
from acm_workers.reporting.charts.scatter import ScatterChart
from acm_workers.reporting.money import CallCost, CostRow
from schemas.config.ranking import RankingMethod
from schemas.ranking import Fusion, Rating, ScoreSummary, Standing
from schemas.run import CallCounts, FailureCause, Run
from schemas.units import Artifact, Comparison, Document, Evaluation


class Candidate(NamedTuple):
    """One candidate with all of its results.

    Attributes:
        label: Name for people, such as ``fpf 1 · model``; unique in a document.
        spent: Cost of writing it, without judging.
        missing: Number of its evaluations without a result.
    """

    artifact: Artifact
    label: str
    standing: Standing | None
    summary: ScoreSummary | None
    rating: Rating | None
    spent: CallCost
    missing: int


class DirectGames(NamedTuple):
    """Games of the winner with the runner-up, counted from the winner's side."""

    wins: int
    losses: int
    ties: int


class FusionRow(NamedTuple):
    """A combined candidate beside its best parent, for people.

    Attributes:
        parents: Ids of all candidates that it was made from.
        same_scale: Whether the scores of the two can be compared.
        word: Better, worse or about the same.
        may_win: Whether the probability of being better is high enough to win.
    """

    fusion: Fusion
    label: str
    parent: str
    parents: tuple[str, ...]
    same_scale: bool
    word: str
    may_win: bool


class WinMatrix(NamedTuple):
    """``cells[row][column]`` is (wins of the row, games); None without games.

    Attributes:
        left_out: Number of candidates with games that did not fit.
    """

    candidates: tuple[Candidate, ...]
    cells: tuple[tuple[tuple[float, int] | None, ...], ...]
    left_out: int


class CriterionProfiles(NamedTuple):
    """The scores of the best candidates by criterion.

    Attributes:
        incomplete: Number of candidates without a score by some criterion; they are not drawn.
        left_out: Number of further candidates that could be drawn.
        criteria_left_out: Number of criteria that did not fit, those of the lowest weights.
    """

    radar: RadarChart
    incomplete: int
    left_out: int
    criteria_left_out: int


class CostQuality(NamedTuple):
    """Cost and quality of the candidates.

    Attributes:
        chart: Absent if fewer than two can be drawn, or if all were free.
        free: Whether all were free.
        left_out: How many are not drawn, with the reason, as phrases.
    """

    chart: ScatterChart | None
    free: bool
    left_out: tuple[str, ...]


class WorkTimeline(NamedTuple):
    """Calls over time, by kind of work and then by candidate or document.

    Attributes:
        kinds: Kinds of work of the first rows of the chart, one each, which have all calls.
        waits: Number of calls that waited for a limit.
        waited_s: Sum of their waiting times.
        unended: Number of calls without a known end; only their start is drawn.
        left_out: Number of candidates or documents that did not fit.
    """

    chart: GanttChart
    kinds: tuple[str, ...]
    waits: int
    waited_s: float
    unended: int
    left_out: int


class CandidateText(NamedTuple):
    """The text of a candidate as the page shows it.

    Attributes:
        html: Rendered Markdown; absent if the text is shown unrendered.
        plain: The unrendered text; absent if it is rendered, or left out for its size.
    """

    candidate: Candidate
    html: str | None
    plain: str | None


class JudgeReasons(NamedTuple):
    """All judgements of one candidate, or of one pair."""

    label: str
    evaluations: tuple[Evaluation, ...] = ()
    comparisons: tuple[Comparison, ...] = ()


class UnitCounts(NamedTuple):
    """Numbers of units of a document, and of those without a result."""

    candidates: int
    failed_candidates: int
    evaluations: int
    missing_evaluations: int
    comparisons: int
    missing_comparisons: int


class DocumentReport(NamedTuple):
    """One document's part of the report.

    Attributes:
        number: From 1.
        source: The input text; absent if it is too long to be shown.
        candidates: Best first; those without a rank last.
        labels: By artifact id.
        method: Of the ranking.
        margin: Rank score of the winner minus that of the runner-up.
        warnings: Reasons to doubt the result, as sentences.
        notes: Further remarks, as sentences.
        findings: Remarks on the judges, as sentences.
        reasons_left_out: Number of evaluations and comparisons whose reasons did not fit.
    """

    document: Document
    number: int
    source: str | None
    candidates: tuple[Candidate, ...]
    labels: dict[str, str]
    winner: Candidate | None
    runner_up: Candidate | None
    method: RankingMethod
    margin: float | None
    direct_games: DirectGames
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    fusions: tuple[FusionRow, ...]
    judges: Panel
    findings: tuple[str, ...]
    score_bars: tuple[ScoreBar, ...]
    intervals: tuple[StrengthInterval, ...]
    criterion_profiles: CriterionProfiles | None
    win_matrix: WinMatrix | None
    rating_lines: LineChart | None
    cost_quality: CostQuality | None
    timeline: WorkTimeline | None
    texts: tuple[CandidateText, ...]
    reasons: tuple[JudgeReasons, ...]
    reasons_left_out: int
    spent: CallCost
    unit_counts: UnitCounts


class FailedUnit(NamedTuple):
    """A unit without a result, and the reason.

    Attributes:
        attempts: Number of requests that were sent for it.
        raw: The answer of the model, if there is one.
    """

    kind: str
    path: str
    what: str
    state: str
    error_kind: str | None
    error: str | None
    attempts: int
    raw: str | None


class FailedCalls(NamedTuple):
    """Failed requests of one kind to one model."""

    provider: str
    model: str
    kind: str
    calls: int
    example: str | None


class RunReport(NamedTuple):
    """The report of one run.

    Attributes:
        judges: Over all documents.
        findings: Remarks on the judges, as sentences.
        timeline: Of all documents; absent where there is only one.
    """

    run: Run
    generated_at: datetime
    pages: tuple[DocumentReport, ...]
    models: tuple[str, ...]
    judges: Panel
    findings: tuple[str, ...]
    counts: CallCounts
    spent: CallCost
    costs: tuple[CostRow, ...]
    timeline: WorkTimeline | None
    causes: tuple[FailureCause, ...]
    failures: tuple[FailedUnit, ...]
    failed_calls: tuple[FailedCalls, ...]
    config_yaml: str
