"""Checks that read a text: length, headings, patterns and links. All are linear in its length."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple
from urllib.parse import urlsplit

from pydantic_core import SchemaError, SchemaValidator, ValidationError, core_schema

from schemas.config.checks import Check

_MOST_NAMED = 3
"""Maximum number of findings of one kind in a reason."""

_LONGEST = 80
"""Maximum length of a finding in a reason, in characters."""

_FENCES = ("```", "~~~")
_MOST_LEVEL = 6
_MOST_LINKS = 10_000
_LONGEST_HOST = 253
_SCHEMES = ("http://", "https://")
_ENDS_LINK = frozenset(" \t\r\n\f\v<>\"'`|{}[]()^")
_AFTER_LINK = ".,;:!?*_~"


class CheckFinding(NamedTuple):
    """The finding of a check.

    Attributes:
        score: Score from 0 to 1.
        reason: Reason for users, in one line.
    """

    score: float
    reason: str


class Heading(NamedTuple):
    """A heading of a Markdown text, in a normal form for comparing."""

    level: int
    title: str


def length(check: Check, text: str) -> CheckFinding:
    """Count the words or characters of a text."""
    number = len(text) if check.unit == "characters" else len(text.split())
    return _counted(number, check.unit, check)


def headings(check: Check, text: str) -> CheckFinding:
    """Check the headings of a text: required headings, their levels and their number."""
    found = list(headings_of(text))
    titles = {heading.title for heading in found} | {
        f"{'#' * heading.level} {heading.title}" for heading in found
    }
    missing = [name for name in check.required if _normal(name) not in titles]
    parts = [CheckFinding(float(name not in missing), "") for name in check.required]
    told = [f"missing {_listed(missing)}"] if missing else []
    if check.levels is not None:
        other = [one.title for one in found if one.level not in check.levels]
        parts.append(CheckFinding(float(not other), ""))
        told += [f"of another level {_listed(other)}"] if other else []
    if check.min is not None or check.max is not None:
        counted = _counted(len(found), "headings", check)
        parts.append(counted)
        told += [counted.reason] if counted.score < 1 else []
    return _share(parts, "; ".join(told) or f"{len(found)} headings, as they should be")


def headings_of(text: str) -> Iterator[Heading]:
    """Yield the headings of a Markdown text; lines in code fences are not headings."""
    fence, before = "", ""
    for line in text.splitlines():
        stripped = line.strip()
        indented = len(line) - len(line.lstrip(" ")) > len("   ")
        mark = next((one for one in _FENCES if stripped.startswith(one)), "")
        if fence:
            fence = "" if mark == fence else fence
            before = ""
            continue
        if mark and not indented:
            fence, before = mark, ""
            continue
        level = len(stripped) - len(stripped.lstrip("#"))
        if 0 < level <= _MOST_LEVEL and not indented and stripped[level : level + 1] in ("", " "):
            yield Heading(level, _normal(stripped[level:].rstrip("#")))
            before = ""
            continue
        if before and stripped and not indented and not stripped.strip(stripped[0]):
            level = {"=": 1, "-": 2}.get(stripped[0], 0)
            if level:
                yield Heading(level, _normal(before))
                before = ""
                continue
        before = "" if indented else stripped


def regex(check: Check, text: str) -> CheckFinding:
    """Search for required and for forbidden patterns."""
    text = text.encode("utf-8", "replace").decode()  # a lone surrogate is no text for patterns
    missing = [one for one in check.must_match if not matches(one, text)]
    present = [one for one in check.must_not_match if matches(one, text)]
    count = len(check.must_match) + len(check.must_not_match)
    told = [f"not found: {_listed(missing)}"] if missing else []
    if present:
        lines = [f"{_short(one)}{_line_of(one, text)}" for one in present[:_MOST_NAMED]]
        told.append(f"found: {', '.join(lines)}{_further_count(present)}")
    score = 1 - (len(missing) + len(present)) / count if count else 1.0
    return CheckFinding(score, "; ".join(told) or "all patterns as they should be")


def matches(pattern: str, text: str) -> bool:
    """Return whether a pattern is found anywhere in a text, in linear time.

    Raises:
        ValueError: ``pattern`` is not a valid pattern.
    """
    try:
        _compiled(pattern).validate_python(text)
    except ValidationError:
        return False
    return True


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> SchemaValidator:
    try:
        return SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex"))
    except SchemaError as error:
        lines = [line.strip() for line in str(error).splitlines()]
        told = next((line for line in lines if line.startswith("error: ")), "error: not a pattern")
        raise ValueError(told.removeprefix("error: ")) from error


def _line_of(pattern: str, text: str) -> str:
    """Return the line in which a pattern is found, if the match is within one line."""
    for number, line in enumerate(text.splitlines(), start=1):
        if matches(pattern, line):
            return f" in line {number}"
    return ""


def links(check: Check, text: str) -> CheckFinding:
    """Compare the addresses in a text with a list; no address is requested."""
    found = list(islice(links_of(text), _MOST_LINKS + 1))
    if len(found) > _MOST_LINKS:
        return CheckFinding(0.0, f"more than {_MOST_LINKS:,} links")
    allowed = _allowed_links(check.allowed or ())
    others = [one for one in found if not allowed.has(one)]
    parts = [CheckFinding(1 - len(others) / len(found) if found else 1.0, "")]
    told = [f"not in the list: {_listed(list(dict.fromkeys(others)))}"] if others else []
    if check.min is not None or check.max is not None:
        counted = _counted(len(found), "links", check)
        parts.append(counted)
        told += [counted.reason] if counted.score < 1 else []
    return _share(parts, "; ".join(told) or f"{len(found)} links, all in the list")


def links_of(text: str) -> Iterator[str]:
    """Yield the addresses of a text, in their order."""
    lowered = text.lower() if text.isascii() else "".join(map(_lower, text))
    at = lowered.find("http")
    while at >= 0:
        end = at
        if lowered.startswith(_SCHEMES, at):
            while end < len(text) and text[end] not in _ENDS_LINK:
                end += 1
            yield text[at:end].rstrip(_AFTER_LINK)
        at = lowered.find("http", max(end, at + 1))


def _lower(character: str) -> str:
    """Return a character in lower case, if its lower case is one character as well."""
    return character.lower() if character.isascii() else character


class _AllowedLinks(NamedTuple):
    """The allowed hosts and addresses; ``below`` has hosts whose subdomains are allowed as well."""

    hosts: frozenset[str]
    below: frozenset[str]
    links: frozenset[str]
    beginnings: tuple[str, ...]

    def has(self, link: str) -> bool:
        # Programs disagree on what a backslash in an address is, so its host may be another one.
        if "\\" in link or not link.isprintable():
            return False
        try:
            host = (urlsplit(link).hostname or "").rstrip(".")
        except ValueError:
            return False
        plain = link.partition("#")[0].rstrip("/")
        if not host or len(host) > _LONGEST_HOST:
            return False
        labels = host.split(".")
        parents = {".".join(labels[at:]) for at in range(len(labels))}
        return (
            host in self.hosts
            or not self.below.isdisjoint(parents)
            or plain in self.links
            or link.startswith(self.beginnings)
        )


@lru_cache(maxsize=64)
def _allowed_links(entries: tuple[str, ...]) -> _AllowedLinks:
    addresses = [one for one in entries if "://" in one]
    hosts = [one.lower().rstrip(".") for one in entries if "://" not in one]
    return _AllowedLinks(
        hosts=frozenset(one for one in hosts if not one.startswith("*.")),
        below=frozenset(one[2:] for one in hosts if one.startswith("*.")),
        links=frozenset(one.rstrip("/") for one in addresses if not one.endswith("*")),
        beginnings=tuple(one[:-1] for one in addresses if one.endswith("*")),
    )


def _counted(number: int, unit: str, check: Check) -> CheckFinding:
    """Compare a number with its bounds; the score falls with the distance."""
    if check.min is not None and number < check.min:
        return CheckFinding(number / check.min, f"{number} {unit}; at least {check.min}")
    if check.max is not None and number > check.max:
        return CheckFinding(check.max / number, f"{number} {unit}; at most {check.max}")
    return CheckFinding(1.0, f"{number} {unit}")


def _share(parts: Sequence[CheckFinding], reason: str) -> CheckFinding:
    return CheckFinding(sum(part.score for part in parts) / len(parts) if parts else 1.0, reason)


def _normal(title: str) -> str:
    """Return a heading for comparison: single blanks, no case; leading ``#`` are kept."""
    marks = len(title) - len(title.lstrip("#"))
    words = " ".join(title[marks:].split()).casefold()
    return f"{'#' * marks} {words}" if marks else words


def _listed(found: Sequence[str]) -> str:
    return ", ".join(map(_short, found[:_MOST_NAMED])) + _further_count(found)


def _further_count(found: Sequence[str]) -> str:
    return f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""


def _short(one: str) -> str:
    return one if len(one) <= _LONGEST else f"{one[: _LONGEST - 1]}…"
