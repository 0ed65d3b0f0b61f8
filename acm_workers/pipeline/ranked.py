"""The ranking of a document's candidates, as far as it is known; pure."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from acm_workers.pipeline.admission import admitted, summaries
from acm_workers.pipeline.snapshot import DocumentSnapshot
from acm_workers.ranking import bradley_terry, elo, fusion, games, posterior, standings
from acm_workers.ranking.posterior import Posterior
from schemas.config.config import Config
from schemas.ranking import Fusion, Rating, Standing


class DocumentRanking(NamedTuple):
    """The candidates of a document in order, and what the order rests on.

    Attributes:
        standings: Best first.
        ratings: Of those that were compared, by artifact id.
        posterior: What scores and verdicts say together; of those admitted to comparisons,
            of all where nothing was compared.
        notes: What the ratings cannot tell, for people.
    """

    standings: list[Standing]
    ratings: dict[str, Rating]
    fusions: list[Fusion]
    posterior: Posterior
    notes: tuple[str, ...]


def ranked(view: DocumentSnapshot, config: Config) -> DocumentRanking:
    """Return the ranking of a document's candidates as far as it is known."""
    found = summaries(view, config)
    played = games.games(view.comparisons, tie_below=config.pairwise.tie_below_confidence)
    seen = {player for game in played for player in (game.a, game.b)}
    players = [artifact.id for artifact in view.candidates if artifact.id in seen]
    options = config.ranking.elo
    ratings = elo.ratings(
        players, played, k=options.k, initial=options.initial, order=options.order, seed=config.seed
    )
    believed = posterior.posterior(
        _ranked_together(view, players, config),
        found,
        view.comparisons,
        config.comparing_judges,
        tie_below=config.pairwise.tie_below_confidence,
        seed=config.seed,
    )
    fitted = None
    if config.ranking.method == "bradley_terry":
        fitted = bradley_terry.fit(players, played, seed=config.seed)
    order = standings.standings(
        view.candidates, found, ratings, config, posterior=believed, bradley_terry=fitted
    )
    fusions = fusion.fusions(view.candidates, played, found, order, believed)
    notes = believed.notes if fitted is None else (*believed.notes, *fitted.notes)
    return DocumentRanking(order, ratings, fusions, believed, tuple(_named(notes, view)))


def _named(notes: Sequence[str], view: DocumentSnapshot) -> Iterator[str]:
    """Put names that people know in the place of ids."""
    for note in notes:
        named = note
        for one in view.candidates:
            named = named.replace(one.id, f"{one.generator} {one.number} ({one.model})")
        yield named


def _ranked_together(view: DocumentSnapshot, players: list[str], config: Config) -> list[str]:
    """Return who may be the best: those admitted to comparisons, and all that have any."""
    if not players:
        return [artifact.id for artifact in view.candidates]
    among = {*players, *(artifact.id for artifact in admitted(view, config))}
    return [one.id for one in view.candidates if one.combined or one.id in among]
