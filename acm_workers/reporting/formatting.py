"""Values as people read them."""

from datetime import UTC, datetime

from acm_workers.reporting.money import CallCost
from schemas.calls import Flag, Proof
from schemas.config.ranking import RankingMethod

ABSENT = "–"

_FLAGS: dict[Flag, str] = {
    "empty_reason": "a reason is missing",
    "garbled": "letters are garbled",
    "unfinished": "may break off",
}


def number(value: float | None, digits: int = 2) -> str:
    """Write ``value`` with a fixed number of digits."""
    if value is None:
        return ABSENT
    written = f"{value:,.{digits}f}"
    # A rounded -0.00 would claim a sign that is not there.
    return written.removeprefix("-") if float(written.replace(",", "")) == 0 else written


def signed(value: float | None, digits: int = 2) -> str:
    """Write a difference with its sign."""
    if value is None:
        return ABSENT
    written = number(abs(value), digits)
    if float(written.replace(",", "")) == 0:
        return written
    return f"+{written}" if value > 0 else f"\N{MINUS SIGN}{written}"


def count(value: int | None) -> str:
    """Write a whole number."""
    return ABSENT if value is None else f"{value:,}"


def many(value: int, noun: str, plural: str | None = None) -> str:
    """Write how many of something there are."""
    return f"{value:,} {noun if value == 1 else plural or noun + 's'}"


def percent(value: float | None) -> str:
    """Write a share of 1."""
    return ABSENT if value is None else f"{100 * value:.0f}\N{NO-BREAK SPACE}%"


def interval(low: float | None, high: float | None, digits: int = 2) -> str:
    """Write an interval of differences."""
    return (
        ABSENT
        if low is None or high is None
        else f"{signed(low, digits)} to {signed(high, digits)}"
    )


def ranked(value: float | None, method: RankingMethod, *, believed: bool = True) -> str:
    """Write a rank score as its method means it.

    Args:
        value: A probability, points or a score.
        method: What the ranking went by.
        believed: Whether the candidate is one that the posterior knows; others have a score.
    """
    if method == "posterior" and believed:
        return chance(value)
    return number(value, 0 if method in ("elo", "bradley_terry") else 2)


def chance(value: float | None) -> str:
    """Write a probability that comes from draws, which cannot tell it from 0 or 1."""
    if value is None:
        return ABSENT
    if value <= 0.005:
        return "<\N{NO-BREAK SPACE}1\N{NO-BREAK SPACE}%"
    return percent(value) if value < 0.995 else ">\N{NO-BREAK SPACE}99\N{NO-BREAK SPACE}%"


def dollars(value: float) -> str:
    """Write an amount so that small ones do not vanish."""
    if value == 0:
        return "$0"
    digits = 2 if value >= 1 else 4 if value >= 0.001 else 6
    return f"${value:,.{digits}f}"


def cost(money: CallCost) -> str:
    """Write what something cost; what is unknown is said, never counted as 0."""
    parts = []
    if money.usd or not money.unknown:
        parts.append(dollars(money.usd))
    if money.unknown:
        parts.append(f"unknown for {many(money.unknown, 'call')}")
    return " + ".join(parts)


def proof(found: Proof | None) -> list[str]:
    """Write what an answer was seen to rest on, and what is odd about it."""
    if found is None:
        return []
    said = []
    if found.grounding != "none":
        seen = (
            many(found.sources, "source")
            if found.sources
            else many(found.searches, "search", "searches")
        )
        said.append(f"grounding: {found.grounding} ({seen})")
    if found.reasoning != "none":
        said.append(f"reasoning: {found.reasoning}")
    return said + [_FLAGS[flag] for flag in found.flags]


def moment(value: datetime | None) -> str:
    """Write a time in UTC to the minute."""
    return ABSENT if value is None else f"{value.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def duration(seconds: float | None) -> str:
    """Write how long something took."""
    if seconds is None:
        return ABSENT
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s"


def shortened(text: str | None, length: int = 300) -> str:
    """Cut ``text`` to ``length`` characters and say so."""
    if text is None:
        return ABSENT
    return text if len(text) <= length else f"{text[:length].rstrip()} … ({len(text):,} characters)"


def clipped(text: str, length: int) -> str:
    """Cut ``text`` where there is no room to say so."""
    return text if len(text) <= length else f"{text[: length - 1].rstrip()}…"


def step(share: float, steps: int = 10) -> int:
    """Return which of ``steps`` + 1 shades stands for ``share``."""
    return round(steps * min(1.0, max(0.0, share)))
