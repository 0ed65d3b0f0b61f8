"""What `acm worker`, `acm api` and `acm flower` refuse: in one line, with what to do about it."""

from pathlib import Path

import pytest
from fastapi import FastAPI
from typer.testing import CliRunner

from acm_api.cli.main import app
from acm_api.http import server
from acm_workers import runtime
from acm_workers.errors import RequestError
from acm_workers.monitoring.health import HealthPublisher
from acm_workers.settings import Settings


def refused(*args: str) -> str:
    """Return why a command is refused."""
    done = CliRunner().invoke(app, list(args))
    assert isinstance(done.exception, RequestError), (done.output, done.exception)
    return str(done.exception)


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    for name in ("BROKER_URL", "DATABASE_URL", "API_TOKEN", "FLOWER_PASSWORD", "KEY_PREFIX"):
        monkeypatch.delenv(f"ACM_{name}", raising=False)
    monkeypatch.setenv("ACM_HOME", str(tmp_path))


def test_a_worker_that_is_to_serve_nothing() -> None:
    assert "choose what to serve: --all, --provider NAME, " in refused("worker")


@pytest.mark.parametrize("option", ["--provider", "--queues", "--name"])
def test_names_that_would_be_taken_apart(option: str) -> None:
    assert "cannot be a name" in refused("worker", "--all", option, "al pha")


@pytest.mark.parametrize(
    ("queue", "near"), [("bogus", ""), ("judg.east", "did you mean judge.east?")]
)
def test_a_worker_for_a_queue_that_nobody_ever_sends_to(queue: str, near: str) -> None:
    told = refused("worker", "--queues", f"control,{queue}")

    assert f'"{queue}" is not a queue' in told
    assert "control, generate.NAME, judge.NAME or poll.NAME" in told
    assert near in told


def test_a_worker_without_a_broker() -> None:
    assert "ACM_BROKER_URL is not set" in refused("worker", "--all")


@pytest.mark.parametrize("store", [None, "sqlite:////tmp/acm.db"])
def test_a_worker_with_sqlite(monkeypatch: pytest.MonkeyPatch, store: str | None) -> None:
    monkeypatch.setenv("ACM_BROKER_URL", "redis://127.0.0.1:1/0")
    if store is not None:
        monkeypatch.setenv("ACM_DATABASE_URL", store)

    assert "SQLite is one machine's" in refused("worker", "--all")


def test_workers_are_not_to_be_shown_where_there_can_be_none() -> None:
    assert "ACM_BROKER_URL is not set" in refused("status", "--workers")


def test_a_health_port_that_somebody_has() -> None:
    first = HealthPublisher(port=0)
    assert first.port is not None
    try:
        with pytest.raises(RequestError, match="health port"):
            HealthPublisher(port=first.port)
    finally:
        first.close()


@pytest.mark.parametrize(
    "host",
    ["0.0.0.0", "::", "::1f", "127.0.0.1.example", "127.example", "localhost.example"],  # noqa: S104
)
def test_metrics_for_other_machines_without_a_token(host: str) -> None:
    assert "set ACM_API_TOKEN" in refused("api", "--host", host)


def test_on_another_address_a_server_without_users_says_that_it_serves_no_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    runtime.open_store(Settings(home=tmp_path)).close()
    served: list[FastAPI] = []
    monkeypatch.setattr(server, "serve", lambda made, *_others: served.append(made))
    monkeypatch.setenv("ACM_API_TOKEN", "a-token-of-sixteen-or-more")
    monkeypatch.setenv("ACM_CORS_ORIGINS", "https://app.example")

    # An address of loopback that is not written like one.
    done = CliRunner().invoke(app, ["api", "--host", "0x7f.1", "--port", "0"])

    assert (done.exit_code, len(served)) == (0, 1), done.output
    assert "only health and metrics are served" in done.stderr
    assert "acm users add NAME" in done.stderr
    assert served[0].openapi_url is None
    assert served[0].openapi()["paths"] == {}


@pytest.mark.parametrize(
    "origin",
    [
        "app.example",
        "https://app.example/",
        "https://app.example:443",
        "HTTPS://app.example",
        "https://App.example",
        "https://ann@app.example",
        "https://app.example:port",
        "https://",
        "file://app.example",
        "null",
    ],
)
def test_an_origin_that_no_browser_sends(origin: str) -> None:
    told = refused("api", "--cors-origin", "http://localhost:3000", "--cors-origin", origin)

    assert told.endswith(f"such as https://app.example or http://localhost:3000, not {origin}")


@pytest.mark.parametrize("origin", ["*", "https://*.example"])
def test_origins_of_strangers(origin: str) -> None:
    assert f"{origin} would allow pages of any site" in refused("api", "--cors-origin", origin)


def test_pages_elsewhere_where_nobody_has_a_key() -> None:
    assert "--cors-origin needs users" in refused("api", "--cors-origin", "http://[::1]:3000")


def test_a_token_that_could_be_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACM_API_TOKEN", "short")

    assert "ACM_API_TOKEN is too short" in refused("api")


def test_flower_without_a_broker_or_for_other_machines_without_a_password(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert "set ACM_FLOWER_PASSWORD" in refused("flower", "--host", "0.0.0.0")  # noqa: S104
    assert "ACM_BROKER_URL is not set" in refused("flower")
    monkeypatch.setenv("ACM_FLOWER_PASSWORD", "one,two,three")
    assert "comma" in refused("flower")
