"""The form of a judge's call: how an answer in JSON is asked for; pure."""

from typing import Literal

from acm_workers.providers.catalog.capabilities import Capabilities
from schemas.calls import Parameter
from schemas.config.variant import JsonMode, RequiredEvidence

Form = Literal["schema", "prompt", "two_stages"]
"""``schema``: one call whose answer the server holds to a JSON schema. ``prompt``: one call, and
only the prompt asks for JSON. ``two_stages``: prose without a schema first, with search where it
is required; then another model puts it into JSON, with a schema and without tools."""

_NEEDS_SCHEMA = "json: true wants answers held to a schema, and {} takes none"
_NEEDS_BOTH = "{} cannot search and follow a schema in one call"
_WAYS_OUT = "; name a model in jsonify that puts its prose into JSON, or set json: false"


def form(mode: JsonMode, able: Capabilities, require: RequiredEvidence) -> Form:
    """Return the form of a call to a model that is ``able`` and must ``require`` evidence.

    ``False`` never sends a schema, ``True`` always does, in the second stage if need be; ``auto``
    does wherever one call can do both, and where two stages can do what one cannot.
    """
    if mode is False:
        return "prompt"
    if not able.json_schema:
        return "two_stages" if mode is True or _apart(able, require) else "prompt"
    return "two_stages" if _apart(able, require) else "schema"


def without_jsonify(found: Form, mode: JsonMode, *, learned: bool) -> Form | None:
    """Return what becomes of a form where no ``jsonify`` model is named; None if nothing can.

    Args:
        learned: That two stages are needed was not known before the model refused one.
    """
    if found != "two_stages":
        return found
    return "prompt" if mode == "auto" and learned else None


def learned(able: Capabilities, refused: Parameter) -> Capabilities:
    """Return what a model is able to after it ``refused`` a request for that reason."""
    if refused == "json_schema":
        return able.model_copy(update={"json_schema": False})
    if refused == "search_with_schema":
        return able.model_copy(update={"tools_with_json": False})
    return able


def refusal(
    mode: JsonMode, able: Capabilities, require: RequiredEvidence, model: str
) -> str | None:
    """Return why a call cannot be made without a ``jsonify`` model, for people; None if it can."""
    if form(mode, able, require) != "two_stages":
        return None
    problem = _NEEDS_BOTH if _apart(able, require) else _NEEDS_SCHEMA
    return problem.format(model) + _WAYS_OUT


def unreachable(able: Capabilities, require: RequiredEvidence, model: str) -> str | None:
    """Return which required evidence a model can never give, for people; None if it can."""
    if require.search and not able.search:
        return f"require.grounding {require.grounding}: {model} has no web search of its own"
    if _REASONING.index(require.reasoning) > _REASONING.index(able.reasoning_evidence):
        shown = _SHOWN[able.reasoning_evidence]
        return f"require.reasoning {require.reasoning}: {model} shows {shown}"
    return None


def _apart(able: Capabilities, require: RequiredEvidence) -> bool:
    """Return whether what is required and a schema must be asked for in two calls."""
    if not require.search:
        return False
    cited_in_prose_only = require.grounding == "cited" and not able.citations_with_json
    return not able.tools_with_json or cited_in_prose_only


_REASONING = ("none", "tokens", "summary")
_SHOWN = {"none": "nothing of its thinking", "tokens": "no more of its thinking than its tokens"}
