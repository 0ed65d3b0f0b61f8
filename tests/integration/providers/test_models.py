"""The free question for models tells a wrong key, a wrong path and an unknown model apart."""

from collections.abc import Iterator

import pytest

from acm_workers.errors import ProviderPaused, ProviderRejected
from acm_workers.providers import models
from schemas.config.provider import Dialect, Provider
from tests.support import simulator as simulators
from tests.support.simulator import Simulator

_DIALECTS: list[Dialect] = ["openai", "openai_chat", "anthropic", "google"]

pytestmark = pytest.mark.usefixtures("closed")


@pytest.fixture(scope="module")
def simulator() -> Iterator[Simulator]:
    with simulators.running(latency_s=0.0) as running:
        yield running


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODELS_KEY", "a-valid-key")


def provider(simulator: Simulator, dialect: Dialect, base_url: str | None = None) -> Provider:
    usual = simulator.google_url if dialect == "google" else simulator.url
    return Provider(dialect=dialect, base_url=base_url or usual, key_env="MODELS_KEY")


@pytest.mark.parametrize("dialect", _DIALECTS)
def test_models_that_a_provider_does_not_know_are_told(
    simulator: Simulator, dialect: Dialect
) -> None:
    wanted = ["sim-small", "any/alias", "m1@nonsense"]

    found = models.find(provider(simulator, dialect), "alpha", wanted)

    assert found.known == ["sim-small", "sim-large", "sim-think"]
    assert found.unknown == ["m1@nonsense"]


@pytest.mark.parametrize("dialect", _DIALECTS)
def test_a_wrong_key_is_told_by_its_variable(
    simulator: Simulator, dialect: Dialect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODELS_KEY", "invalid")

    with pytest.raises(ProviderPaused, match="the key in MODELS_KEY is refused"):
        models.find(provider(simulator, dialect), "alpha", ["sim-small"])


@pytest.mark.parametrize("dialect", _DIALECTS)
@pytest.mark.parametrize("path", ["", "/v1/chat/completions", "/v1/"])
def test_a_wrong_path_is_told_with_the_right_one(
    simulator: Simulator, dialect: Dialect, path: str
) -> None:
    wrong = provider(simulator, dialect, simulator.root + path)

    if path == "/v1/":
        assert models.find(wrong, "alpha", []).known
        return
    with pytest.raises(ProviderRejected, match=f"its models are at {simulator.root}/v1"):
        models.find(wrong, "alpha", [])


def test_an_address_where_nothing_is_names_no_other(simulator: Simulator) -> None:
    nowhere = provider(simulator, "openai_chat", simulator.root + "/elsewhere")

    with pytest.raises(ProviderRejected, match=r"no list of models at .*/elsewhere/models"):
        models.find(nowhere, "alpha", [])
