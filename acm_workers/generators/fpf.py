"""Writes a candidate with one call: instructions, guidelines and document to one model."""

import prompts
from acm_workers.calls.caller import Caller
from acm_workers.errors import EvidenceMissing
from acm_workers.generators import text
from acm_workers.generators.material import Material
from acm_workers.generators.text import Written
from acm_workers.providers.catalog.capabilities import Capabilities
from acm_workers.providers.dialects import json_modes
from schemas.calls import Message, Request
from schemas.config.variant import Variant


def write(
    caller: Caller,
    variant: Variant,
    material: Material,
    able: Capabilities,
    attempts: int = 4,
) -> Written:
    """Return the document that the variant's model writes from the source.

    Args:
        able: What the model can do.
        attempts: Highest number of answers to ask for.

    Raises:
        EvidenceMissing: No answer proves what the variant requires, or none ever could.
        PermanentError: There is no whole document; see ``text.ask``.
    """
    never = json_modes.unreachable(able, variant.require, variant.model)
    if never is not None:
        raise EvidenceMissing(never)

    def request(remarks: str | None) -> Request:
        prompt = prompts.render("generate.md.j2", **material._asdict(), remarks=remarks)
        return Request(
            provider=variant.provider,
            model=variant.model,
            messages=(Message(role="user", content=prompt),),
            max_tokens=variant.max_tokens,
            temperature=variant.temperature,
            search=variant.require.search,
            max_searches=variant.max_searches,
            reasoning=variant.require.reasoning,
            effort=variant.effort,
        )

    return text.ask(caller, text.Task(request, variant.require, attempts))
