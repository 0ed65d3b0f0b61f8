"""The child program of GPT Researcher, as far as it goes without GPT Researcher."""

import sys
from pathlib import Path
from typing import Any

import pytest

from acm_workers.generators.children import installation
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
    program = installation.Installation(folder).command[-1]
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


def test_an_environment_without_gpt_researcher_ends_with_code_3(tmp_path: Path) -> None:
    end = run(tmp_path, REQUEST, SETTINGS)

    assert end.result is not None
    assert (end.exit_code, end.result["code"]) == (3, "missing_package")
    assert "gpt_researcher" in end.result["message"]
