"""The ranking of a document's candidates by all results so far; pure."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from acm_workers.pipeline.snapshot import DocumentSnapshot
from acm_workers.ranking import (
    bradley_terry,
    elo,
    fusion,
    games,
    pairs,
    posterior,
    score_effects,
    scores,
    standings,
)
from acm_workers.ranking.laplace import PeopleVotes
from acm_workers.ranking.posterior import Posterior
from acm_workers.ranking.score_effects import Noise
from schemas.config.config import Config
from schemas.ranking import Fusion, Rating, ScoreSummary, Standing
from schemas.units import Artifact


class DocumentRanking(NamedTuple):
    """The candidates of a document in order, and the values that determine the order.

    Attributes:
        standings: Best first.
        ratings: Ratings of the compared candidates, by artifact id.
        posterior: Posterior of candidates admitted to comparisons, or of all if nothing was
            compared.
        notes: Limits of the estimates, for users.
    """

    standings: list[Standing]
    ratings: dict[str, Rating]
    fusions: list[Fusion]
    posterior: Posterior
    notes: tuple[str, ...]


def rank(
    snapshot: DocumentSnapshot,
    config: Config,
    *,
    noise: Noise | None = None,
    people: PeopleVotes | None = None,
) -> DocumentRanking:
    """Rank the candidates of a document by all results so far.

    Args:
        snapshot: Snapshot of the document.
        config: Config of the run.
        noise: Noise of the scores; estimated from them by default.
        people: People who voted on the document, if their votes count.
    """
    summary_by_id = summaries(snapshot, config)
    played = games.games(snapshot.comparisons, tie_below=config.pairwise.tie_below_confidence)
    if people is not None:
        played += games.of_votes(people.votes)
    seen = {player for game in played for player in (game.a, game.b)}
    players = [artifact.id for artifact in snapshot.candidates if artifact.id in seen]
    options = config.ranking.elo
    ratings = elo.ratings(
        players, played, k=options.k, initial=options.initial, order=options.order, seed=config.seed
    )
    effects = score_effects.estimate(summary_by_id, noise)
    strengths = posterior.posterior(
        ranked_together(snapshot, players, config),
        effects,
        snapshot.comparisons,
        config.comparing_judges,
        tie_below=config.pairwise.tie_below_confidence,
        seed=config.seed,
        people=people,
    )
    fitted = None
    if config.ranking.method == "bradley_terry":
        fitted = bradley_terry.fit(players, played, seed=config.seed)
    order = standings.standings(
        snapshot.candidates,
        summary_by_id,
        ratings,
        config,
        posterior=strengths,
        bradley_terry=fitted,
    )
    fusions = fusion.fusions(snapshot.candidates, played, effects, order, strengths)
    notes = strengths.notes if fitted is None else (*strengths.notes, *fitted.notes)
    return DocumentRanking(order, ratings, fusions, strengths, tuple(_with_names(notes, snapshot)))


def _with_names(notes: Sequence[str], snapshot: DocumentSnapshot) -> Iterator[str]:
    """Replace ids by names for users."""
    for note in notes:
        named = note
        for one in snapshot.candidates:
            named = named.replace(one.id, one.name)
        yield named


def ranked_together(
    snapshot: DocumentSnapshot, players: Sequence[str], config: Config
) -> list[str]:
    """Return the candidates of the posterior: those admitted to comparisons or already compared."""
    if not players:
        return [artifact.id for artifact in snapshot.candidates]
    included = {*players, *(artifact.id for artifact in admitted_candidates(snapshot, config))}
    return [one.id for one in snapshot.candidates if one.combined or one.id in included]


def summaries(snapshot: DocumentSnapshot, config: Config) -> dict[str, ScoreSummary]:
    """Return the scores of a document's candidates, aggregated, by artifact id."""
    return scores.summaries(snapshot.artifacts, snapshot.evaluations, config)


def admitted_candidates(snapshot: DocumentSnapshot, config: Config) -> list[Artifact]:
    """Return the first-round candidates that are admitted to comparisons, the best by score."""
    first = [artifact for artifact in snapshot.candidates if not artifact.combined]
    limit = pairs.admitted(config.pairwise, len(first))
    if limit >= len(first) or not config.scoring_judges:
        return first
    order = standings.standings(first, summaries(snapshot, config), {}, config)
    best = {standing.artifact_id for standing in order[:limit]}
    return [artifact for artifact in first if artifact.id in best]
