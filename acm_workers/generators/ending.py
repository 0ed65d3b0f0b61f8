"""Whether a document breaks off, though the model says that it is whole."""

import re

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)
_BLOCKS = re.compile(r"\n[ \t]*\n")
_NO_PROSE = re.compile(r"[ \t]*(?:[-*+>|#]|\d+[.)]|!?\[|https?:|<|\$\$)")
"""How lines begin that may end as they like: lists, quotes, tables, headings, links, formulas."""

_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+", re.MULTILINE)
_SENTENCE_END = re.compile(r"[.!?\u2026][\"')\]\u2019\u201d*_]*\Z")
_LEAST_WORDS = 6


def is_missing(text: str) -> bool:
    """Return whether a Markdown text certainly has no end.

    That is: a code block is still open, or the last paragraph is prose that ends in the middle of a
    sentence, in a text that does end its sentences elsewhere; or the last item of a list does,
    unlike all others. Names, poems, other lists and scripts without small letters end as they
    like. What cannot be told for certain counts as whole, for asking again costs as much as the
    first time.
    """
    if _has_open_fence(text):
        return True
    *before, last = _BLOCKS.split(text.strip())
    if not last or not (last[-1].islower() or last[-1] in ",(-\u2013"):
        return False
    if _ITEM.match(last):
        before = _ITEM.split(last)[1:-1]
        return bool(before) and all(map(_ends_a_sentence, before))
    return _is_prose(last) and any(map(_ends_a_sentence, before))


def _ends_a_sentence(block: str) -> bool:
    return _SENTENCE_END.search(block.rstrip()) is not None


def _is_prose(block: str) -> bool:
    if any(_NO_PROSE.match(line) for line in block.split("\n")):
        return False
    words = block.split()
    small = sum(word[0].islower() for word in words)
    return len(words) >= _LEAST_WORDS and 2 * small >= len(words)


def _has_open_fence(text: str) -> bool:
    opened: str | None = None
    for fence in _FENCE.findall(text):
        if opened is None:
            opened = fence
        elif fence.startswith(opened):
            opened = None
    return opened is not None
