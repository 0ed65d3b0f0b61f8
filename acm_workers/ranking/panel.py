"""Panel: statistics of each judge, and the agreement between the judges."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from acm_workers.ranking import agreement, judge_statistics, judgements
from acm_workers.ranking.agreement import Alpha, JudgePair
from acm_workers.ranking.judge_statistics import (
    FamilyStatistics,
    ScoreStatistics,
    VerdictStatistics,
)
from acm_workers.ranking.judgements import JudgementTables
from schemas.config.config import Config
from schemas.config.judging import Judge
from schemas.units import Artifact, Comparison, Evaluation


class JudgeStatistics(NamedTuple):
    """All statistics of one judge.

    Attributes:
        counts: Whether its judgements count, because some weight of it is above 0.
        failed: Evaluations and comparisons without a result.
        family: Absent if no document has candidates of both its own family and other families.
    """

    name: str
    model: str
    counts: bool
    failed: int
    scores: ScoreStatistics
    verdicts: VerdictStatistics
    family: FamilyStatistics | None


class Agreement(NamedTuple):
    """Agreement of the judges that count.

    Attributes:
        overall: Agreement of overall scores.
        criteria: Agreement of scores, by criterion.
        verdicts: Agreement of verdicts on pairs.
        couples: Agreement of every two judges.
    """

    overall: Alpha
    criteria: dict[str, Alpha]
    verdicts: Alpha
    couples: tuple[JudgePair, ...]


class Panel(NamedTuple):
    """Statistics of the judges of one or several documents, by name."""

    judges: tuple[JudgeStatistics, ...]
    agreement: Agreement


def describe(
    artifacts: Iterable[Artifact],
    evaluations: Sequence[Evaluation],
    comparisons: Sequence[Comparison],
    config: Config,
) -> Panel:
    """Return the statistics of all judges that are configured or have judged, by name.

    Judges with a weight of 0 have statistics as well, relative to the judges that count. Agreement
    is computed between the judges that count. A statistic based on too few judgements is absent.
    """
    known = judgements.arrange(artifacts, evaluations, comparisons, config)
    models = _models(config, evaluations, comparisons)
    units: tuple[Evaluation | Comparison, ...] = (*evaluations, *comparisons)
    counted = {judge.name for judge in _configured(config) if judge.weight > 0}
    failed = [unit.judge for unit in units if unit.state == "failed"]
    return Panel(
        tuple(
            JudgeStatistics(
                name,
                models[name],
                name in counted,
                failed.count(name),
                judge_statistics.score_statistics(name, known),
                judge_statistics.verdict_statistics(name, known),
                judge_statistics.family_statistics(name, models, known),
            )
            for name in sorted(models)
        ),
        _agreement(known),
    )


def _models(
    config: Config, evaluations: Sequence[Evaluation], comparisons: Sequence[Comparison]
) -> dict[str, str]:
    """Return the models of all judges that are configured or have judged, by name."""
    found = {judge.name: judge.model for judge in _configured(config)}
    units: tuple[Evaluation | Comparison, ...] = (*evaluations, *comparisons)
    for unit in units:
        found.setdefault(unit.judge, unit.model)
    return found


def _configured(config: Config) -> tuple[Judge, ...]:
    return (*config.judges, *(config.pairwise.judges or ()), *(config.playoffs.judges or ()))


def _agreement(known: JudgementTables) -> Agreement:
    scores, criteria, verdicts = known.counting
    scores = known.same_scale(scores)
    judges = sorted(
        {judge for table in (scores, verdicts) for by in table.values() for judge in by}
    )
    return Agreement(
        agreement.interval_alpha([tuple(by.values()) for by in scores.values()]),
        {
            name: agreement.interval_alpha(
                [tuple(by.values()) for by in known.same_scale(table).values()]
            )
            for name, table in criteria.items()
        },
        agreement.verdict_alpha(verdicts.values()),
        agreement.couples(judges, scores, verdicts),
    )
