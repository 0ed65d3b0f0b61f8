"""Whether one judge prefers texts by models of its own family."""

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from acm_workers.ranking.families import family
from acm_workers.ranking.judged import JudgementTables
from acm_workers.ranking.proportions import Proportion, share


class FamilyFigures(NamedTuple):
    """How one judge judged its own family, beside judges of other families.

    That its own family writes better would show in both; only what is beyond the other judges'
    is a preference.

    Attributes:
        family: See ``families.family``.
        own: Candidates of the family that it judged.
        others: Other candidates of the same documents that it judged.
        difference: How much better it scored its own family, in standard deviations of its
            scores of a document; absent where there are no scores.
        theirs: The same by the judges of other families that count, on average.
        wins: Won by its own family, out of its decided comparisons with another.
        their_wins: The same by the judges of other families that count.
    """

    family: str
    own: int
    others: int
    difference: float | None
    theirs: float | None
    wins: Proportion | None
    their_wins: Proportion | None


def figures(name: str, models: Mapping[str, str], known: JudgementTables) -> FamilyFigures | None:
    """Describe how judge ``name`` judged its own family; None if it met no two families.

    Args:
        models: The model of each judge.
    """
    kin = family(models[name])
    ours = {one.id for one in known.artifacts.values() if family(one.model) == kin}
    seen = {candidate for candidate, by_judge in known.scores.items() if name in by_judge}
    seen |= {
        side for one in known.comparisons if one.judge == name for side in (one.a_id, one.b_id)
    }
    mixed = _mixed(seen, ours, known)
    if not mixed:
        return None
    outside = {
        judge
        for table in (known.counting.scores, known.counting.verdicts)
        for by_judge in table.values()
        for judge in by_judge
        if family(models[judge]) != kin
    }
    theirs = [_difference(judge, ours, known) for judge in sorted(outside)]
    known_theirs = [one for one in theirs if one is not None]
    return FamilyFigures(
        kin,
        len(mixed & ours),
        len(mixed - ours),
        _difference(name, ours, known),
        statistics.fmean(known_theirs) if known_theirs else None,
        _wins(lambda judge: judge == name, ours, known),
        _wins(lambda judge: judge in outside, ours, known),
    )


def _mixed(seen: Iterable[str], ours: set[str], known: JudgementTables) -> set[str]:
    """Return the candidates of documents in which there are own and other ones."""
    by_document: dict[str, set[str]] = {}
    for one in seen:
        if one in known.artifacts:
            by_document.setdefault(known.artifacts[one].document_id, set()).add(one)
    mixed = [found for found in by_document.values() if found & ours and found - ours]
    return set().union(*mixed)


def _difference(judge: str, ours: set[str], known: JudgementTables) -> float | None:
    """Return how much better the own ones were scored than the others of the same document."""
    by_document: dict[str, list[tuple[bool, float]]] = {}
    for candidate, by_judge in known.together(known.scores).items():
        if judge in by_judge:
            there = by_document.setdefault(known.artifacts[candidate].document_id, [])
            there.append((candidate in ours, by_judge[judge]))
    found = [each for scored in by_document.values() for each in _standardised(scored)]
    return statistics.fmean(found) if found else None


def _standardised(scored: Sequence[tuple[bool, float]]) -> Iterable[float]:
    """Return for each own one by how many standard deviations it is above the others' mean."""
    others = [score for own, score in scored if not own]
    spread = statistics.stdev(score for _, score in scored) if len(scored) > 1 else 0.0
    if not others or not spread:
        return
    middle = statistics.fmean(others)
    yield from ((score - middle) / spread for own, score in scored if own)


def _wins(
    asked: Callable[[str], bool], ours: set[str], known: JudgementTables
) -> Proportion | None:
    met = [
        (one.a_id if one.winner == "a" else one.b_id) in ours
        for one in known.comparisons
        if asked(one.judge) and one.winner != "tie" and (one.a_id in ours) != (one.b_id in ours)
    ]
    return share(sum(met), len(met))
