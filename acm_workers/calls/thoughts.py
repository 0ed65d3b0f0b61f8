"""Thoughts that some servers write before an answer, between tags."""

import re

_OPENING = re.compile(r"\s*<think(?:ing)?>")
_CLOSING = re.compile(r"</think(?:ing)?>")


def removed(answer: str, *, may_lack_opening: bool = False) -> str:
    """Return an answer without leading thoughts; thoughts without an end are all of it.

    Args:
        may_lack_opening: Also remove what ends with a closing tag alone: some servers omit the
            opening tag, for it is part of their prompt.
    """
    opening = _OPENING.match(answer)
    if opening is not None:
        # Not one pattern from tag to tag: over megabytes that takes five times as long.
        closing = _CLOSING.search(answer, opening.end())
        return "" if closing is None else answer[closing.end() :]
    return _CLOSING.split(answer)[-1] if may_lack_opening else answer
