"""Generator ``fpf``: one call to one model with instructions, guidelines and source."""

import prompts
from acm_workers.calls.caller import Caller
from acm_workers.errors import EvidenceMissing
from acm_workers.generators import text
from acm_workers.generators.text import Brief, GeneratedText
from acm_workers.providers.catalog import json_modes
from acm_workers.providers.catalog.capabilities import Capabilities
from schemas.calls import Message, Request
from schemas.config.variant import Variant


def write(
    caller: Caller,
    variant: Variant,
    brief: Brief,
    able: Capabilities,
    attempts: int = 4,
) -> GeneratedText:
    """Return the document that the variant's model writes.

    Args:
        able: What the model can do.
        attempts: Highest number of answers to request.

    Raises:
        EvidenceMissing: No answer has the evidence that the variant requires, or none can.
        PermanentError: There is no whole document; see ``text.generate``.
    """
    unreachable = json_modes.unreachable(able, variant.require, variant.model)
    if unreachable is not None:
        raise EvidenceMissing(unreachable)

    def new_request(retry_hints: str | None) -> Request:
        prompt = prompts.render("generate.md.j2", **brief._asdict(), retry_hints=retry_hints)
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

    return text.generate(caller, new_request, variant.require, attempts)
