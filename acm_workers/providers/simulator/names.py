"""Model names, and what some of them ask the simulator to do.

Any name is a model. ``think`` anywhere in it makes the model spend reasoning tokens; after an
``@`` come wishes that are no part of its identity: ``m1@L0`` is ``m1`` answering at once,
``m1@L2.5`` is ``m1`` answering after 2.5 s, ``m1@500`` always gets HTTP 500, ``m1@C7`` meets
fault C7 of the catalogue.
"""

import re
from functools import lru_cache
from typing import NamedTuple

_LATENCY = re.compile(r"@L(\d+(?:\.\d+)?)")
_FAULT = re.compile(r"[TOAGRC]\d")


class ModelName(NamedTuple):
    """A model name taken apart.

    Attributes:
        base: The model itself, without wishes.
        latency_s: The latency wished for, if any.
        faults: The faults wished for, as they are written.
    """

    base: str
    latency_s: float | None
    broken: bool
    thinks: bool
    faults: tuple[str, ...]


@lru_cache(maxsize=1024)
def parse(model: str) -> ModelName:
    """Take ``model`` apart."""
    latency = _LATENCY.search(model)
    base, *wishes = model.split("@")
    return ModelName(
        base=base,
        latency_s=float(latency[1]) if latency else None,
        broken="@500" in model,
        thinks="think" in model,
        faults=tuple(wish for wish in wishes if _FAULT.match(wish)),
    )
