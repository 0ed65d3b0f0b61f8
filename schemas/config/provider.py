"""Providers of models: address, protocol, limits, prices and capabilities."""

from datetime import date
from typing import Annotated, Literal

from pydantic import Field, model_validator

from schemas.calls import Effort, Reasoning
from schemas.record import Record

Dialect = Literal["openai_chat", "openai", "anthropic", "google"]


class TokenPrice(Record):
    """Prices of one model, in USD per million tokens.

    Attributes:
        input: Price of input tokens.
        output: Price of output tokens, including thinking.
        cached: Price of input tokens from the provider's prefix cache; default: the input price.
        cache_write: Price of input tokens written to that cache; default: the input price.
        search_input: Price of input tokens added by web search results; default: the input price.
        search: Price of 1,000 web searches by the provider; unknown by default.
        search_per: Whether ``search`` is the price of 1,000 searches or of 1,000 answers that used
            search.
        batch: Price of requests in a batch as a share of the token prices, such as 0.5; unknown by
            default.
    """

    input: Annotated[float, Field(ge=0)]
    output: Annotated[float, Field(ge=0)]
    cached: Annotated[float, Field(ge=0)] | None = None
    cache_write: Annotated[float, Field(ge=0)] | None = None
    search_input: Annotated[float, Field(ge=0)] | None = None
    search: Annotated[float, Field(ge=0)] | None = None
    search_per: Literal["search", "answer"] = "search"
    batch: Annotated[float, Field(ge=0, le=1)] | None = None


class OwnCapabilities(Record):
    """Capabilities of a model; each field that is set overrides the shipped table.

    Attributes:
        search: The provider can search the web itself.
        tools_with_json: Search and a schema work in one call.
        citations_with_json: Answers that follow a schema can contain citations.
        json_schema: The server enforces a schema.
        sampling: A temperature is accepted.
        sampling_while_thinking: A temperature is accepted in requests that ask the model to think.
        efforts: Levels of thinking that can be requested; empty if there is no such parameter.
        thinking_budget: Thinking is requested in tokens instead of levels.
        reasoning_evidence: Strongest evidence of the model's thinking that the provider reports.
        max_output: Maximum number of tokens of an answer, including thinking.
        background: Answers take minutes to an hour and are polled.
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
    """Limits of one model, in addition to those of its provider.

    Attributes:
        requests_per_minute: Maximum number of requests in any 60 s.
        tokens_per_minute: Maximum number of input and output tokens in any 60 s.
        max_in_flight: Maximum number of requests in flight.
        launch_delay_seconds: Minimum time between the starts of two requests.
    """

    requests_per_minute: Annotated[float, Field(gt=0)] | None = None
    tokens_per_minute: Annotated[float, Field(gt=0)] | None = None
    max_in_flight: Annotated[int, Field(ge=1, le=1024)] | None = None
    launch_delay_seconds: Annotated[float, Field(ge=0)] = 0.0


class Provider(Record):
    """An account or a server that answers calls.

    Attributes:
        dialect: Protocol of the server: ``openai`` (Responses), ``openai_chat`` (Chat Completions,
            as nearly every compatible server speaks), ``anthropic`` or ``google``.
        base_url: Address of the server with the API version: ``https://host/v1``.
        key_env: Environment variable of the key; not required for servers on this machine.
        requests_per_minute: Maximum number of requests in any 60 s.
        tokens_per_minute: Maximum number of input and output tokens in any 60 s.
        max_in_flight: Maximum number of requests in flight; answers in the background do not count.
        launch_delay_seconds: Minimum time between the starts of two requests.
        timeout_seconds: Maximum duration of one request; for background calls, the maximum wait for
            the answer.
        background: All models of the provider answer in the background, as deep research does;
            needs ``dialect: openai``.
        poll_seconds: Minimum time between two polls of a background answer or of a batch.
        models: Limits of individual models, by name.
        prices: Prices by model, of the standard service tier; they override the shipped table.
        capabilities: Capabilities of models, by name or pattern (``*``). Each field overrides the
            shipped table; an entry also permits a model that is not in the table.
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
"""Built-in providers, which need no definition."""
