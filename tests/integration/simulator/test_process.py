"""The simulator as a process: background responses, batches, TLS and its command line."""

import json
import shutil
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support import simulated
from tests.support.project import PATIENCE_S, wait_until
from tests.support.simulated import Wanted
from tests.support.simulator import Simulator, running


@pytest.fixture(scope="module")
def simulator() -> Iterator[Simulator]:
    with running(latency_s=0, background_latency_s=0.3) as started:
        yield started


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    with httpx.Client(trust_env=False, timeout=PATIENCE_S) as opened:
        yield opened


def ask(client: httpx.Client, simulator: Simulator, model: str) -> httpx.Response:
    request = simulated.arrived("openai_chat", Wanted(model=model))
    return client.post(simulator.root + request.path, content=request.body)


def test_responses_are_polled_and_cancelled_over_http(client: httpx.Client) -> None:
    with running(latency_s=0, background_latency_s=0.2) as simulator:
        url = f"{simulator.url}/responses"
        # The second one stays in the queue until it is cancelled.
        first, second = (
            client.post(url, json={"model": model, "input": "Write.", "background": True})
            for model in ("m1", "m1@O19")
        )
        cancelled = client.post(f"{url}/{second.json()['id']}/cancel").json()
        this = f"{url}/{first.json()['id']}"
        wait_until(lambda: client.get(this).json()["status"] == "completed")
        again = client.get(this).json()
        missing = client.get(f"{url}/resp_0")
        stats = simulator.stats()

    assert cancelled["status"] == "cancelled"
    assert first.json()["status"] in {"queued", "in_progress"}
    assert again["status"] == "completed"
    assert missing.status_code == 404
    assert (stats["background"]["submitted"], stats["background"]["cancels"]) == (2, 1)
    assert stats["background"]["polls"] >= 2
    assert stats["requests"] == 2


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        ("", [("a", "succeeded"), ("b", "succeeded")]),
        ("@A21.errored", [("a", "errored"), ("b", "succeeded")]),
        ("@A21.expired", [("a", "expired"), ("b", "succeeded")]),
        ("@A21.canceled", [("a", "canceled"), ("b", "succeeded")]),
        ("@A21.order", [("b", "succeeded"), ("a", "succeeded")]),
        ("@A21.duplicate", [("a", "succeeded"), ("b", "succeeded"), ("a", "succeeded")]),
    ],
)
def test_a21_hits_single_requests_of_a_batch(
    simulator: Simulator, client: httpx.Client, fault: str, expected: list[tuple[str, str]]
) -> None:
    turns = [{"role": "user", "content": "Hi"}]
    params = {"model": "m1" + fault, "max_tokens": 100, "messages": turns}
    body = {"requests": [{"custom_id": name, "params": params} for name in ("a", "b")]}
    url, headers = f"{simulator.url}/messages/batches", {"anthropic-version": "2026-10-21"}
    batch = client.post(url, json=body, headers=headers).json()

    def shown(key: str) -> str:
        return str(client.get(f"{url}/{batch['id']}").json()[key])

    wait_until(lambda: shown("processing_status") == "ended")
    results = [json.loads(line) for line in client.get(shown("results_url")).text.splitlines()]

    assert batch["processing_status"] == "in_progress"
    assert [(each["custom_id"], each["result"]["type"]) for each in results] == expected


def test_it_speaks_tls_with_a_certificate(tmp_path: Path) -> None:
    assert shutil.which("openssl"), "install openssl: it makes the certificate"
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-days", "1", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
         "-keyout", str(key), "-out", str(cert)],
        check=True, capture_output=True, timeout=PATIENCE_S,
    )  # fmt: skip
    trusting = ssl.create_default_context(cafile=str(cert))

    with running(latency_s=0, tls_cert=cert, tls_key=key) as simulator:
        with httpx.Client(trust_env=False, verify=trusting, timeout=PATIENCE_S) as client:
            answer = ask(client, simulator, "m1")
            with pytest.raises(httpx.TransportError):
                ask(client, simulator, "m1@T5")
        with (
            httpx.Client(trust_env=False, timeout=PATIENCE_S) as doubting,
            pytest.raises(httpx.ConnectError, match="certificate"),
        ):
            ask(doubting, simulator, "m1")
        stats = simulator.stats()

    assert simulator.url.startswith("https://")
    assert answer.status_code == 200
    assert stats["requests"] == 2


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        (["--list-faults"], 0, "C7   an additional criterion"),
        (["--help"], 0, "--faults NUMBER,..."),
        (["--faults", "C7,C99"], 2, "there is no fault C99; did you mean C9?"),
        (["--faults", "T1"], 2, "no HTTP server can do T1"),
        (["--tls-key", "key.pem"], 2, "a certificate and a key are needed together"),
        (["--tls-key", "key.pem", "--tls-cert", "none.pem"], 1, "simulator: "),
    ],
)
def test_the_command_line_says_what_it_can_do_and_what_it_cannot(
    options: list[str], code: int, says: str
) -> None:
    command = [sys.executable, "-m", "acm_workers.simulator", *options]

    ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)

    assert ended.returncode == code
    assert says in ended.stdout + ended.stderr


def test_a_port_that_somebody_has_is_told_with_the_option_for_another(simulator: Simulator) -> None:
    port = simulator.root.rpartition(":")[2]
    command = [sys.executable, "-m", "acm_workers.simulator", "--port", port]

    refused = subprocess.run(command, capture_output=True, text=True, check=False)

    assert refused.returncode == 1
    assert refused.stderr == (
        f"simulator: port {port} of 127.0.0.1 is taken; --port N names another, 0 any free one\n"
    )
