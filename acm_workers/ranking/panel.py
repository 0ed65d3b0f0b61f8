"""Panel: how each judge judged, and how far the judges agree."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from acm_workers.ranking import agreement, judged, panel_family, panel_scores, panel_verdicts
from acm_workers.ranking.agreement import Alpha, JudgePair
from acm_workers.ranking.judged import JudgementTables
from acm_workers.ranking.panel_family import FamilyFigures
from acm_workers.ranking.panel_scores import ScoreFigures
from acm_workers.ranking.panel_verdicts import VerdictFigures
from schemas.config.config import Config
from schemas.config.judging import Judge
from schemas.units import Artifact, Comparison, Evaluation


class JudgeFigures(NamedTuple):
    """How one judge judged.

    Attributes:
        counts: Whether any of its judgements count; not if its weight is 0 everywhere.
        failed: Evaluations and comparisons without a result.
        family: Absent where it judged no candidate of a model of its own family, or only such.
    """

    name: str
    model: str
    counts: bool
    failed: int
    scores: ScoreFigures
    verdicts: VerdictFigures
    family: FamilyFigures | None


class Agreement(NamedTuple):
    """How far the judges that count agree.

    Attributes:
        overall: On overall scores of candidates.
        criteria: By criterion.
        verdicts: On pairs.
        couples: Each two of them.
    """

    overall: Alpha
    criteria: dict[str, Alpha]
    verdicts: Alpha
    couples: tuple[JudgePair, ...]


class Panel(NamedTuple):
    """The judges of one or several documents, by name."""

    judges: tuple[JudgeFigures, ...]
    agreement: Agreement


def panel(
    artifacts: Iterable[Artifact],
    evaluations: Sequence[Evaluation],
    comparisons: Sequence[Comparison],
    config: Config,
) -> Panel:
    """Describe the judges of a config, and all that judged, by what they said.

    Judges with a weight of 0 are described as the others are, and compared with those that
    count; agreement is that of those that count. Where there is too little to tell, there is
    no figure.
    """
    known = judged.judged(artifacts, evaluations, comparisons, config)
    models = _models(config, evaluations, comparisons)
    units: tuple[Evaluation | Comparison, ...] = (*evaluations, *comparisons)
    counted = {judge.name for judge in _configured(config) if judge.weight > 0}
    failed = [unit.judge for unit in units if unit.state == "failed"]
    return Panel(
        tuple(
            JudgeFigures(
                name,
                models[name],
                name in counted,
                failed.count(name),
                panel_scores.figures(name, known),
                panel_verdicts.figures(name, known),
                panel_family.figures(name, models, known),
            )
            for name in sorted(models)
        ),
        _agreement(known),
    )


def _models(
    config: Config, evaluations: Sequence[Evaluation], comparisons: Sequence[Comparison]
) -> dict[str, str]:
    """Return the model of each judge that is configured or was asked."""
    found = {judge.name: judge.model for judge in _configured(config)}
    units: tuple[Evaluation | Comparison, ...] = (*evaluations, *comparisons)
    for unit in units:
        found.setdefault(unit.judge, unit.model)
    return found


def _configured(config: Config) -> tuple[Judge, ...]:
    return (*config.judges, *(config.pairwise.judges or ()), *(config.playoffs.judges or ()))


def _agreement(known: JudgementTables) -> Agreement:
    scores, criteria, verdicts = known.counting
    scores = known.together(scores)
    judges = sorted(
        {judge for table in (scores, verdicts) for by in table.values() for judge in by}
    )
    return Agreement(
        agreement.interval_alpha([tuple(by.values()) for by in scores.values()]),
        {
            name: agreement.interval_alpha(
                [tuple(by.values()) for by in known.together(table).values()]
            )
            for name, table in criteria.items()
        },
        agreement.verdict_alpha(verdicts.values()),
        agreement.couples(judges, scores, verdicts),
    )
