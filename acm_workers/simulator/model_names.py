"""Model names, and the behaviour that they request from the simulator.

Any name is a model. ``think`` anywhere in it makes the model spend reasoning tokens; options after
an ``@`` are not part of the model's identity: ``m1@L0`` is ``m1`` answering at once, ``m1@L2.5`` is
``m1`` answering after 2.5 s, ``m1@E20`` streams 20 events a second, ``m1@500`` always gets HTTP
500, ``m1@C7`` meets fault C7 of the catalogue. Eight digits are a date, as in real names, and
``n2`` distinguishes models with the same behaviour; neither changes the behaviour.
"""

import re
from functools import lru_cache
from typing import NamedTuple

_LATENCY = re.compile(r"L(\d+(?:\.\d+)?)")
_EVENTS = re.compile(r"E(\d+(?:\.\d+)?)")
_FAULT = re.compile(r"[TOAGRC]\d")
_LABEL = re.compile(r"\d{8}|n\d+")
_BROKEN = "500"


class ModelName(NamedTuple):
    """A parsed model name.

    Attributes:
        base: The model itself, without options.
        latency_s: The latency requested, if any.
        events_per_second: The pace of streams; default: all events at once.
        faults: The requested faults, as written in the name.
        unknown: Unknown options.
    """

    base: str
    latency_s: float | None
    events_per_second: float | None
    broken: bool
    thinks: bool
    faults: tuple[str, ...]
    unknown: tuple[str, ...]


@lru_cache(maxsize=1024)
def parse(model: str) -> ModelName:
    """Parse the name ``model``."""
    base, *options = model.split("@")
    latencies = [found[1] for found in map(_LATENCY.fullmatch, options) if found]
    faults = tuple(option for option in options if _FAULT.match(option))
    paces = [float(found[1]) for found in map(_EVENTS.fullmatch, options) if found]
    known = (_LATENCY, _EVENTS, _LABEL, re.compile(_BROKEN))
    return ModelName(
        base=base,
        latency_s=float(latencies[0]) if latencies else None,
        events_per_second=(paces[0] or None) if paces else None,
        broken=_BROKEN in options,
        thinks="think" in model,
        faults=faults,
        unknown=tuple(
            option
            for option in options
            if option not in faults and not any(one.fullmatch(option) for one in known)
        ),
    )
