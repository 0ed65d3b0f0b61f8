"""The list of models, in the form of whoever seems to ask."""

from typing import Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

_NAMES: Final = ("sim-small", "sim-large", "sim-think")
_CREATED: Final = 1_700_000_000


def listed(request: Request) -> Response:
    """List the models by which a newcomer may begin; any other name works too."""
    if "x-goog-api-key" in request.headers or request.url.path.startswith("/v1beta/"):
        return JSONResponse({"models": [_as_google(name) for name in _NAMES]})
    if "anthropic-version" in request.headers:
        data = [_as_anthropic(name) for name in _NAMES]
        ends = {"first_id": _NAMES[0], "last_id": _NAMES[-1], "has_more": False}
        return JSONResponse({"data": data, **ends})
    return JSONResponse({"object": "list", "data": [_as_openai(name) for name in _NAMES]})


def _as_openai(name: str) -> dict[str, object]:
    return {"id": name, "object": "model", "created": _CREATED, "owned_by": "simulator"}


def _as_anthropic(name: str) -> dict[str, object]:
    created = "2023-11-14T22:13:20Z"
    return {"id": name, "type": "model", "display_name": name, "created_at": created}


def _as_google(name: str) -> dict[str, object]:
    methods = ["generateContent"]
    return {
        "name": f"models/{name}",
        "displayName": name,
        "supportedGenerationMethods": methods,
    }
