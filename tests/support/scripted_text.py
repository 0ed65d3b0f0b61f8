"""Texts that a scripted model writes, from one brief."""

from acm_workers.generators import fpf
from acm_workers.generators.text import Brief
from acm_workers.providers.catalog.capabilities import Capabilities
from schemas.config.variant import Variant
from tests.support.scripted import Scripted

VARIANT = Variant(type="fpf", provider="alpha", model="m1", max_tokens=500, temperature=0.7)
UNLIMITED = Variant(type="fpf", provider="alpha", model="m1")
BRIEF = Brief("Summarise.", None, "The moon.")


def write(caller: Scripted, variant: Variant = VARIANT, attempts: int = 4) -> str:
    """Return the text that ``caller`` writes as ``variant``."""
    return fpf.write(caller, variant, BRIEF, Capabilities(), attempts).text
