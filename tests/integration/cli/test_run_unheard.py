"""A run whose output cannot be written keeps its results and ends with the right exit code."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support import configs, intercepting_proxy, simulator
from tests.support.project import ACM, PATIENCE_S, Project, wait_until
from tests.support.texts import first

_TEXTS = {"養蜂.md": first(1)["bees.md"], "Brot und Äpfel.txt": "Take apples.\n"}
_SENT = "select count(*) from calls where state = 'started'"
_STATE = "select count(*) from runs where state = 'done'"
_READING = [
    ["list"],
    ["show"],
    ["show", "--json"],
    ["status"],
    ["explain", "養蜂"],
    ["explain", "nothing"],
    ["follow", "--plain"],
    ["plan"],
    ["plan", "--show-config"],
    ["doctor"],
    ["export"],
    ["run", "--plain"],
    ["resume"],
    ["rejudge", "--help"],
]

# Each command in a process of its own that imports nothing again.
_EACH = """
import json, os, sys, tempfile
import acm_api.cli.foreground, acm_api.config.loading, acm_workers.engine.embedded
import acm_workers.pipeline.explain, acm_workers.reporting.report
from acm_api.cli.main import main
ends = []
for args in json.loads(sys.argv[1]):
    with tempfile.TemporaryFile() as err:
        if not (child := os.fork()):
            os.dup2(err.fileno(), 2)
            sys.argv = ["acm", *args]
            try:
                main()
            except SystemExit as end:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(end.code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        err.seek(0)
        ends.append([code, err.read().decode("utf-8", "replace")])
json.dump(ends, sys.stderr)
"""


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """A finished run of documents with names that ASCII and cp1252 lack."""
    with simulator.running(latency_s=0.0) as provider:
        folder = tmp_path_factory.mktemp("unheard")
        project = Project(folder, configs.small(provider.url), _TEXTS)
        with _started(project, "run", "--plain", encoding="ascii") as process:
            out, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, err
        assert "?" in out.decode("ascii")
        yield project


@contextmanager
def _started(
    project: Project, *args: str, encoding: str = "utf-8", stdout: Any = subprocess.PIPE
) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [ACM, *args],
        cwd=project.folder,
        env={**os.environ, "PYTHONIOENCODING": encoding},
        stdout=stdout,
        stderr=subprocess.PIPE,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def _ended(project: Project, *args: str, **how: Any) -> tuple[int, str]:
    """Return the exit code and the errors of a command that prints somewhere."""
    with _started(project, *args, **how) as process:
        _, err = process.communicate(timeout=PATIENCE_S)
    return process.returncode, err.decode("utf-8", "replace")


def _codes(project: Project, stdout: Any = subprocess.DEVNULL, encoding: str = "utf-8") -> Any:
    """Return the exit code and the errors of each reading command."""
    done = subprocess.run(
        [sys.executable, "-c", _EACH, json.dumps(_READING)],
        cwd=project.folder,
        env={**os.environ, "PYTHONIOENCODING": encoding},
        stdout=stdout,
        stderr=subprocess.PIPE,
        check=True,
        timeout=PATIENCE_S,
    )
    return json.loads(done.stderr)


def test_every_command_prints_in_any_encoding_into_closed_pipes_and_on_full_disks(
    done: Project,
) -> None:
    usual = _codes(done)
    reading, writing = os.pipe()
    os.close(reading)
    with open("/dev/full", "wb") as full, open(writing, "wb") as pipe:
        same = [_codes(done, encoding=name) for name in ("ascii", "cp1252")]
        unread, lost = _codes(done, pipe), _codes(done, full)

    printed = [err for way in (*same, unread, lost) for _, err in way]
    codes = [code for code, _ in usual]
    refused = ("nothing", "resume")
    assert codes == [2 if any(one in args for one in refused) else 0 for args in _READING]
    assert [[code for code, _ in way] for way in same] == [codes] * 2
    ended = [141 if "follow" in args else code for args, code in zip(_READING, codes, strict=True)]
    assert [code for code, _ in unread] == ended
    assert [code for code, _ in lost] == [code or 1 for code, _ in usual]
    assert all("no space left" in err for code, err in lost if code == 1)
    assert not [err for err in printed if "Traceback" in err]


def test_a_run_whose_reader_leaves_goes_on_to_its_end(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    with simulator.running(latency_s=0.0) as provider:
        project = Project(tmp_path, configs.small(provider.url), first(1))
        os.close(reading)
        with open(writing, "wb") as pipe:
            code, err = _ended(project, "run", "--plain", stdout=pipe)

    assert (code, err) == (0, "")
    assert project.number(_STATE) == 1
    assert "bees.winner.md" in project.files("winners")


def test_a_run_on_a_full_disk_of_its_output_keeps_its_results_and_says_so(tmp_path: Path) -> None:
    with (
        simulator.running(latency_s=0.0) as provider,
        open("/dev/full", "wb") as full,
    ):
        project = Project(tmp_path, configs.small(provider.url), first(1))
        code, err = _ended(project, "run", "--json", stdout=full)

    assert code == 1
    assert err.splitlines()[-1] == (
        "acm: the output is incomplete: no space left on device; results are kept"
    )
    assert project.number(_STATE) == 1
    assert "bees.winner.md" in project.files("winners")


def test_a_terminal_that_goes_away_stops_the_run_and_keeps_calls_in_flight(tmp_path: Path) -> None:
    outer, inner = os.openpty()
    with (
        simulator.running() as provider,
        intercepting_proxy.holding(provider.url, passes=2) as held,
    ):
        project = Project(tmp_path, configs.small(held.url), first(1))
        with open(inner, "wb") as terminal, _started(project, "run", stdout=terminal) as process:
            wait_until(lambda: process.poll() is not None or project.number(_SENT))
            os.close(outer)
            process.send_signal(signal.SIGHUP)
            process.send_signal(signal.SIGHUP)
            held.open()
            _, err = process.communicate(timeout=PATIENCE_S)
        stopped = project.number(_SENT)
        resumed = project.acm("resume", "--json")

    assert (process.returncode, err) == (130, b"")
    assert stopped == 0
    assert resumed.code == 0, resumed.err
    assert resumed.last["calls"]["uncertain"] == 0
    assert resumed.last["calls"]["total"] == 13
