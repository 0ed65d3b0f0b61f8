"""Values as text for users."""

from datetime import UTC, datetime

from acm_workers.reporting.money import CallCost
from schemas.calls import EvidenceSummary, Flag
from schemas.config.ranking import RankingMethod

ABSENT = "–"

_FLAGS: dict[Flag, str] = {
    "empty_reason": "a reason is missing",
    "garbled": "letters are garbled",
    "unfinished": "may break off",
}


def number(value: float | None, digits: int = 2) -> str:
    """Format ``value`` with a fixed number of digits."""
    if value is None:
        return ABSENT
    written = f"{value:,.{digits}f}"
    # A rounded -0.00 would claim a sign that is not there.
    return written.removeprefix("-") if float(written.replace(",", "")) == 0 else written


def signed(value: float | None, digits: int = 2) -> str:
    """Format a difference with its sign."""
    if value is None:
        return ABSENT
    written = number(abs(value), digits)
    if float(written.replace(",", "")) == 0:
        return written
    return f"+{written}" if value > 0 else f"\N{MINUS SIGN}{written}"


def count(value: int | None) -> str:
    """Format a whole number."""
    return ABSENT if value is None else f"{value:,}"


def many(value: int, noun: str, plural: str | None = None) -> str:
    """Format a number with its noun, in singular or plural."""
    return f"{value:,} {noun if value == 1 else plural or noun + 's'}"


def percent(value: float | None) -> str:
    """Format a share of 1 as a percentage."""
    return ABSENT if value is None else f"{100 * value:.0f}\N{NO-BREAK SPACE}%"


def interval(low: float | None, high: float | None, digits: int = 2) -> str:
    """Format an interval of differences."""
    return (
        ABSENT
        if low is None or high is None
        else f"{signed(low, digits)} to {signed(high, digits)}"
    )


def ranked(value: float | None, method: RankingMethod, *, in_posterior: bool = True) -> str:
    """Format a rank score in the format of its method.

    Args:
        value: A probability, points or a score.
        method: Method of the ranking.
        in_posterior: Whether the posterior includes the candidate; others have a score.
    """
    if method == "posterior" and in_posterior:
        return chance(value)
    return number(value, 0 if method in ("elo", "bradley_terry") else 2)


def chance(value: float | None) -> str:
    """Format a probability estimated from draws, never as 0 or 1."""
    if value is None:
        return ABSENT
    if value <= 0.005:
        return "<\N{NO-BREAK SPACE}1\N{NO-BREAK SPACE}%"
    return percent(value) if value < 0.995 else ">\N{NO-BREAK SPACE}99\N{NO-BREAK SPACE}%"


def share(value: float | None) -> str:
    """Format a probability as the width of a bar, in percent of its track."""
    return "0" if value is None else f"{100 * min(1.0, max(0.0, value)):.4g}"


def dollars(value: float) -> str:
    """Format an amount of USD, with more digits for small amounts."""
    if value == 0:
        return "$0"
    digits = 2 if value >= 1 else 4 if value >= 0.001 else 6
    return f"${value:,.{digits}f}"


def cost(money: CallCost) -> str:
    """Format a cost; an unknown part is named, never counted as 0."""
    parts = []
    if money.usd or not money.unknown:
        parts.append(dollars(money.usd))
    if money.unknown:
        parts.append(f"unknown for {many(money.unknown, 'call')}")
    return " + ".join(parts)


def proof(found: EvidenceSummary | None) -> list[str]:
    """Describe the evidence of an answer and its flags."""
    if found is None:
        return []
    parts = []
    if found.grounding != "none":
        seen = (
            many(found.sources, "source")
            if found.sources
            else many(found.searches, "search", "searches")
        )
        parts.append(f"grounding: {found.grounding} ({seen})")
    if found.reasoning != "none":
        parts.append(f"reasoning: {found.reasoning}")
    return parts + [_FLAGS[flag] for flag in found.flags]


def stamp(moment: datetime) -> str:
    """Format a time as ISO 8601 in UTC."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def moment(value: datetime | None) -> str:
    """Format a time in UTC to the minute."""
    return ABSENT if value is None else f"{value.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def duration(seconds: float | None) -> str:
    """Format a duration."""
    if seconds is None:
        return ABSENT
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s"


def shortened(text: str | None, length: int = 300) -> str:
    """Cut ``text`` to ``length`` characters, and append its full length."""
    if text is None:
        return ABSENT
    return text if len(text) <= length else f"{text[:length].rstrip()} … ({len(text):,} characters)"


def clipped(text: str, length: int) -> str:
    """Cut ``text`` to ``length`` characters, with an ellipsis."""
    return text if len(text) <= length else f"{text[: length - 1].rstrip()}…"


def step(share: float, steps: int = 10) -> int:
    """Return the number of the shade for ``share``, from 0 to ``steps``."""
    return round(steps * min(1.0, max(0.0, share)))
