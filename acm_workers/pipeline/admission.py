"""Which candidates of a document are admitted to comparisons; pure."""

from acm_workers.pipeline.snapshot import DocumentSnapshot
from acm_workers.ranking import pairs, scores, standings
from schemas.config.config import Config
from schemas.ranking import ScoreSummary
from schemas.units import Artifact


def summaries(view: DocumentSnapshot, config: Config) -> dict[str, ScoreSummary]:
    """Return the scores of a document's candidates, aggregated, by artifact id."""
    return scores.summaries(view.artifacts, view.evaluations, config)


def admitted(view: DocumentSnapshot, config: Config) -> list[Artifact]:
    """Return the candidates of the first round that are to be compared, the best by score."""
    first = [artifact for artifact in view.candidates if not artifact.combined]
    limit = pairs.admitted(config.pairwise, len(first))
    if limit >= len(first) or not config.scoring_judges:
        return first
    order = standings.standings(first, summaries(view, config), {}, config)
    best = {standing.artifact_id for standing in order[:limit]}
    return [artifact for artifact in first if artifact.id in best]
