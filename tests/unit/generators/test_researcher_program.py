"""The child program of GPT Researcher, as far as it goes without GPT Researcher."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from acm_workers.errors import ChildFailed
from acm_workers.generators import researcher as researcher_requests
from acm_workers.generators.children import installation, researcher
from acm_workers.processes import child
from acm_workers.processes.spec import ChildEnd, ChildSpec

REQUEST = {"kind": "gptr", "query": "canal locks", "model": "m1"}
SETTINGS = {
    "OPENAI_API_KEY": "token",
    "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
    "RETRIEVER_ENDPOINT": "http://127.0.0.1:9/search",
    "TIKTOKEN_CACHE_DIR": "/nowhere",
}


def run(folder: Path, request: dict[str, Any], environment: dict[str, str]) -> ChildEnd:
    program = installation.ResearcherInstallation(folder).command[-1]
    return child.run(
        ChildSpec(
            argv=(sys.executable, "-I", "-S", program),
            environment=environment,
            folder=folder,
            request=request,
            soft_deadline_s=60,
        )
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "fpf"}, "the request has no kind, which is gptr, dr or ma"),
        ({"query": " "}, "the request has no query"),
        ({"model": None}, "the request has no model"),
    ],
)
def test_a_request_that_lacks_something_ends_with_code_2(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    end = run(tmp_path, {**REQUEST, **change}, SETTINGS)

    assert end.result is not None
    assert (end.exit_code, end.result["code"], end.result["message"]) == (2, "bad_request", message)


def test_a_missing_setting_is_named(tmp_path: Path) -> None:
    end = run(tmp_path, REQUEST, {"OPENAI_API_KEY": "token"})

    assert end.result is not None
    assert (end.exit_code, end.result["code"]) == (3, "missing_setting")
    assert end.result["message"] == (
        "OPENAI_BASE_URL, RETRIEVER_ENDPOINT, TIKTOKEN_CACHE_DIR must be set"
    )


@pytest.mark.parametrize("name", ["SMART_LLM", "STRATEGIC_LLM", "FAST_LLM"])
def test_a_provider_that_the_gateway_does_not_speak_ends_with_code_3(
    tmp_path: Path, name: str
) -> None:
    end = run(tmp_path, REQUEST, {**SETTINGS, name: "foo:bar"})

    assert end.result is not None
    assert (end.exit_code, end.result["code"]) == (3, "unsupported_provider")
    assert end.result["message"] == f"{name} is foo:bar: the gateway speaks openai only"
    assert researcher_requests.next_try(ChildFailed("foo"), end) is None


def test_an_environment_without_gpt_researcher_ends_with_code_3(tmp_path: Path) -> None:
    end = run(tmp_path, REQUEST, SETTINGS)

    assert end.result is not None
    assert (end.exit_code, end.result["code"]) == (3, "missing_package")
    assert "gpt_researcher" in end.result["message"]


@pytest.mark.parametrize(
    ("event", "arguments"),
    [
        ("socket.connect", (None, ("93.184.216.34", 443))),
        ("socket.getaddrinfo", ("example.org", 443)),
        ("subprocess.Popen", ("pip", ["pip", "install", "langchain-anthropic"])),
        ("os.system", (b"curl example.org",)),
    ],
)
def test_the_program_reaches_nothing_but_its_own_machine(
    event: str, arguments: tuple[Any, ...]
) -> None:
    with pytest.raises(PermissionError):
        researcher._refuse_strangers(event, arguments)


@pytest.mark.parametrize(
    ("event", "arguments"),
    [
        ("socket.connect", (None, ("127.0.0.1", 8080))),
        ("socket.connect", (None, "/run/a-socket")),
        ("socket.getaddrinfo", (b"localhost", 8080)),
        ("open", ("/etc/hosts", "r", 0)),
    ],
)
def test_the_program_reaches_its_gateway(event: str, arguments: tuple[Any, ...]) -> None:
    researcher._refuse_strangers(event, arguments)


@pytest.mark.parametrize("text", ["Bees.", "Bees keep warm. " * 50])
def test_a_source_begins_with_its_address_and_is_never_too_short_to_be_read(text: str) -> None:
    found = researcher._with_address({"url": "file:bees.md", "raw_content": text})

    head = "Source: file:bees.md\nTitle: file:bees.md\n\n"
    assert found["raw_content"].rstrip() == head + text.rstrip()
    # Of a text with 100 characters or less GPT Researcher fetches the page.
    assert len(found["raw_content"]) > 100


_COUNTS = """
import sys
from types import SimpleNamespace
from acm_workers.generators.children.researcher import Child

class Refused(Exception):
    def __init__(self, status, is_final):
        super().__init__(f"status {status}")
        self.status_code = status
        self.response = SimpleNamespace(headers={"x-should-retry": "false"} if is_final else {})

child = Child(1)
"""


def told(program: str) -> dict[str, Any]:
    """Return the last event of a program that counts calls and failures."""
    done = subprocess.run(
        [sys.executable, "-c", _COUNTS + program], capture_output=True, check=False
    )
    last: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return last


@pytest.mark.parametrize(
    ("failure", "times", "code"),
    [
        ("Refused(401, False)", 1, "auth"),
        ("Refused(404, False)", 1, "model_not_found"),
        ("Refused(500, True)", 1, "provider"),
        ("Refused(429, False)", 4, "rate_limited"),
        ("'an empty answer'", 4, "provider"),
    ],
)
def test_failures_that_repeat_or_are_final_end_the_program(
    failure: str, times: int, code: str
) -> None:
    last = told(f"for number in range(9): child.count_failure({failure})")

    assert (last["event"], last["code"]) == ("error", code)
    assert last["message"].startswith(f"{times} calls in a row failed")


def test_too_many_calls_end_the_program() -> None:
    last = told("child.request = {'max_calls': 2}\nfor number in range(9): child.count_call()")

    assert (last["code"], last["message"]) == ("too_many_calls", "it made 2 calls and was not done")
