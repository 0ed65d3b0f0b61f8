"""Lists a provider's models with a free request, which reveals a wrong key, path or model."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

from acm_workers.errors import ProviderPaused, ProviderRejected
from acm_workers.providers.http import endpoints, failures, transport
from acm_workers.providers.http.responses import ProviderResponse
from schemas.config.provider import Provider

_TIMEOUT_S = 20.0
_MAX_PAGES = 20
_HEADERS = {"anthropic": {"anthropic-version": "2023-06-01"}}

_PAGE = {"anthropic": "models?limit=1000", "google": "models?pageSize=1000"}
_NEXT = {"anthropic": "&after_id=", "google": "&pageToken="}
_NO_SUCH_MODEL = (400, 403, 404)


class FoundModels(NamedTuple):
    """The models of a provider.

    Attributes:
        known: Names in its list.
        unknown: The required models that the provider does not have.
    """

    known: list[str]
    unknown: list[str]


def find(provider: Provider, name: str, wanted: Sequence[str]) -> FoundModels:
    """Ask a provider for its models.

    Args:
        name: The provider's name in the config.
        wanted: Names of models to look for.

    Raises:
        ProviderPaused: The provider refuses the key.
        ProviderRejected: There is no list of models at its address.
        TransientError: The provider cannot answer now.
        RequestError: The key is missing.
    """
    provider = provider.model_copy(
        update={"timeout_seconds": min(provider.timeout_seconds, _TIMEOUT_S)}
    )
    if endpoints.is_openrouter(provider.base_url):  # anybody may read its list of models
        _checked(_get(provider, name, "key"), provider)
    known = _listed(provider, name)
    if endpoints.is_azure(provider.base_url):  # requests name deployments, which it does not list
        return FoundModels(known, [])
    missing = [model for model in wanted if not _is_listed(provider, model, known)]
    return FoundModels(known, [one for one in missing if not _exists(provider, name, one)])


def other_addresses(base_url: str) -> list[str]:
    """Return addresses that a user probably meant by an address without a list of models."""
    base = base_url.rstrip("/")
    whole = re.match(r"(https?://[^?#]*?/v1(beta)?)/", base)
    return [whole[1]] if whole else [f"{base}/v1", f"{base}/v1beta", f"{base}/api/v1"]


def _listed(provider: Provider, name: str) -> list[str]:
    names: list[str] = []
    path = _PAGE.get(provider.dialect, "models")
    after = ""
    for _ in range(_MAX_PAGES):
        response = _get(provider, name, path + after)
        found = _names(response)
        if found is None:
            if response.status not in (200, 404, 405):
                _checked(response, provider)
            raise _no_list(provider, name, response.status)
        names += found
        following = _following(response.body)
        if following is None:
            break
        after = _NEXT.get(provider.dialect, "&after=") + quote(following, safe="")
    return names


def _names(response: ProviderResponse) -> list[str] | None:
    """Return the names in a list of models; None if the response is not such a list."""
    body = response.body
    if response.status != 200 or not isinstance(body, dict):
        return None
    for field, key in (("data", "id"), ("models", "name")):
        entries = body.get(field)
        if isinstance(entries, list):
            named = [entry.get(key) for entry in entries if isinstance(entry, dict)]
            return [one.removeprefix("models/") for one in named if isinstance(one, str)]
    return None


def _following(body: Any) -> str | None:
    token = body.get("last_id") if body.get("has_more") is True else body.get("nextPageToken")
    return token if isinstance(token, str) and token else None


def _no_list(provider: Provider, name: str, status: int) -> ProviderRejected:
    for base_url in other_addresses(provider.base_url):
        other = provider.model_copy(update={"base_url": base_url})
        if _names(_get(other, name, "models")) is not None:
            return ProviderRejected(f"base_url is wrong: its models are at {base_url}", status)
    return ProviderRejected(
        f"no list of models at {provider.base_url}/models (HTTP {status}): base_url is probably"
        " wrong, unless this server has no such list",
        status,
    )


def _is_listed(provider: Provider, model: str, known: list[str]) -> bool:
    names = {model, model.removeprefix("models/"), f"{model}:latest"}  # Ollama's default tag
    if endpoints.is_openrouter(provider.base_url):
        names.add(model.partition(":")[0])  # such as :online
    return not names.isdisjoint(known)


def _exists(provider: Provider, name: str, model: str) -> bool:
    """Return whether a provider knows a model that it does not list, such as an alias."""
    path = f"models/{quote(model.removeprefix('models/'), safe='/')}"
    response = _get(provider, name, path)
    if response.status in _NO_SUCH_MODEL:
        return False
    _checked(response, provider)
    return True


def _get(provider: Provider, name: str, path: str) -> ProviderResponse:
    return transport.get(provider, name, path, _HEADERS.get(provider.dialect, {}))


def _checked(response: ProviderResponse, provider: Provider) -> None:
    """Raise unless a response is a success.

    Raises:
        ProviderPaused: The key is refused; the error names its variable.
        AcmError: See ``failures.check``.
    """
    if 200 <= response.status < 300:
        return
    error = failures.failure(response, failures.error_object(response.body))
    paused = isinstance(error, ProviderPaused) and response.status == 400  # Google
    if paused or response.status in (401, 403):
        key = "a key is demanded (key_env names its variable)"
        if provider.key_env is not None:
            key = f"the key in {provider.key_env} is refused"
        raise ProviderPaused(f"{key}: {error}", response.provider, response.status)
    raise error
