"""Which hosts receive a key: what a client without keys may have a worker send."""

import pytest

from acm_workers.errors import ProviderRejected, RequestError
from acm_workers.providers.http import endpoints, key_hosts
from schemas.config.provider import KNOWN, Provider

THERE = "https://evil.example/v1"
ALLOWED = {"ACM_KEY_HOSTS": "ALPHA_KEY=api.alpha.com, 10.0.0.5:8080; OPENAI_API_KEY=proxy.example"}


def provider(key_env: str, base_url: str = THERE) -> Provider:
    return Provider(dialect="openai_chat", base_url=base_url, key_env=key_env)


@pytest.mark.parametrize(
    "asked",
    [
        provider("ALPHA_KEY"),
        provider("ALPHA_KEY", "https://api.alpha.com.evil.example/v1"),
        provider("ALPHA_KEY", "https://evil.example/api.alpha.com"),
        provider("ALPHA_KEY", "https://evil.example#api.alpha.com"),
        provider("ALPHA_KEY", "https://api.alpha.com@evil.example/v1"),
        provider("ALPHA_KEY", "https://evil.example\\@api.alpha.com/v1"),
        provider("ALPHA_KEY", "https://evil.example%2f.api.alpha.com/v1"),
        provider("ALPHA_KEY", "http://10.0.0.5:9090/v1"),
        provider("ALPHA_KEY", "http://10.0.0.5/v1"),
        provider("ALPHA_KEY", "http://127.0.0.1:1/v1"),
        provider("BETA_KEY"),
        provider("BETA_KEY", "http://127.0.0.1.evil.example/v1"),
        provider("OPENAI_API_KEY"),
        provider("OPENAI_API_KEY", "http://127.0.0.1:1/v1"),
        provider("OPENAI_API_KEY", "https://api.anthropic.com/v1"),
        provider("ANTHROPIC_API_KEY", "https://proxy.example/v1"),
        provider("GOOGLE_API_KEY"),
        provider("ACM_DATABASE_URL", "http://127.0.0.1:1/v1"),
        provider("acm_api_token"),
        provider("ACM_API_KEY", "https://api.openai.com/v1"),
        provider("AWS_SECRET_ACCESS_KEY"),
        provider("PGPASSWORD", "http://127.0.0.1:1/v1"),
        provider("HOME"),
    ],
    ids=str,
)
def test_worker_sends_a_client_no_secret(asked: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACM_BROKER_URL", "redis://127.0.0.1:1/0")
    monkeypatch.setenv("ACM_KEY_HOSTS", ALLOWED["ACM_KEY_HOSTS"])
    monkeypatch.setenv(asked.key_env or "", "a-secret-value")

    with pytest.raises(ProviderRejected, match=asked.key_env) as caught:
        endpoints.api_key(asked, "alpha")

    assert "a-secret-value" not in str(caught.value)


@pytest.mark.parametrize(
    "asked",
    [
        *KNOWN.values(),
        provider("ALPHA_KEY", "https://API.alpha.com/v1"),
        provider("ALPHA_KEY", "http://api.alpha.com:81/v1"),
        provider("ALPHA_KEY", "http://10.0.0.5:8080/v1"),
        provider("OPENAI_API_KEY", "https://proxy.example/v1"),
        provider("BETA_KEY", "http://127.0.0.1:8077/v1"),
        provider("BETA_KEY", "http://[::1]:8077/v1"),
    ],
    ids=str,
)
def test_worker_sends_keys_to_the_hosts_that_its_machine_allows(asked: Provider) -> None:
    assert key_hosts.refusal(asked, ALLOWED, shared=True) is None


@pytest.mark.parametrize("variable", ["ALPHA_KEY", "HUB_TOKEN"])
def test_own_configs_may_name_any_key_for_any_host(variable: str) -> None:
    assert key_hosts.refusal(provider(variable), {}) is None


@pytest.mark.parametrize("variable", ["OPENAI_API_KEY", "PGPASSWORD", "ACM_API_KEY"])
def test_own_configs_send_no_other_secret(variable: str) -> None:
    refused = key_hosts.refusal(provider(variable), {})

    assert refused is not None
    assert variable in refused


def test_refusal_names_the_setting_that_allows_the_host() -> None:
    asked = provider("OPENAI_API_KEY")
    refused = key_hosts.refusal(asked, {}) or ""
    setting = refused.split("; ")[1].split(" ")[0]

    assert setting == "ACM_KEY_HOSTS=OPENAI_API_KEY=evil.example"
    assert key_hosts.refusal(asked, {"ACM_KEY_HOSTS": setting.partition("=")[2]}) is None


@pytest.mark.parametrize("text", ["ALPHA_KEY", "=a.example", "ALPHA_KEY=", "A_KEY=https://a.b/c"])
def test_setting_that_cannot_be_read_allows_nothing(text: str) -> None:
    with pytest.raises(RequestError, match="ACM_KEY_HOSTS"):
        key_hosts.refusal(provider("ALPHA_KEY"), {"ACM_KEY_HOSTS": text})
