"""Hints for misspelled words."""

import difflib
from collections.abc import Iterable

_MOST_NAMED = 14


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that is nearest to ``word``, if any is close."""
    by_folded = {name.casefold().replace("-", "_"): name for name in sorted(known)}
    folded = word.casefold().replace("-", "_")
    found = difflib.get_close_matches(folded, by_folded, n=1, cutoff=0.6)
    return by_folded[found[0]] if found else None


def hint(word: str, known: Iterable[str]) -> str:
    """Return a hint about an unknown ``word``: the nearest known word, or all words."""
    names = sorted(known)
    close = nearest(word, names)
    if close is not None:
        return f"; did you mean {close}?"
    if 0 < len(names) <= _MOST_NAMED:
        return f" (known: {', '.join(names)})"
    return ""
