"""Who is compared with whom next, for a document; pure."""

from acm_workers.pipeline.admission import admitted, summaries
from acm_workers.pipeline.snapshot import DocumentSnapshot
from acm_workers.ranking import rounds
from acm_workers.ranking.comparison_state import ComparisonRound, ComparisonState
from schemas.config.config import Config


def first_round(view: DocumentSnapshot, config: Config) -> ComparisonRound:
    """Return what to compare next before anything is combined."""
    ids = {artifact.id for artifact in view.candidates if not artifact.combined}
    # What playoffs found out later does not change why the first comparisons ended.
    between = [unit for unit in view.comparisons if {unit.a_id, unit.b_id} <= ids]
    return rounds.next_round(_field(view._replace(comparisons=between), config, new=()))


def playoff_round(view: DocumentSnapshot, config: Config) -> ComparisonRound:
    """Return what to compare next of the combined candidates."""
    if not config.playoffs.pairwise:
        return ComparisonRound((), "Combined candidates are judged by their scores alone.")
    new = tuple(artifact.id for artifact in view.candidates if artifact.combined)
    return rounds.next_round(_field(view, config, new))


def _field(view: DocumentSnapshot, config: Config, new: tuple[str, ...]) -> ComparisonState:
    return ComparisonState(
        old=tuple(artifact.id for artifact in admitted(view, config)),
        new=new,
        summaries=summaries(view, config),
        comparisons=view.comparisons,
        judges=config.comparing_judges,
        pairwise=config.pairwise,
        seed=config.seed,
    )
