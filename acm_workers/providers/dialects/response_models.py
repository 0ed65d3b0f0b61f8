"""Types for reading responses of all dialects, which tolerate missing and wrong fields."""

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from acm_workers.errors import AcmError, AnswerCutOff, AnswerRefused, ProviderUnavailable
from acm_workers.providers.http import failures, redaction
from acm_workers.providers.http.responses import ProviderResponse, storable
from schemas.calls import Usage


class ResponseModel(BaseModel):
    """A part of a response; unknown fields are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class CamelCaseModel(ResponseModel):
    """A part of a response with names such as ``finishReason``."""

    model_config = ConfigDict(alias_generator=to_camel)


def _count(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 2**31:
        return None
    return int(value)


def _money(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e6:
        return None
    return float(value)


def _object(value: Any) -> Any:
    return value if isinstance(value, dict) else {}


def _objects(value: Any) -> list[Any]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _places(value: Any) -> list[Any]:
    found = value if isinstance(value, list) else []
    return [item if isinstance(item, dict) else {} for item in found]


def _counts(value: Any) -> list[int]:
    counts = map(_count, value if isinstance(value, list) else ())
    return [count for count in counts if count is not None]


def _string(value: Any) -> str | None:
    return storable(value) if isinstance(value, str) else None


def _strings(value: Any) -> list[str]:
    return (
        [storable(one) for one in value if isinstance(one, str)] if isinstance(value, list) else []
    )


_STANDARD_TIERS = ("", "default", "standard", "auto", "unspecified")
"""Names of the service tier of requests without a chosen tier."""


def _tier(value: Any) -> str | None:
    if not isinstance(value, str):
        return None
    name = storable(value).strip().lower().removeprefix("service_tier_")[:_MAX_TIER]
    return None if name in _STANDARD_TIERS else name


# An invalid value becomes an empty one: a billed answer is not lost because of a field beside it.
Count = Annotated[int | None, BeforeValidator(_count)]
Counts = Annotated[tuple[int, ...], BeforeValidator(_counts)]
Money = Annotated[float | None, BeforeValidator(_money)]
String = Annotated[str | None, BeforeValidator(_string)]
Tier = Annotated[str | None, BeforeValidator(_tier)]
Strings = Annotated[tuple[str, ...], BeforeValidator(_strings)]
Object = BeforeValidator(_object)
Objects = BeforeValidator(_objects)
Places = BeforeValidator(_places)

Part = TypeVar("Part", bound=ResponseModel)

_MAX_REASON = _MAX_TIER = 64


def failed(response: ProviderResponse, error: Any, usage: Usage) -> AcmError:
    """Return the error for a response that has an error object in spite of its status."""
    return costing(failures.failure(response, error), usage)


def costing(error: AcmError, usage: Usage) -> AcmError:
    """Return ``error`` with ``usage`` attached, if the server counted anything."""
    if usage.input_tokens is not None or usage.output_tokens is not None:
        error.usage = usage
    return error


def stopped(
    response: ProviderResponse, reason: str | None, usage: Usage, text: str = ""
) -> AcmError:
    """Return the error for an answer that a filter of the provider stopped.

    The same request would most likely be stopped again, and billed again.

    Args:
        reason: The provider's name of the reason.
        text: The answer up to that point.
    """
    named = f" ({reason[:_MAX_REASON]})" if reason else ""
    said = f"{response.provider}: a filter of the provider stopped the answer{named}"
    error = AnswerRefused(redaction.without_key_like(said), response.status, storable(text) or None)
    return _ended(error, usage)


def overfull(response: ProviderResponse, usage: Usage, text: str = "") -> AcmError:
    """Return the error for an answer that ended because the model's context window was full.

    A larger token budget does not help.
    """
    said = f"{response.provider}: question and answer together are too long for this model"
    return _ended(AnswerCutOff(said, response.status, storable(text) or None), usage)


def read(part: type[Part], response: ProviderResponse) -> Part:
    """Return the body of ``response`` as ``part``.

    Raises:
        ProviderUnavailable: The body has another shape, such as an error page of a gateway.
    """
    try:
        return part.model_validate(response.body)
    except ValidationError as error:
        raise ProviderUnavailable(
            f"{response.provider}: not an answer of the API", status=response.status
        ) from error


def _ended(error: AcmError, usage: Usage) -> AcmError:
    """Return the error of an answer that a model worked on."""
    error = costing(error, usage)
    error.maybe_billed = error.usage is None
    return error
