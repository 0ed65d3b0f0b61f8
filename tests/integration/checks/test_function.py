"""Functions of checks in a real sandbox."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from acm_workers.checks import evaluation
from acm_workers.checks.function import FunctionHost
from acm_workers.processes import sandbox
from acm_workers.processes.folders import WorkFolders
from schemas.config.checks import Check
from schemas.submissions import Isolation
from schemas.units import CheckResult


@pytest.fixture
def host(tmp_path: Path) -> Iterator[FunctionHost]:
    folders = WorkFolders(tmp_path / "children")
    yield FunctionHost(folders, "rlimits")
    folders.close()


def called(source: str, host: FunctionHost, **values: object) -> CheckResult:
    usual = {"type": "function", "name": "mine", "source": source, "timeout_seconds": 20.0}
    check = Check.model_validate(usual | {"isolation": sandbox.strongest()} | values)
    (result,) = evaluation.results("Moon \ud800\r\nrock", [check], host)
    return result


@pytest.mark.parametrize(
    ("body", "passed", "score", "reason"),
    [
        ("return 'rock' in text", True, 1.0, ""),
        ("return False", False, 0.0, ""),
        ("return {'score': 0.25, 'reason': 'so\\n so'}", False, 0.25, "so so"),
        ("return {'passed': True, 'reason': repr(text)}", True, 1.0, r"'Moon ?\r\nrock'"),
        ("return 7", None, None, "the function failed: TypeError: it returned 7"),
        ("return None", None, None, "the function failed: TypeError: it returned None"),
        ("raise ValueError('no')", None, None, "the function failed: ValueError: no"),
        ("import sys; sys.exit(0)", None, None, "the function failed: SystemExit: 0"),
        ("import os; os._exit(0)", None, None, "Evaluation system error: no answer"),
        ("open('/etc/hostname').read(); return True", None, None, "the function failed"),
    ],
)
def test_what_a_function_says_is_the_result(
    host: FunctionHost, body: str, passed: bool | None, score: float | None, reason: str
) -> None:
    result = called(f"def check(text):\n    {body}\n", host)

    assert (result.passed, result.score) == (passed, score)
    assert result.reason.startswith(reason)


def test_a_function_has_no_environment_and_no_network(
    host: FunctionHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALPHA_KEY", "sk-secret")
    source = """
import os, socket
def check(text):
    assert "ALPHA_KEY" not in os.environ
    try:
        socket.create_connection(("127.0.0.1", 9), 1)
    except OSError as error:
        return {"passed": True, "reason": type(error).__name__}
"""

    assert called(source, host).passed is True


def test_a_function_is_ended_at_its_time(host: FunctionHost) -> None:
    result = called("def check(text):\n    while True: pass\n", host, timeout_seconds=0.5)

    assert (result.passed, result.score) == (None, None)
    assert result.bars


@pytest.mark.parametrize(
    ("asked", "weakest"), [("bubblewrap", "rlimits"), ("rlimits", "bubblewrap")]
)
def test_a_function_does_not_run_in_a_weaker_sandbox(
    host: FunctionHost, monkeypatch: pytest.MonkeyPatch, asked: Isolation, weakest: Isolation
) -> None:
    monkeypatch.setattr(sandbox, "strongest", lambda: "unshare")

    result = called("def check(text): return True", host._replace(weakest=weakest), isolation=asked)

    assert result.passed is None
    assert result.reason.startswith("could not be run: isolation by bubblewrap is needed")
