"""A machine that allows too few open files: one clear line, and the same command goes on."""

import resource
from pathlib import Path

from tests.support import configs, simulator
from tests.support.project import Project
from tests.support.texts import first

_FEW_FILES = 20


def _allow_few_files() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (_FEW_FILES, _FEW_FILES))


def test_too_few_open_files_are_told_and_nothing_is_lost_or_paid_twice(tmp_path: Path) -> None:
    with simulator.running(latency_s=0.05) as provider:
        project = Project(tmp_path, configs.small(provider.url), first(3))
        with project.started("run", "--json", before=_allow_few_files) as command:
            failed = command.end()
        done = project.acm("run", "--json")
        requests = provider.stats()["requests"]

    assert failed.code == 1, failed.out + failed.err
    assert "Traceback" not in failed.err
    assert done.code == 0, done.err
    paid = project.number("select count(*) from calls where state = 'done' and not cached")
    uncertain = project.number("select count(*) from calls where state = 'uncertain'")
    assert (
        paid
        <= requests
        <= paid + uncertain + project.number("select count(*) from calls where state = 'failed'")
    )
