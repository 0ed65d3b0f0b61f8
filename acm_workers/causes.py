"""Causes of failures: groups messages that differ only in ids and counts."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from schemas.run import FailureCause
from schemas.units import UnitKind

NOT_TRIED = "given_up"
"""Kind of error of units that were not tried because their judge or writer is paused."""

MAX_CHARACTERS = 300
"""Maximum length of a reason, in characters."""

_LEFT_OUT = "…"
_MIN_ID_CHARACTERS = 8
_ATTEMPTS = re.compile(r" \(after \d+ failures?(?: and \d+ rate limits?)? in \d+ s\)$")
_AROUND = "\"'`()[]{}<>.,;:!?%"


class FailedUnits(NamedTuple):
    """Units of one kind and model that failed with the same message.

    Attributes:
        error_kind: See ``AcmError.kind``.
    """

    kind: UnitKind
    provider: str
    model: str
    error_kind: str | None
    error: str | None
    number: int = 1


def grouped(failed: Iterable[FailedUnits]) -> tuple[FailureCause, ...]:
    """Return the causes of failures, most frequent first, without units that were not tried."""
    groups: dict[tuple[str, str, str, str], list[FailedUnits]] = {}
    for one in failed:
        if one.error_kind != NOT_TRIED:
            key = (one.provider, one.model, one.error_kind or "", same(one.error))
            groups.setdefault(key, []).append(one)
    found = [_cause(key, members) for key, members in groups.items()]
    return tuple(sorted(found, key=lambda cause: (-cause.number, cause.model_dump_json())))


def counted(errors: Iterable[str | None]) -> list[tuple[str, int]]:
    """Return the reasons in messages with their counts, most frequent first."""
    groups: dict[str, list[str]] = {}
    for error in errors:
        groups.setdefault(same(error), []).append(_text(error))
    found = [(_common(key, members), len(members)) for key, members in groups.items()]
    return sorted(found, key=lambda one: (-one[1], one[0]))


def same(error: str | None) -> str:
    """Return the common text of two messages with the same cause."""
    words: list[str] = []
    for word in _text(error).split():
        core = word.strip(_AROUND)
        is_status = bool(words) and words[-1] == "HTTP"
        varies = core and (_is_number(core) or _is_id(core)) and not is_status
        words.append(word.replace(core, _LEFT_OUT) if varies else word)
    return " ".join(words)


def reason(error: str | None, provider: str) -> str:
    """Return a message without the name of the provider."""
    return _text(error).removeprefix(f"{provider}: ")[:MAX_CHARACTERS]


def _cause(key: tuple[str, str, str, str], members: list[FailedUnits]) -> FailureCause:
    provider, model, _, text = key
    units: dict[UnitKind, int] = {}
    for one in members:
        units[one.kind] = units.get(one.kind, 0) + one.number
    return FailureCause(
        provider=provider,
        model=model,
        reason=reason(_common(text, [_text(one.error) for one in members]), provider),
        units=units,
    )


def _common(key: str, texts: list[str]) -> str:
    """Return the message of a cause, or the common text of its messages."""
    return texts[0] if len(set(texts)) == 1 else key


def _text(error: str | None) -> str:
    return _ATTEMPTS.sub("", " ".join((error or "no reason is known").split()))


def _is_number(word: str) -> bool:
    return word.replace(".", "").replace(",", "").isdigit()


def _is_id(word: str) -> bool:
    return len(word) >= _MIN_ID_CHARACTERS and any(letter.isdigit() for letter in word)
