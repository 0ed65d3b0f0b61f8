"""Whether work grows with its input, or faster."""

import time
from collections.abc import Callable

_FACTOR = 16
_LIMIT = 4 * _FACTOR
"""Between the growth of linear work, which is the factor, and of quadratic work, its square."""

_LEAST_S = 0.002
_ROUNDS = 3
_ATTEMPTS = 5
"""A virtual machine may count the time that others take from its processor."""


def is_linear(work: Callable[[str], object], text: Callable[[int], str], size: int) -> bool:
    """Return whether ``work`` on a text grows no faster than the text.

    Args:
        text: Returns the hostile text of about so many characters.
        size: Characters of the smaller text; the larger one has sixteen times as many.
    """
    small, large = text(size), text(size * _FACTOR)
    return any(
        _cpu_s(work, large) < _LIMIT * max(_cpu_s(work, small), _LEAST_S) for _ in range(_ATTEMPTS)
    )


def _cpu_s(work: Callable[[str], object], text: str) -> float:
    """Return the least CPU time of a few rounds: other processes cost none."""
    rounds = []
    for _ in range(_ROUNDS):
        began = time.thread_time()
        work(text)
        rounds.append(time.thread_time() - began)
        if rounds[-1] > 0.5:
            break
    return min(rounds)
