"""Generator ``fpf``: one call to one model with instructions, guidelines and source."""

from typing import Any

import prompts
from acm_workers.calls.caller import Caller
from acm_workers.errors import EvidenceMissing, JsonNotPossible
from acm_workers.generators import json_text, text
from acm_workers.generators.text import Brief, GeneratedText
from acm_workers.providers.catalog import json_modes
from acm_workers.providers.catalog.capabilities import Capabilities
from schemas.calls import CallStage, Completion, Message, Request
from schemas.config.judging import Jsonify
from schemas.config.variant import Variant


def write(
    caller: Caller,
    variant: Variant,
    brief: Brief,
    able: Capabilities,
    attempts: int = 4,
    jsonify: Jsonify | None = None,
) -> GeneratedText:
    """Return the document that the variant's model writes.

    Args:
        able: Capabilities of the model.
        attempts: Maximum number of answers to request.
        jsonify: The model that converts prose to JSON if the variant's model cannot write JSON.

    Raises:
        EvidenceMissing: No answer has the required evidence, or the model can never give it.
        JsonNotPossible: The variant has a schema, which no configured model can guarantee.
        PermanentError: There is no complete document; see ``text.generate``.
    """
    unreachable = json_modes.unreachable(able, variant.require, variant.model)
    if unreachable is not None:
        raise EvidenceMissing(unreachable)

    schema = variant.json_schema
    form = "prose" if schema is None else json_modes.form(True, able, variant.require)
    if form == "two_stages" and jsonify is None:
        raise JsonNotPossible(f"{variant.model} cannot be held to a schema, and jsonify is absent")
    shown = schema if form == "schema" else None

    def new_request(retry_hints: str | None) -> Request:
        prompt = prompts.render(
            "generate.md.j2",
            **brief._asdict(),
            json_schema=None if shown is None else json_text.described(shown),
            retry_hints=retry_hints,
        )
        return Request(
            provider=variant.provider,
            model=variant.model,
            messages=(Message(role="user", content=prompt),),
            max_tokens=variant.max_tokens,
            temperature=variant.temperature,
            json_schema=shown,
            schema_name="document",
            search=variant.require.search,
            max_searches=variant.max_searches,
            reasoning=variant.require.reasoning,
            effort=variant.effort,
        )

    written = text.generate(caller, new_request, variant.require, attempts, shown)
    if schema is None or jsonify is None or form == "schema":
        return written
    return _in_json(caller, jsonify, written, schema, attempts)


def _in_json(
    caller: Caller, jsonify: Jsonify, written: GeneratedText, schema: dict[str, Any], attempts: int
) -> GeneratedText:
    """Return a document that another model converts to JSON, with the evidence of the original."""

    def new_request(retry_hints: str | None) -> Request:
        prompt = prompts.render(
            "jsonify_text.md.j2",
            document=written.text,
            json_schema=json_text.described(schema),
            retry_hints=retry_hints,
        )
        return Request(
            provider=jsonify.provider,
            model=jsonify.model,
            messages=(Message(role="user", content=prompt),),
            max_tokens=jsonify.max_tokens,
            json_schema=schema,
            schema_name="document",
        )

    staged = _JsonifyCalls(caller)
    found = text.generate(staged, new_request, attempts=attempts, schema=schema)
    return found.model_copy(update={"proof": written.proof})


class _JsonifyCalls:
    """A ``Caller`` whose calls are recorded as the second stage."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def complete(self, request: Request, stage: CallStage = "main") -> Completion:
        """Answer ``request``; see ``Caller``."""
        return self._caller.complete(request, "jsonify" if stage == "main" else stage)
