"""Whether anybody listens at a provider's address."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from acm_workers.errors import RequestError
from acm_workers.providers.http import endpoints
from schemas.config.provider import Provider
from tests.support import silent_port


def provider(base_url: str) -> Provider:
    return Provider(dialect="openai_chat", base_url=base_url, key_env="K")


@pytest.fixture
def silent() -> Iterator[int]:
    """Yield a port that nobody listens at."""
    with silent_port.reserved() as port:
        yield port


def test_a_server_that_listens_is_no_trouble() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/v1"

        assert endpoints.connection_problem(provider(url)) is None


def test_a_port_that_nobody_listens_at_is_named(silent: int) -> None:
    url = f"http://127.0.0.1:{silent}/v1"

    assert endpoints.connection_problem(provider(url)) == f"127.0.0.1:{silent}: Connection refused"


def test_behind_a_proxy_the_proxy_has_to_listen(
    silent: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{silent}")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)

    found = endpoints.connection_problem(provider("https://models.example/v1"))

    proxy = f"127.0.0.1:{silent}, the proxy of models.example"
    assert found == f"{proxy}: Connection refused"


@pytest.mark.parametrize("text", [None, "", "no certificate"], ids=["missing", "empty", "other"])
def test_certificates_that_cannot_be_read_are_named_before_anything_is_asked(
    text: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "ca.pem"
    if text is not None:
        file.write_text(text)
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    endpoints.shared_tls_context.cache_clear()

    with pytest.raises(RequestError, match=f"^SSL_CERT_FILE: {file} holds no certificates"):
        endpoints.connection_problem(provider("https://models.example/v1"))
