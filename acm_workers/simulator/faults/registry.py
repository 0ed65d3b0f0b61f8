"""All faults by number, and the syntax to request them.

A request consists of the number of a fault, its repetition, and its variant, such as ``C7``,
``C07``, ``G12*``, ``C15x2``, ``T17.date``, ``T17*.date``, ``T5.poll``.
"""

import difflib
import re
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from acm_workers.simulator.faults import anthropic, content, google, openai, openrouter, transport
from acm_workers.simulator.faults.fault import FaultDefinition
from acm_workers.simulator.messages import DialectName

FAMILIES: Final = "TOAGRC"
_POLL: Final = "poll"
_REQUEST: Final = re.compile(r"([A-Z])0*(\d+)(\*|x[1-9]\d*)?((?:\.[a-z0-9_]+)*)")


class FaultEntry(NamedTuple):
    """A line of the catalogue.

    Attributes:
        number: Such as ``C7``.
        dialects: Dialects in which the fault can be requested; none if no HTTP server can cause it.
        needs: Description of the requests in which the fault can occur; empty for any request.
        variants: Names of the variants, the default first.
    """

    number: str
    title: str
    dialects: tuple[DialectName, ...]
    needs: str
    variants: tuple[str, ...]


class FaultRequest(NamedTuple):
    """A requested fault.

    Attributes:
        times: ``once`` for each distinct request, ``always``, or a number of requests.
        poll: Whether the fault is injected into polls of a background response.
    """

    fault: FaultDefinition
    times: Literal["once", "always"] | int
    variant: str
    poll: bool


class UnknownFault(ValueError):
    """The fault, or this variant of it, does not exist."""


def catalogue() -> tuple[FaultEntry, ...]:
    """Return all faults, family by family and by number."""
    return tuple(
        FaultEntry(fault.number, fault.title, fault.dialects, fault.needs, fault.variants)
        for fault in _by_number().values()
    )


def parse_requests(texts: tuple[str, ...]) -> tuple[FaultRequest, ...]:
    """Parse requests for faults.

    Raises:
        UnknownFault: A text does not name a fault.
    """
    return tuple(map(_parse_request, texts))


@lru_cache(maxsize=1024)
def _parse_request(text: str) -> FaultRequest:
    parsed = _REQUEST.fullmatch(text)
    if parsed is None:
        raise UnknownFault(f"{text!r} is not written like C7, C7*, C7x2 or C7.extra")
    fault = _by_number().get(parsed[1] + parsed[2])
    if fault is None:
        raise UnknownFault(f"there is no fault {text}{_nearest(parsed[1] + parsed[2])}")
    if not fault.dialects:
        raise UnknownFault(f"no HTTP server can do {fault.number} ({fault.title})")
    kinds = [kind for kind in parsed[4].split(".") if kind]
    variants = [kind for kind in kinds if kind != _POLL]
    unknown = [kind for kind in variants if kind not in fault.variants]
    if unknown or len(variants) > 1:
        known = ", ".join(fault.variants) or "none"
        raise UnknownFault(f"{text}: the variants of {fault.number} are: {known}")
    poll = _POLL in kinds
    if poll and fault.late:
        raise UnknownFault(f"{text}: a poll has no fault in what the model says")
    variant = variants[0] if variants else next(iter(fault.variants), "")
    return FaultRequest(fault, _times(parsed[3]), variant, poll)


def _times(text: str | None) -> Literal["once", "always"] | int:
    if text is None:
        return "once"
    return "always" if text == "*" else int(text[1:])


def _nearest(number: str) -> str:
    near = difflib.get_close_matches(number, _by_number(), n=1, cutoff=0.0)
    return f"; did you mean {near[0]}?" if near else ""


@lru_cache(maxsize=1)
def _by_number() -> dict[str, FaultDefinition]:
    files = (transport, openai, anthropic, google, openrouter, content)
    found = [fault for file in files for fault in file.FAULTS]
    found.sort(key=lambda fault: (FAMILIES.index(fault.number[0]), int(fault.number[1:])))
    return {fault.number: fault for fault in found}
