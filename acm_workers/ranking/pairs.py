"""Pairs: who is compared with whom, by whom, and who is shown first."""

import itertools
import math
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from schemas.config.judging import Judge, Pairwise, PositionSwap, Strategy

_TOP_K = 10
"""How many ``top_k`` compares where ``top_n`` does not say."""


class PlannedPair(NamedTuple):
    """One comparison to make; ``a`` is shown first."""

    a: str
    b: str
    judge: str
    iteration: int


def round_robin(ids: Sequence[str]) -> list[tuple[str, str]]:
    """Return every pair once, the earlier id first."""
    return list(itertools.combinations(ids, 2))


def with_new(old: Sequence[str], new: Sequence[str]) -> list[tuple[str, str]]:
    """Return every pair that has at least one new id, the earlier id first."""
    return [*itertools.product(old, new), *round_robin(new)]


def planned(
    pairs: Sequence[tuple[str, str]],
    judges: Sequence[Judge],
    *,
    swap: PositionSwap,
    iterations: int,
    seed: int,
) -> list[PlannedPair]:
    """Return the comparisons to make of the pairs.

    With ``random`` each judge shows every candidate first as often as second, or once more or
    less, and the turns of one pair alternate. The draw depends on the seed and on the places of
    the ids in ``pairs``, not on the ids: the same run again asks the same questions.

    Args:
        pairs: Each once.
        judges: Each looks at each pair ``iterations`` times, or twice as often with ``both``.
        swap: ``both`` asks for each order, ``random`` for one, ``none`` for the order given.
        iterations: From 1.
        seed: Of the draw; only ``random`` uses it.
    """
    drawn = _balanced(pairs, random.Random(seed)) if swap == "random" else list(pairs)  # noqa: S311
    comparisons = []
    for a, b in drawn:
        turns = itertools.product(judges, range(1, iterations + 1))
        for turn, (judge, iteration) in enumerate(turns):
            given = PlannedPair(a, b, judge.name, iteration)
            swapped = PlannedPair(b, a, judge.name, iteration)
            if swap == "both":
                comparisons += [given, swapped]
            else:
                comparisons.append(swapped if swap == "random" and turn % 2 else given)
    return comparisons


def count(n_candidates: int, n_new: int, judges: int, swap: PositionSwap, iterations: int) -> int:
    """Return how many comparisons a round has.

    Args:
        n_candidates: All candidates, the new ones included.
        n_new: How many of them are new; all of them in the first round.
        judges: How many judges compare.
        swap: As in ``planned``.
        iterations: As in ``planned``.
    """
    n_old = n_candidates - n_new
    n_pairs = (n_candidates * (n_candidates - 1) - n_old * (n_old - 1)) // 2
    return n_pairs * judges * iterations * (2 if swap == "both" else 1)


def resolved(pairwise: Pairwise, candidates: int) -> Strategy:
    """Return the strategy for so many candidates; never ``auto``."""
    if pairwise.strategy != "auto":
        return pairwise.strategy
    if candidates <= 10:
        return "round_robin"
    return "swiss" if candidates <= 50 else "top_k"


def admitted(pairwise: Pairwise, candidates: int) -> int:
    """Return how many of so many candidates with a score are compared: the best by score."""
    limit = pairwise.top_n
    if limit is None and resolved(pairwise, candidates) == "top_k":
        limit = _TOP_K
    return candidates if limit is None else min(limit, candidates)


def most(n_old: int, n_new: int, judges: Sequence[Judge], pairwise: Pairwise) -> dict[str, int]:
    """Return the most comparisons that can be asked of each judge, by name.

    Never more than a round robin has; ``max_comparisons`` is shared out over the judges, in
    whole looks, which are two comparisons each with ``both``.

    Args:
        n_old: Candidates of the first round that are admitted.
        n_new: Combined ones; 0 for the first round, which is limited on its own.
        judges: Those that compare.
        pairwise: The strategy is the one for ``n_old``.
    """
    strategy = resolved(pairwise, n_old)
    orders = 2 if pairwise.position_swap == "both" else 1
    full = count(n_old + n_new, n_new or n_old, 1, "none", pairwise.iterations)
    if strategy == "swiss":
        full = min(full, swiss_pairs(n_old, n_new) * pairwise.iterations)
    looks = [full] * len(judges)
    if pairwise.max_comparisons is not None and strategy in ("adaptive", "swiss"):
        each, rest = divmod(pairwise.max_comparisons // orders, max(len(judges), 1))
        looks = [min(full, each + (place < rest)) for place in range(len(judges))]
    return {judge.name: look * orders for judge, look in zip(judges, looks, strict=True)}


def swiss_pairs(n_old: int, n_new: int) -> int:
    """Return how many pairs Swiss rounds have: as many rounds as halving leaves one candidate."""
    candidates = n_old + n_new
    if candidates < 2:
        return 0
    in_one = min(n_new or candidates, candidates // 2)
    return in_one * math.ceil(math.log2(candidates))


def _balanced(pairs: Sequence[tuple[str, str]], draw: random.Random) -> list[tuple[str, str]]:
    """Return the pairs, each in an order such that everybody is first as often as second.

    A walk along unused pairs that ends where it began leaves every candidate on its way once as
    first for each time it arrives as second. Walks end so if everybody has an even number of
    pairs; therefore those with an odd number get one more, against nobody, which is dropped in
    the end and leaves them a difference of one.
    """
    odd = [one for one, degree in Counter(itertools.chain(*pairs)).items() if degree % 2]
    edges: list[tuple[str | None, str | None]] = [*pairs, *((one, None) for one in odd)]
    unused: dict[str | None, list[int]] = defaultdict(list)
    for number, (a, b) in enumerate(edges):
        unused[a].append(number)
        unused[b].append(number)
    for numbers in unused.values():
        draw.shuffle(numbers)
    first: dict[int, str | None] = {}
    for start in list(unused):
        here = start
        while unused[here]:
            number = unused[here].pop()
            if number not in first:
                first[number] = here
                a, b = edges[number]
                here = b if here == a else a
    return [(a, b) if first[number] == a else (b, a) for number, (a, b) in enumerate(pairs)]
