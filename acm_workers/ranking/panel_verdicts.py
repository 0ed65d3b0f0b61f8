"""How one judge compared: by place, by length, steadily, or not at all."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from acm_workers.ranking.judged import JudgementTables
from acm_workers.ranking.proportions import Proportion, share
from schemas.units import Comparison

_SWAPPED = {"a": "b", "b": "a", "tie": "tie"}


class VerdictFigures(NamedTuple):
    """How one judge compared; verdicts as they were given.

    Attributes:
        given: Comparisons with a verdict.
        ties: Those of them without a winner; absent without any verdict.
        first: Those with a winner that the candidate shown first won.
        swapped: Pairs with the same verdict in both orders, out of those asked in both.
        repeated: Pairs with the same verdict in every iteration, out of those asked again in
            the same order.
        longer: Those with a winner that the longer text won.
    """

    given: int
    ties: Proportion | None
    first: Proportion | None
    swapped: Proportion | None
    repeated: Proportion | None
    longer: Proportion | None


def figures(name: str, known: JudgementTables) -> VerdictFigures:
    """Describe how judge ``name`` compared."""
    own = [one for one in known.comparisons if one.judge == name]
    decided = [one for one in own if one.winner != "tie"]
    return VerdictFigures(
        given=len(own),
        ties=share(len(own) - len(decided), len(own)),
        first=share(sum(one.winner == "a" for one in decided), len(decided)),
        swapped=_of(_swapped(own)),
        repeated=_of(_repeated(own)),
        longer=_of(_longer(decided, known)),
    )


def _of(found: Iterable[bool]) -> Proportion | None:
    every = list(found)
    return share(sum(every), len(every))


def _swapped(own: Sequence[Comparison]) -> Iterable[bool]:
    """Return for each pair asked in both orders in one iteration whether the verdict stayed."""
    given = {(one.a_id, one.b_id, one.iteration): one.winner for one in own}
    for (a, b, iteration), winner in given.items():
        other = given.get((b, a, iteration))
        if a < b and winner is not None and other is not None:
            yield _SWAPPED[winner] == other


def _repeated(own: Sequence[Comparison]) -> Iterable[bool]:
    by_order: dict[tuple[str, str], list[str | None]] = {}
    for one in own:
        by_order.setdefault((one.a_id, one.b_id), []).append(one.winner)
    return (len(set(found)) == 1 for found in by_order.values() if len(found) > 1)


def _longer(decided: Iterable[Comparison], known: JudgementTables) -> Iterable[bool]:
    lengths = {one.id: len(one.text) for one in known.artifacts.values() if one.text is not None}
    for one in decided:
        a, b = lengths.get(one.a_id), lengths.get(one.b_id)
        if a is not None and b is not None and a != b:
            yield (one.winner == "a") == (a > b)
