"""What a report says, as plain values: the page, the tables and the exports are made from these."""

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
from schemas.run import CallCounts, Run
from schemas.units import Artifact, Comparison, Document, Evaluation


class Candidate(NamedTuple):
    """One candidate with everything that is known of it.

    Attributes:
        label: For people, such as ``fpf 1 · model``; unique in a document.
        spent: What writing it cost, without judging.
        missing: Its evaluations that have no result.
    """

    artifact: Artifact
    label: str
    standing: Standing | None
    summary: ScoreSummary | None
    rating: Rating | None
    spent: CallCost
    missing: int


class DirectGames(NamedTuple):
    """Direct comparisons of the winner with the runner-up, as the winner sees them."""

    wins: int
    losses: int
    ties: int


class FusionRow(NamedTuple):
    """How a combined candidate did against its best parent, for people.

    Attributes:
        same_scale: Whether the scores of the two can be compared.
        word: Better, worse or about the same.
        may_win: Whether that is sure enough to win.
    """

    fusion: Fusion
    label: str
    parent: str
    same_scale: bool
    word: str
    may_win: bool


class WinMatrix(NamedTuple):
    """Who beat whom: ``cells[row][column]`` is (wins of row, games), absent without games.

    Attributes:
        left_out: Candidates with games that did not fit.
    """

    candidates: tuple[Candidate, ...]
    cells: tuple[tuple[tuple[float, int] | None, ...], ...]
    left_out: int


class CriterionProfiles(NamedTuple):
    """What the best candidates are good at.

    Attributes:
        incomplete: Candidates that lack the score of a criterion, and are not drawn.
        left_out: Further candidates that could be drawn.
        criteria_left_out: Those of the lowest weights, where there are too many.
    """

    radar: RadarChart
    incomplete: int
    left_out: int
    criteria_left_out: int


class CostQuality(NamedTuple):
    """What candidates cost against how good they are.

    Attributes:
        chart: Absent if fewer than two can be drawn, or if all were free.
        free: Whether all were free.
        left_out: How many are not drawn, with what they lack.
    """

    chart: ScatterChart | None
    free: bool
    left_out: tuple[str, ...]


class WorkTimeline(NamedTuple):
    """When work was under way, by kind of work and then by candidate or document.

    Attributes:
        kinds: Kinds of work that there are; the first rows of the chart, one for each, are of all
            calls.
        waits: Calls that waited for a limit.
        waited_s: How long they did, all added up.
        unended: Calls whose end is not known; only their beginning is drawn.
        left_out: Candidates or documents that did not fit.
    """

    chart: GanttChart
    kinds: tuple[str, ...]
    waits: int
    waited_s: float
    unended: int
    left_out: int


class CandidateText(NamedTuple):
    """A candidate's text as it is shown.

    Attributes:
        html: Rendered Markdown; absent if it is shown as plain text.
        plain: The text as it is; absent if it is rendered or left out for its size.
    """

    candidate: Candidate
    html: str | None
    plain: str | None


class JudgeReasons(NamedTuple):
    """Everything that was said of one candidate, or of one pair."""

    label: str
    evaluations: tuple[Evaluation, ...] = ()
    comparisons: tuple[Comparison, ...] = ()


class UnitCounts(NamedTuple):
    """How many units a document has and what became of them."""

    candidates: int
    failed_candidates: int
    evaluations: int
    missing_evaluations: int
    comparisons: int
    missing_comparisons: int


class DocumentReport(NamedTuple):
    """One document's part of the report.

    Attributes:
        source: The input text; absent if it is too long to be shown.
        candidates: Best first; those without a rank last.
        method: What the ranking went by.
        margin: Rank score of the winner less that of the runner-up.
        warnings: What makes the result weaker than it looks, as sentences.
        notes: What a reader should know beside that, as sentences.
        findings: What is notable of the judges, as sentences.
        reasons_left_out: Evaluations and comparisons whose reasons did not fit.
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
    duel: DirectGames
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    fusions: tuple[FusionRow, ...]
    judges: Panel
    findings: tuple[str, ...]
    bars: tuple[ScoreBar, ...]
    intervals: tuple[StrengthInterval, ...]
    profiles: CriterionProfiles | None
    matrix: WinMatrix | None
    lines: LineChart | None
    worth: CostQuality | None
    schedule: WorkTimeline | None
    texts: tuple[CandidateText, ...]
    reasons: tuple[JudgeReasons, ...]
    reasons_left_out: int
    spent: CallCost
    tally: UnitCounts


class FailedUnit(NamedTuple):
    """A unit that has no result, and why.

    Attributes:
        attempts: Requests that were made for it.
        raw: What the model answered, if it did.
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
    """Everything a report says about one run.

    Attributes:
        judges: Over all documents.
        findings: What is notable of them, as sentences.
        schedule: Of all documents; absent where there is only one.
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
    schedule: WorkTimeline | None
    failures: tuple[FailedUnit, ...]
    failed_calls: tuple[FailedCalls, ...]
    config_yaml: str
