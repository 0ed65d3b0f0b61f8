"""Providers: where models live, how to speak to them, and what they allow."""

from datetime import date
from typing import Annotated, Literal

from pydantic import Field, model_validator

from schemas.calls import Effort, Reasoning
from schemas.record import Record

Dialect = Literal["openai_chat", "openai", "anthropic", "google"]


class TokenPrice(Record):
    """What one model costs, in USD per million tokens.

    Attributes:
        output: Price of output tokens, thinking included.
        cached: Price of input tokens served from the provider's prefix cache; the input price
            where absent.
        cache_write: Price of input tokens written to that cache; the input price where absent.
        search: Price of 1,000 of the provider's own web searches; unknown where absent.
        search_per: What one of these is: each ``search``, or each ``answer`` that rests on any.
    """

    input: Annotated[float, Field(ge=0)]
    output: Annotated[float, Field(ge=0)]
    cached: Annotated[float, Field(ge=0)] | None = None
    cache_write: Annotated[float, Field(ge=0)] | None = None
    search: Annotated[float, Field(ge=0)] | None = None
    search_per: Literal["search", "answer"] = "search"


class OwnCapabilities(Record):
    """What the user says a model can do; what is absent is as the shipped table says.

    Attributes:
        search: The provider searches the web by itself when asked to.
        tools_with_json: Search and a schema work in one call.
        citations_with_json: Answers that follow a schema can carry citations.
        json_schema: The server holds answers to a schema.
        sampling: A temperature is accepted.
        sampling_while_thinking: Also in a request that asks the model to think.
        efforts: How much thinking can be asked for; empty if there is no such parameter.
        thinking_budget: Thinking is asked for in tokens, not in words.
        reasoning_evidence: The most that can be seen of the model's thinking.
        max_output: Highest number of tokens in one answer, thinking included.
        background: Answers take minutes to an hour and are asked for by polling.
        shutdown: Last day, in UTC, on which the model answers.
    """

    search: bool | None = None
    tools_with_json: bool | None = None
    citations_with_json: bool | None = None
    json_schema: bool | None = None
    sampling: bool | None = None
    sampling_while_thinking: bool | None = None
    efforts: tuple[Effort, ...] | None = None
    thinking_budget: bool | None = None
    reasoning_evidence: Reasoning | None = None
    max_output: Annotated[int, Field(ge=1)] | None = None
    background: bool | None = None
    shutdown: date | None = None


class ModelLimits(Record):
    """What one model allows; the limits of its provider hold beside."""

    requests_per_minute: Annotated[float, Field(gt=0)] | None = None
    tokens_per_minute: Annotated[float, Field(gt=0)] | None = None
    max_in_flight: Annotated[int, Field(ge=1, le=1024)] | None = None
    launch_delay_seconds: Annotated[float, Field(ge=0)] = 0.0


class Provider(Record):
    """One account or server that answers model calls.

    Attributes:
        key_env: Name of the environment variable that holds the key; may be absent for servers
            on the loopback interface.
        requests_per_minute: Highest number of requests started in any 60 s; no limit if absent.
        tokens_per_minute: Highest number of input and output tokens in any 60 s.
        max_in_flight: Highest number of requests under way at one time.
        launch_delay_seconds: Shortest time between two starts.
        timeout_seconds: Longest time one request may take in all; for an answer in the background
            the time from asking until it is given up.
        background: All its models answer in the background, as deep research does: they are asked
            once, and then looked at until they are done.
        poll_seconds: Shortest time between two such looks.
        models: Limits of single models by name, beside those of the provider.
        prices: Price per model name; it wins over the shipped table.
        capabilities: What models can do, by name or pattern (``*``); it wins over the shipped
            table field by field.
    """

    dialect: Dialect
    base_url: str
    key_env: str | None = None
    requests_per_minute: Annotated[float, Field(gt=0)] | None = None
    tokens_per_minute: Annotated[float, Field(gt=0)] | None = None
    max_in_flight: Annotated[int, Field(ge=1, le=1024)] = 8
    launch_delay_seconds: Annotated[float, Field(ge=0)] = 0.0
    timeout_seconds: Annotated[float, Field(gt=0)] = 600.0
    background: bool = False
    poll_seconds: Annotated[float, Field(gt=0)] = 10.0
    models: dict[str, ModelLimits] = {}
    prices: dict[str, TokenPrice] = {}
    capabilities: dict[str, OwnCapabilities] = {}

    @model_validator(mode="after")
    def _only_responses_have_a_background(self) -> "Provider":
        if self.dialect != "openai" and (
            self.background or any(own.background for own in self.capabilities.values())
        ):
            raise ValueError("background needs dialect: openai")
        return self


KNOWN: dict[str, Provider] = {
    "openai": Provider(
        dialect="openai", base_url="https://api.openai.com/v1", key_env="OPENAI_API_KEY"
    ),
    "openaidp": Provider(
        dialect="openai",
        base_url="https://api.openai.com/v1",
        key_env="OPENAI_API_KEY",
        timeout_seconds=3600.0,
        background=True,
    ),
    "openrouter": Provider(
        dialect="openai_chat",
        base_url="https://openrouter.ai/api/v1",
        key_env="OPENROUTER_API_KEY",
    ),
    "anthropic": Provider(
        dialect="anthropic", base_url="https://api.anthropic.com/v1", key_env="ANTHROPIC_API_KEY"
    ),
    "google": Provider(
        dialect="google",
        base_url="https://generativelanguage.googleapis.com/v1beta",
        key_env="GOOGLE_API_KEY",
    ),
}
"""Providers that a config may name without defining them."""
