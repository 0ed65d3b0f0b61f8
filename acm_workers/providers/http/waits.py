"""How long a provider asks us to wait, in headers or in the body of its answer."""

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

MOST_S = 30 * 86_400.0
"""Longer waits are nonsense; whether shorter ones are too long is for the caller to say."""

_DURATION = re.compile(r"(\d{1,12}(?:\.\d{1,9})?)s")


def told_s(headers: Mapping[str, str], error: Any = None) -> float | None:
    """Return the seconds that an answer asks to wait, at most ``MOST_S``; None if it is silent.

    Args:
        headers: Names in small letters.
        error: The error object of the body, where Google writes it.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return min(milliseconds / 1000, MOST_S)
    seconds = _in_header(headers)
    if seconds is None:
        seconds = _in_body(error)
    return None if seconds is None else min(seconds, MOST_S)


def _in_header(headers: Mapping[str, str]) -> float | None:
    told = headers.get("retry-after")
    seconds = _number(told)
    if seconds is not None or told is None:
        return seconds
    until = _date(told)
    # Against the sender's own clock where it shows it: ours may differ.
    now = _date(headers.get("date")) or datetime.now(UTC)
    return None if until is None else max((until - now).total_seconds(), 0.0)


def _in_body(error: Any) -> float | None:
    details = error.get("details") if isinstance(error, dict) else None
    for detail in details if isinstance(details, list) else ():
        delay = detail.get("retryDelay") if isinstance(detail, dict) else None
        match = _DURATION.fullmatch(delay) if isinstance(delay, str) else None
        if match:
            return float(match[1])
    return None


def _number(text: str | None) -> float | None:
    try:
        number = float(text) if text is not None else None
    except ValueError:
        return None
    return number if number is not None and math.isfinite(number) and number >= 0 else None


def _date(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return date if date.tzinfo is not None else date.replace(tzinfo=UTC)
