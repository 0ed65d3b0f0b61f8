"""What models wrap around a document."""

import re

_FENCE = re.compile(r"^(`{3,}|~{3,})[ \t]*([^\s`]*)[ \t]*$")
_THOUGHTS = re.compile(r"\s*<think(ing)?>.*?(</think(ing)?>|\Z)", re.DOTALL)


def bare(answer: str) -> str:
    """Return the answer without leading thoughts and without a code fence around all of it."""
    thoughts = _THOUGHTS.match(answer)
    text = (answer[thoughts.end() :] if thoughts else answer).strip()
    lines = text.split("\n")
    return "\n".join(lines[1:-1]).strip() if _is_one_fence(lines) else text


def _is_one_fence(lines: list[str]) -> bool:
    """Return whether the Markdown fence that the first line opens is closed by the last one."""
    opening = _FENCE.match(lines[0])
    if opening is None or opening[2].lower() not in {"markdown", "md"}:
        return False
    inner: str | None = None
    for number, line in enumerate(lines[1:], start=1):
        fence = _FENCE.match(line.rstrip())
        if fence is None:
            continue
        if inner is not None:
            inner = None if not fence[2] and fence[1].startswith(inner) else inner
        elif not fence[2] and fence[1].startswith(opening[1]):
            return number == len(lines) - 1
        else:
            inner = fence[1]
    return False
