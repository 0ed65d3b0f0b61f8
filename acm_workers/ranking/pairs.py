"""Pairs: which candidates are compared, by which judge, and in which order."""

import itertools
import math
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from schemas.config.judging import Judge, Pairwise, PositionSwap, Strategy

_TOP_K = 10
"""Number of candidates that ``top_k`` compares if ``top_n`` is not set."""


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
    """Return the comparisons to make for the pairs.

    With ``random``, each judge sees every candidate first as often as second (they differ by at
    most one), and the orders of one pair alternate. The draw depends on the seed and on the
    positions of the ids in ``pairs``, not on the ids: a repeated run makes the same comparisons.

    Args:
        pairs: Pairs, each listed once.
        judges: Judges; each compares each pair ``iterations`` times, or twice as often with
            ``both``.
        swap: ``both`` plans both orders, ``random`` a random order, ``none`` the given order.
        iterations: Number from 1.
        seed: Seed of the draw; only ``random`` uses it.
    """
    drawn = _balanced(pairs, random.Random(seed)) if swap == "random" else list(pairs)  # noqa: S311
    comparisons = []
    for a, b in drawn:
        repeats = itertools.product(judges, range(1, iterations + 1))
        for number, (judge, iteration) in enumerate(repeats):
            given = PlannedPair(a, b, judge.name, iteration)
            swapped = PlannedPair(b, a, judge.name, iteration)
            if swap == "both":
                comparisons += [given, swapped]
            else:
                comparisons.append(swapped if swap == "random" and number % 2 else given)
    return comparisons


def count(n_candidates: int, n_new: int, judges: int, swap: PositionSwap, iterations: int) -> int:
    """Return the number of comparisons in a round robin.

    Args:
        n_candidates: Number of candidates, including new ones.
        n_new: Number of new candidates; in the first round, all of them.
        judges: Number of judges that compare.
        swap: See ``planned``.
        iterations: See ``planned``.
    """
    n_old = n_candidates - n_new
    n_pairs = (n_candidates * (n_candidates - 1) - n_old * (n_old - 1)) // 2
    return n_pairs * judges * iterations * (2 if swap == "both" else 1)


def resolved(pairwise: Pairwise, candidates: int) -> Strategy:
    """Return the strategy for a number of candidates; never ``auto``."""
    if pairwise.strategy != "auto":
        return pairwise.strategy
    if candidates <= 10:
        return "round_robin"
    return "swiss" if candidates <= 50 else "top_k"


def admitted(pairwise: Pairwise, candidates: int) -> int:
    """Return the number of candidates to compare, which are the best by score."""
    limit = pairwise.top_n
    if limit is None and resolved(pairwise, candidates) == "top_k":
        limit = _TOP_K
    return candidates if limit is None else min(limit, candidates)


def most(n_old: int, n_new: int, judges: Sequence[Judge], pairwise: Pairwise) -> dict[str, int]:
    """Return the maximum number of comparisons by each judge, by name.

    The number is never higher than in a round robin. ``max_comparisons`` is divided between the
    judges, with ``both`` in units of two comparisons.

    Args:
        n_old: Candidates of the first round that are admitted.
        n_new: Combined candidates; 0 for the first round, which has a separate limit.
        judges: Judges that compare.
        pairwise: ``auto`` is resolved for ``n_old`` candidates.
    """
    strategy = resolved(pairwise, n_old)
    orders = 2 if pairwise.position_swap == "both" else 1
    full = count(n_old + n_new, n_new or n_old, 1, "none", pairwise.iterations)
    if strategy == "swiss":
        full = min(full, swiss_pairs(n_old, n_new) * pairwise.iterations)
    units = [full] * len(judges)
    if pairwise.max_comparisons is not None and strategy in ("adaptive", "swiss"):
        each, rest = divmod(pairwise.max_comparisons // orders, max(len(judges), 1))
        units = [min(full, each + (number < rest)) for number in range(len(judges))]
    return {judge.name: unit * orders for judge, unit in zip(judges, units, strict=True)}


def swiss_pairs(n_old: int, n_new: int) -> int:
    """Return the number of pairs in Swiss rounds, of which there are log2 of the candidates."""
    candidates = n_old + n_new
    if candidates < 2:
        return 0
    per_round = min(n_new or candidates, candidates // 2)
    return per_round * math.ceil(math.log2(candidates))


def _balanced(pairs: Sequence[tuple[str, str]], draw: random.Random) -> list[tuple[str, str]]:
    """Return the pairs in such orders that each candidate is first as often as second.

    Pairs are the edges of a graph. A closed walk along unused edges enters each candidate as often
    as it leaves it; its direction is the order. All walks close if each candidate has an even
    number of pairs; those with an odd number get a dummy edge, which is dropped in the end and
    leaves them a difference of one.
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
