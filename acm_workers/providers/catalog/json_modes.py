"""Selects how JSON is requested from a model, by the model's capabilities."""

from typing import Literal

from acm_workers.providers.catalog.capabilities import Capabilities
from schemas.calls import Parameter
from schemas.config.variant import JsonMode, RequiredEvidence

JsonForm = Literal["schema", "prompt", "two_stages"]
"""``schema``: one call, and the server enforces a JSON schema. ``prompt``: one call, and only the
prompt asks for JSON. ``two_stages``: first prose without a schema, with search if it is required;
then another model converts it to JSON, with a schema and without tools."""

_NEEDS_SCHEMA = "json: true needs answers that follow a schema, and {} accepts none"
_NEEDS_BOTH = "{} cannot search and follow a schema in one call"
_NEEDS_CITATIONS = (
    "require.grounding cited needs annotations that cite pages, and {} writes none into an answer"
    " that follows a schema"
)
_WAYS_OUT = "; name a model in jsonify that puts its prose into JSON, or set json: false"


def form(mode: JsonMode, able: Capabilities, require: RequiredEvidence) -> JsonForm:
    """Return the form of a call to a model with the capabilities ``able``.

    Mode ``False`` never sends a schema; ``True`` always does, in the second stage if necessary;
    ``auto`` sends a schema if the model accepts schemas, and does so in a second stage if required
    evidence makes a single call impossible.
    """
    if mode is False:
        return "prompt"
    if not able.json_schema:
        return "two_stages" if mode is True or _needs_two_calls(able, require) else "prompt"
    return "two_stages" if _needs_two_calls(able, require) else "schema"


def without_jsonify(found: JsonForm, mode: JsonMode, *, learned: bool) -> JsonForm | None:
    """Return the form to use if the config names no ``jsonify`` model; None if there is none.

    Args:
        learned: Whether only the model's refusal showed that two stages are needed.
    """
    if found != "two_stages":
        return found
    return "prompt" if mode == "auto" and learned else None


def learned(able: Capabilities, refused: Parameter) -> Capabilities:
    """Return the capabilities of a model after it ``refused`` a parameter."""
    if refused == "json_schema":
        return able.model_copy(update={"json_schema": False})
    if refused == "search_with_schema":
        return able.model_copy(update={"tools_with_json": False})
    return able


def refusal(
    mode: JsonMode, able: Capabilities, require: RequiredEvidence, model: str
) -> str | None:
    """Return the reason why the call needs a ``jsonify`` model; None if it needs none."""
    if form(mode, able, require) != "two_stages":
        return None
    problem = _NEEDS_SCHEMA
    if _needs_two_calls(able, require):
        problem = _NEEDS_CITATIONS if able.tools_with_json else _NEEDS_BOTH
    return problem.format(model) + _WAYS_OUT


def unreachable(able: Capabilities, require: RequiredEvidence, model: str) -> str | None:
    """Return a message about required evidence that the model can never give, or None."""
    if require.search and not able.search:
        return f"require.grounding {require.grounding}: {model} has no web search of its own"
    if _REASONING.index(require.reasoning) > _REASONING.index(able.reasoning_evidence):
        shown = _SHOWN[able.reasoning_evidence]
        return f"require.reasoning {require.reasoning}: {model} shows {shown}"
    return None


def _needs_two_calls(able: Capabilities, require: RequiredEvidence) -> bool:
    """Return whether required evidence and a schema are impossible in one call."""
    if not require.search:
        return False
    cited_in_prose_only = require.grounding == "cited" and not able.citations_with_json
    return not able.tools_with_json or cited_in_prose_only


_REASONING = ("none", "tokens", "summary")
_SHOWN = {"none": "nothing of its thinking", "tokens": "no more of its thinking than its tokens"}
