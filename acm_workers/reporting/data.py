"""The content of a report as plain values, from which the page and the exports are written."""

from datetime import datetime
from typing import NamedTuple

from acm_workers.ranking.factors import FactorEffects
from acm_workers.ranking.panel import Panel
from acm_workers.reporting.charts.bars import ScoreBar, StrengthInterval
from acm_workers.reporting.charts.gantt import GanttChart
from acm_workers.reporting.charts.histogram import HistogramBin
from acm_workers.reporting.charts.lines import LineChart
from acm_workers.reporting.charts.radar import RadarChart
from acm_workers.reporting.charts.scatter import ScatterChart
from acm_workers.reporting.money import CallCost, CostRow
from acm_workers.reporting.quoting import RemarkPart
from acm_workers.reporting.sources import Sources
from acm_workers.reporting.word_diff import WordDiff
from schemas.config.ranking import RankingMethod
from schemas.ranking import Fusion, Rating, ScoreSummary, Standing
from schemas.run import CallCounts, FailureCause, Run
from schemas.units import Artifact, Comparison, Document, Evaluation
from schemas.votes import VotingResult


class Candidate(NamedTuple):
    """One candidate with all of its results.

    Attributes:
        label: Name for users, such as ``model #1``; unique in a document.
        spent: Cost of writing the candidate, without judging.
        missing: Number of the candidate's evaluations without a result.
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
    """A combined candidate beside its best parent, for users.

    Attributes:
        parents: Ids of all candidates that were combined.
        same_scale: Whether the scores of the two can be compared.
        word: Result of the comparison: better, worse or about the same.
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
        left_out: Number of candidates with games that are omitted from the matrix.
    """

    candidates: tuple[Candidate, ...]
    cells: tuple[tuple[tuple[float, int] | None, ...], ...]
    left_out: int


class CriterionProfiles(NamedTuple):
    """The scores of the best candidates by criterion.

    Attributes:
        incomplete: Number of candidates without a score by some criterion; they are not drawn.
        left_out: Number of further candidates that have enough scores but are not drawn.
        criteria_left_out: Number of omitted criteria, which have the lowest weights.
    """

    radar: RadarChart
    incomplete: int
    left_out: int
    criteria_left_out: int


class CostQuality(NamedTuple):
    """Cost and quality of the candidates.

    Attributes:
        chart: The chart; absent if fewer than two candidates can be drawn, or if all were free.
        free: Whether all candidates were free.
        left_out: Numbers of candidates that are not drawn, with the reason, as phrases.
    """

    chart: ScatterChart | None
    free: bool
    left_out: tuple[str, ...]


class WorkTimeline(NamedTuple):
    """Calls over time, by kind of work and then by candidate or document.

    Attributes:
        kinds: Kinds of work of the first rows of the chart; these rows have all calls.
        waits: Number of calls that waited for a limit.
        waited_s: Sum of their waiting times.
        unended: Number of calls without a known end; only their start is drawn.
        left_out: Number of omitted candidates or documents.
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
    """All judgements of one candidate or of one pair; ``anchor`` is the target of links."""

    label: str
    anchor: str
    evaluations: tuple[Evaluation, ...] = ()
    comparisons: tuple[Comparison, ...] = ()


class UnitCounts(NamedTuple):
    """Numbers of units of a document, and of units without a result."""

    candidates: int
    failed_candidates: int
    evaluations: int
    missing_evaluations: int
    comparisons: int
    missing_comparisons: int


class JudgeRemark(NamedTuple):
    """A remark of a judge in favour of a candidate.

    Attributes:
        context: Description of the judgement that contains the remark.
        record: Summary of all verdicts on the pair as text; empty for the reason of a score.
        dissent: A reason from a verdict on the same pair with another result.
    """

    about: Candidate
    judge: str
    context: str
    parts: tuple[RemarkPart, ...]
    record: str = ""
    dissent: "JudgeRemark | None" = None


class TextDiff(NamedTuple):
    """The winner beside another text.

    Attributes:
        other: Description of the other text.
    """

    other: str
    diff: WordDiff


class DocumentReport(NamedTuple):
    """One document's part of the report.

    Attributes:
        number: Number from 1.
        source: The input text; absent if it is too long to be shown.
        candidates: Best first; candidates without a rank last.
        labels: Labels by artifact id.
        method: The ranking method.
        margin: Rank score of the winner minus that of the runner-up.
        warnings: Reasons to doubt the result, as sentences.
        notes: Further remarks, as sentences.
        findings: Remarks on the judges, as sentences.
        reasons_left_out: Number of evaluations and comparisons whose reasons are omitted.
        why: The judges' remarks for the winner and the runner-up.
        diffs: The winner beside the runner-up, its parents and the source.
        sources: Sources by artifact id.
        anchors: Anchors of judgements that the page shows, for links to them.
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
    histogram: tuple[HistogramBin, ...]
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
    why: tuple[JudgeRemark, ...]
    diffs: tuple[TextDiff, ...]
    sources: dict[str, Sources]
    anchors: frozenset[str]


class FailedUnit(NamedTuple):
    """A unit without a result, and the reason.

    Attributes:
        source: Provider and model.
        attempts: Number of requests that were sent for the unit.
        raw: The answer of the model, if there is one.
    """

    kind: str
    path: str
    source: str
    what: str
    state: str
    error_kind: str | None
    error: str | None
    attempts: int
    raw: str | None


class FailureGroup(NamedTuple):
    """Units of one model without a result that share one cause.

    Attributes:
        error: The error message of one of the units.
    """

    source: str
    state: str
    error: str | None
    units: tuple[FailedUnit, ...]


class Certainty(NamedTuple):
    """Numbers of documents by the certainty of their winners.

    Attributes:
        decided: Number of documents with a winner; the sum of the next four numbers.
        not_measured: Documents without judgements, or with one candidate.
    """

    documents: int
    decided: int
    clear: int
    likely: int
    toss_up: int
    not_measured: int
    running: int


class StageCost(NamedTuple):
    """Calls for one kind of work; ``share`` is their share of the known cost."""

    work: str
    counts: CallCounts
    spent: CallCost
    share: float


class ModelRow(NamedTuple):
    """The results of a model over all documents.

    Attributes:
        name: Provider and model.
        wins: Documents that a text of the model won, out of the ``of`` decided documents for which
            it wrote.
        score: Mean overall score of the model's texts.
        p_best: Mean over documents of the probability that one of the model's texts is the best.
        usd_per_text: Cost per text; absent if a part of the cost is unknown.
    """

    name: str
    combined: bool
    texts: int
    failed: int
    wins: int
    of: int
    score: float | None
    p_best: float | None
    usd_per_text: float | None


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
        judges: Statistics of the judges over all documents.
        findings: Remarks on the judges, as sentences.
        timeline: Timeline of all documents; absent if there is only one.
        factors: Effects of prompts and models; absent for runs with one prompt.
        people: Results of people's votes; absent without votes.
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
    failure_groups: tuple[FailureGroup, ...]
    failed_calls: tuple[FailedCalls, ...]
    config_yaml: str
    certainty: Certainty
    stages: tuple[StageCost, ...]
    model_rows: tuple[ModelRow, ...]
    factors: FactorEffects | None = None
    recommendations: tuple[str, ...] = ()
    people: VotingResult | None = None
