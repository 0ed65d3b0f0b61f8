"""The difference between two runs over the same documents, paired by document."""

from typing import Literal

from schemas.plan import ExpectedTotals
from schemas.record import Record
from schemas.units import RunState

Comparability = Literal["better", "worse", "no difference seen", "not comparable"]
"""What a comparison says of the second run; see ``RunDifference``."""


class MeasuredDifference(Record):
    """One measure of two runs, over the documents that have it in both.

    Attributes:
        name: What is measured, for users.
        pairs: Number of documents that have it in both runs.
        a: Mean in the first run; absent without any pair.
        b: Mean in the second run.
        difference: Mean of the second minus the first, document by document.
        low: Lower end of its interval; absent if fewer than two documents have it.
        high: Upper end.
        detectable: True difference that a comparison with as many documents and as much noise finds
            in 80 % of all cases; absent without an interval.
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

    ``a`` and ``b`` are shares from 0 to 1; ties count half for each.

    Attributes:
        run_id: The run in which they were judged.
        verdicts: Number of verdicts, both orders counted.
        ties: Number of those that name no winner.
    """

    run_id: str
    verdicts: int
    ties: int


class ConfigChange(Record):
    """One value that differs between the configs of two runs; absent in one that has no such key.

    Attributes:
        key: With dots, such as ``judges[strict].iterations``; ``instructions`` and ``guidelines``
            are texts.
    """

    key: str
    a: str | None
    b: str | None


class WinnerSide(Record):
    """The winner of a document in one of two runs.

    Attributes:
        name: For people, as in reports.
        prompt: Name of the prompt that it was written with; absent where the run has one.
        score: Its overall score as given; absent without one on the scale of the others.
        expected: What the score would be without the judges' noise.
        texts: Mean overall score of all first candidates of the document.
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
        path: In the second run.
        a_path: In the first run.
        difference: Difference of the winners' expected scores, the second minus the first.
        criteria: Difference of the winners' scores by criterion.
        same_text: Whether both winners are the same text.
        why: Sentences for users.
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
        documents: Number of its documents, those that it skipped included.
        usd: Cost of the documents that are compared; absent if a part is unknown.
        seconds: From its start to its end; absent while it is not finished.
        calls: Paid calls for the documents that are compared.
        cached: Answers that came from earlier calls and cost nothing.
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
    """Comparisons between winners of two runs: how many there are, and what they cost.

    Attributes:
        documents: Number of documents with two different winners that are compared.
        judges: Names of the judges, those of the first run.
        expected: Calls and cost; answers that are stored cost nothing of it.
        run_id: The run that makes these comparisons, or made them; absent before it is started.
        state: Its state.
    """

    documents: int
    judges: tuple[str, ...]
    expected: ExpectedTotals
    run_id: str | None = None
    state: RunState | None = None


class RunDifference(Record):
    """Two runs over the same documents: which one writes better, by how much, and what differs.

    Attributes:
        conclusion: Conclusion of the second run against the first.
        reason: Why the conclusion is so, in a sentence.
        interval: Probability that the intervals of ``measures`` hold, all together.
        measures: Expected scores of winners, then scores of all texts.
        criteria: Scores of winners by criterion, each with an interval of its own.
        win_rate: Absent unless winners were judged against each other.
        changes: What differs between the configs, texts by digest.
        documents: Documents that both runs decided, by path.
        only_a: Paths that only the first run has.
        only_b: Paths that only the second run has.
        altered: Paths that both have, with another text.
        undecided: Paths that at least one of them has no winner for.
        warnings: What limits the comparison, for users.
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
