"""The difference between two runs over the same documents, paired by document."""

from typing import Literal

from schemas.plan import ExpectedTotals
from schemas.record import Record
from schemas.units import RunState

Comparability = Literal["better", "worse", "no difference seen", "not comparable"]
"""Conclusion about the second run; see ``RunDifference``."""


class MeasuredDifference(Record):
    """One measure of two runs, over the documents with a value in both.

    Attributes:
        name: Display name of the measure.
        pairs: Number of documents with a value in both runs.
        a: Mean in the first run; absent without pairs.
        b: Mean in the second run.
        difference: Mean over documents of the second run's value minus the first run's value.
        low: Lower end of the interval of the difference; absent with fewer than two pairs.
        high: Upper end of that interval.
        detectable: True difference that is detected with a power of 80 % at this number of
            documents and this noise; absent without an interval.
    """

    name: str
    pairs: int
    a: float | None = None
    b: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    detectable: float | None = None


class WinRate(MeasuredDifference):
    """The rate at which winners of the second run beat those of the first in comparisons.

    ``a`` and ``b`` are shares from 0 to 1; a tie counts one half for each run.

    Attributes:
        run_id: The run that contains the comparisons.
        verdicts: Number of verdicts, with both orders counted.
        ties: Number of verdicts without a winner.
    """

    run_id: str
    verdicts: int
    ties: int


class ConfigChange(Record):
    """A value that differs between the configs of two runs; absent where the key is missing.

    Attributes:
        key: Path of the key with dots, such as ``judges[strict].iterations``; ``instructions`` and
            ``guidelines`` stand for the texts.
    """

    key: str
    a: str | None
    b: str | None


class WinnerSide(Record):
    """The winner of a document in one of two runs.

    Attributes:
        name: Display name, as in reports.
        prompt: Name of the winner's prompt; absent if the run has a single prompt.
        score: Overall score as given; absent without a score on the scale of the other candidates.
        expected: Estimated score without the judges' noise.
        texts: Mean overall score of all candidates of the document that are not combined.
        candidates: Number of candidates that were written.
    """

    artifact_id: str
    name: str
    provider: str
    model: str
    prompt: str | None = None
    score: float | None
    expected: float | None
    texts: float | None
    p_best: float | None
    candidates: int


class DocumentDifference(Record):
    """A document that both runs decided.

    Attributes:
        path: Path in the second run.
        a_path: Path in the first run.
        difference: Difference of the winners' expected scores, the second minus the first.
        criteria: Difference of the winners' scores by criterion.
        same_text: Whether both winners are the same text.
        why: Explanation of the difference, as sentences for users.
    """

    path: str
    a_path: str
    a: WinnerSide
    b: WinnerSide
    difference: float | None
    criteria: dict[str, float]
    same_text: bool
    why: tuple[str, ...]


class ComparedRun(Record):
    """One of two runs that are compared.

    Attributes:
        documents: Number of documents, including skipped documents.
        usd: Cost of the compared documents; absent if any cost is unknown.
        seconds: Duration of the run; absent until the run is finished.
        calls: Number of paid calls for the compared documents.
        cached: Number of answers reused from earlier calls at no cost.
    """

    run_id: str
    title: str
    state: str
    documents: int
    usd: float | None
    seconds: float | None
    calls: int
    cached: int


class CrossJudgingPlan(Record):
    """The number and cost of comparisons between the winners of two runs.

    Attributes:
        documents: Number of documents whose two winners differ and are compared.
        judges: Names of the judges, taken from the first run.
        expected: Expected calls and cost, without stored answers.
        run_id: The run for these comparisons; absent before the start of that run.
        state: State of that run.
    """

    documents: int
    judges: tuple[str, ...]
    expected: ExpectedTotals
    run_id: str | None = None
    state: RunState | None = None


class RunDifference(Record):
    """The difference in quality between two runs over the same documents, and their differences.

    Attributes:
        conclusion: Conclusion of the second run against the first.
        reason: Reason for the conclusion, as a sentence.
        interval: Joint coverage probability of the intervals of ``measures``.
        measures: Differences in the expected scores of winners, then in the scores of all texts.
        criteria: Differences in the scores of winners by criterion, each with a separate interval.
        win_rate: Result of direct comparisons between winners; absent without such comparisons.
        changes: Differences between the configs, with texts as digests.
        documents: Documents that both runs decided, sorted by path.
        only_a: Paths that only the first run has.
        only_b: Paths that only the second run has.
        altered: Paths in both runs with different texts.
        undecided: Paths without a winner in at least one of the runs.
        warnings: Limitations of the comparison, as sentences for users.
    """

    a: ComparedRun
    b: ComparedRun
    conclusion: Comparability
    reason: str
    interval: float
    measures: tuple[MeasuredDifference, ...]
    criteria: tuple[MeasuredDifference, ...]
    win_rate: WinRate | None = None
    changes: tuple[ConfigChange, ...]
    documents: tuple[DocumentDifference, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    altered: tuple[str, ...]
    undecided: tuple[str, ...]
    warnings: tuple[str, ...]
