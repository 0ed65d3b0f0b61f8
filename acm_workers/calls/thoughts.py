"""Thoughts that some servers write before an answer, between tags."""

import re

_OPENING = re.compile(r"\s*<think(?:ing)?>")
_CLOSING = re.compile(r"</think(?:ing)?>")


def removed(answer: str, *, may_lack_opening: bool = False) -> str:
    """Return an answer without leading thoughts; without a closing tag, all of it is thoughts.

    Args:
        may_lack_opening: Also remove thoughts that have only a closing tag, because some servers
            put the opening tag into their prompt.
    """
    opening = _OPENING.match(answer)
    if opening is not None:
        # Not one pattern from tag to tag: over megabytes that takes five times as long.
        closing = _CLOSING.search(answer, opening.end())
        return "" if closing is None else answer[closing.end() :]
    return _CLOSING.split(answer)[-1] if may_lack_opening else answer
