"""Recognises texts that decline the task although the provider reports no refusal."""

import re

_START = 300
"""Length of the beginning of an answer that is searched for a refusal, in characters."""

_SORRY = r"(?:(?:(?:i|we)(?:'m|'re| am| are) )?(?:very |so )?sorry|apologies|unfortunately)"
_WILL_NOT = (
    r"(?:can ?not|can't|could not|unable to|not able to|won't|will not"
    r"|(?:must|have to) (?:respectfully )?(?:decline|refuse) to|decline to)"
)
_ANYTHING = (
    r"(?:help|assist|comply|fulfil|provide|produce|generate|create|write|continue|complete|engage"
    r"|participate|process|support|respond|discuss|answer|do (?:that|this|so))\b"
)
_THIS = (
    r"(?:judge|evaluate|assess|score|rate|compare|review)"
    r" (?:this|that|these|such|the (?:text|document|candidate|content)s?)\b"
)
_DECLINES = re.compile(
    rf"\W*(?:{_SORRY}[ ,.;:!-]*)?(?:but )?(?:as an? ai\b[^.,]{{0,60}}, )?"
    rf"(?:i|we)(?:'m|'re| am| are)? {_WILL_NOT} (?:{_ANYTHING}|{_THIS})",
    re.IGNORECASE,
)


def declines(text: str) -> bool:
    """Return whether a text begins by declining the task, in English.

    Only phrases that cannot begin a valid answer count. A missed refusal is treated as an
    unreadable answer and requested again, whereas an answer mistaken for a refusal would be lost.
    """
    plain = " ".join(text[:_START].replace("\u2019", "'").split())
    return _DECLINES.match(plain) is not None
