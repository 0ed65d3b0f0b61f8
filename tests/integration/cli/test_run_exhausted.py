"""`acm run` in a process that the system gives too few open files or threads."""

import functools
import resource
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support import configs, simulator
from tests.support.project import Outcome, Project
from tests.support.simulator import Simulator
from tests.support.texts import first

_ENDS_WITHIN_S = 60.0


@pytest.fixture(scope="module")
def provider() -> Iterator[Simulator]:
    with simulator.running(latency_s=0.05) as found:
        yield found


def allow_files(most: int) -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def allow_threads(most: int) -> None:
    """Refuse threads as the system does; its own limit binds no root, as which CI runs."""
    start = threading._start_new_thread  # type: ignore[attr-defined]

    def refusing(*given: object) -> object:
        if threading.active_count() > most:
            raise RuntimeError("can't start new thread")
        return start(*given)

    threading._start_new_thread = refusing  # type: ignore[attr-defined]


def limited(project: Project, limit: Callable[[], None]) -> Outcome:
    with project.started("run", before=limit) as command:
        return command.end(_ENDS_WITHIN_S)


def told(outcome: Outcome) -> list[str]:
    return [line for line in outcome.err.splitlines() if line.startswith("acm: ")]


def assert_goes_on(project: Project, provider: Simulator, requests_before: int) -> None:
    """Run without a limit: all ends, and no finished call is paid again."""
    assert project.acm("run").code == 0
    sent = provider.stats()["requests"] - requests_before
    answered = project.number("SELECT count(*) FROM calls WHERE state = 'done' AND NOT cached")
    uncertain = project.number("SELECT count(*) FROM calls WHERE state = 'uncertain'")
    assert answered <= sent <= answered + uncertain


@pytest.mark.parametrize("most", [22, 26])
def test_run_with_few_open_files_ends_with_one_line_or_goes_on(
    most: int, provider: Simulator, tmp_path: Path
) -> None:
    before = provider.stats()["requests"]
    project = Project(tmp_path / "project", configs.small(provider.url), first(1))

    found = limited(project, functools.partial(allow_files, most))

    assert "Traceback" not in found.err
    assert (found.code, len(told(found))) in ((0, 0), (1, 1), (2, 1)), found.err
    assert_goes_on(project, provider, before)


@pytest.mark.parametrize("most", [1, 9])
def test_run_that_may_not_start_threads_ends_with_one_line(
    most: int, provider: Simulator, tmp_path: Path
) -> None:
    before = provider.stats()["requests"]
    project = Project(tmp_path / "project", configs.small(provider.url), first(1))

    found = limited(project, functools.partial(allow_threads, most))

    assert "Traceback" not in found.err
    assert found.code == 1
    assert len(told(found)) == 1
    assert "threads" in told(found)[0]
    assert_goes_on(project, provider, before)
