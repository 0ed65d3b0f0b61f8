"""What the readers of all dialects share: tolerance for what servers leave out or get wrong."""

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from acm_workers.errors import AcmError, AnswerCutOff, AnswerRefused, ProviderUnavailable
from acm_workers.providers.http import classify, error_bodies, transport
from acm_workers.providers.http.answers import Answer, storable
from schemas.calls import Usage
from schemas.config.provider import Provider


class ResponseModel(BaseModel):
    """Part of an answer; fields we do not know are left out."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class CamelCaseModel(ResponseModel):
    """The same where names are written so: ``finishReason``."""

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


# A paid answer is not thrown away because a field beside its text is broken.
Count = Annotated[int | None, BeforeValidator(_count)]
Counts = Annotated[tuple[int, ...], BeforeValidator(_counts)]
Money = Annotated[float | None, BeforeValidator(_money)]
String = Annotated[str | None, BeforeValidator(_string)]
Strings = Annotated[tuple[str, ...], BeforeValidator(_strings)]
Object = BeforeValidator(_object)
Objects = BeforeValidator(_objects)
Places = BeforeValidator(_places)

Part = TypeVar("Part", bound=ResponseModel)

_LONGEST_REASON = 64


def ask(
    provider: Provider,
    name: str,
    path: str,
    body: dict[str, Any],
    client_request_id: str,
    headers: Mapping[str, str] | None = None,
) -> Answer:
    """Return the successful answer to ``body``.

    Raises:
        AcmError: See ``transport.post`` and ``classify.check``.
    """
    sent = {"X-Client-Request-Id": client_request_id, **(headers or {})}
    answer = transport.post(provider, name, path, body, sent)
    classify.check(answer)
    return answer


def failed(answer: Answer, error: Any, usage: Usage) -> AcmError:
    """Return what to raise for an error in the dress of a success, with what it cost."""
    return costing(classify.failure(answer, error), usage)


def costing(error: AcmError, usage: Usage) -> AcmError:
    """Return ``error`` with what it cost, if the server counted anything."""
    if usage.input_tokens is not None or usage.output_tokens is not None:
        error.usage = usage
    return error


def stopped(answer: Answer, reason: str | None, usage: Usage, text: str = "") -> AcmError:
    """Return what to raise for an answer that a filter of the provider stopped.

    The same question would most likely be stopped again, and is paid each time.

    Args:
        reason: What the provider calls the reason.
        text: What came before the filter stopped it.
    """
    named = f" ({reason[:_LONGEST_REASON]})" if reason else ""
    said = f"{answer.provider}: a filter of the provider stopped the answer{named}"
    error = AnswerRefused(error_bodies.redacted(said), answer.status, storable(text) or None)
    return _ended(error, usage)


def overfull(answer: Answer, usage: Usage, text: str = "") -> AcmError:
    """Return what to raise for an answer for whose end the model's window had no room.

    A larger token budget does not make more of it.
    """
    said = f"{answer.provider}: question and answer together are too long for this model"
    return _ended(AnswerCutOff(said, answer.status, storable(text) or None), usage)


def read(part: type[Part], answer: Answer) -> Part:
    """Return the body of ``answer`` as ``part``.

    Raises:
        ProviderUnavailable: It has another shape, as error pages of gateways do.
    """
    try:
        return part.model_validate(answer.body)
    except ValidationError as error:
        raise ProviderUnavailable(
            f"{answer.provider}: not an answer of the API", status=answer.status
        ) from error


def _ended(error: AcmError, usage: Usage) -> AcmError:
    """Return the error of an answer that a model worked on, whatever was counted."""
    error = costing(error, usage)
    error.maybe_billed = error.usage is None
    return error
