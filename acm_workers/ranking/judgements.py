"""Judgements as sparse tables of scores and verdicts, for statistics."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from acm_workers.ranking import games, scores
from schemas.config.config import Config
from schemas.units import Artifact, Comparison, Evaluation

Table = dict[str, dict[str, float]]
"""Values by judge and candidate, or by judge and pair."""


class JudgementTables(NamedTuple):
    """All judgements of the candidates of one or several documents.

    Attributes:
        artifacts: Candidates by id.
        evaluations: Evaluations with a result.
        comparisons: Comparisons with a verdict.
        scores: Overall score by judge and candidate, aggregated over the judge's iterations.
        verdicts: Verdict by judge and pair, from 0 to 1: above a half if the first candidate, which
            has the lower id, is better. Averaged over orders and iterations.
        counting: The same tables without judges of weight 0.
        other_scale: Candidates whose scores are on a separate scale.
    """

    artifacts: dict[str, Artifact]
    evaluations: tuple[Evaluation, ...]
    comparisons: tuple[Comparison, ...]
    scores: Table
    verdicts: Table
    counting: "CountedTables"
    other_scale: frozenset[str]

    def same_scale(self, table: Table) -> Table:
        """Return the candidates of a table whose scores are on one scale."""
        return {one: by_judge for one, by_judge in table.items() if one not in self.other_scale}


class CountedTables(NamedTuple):
    """Judgements of the judges with a weight above 0; see ``JudgementTables``.

    Attributes:
        criteria: Score by judge, candidate and criterion.
    """

    scores: Table
    criteria: dict[str, Table]
    verdicts: Table


def arrange(
    artifacts: Iterable[Artifact],
    evaluations: Sequence[Evaluation],
    comparisons: Sequence[Comparison],
    config: Config,
) -> JudgementTables:
    """Arrange the judgements in tables; judgements without a result are left out."""
    by_id = {artifact.id: artifact for artifact in artifacts}
    given = [one for one in evaluations if scores.has_result(one) and one.artifact_id in by_id]
    decided = [one for one in comparisons if one.state == "done" and one.winner is not None]
    counts = {
        (combined, judge.name)
        for combined in (False, True)
        for judge in config.judges_of(combined=combined)
    }
    counting = [one for one in given if (by_id[one.artifact_id].combined, one.judge) in counts]
    comparing = {judge.name for judge in config.comparing_judges}
    return JudgementTables(
        by_id,
        tuple(given),
        tuple(decided),
        _overall(given, config),
        _verdicts(decided),
        CountedTables(
            _overall(counting, config),
            _criteria(counting, config),
            _verdicts([one for one in decided if one.judge in comparing]),
        ),
        frozenset(
            one.id for one in by_id.values() if one.combined and not config.playoffs.same_scale
        ),
    )


def _overall(evaluations: Iterable[Evaluation], config: Config) -> Table:
    return _table(
        (
            (one.artifact_id, one.judge, one.overall)
            for one in evaluations
            if one.overall is not None
        ),
        config,
    )


def _criteria(evaluations: Iterable[Evaluation], config: Config) -> dict[str, Table]:
    cells: dict[str, list[tuple[str, str, float]]] = {}
    for one in evaluations:
        for name, score in one.scores.items():
            # A value that stands in for a missing score is no judgement.
            if name not in one.filled:
                cells.setdefault(name, []).append((one.artifact_id, one.judge, score))
    return {name: _table(found, config) for name, found in cells.items()}


def _table(cells: Iterable[tuple[str, str, float]], config: Config) -> Table:
    lists: dict[str, dict[str, list[float]]] = {}
    for candidate, judge, score in cells:
        lists.setdefault(candidate, {}).setdefault(judge, []).append(score)
    aggregation = config.ranking.aggregation
    return {
        candidate: {
            judge: scores.over_iterations(found, aggregation) for judge, found in by_judge.items()
        }
        for candidate, by_judge in lists.items()
    }


def _verdicts(comparisons: Iterable[Comparison]) -> Table:
    by_judge: dict[str, list[Comparison]] = {}
    for one in comparisons:
        by_judge.setdefault(one.judge, []).append(one)
    lists: dict[str, dict[str, list[float]]] = {}
    for judge, found in by_judge.items():
        for game in games.games(found):
            pair = "\n".join(sorted((game.a, game.b)))
            first = game.score_a if game.a < game.b else 1 - game.score_a
            lists.setdefault(pair, {}).setdefault(judge, []).append(first)
    return {
        pair: {judge: sum(found) / len(found) for judge, found in given.items()}
        for pair, given in lists.items()
    }
