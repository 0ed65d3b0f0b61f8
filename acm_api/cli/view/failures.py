"""Failures of a run: one line for each cause."""

from collections.abc import Sequence

from acm_api.cli.view.formatting import count
from schemas.run import FailureCause
from schemas.units import UnitKind

_NOUNS: dict[UnitKind, str] = {
    "artifact": "candidate",
    "evaluation": "score",
    "comparison": "comparison",
}


def cause_lines(causes: Sequence[FailureCause], most: int = 20) -> list[str]:
    """Return a line for each cause, at most ``most`` of them, and how many are left out."""
    found = [
        f"{units(cause.units)} failed: {cause.provider}:{cause.model}: {cause.reason}"
        for cause in causes[:most]
    ]
    left = causes[most:]
    if left:
        found.append(
            f"{count(sum(cause.number for cause in left), 'more unit')} failed"
            f" for {count(len(left), 'other cause')}: `acm show` lists them"
        )
    return found


def units(numbers: dict[UnitKind, int]) -> str:
    """Return numbers of units by kind as part of a sentence."""
    counted = [count(numbers[kind], noun) for kind, noun in _NOUNS.items() if numbers.get(kind)]
    *first, last = counted
    return f"{', '.join(first)} and {last}" if first else last
