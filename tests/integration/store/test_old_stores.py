"""Stores of earlier versions open, and their runs show, resume and export.

A file of tests/data/stores has the statements of a store as the commit of its name left it: a run
of two documents that ended, and a run of a third one that was interrupted by Ctrl-C, or killed
while a call was open. Only the folder, the provider's address, the host and the year are replaced.
"""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from acm_workers.store import schema
from tests.support import configs, simulator
from tests.support.project import Project
from tests.support.simulator import Simulator

_STORES = sorted((Path(__file__).parents[2] / "data/stores").glob("*.sql"))
_CALLS = 13
"""Calls of one document; see ``configs.small``."""

_PAID = "select call_id, cost_usd from calls where run_id = ? and state = 'done' order by call_id"
_UNCERTAIN = "select count(*) from calls where run_id = ? and state not in ('done', 'failed')"
_STEP = "select version_num from alembic_version"


@pytest.fixture(scope="module")
def provider() -> Iterator[Simulator]:
    with simulator.running() as found:
        yield found


def restored(statements: str, folder: Path, url: str) -> Project:
    """Return a project whose store is the one that ``statements`` make."""
    project = Project(folder, configs.small(url), {})
    store = project.write(".acm/acm.db", "")
    filled = statements.replace("{folder}", str(folder)).replace("{url}", url)
    with closing(sqlite3.connect(store)) as connection:
        connection.executescript(filled)
    return project


def bill(project: Project, run_id: str) -> float:
    """Return the sum of what the store says that a run's calls cost."""
    return round(sum(float(cost) for _, cost in project.rows(_PAID, run_id)), 6)


def exported(project: Project, run_id: str) -> tuple[set[str], dict[str, Any]]:
    """Export a run; return the winners' files, and the results."""
    folder = f"exports/{run_id}"
    written = project.acm("export", run_id, "--to", folder)
    assert written.code == 0, written.err
    report = project.folder / folder / "reports" / run_id
    assert (report / "index.html").stat().st_size > 0
    return project.files(f"{folder}/winners"), json.loads((report / "results.json").read_text())


@pytest.mark.parametrize("statements", _STORES, ids=lambda file: file.stem)
def test_runs_of_an_old_store_show_resume_and_export_with_the_same_bill(
    statements: Path, provider: Simulator, tmp_path: Path
) -> None:
    project = restored(statements.read_text("utf-8"), tmp_path, provider.url)
    ended, interrupted = [row[0] for row in project.rows("select run_id from runs order by run_id")]
    assert project.rows(_STEP) != [(schema.HEAD,)]
    paid = {run: project.rows(_PAID, run) for run in (ended, interrupted)}
    assert (len(paid[ended]), 0 < len(paid[interrupted]) < _CALLS) == (2 * _CALLS, True)
    uncertain = project.number(_UNCERTAIN, interrupted)
    before = provider.stats()["requests"]

    listed = project.acm("list", "--json")
    show = project.acm("show", ended, "--json")
    assert project.rows(_STEP) == [(schema.HEAD,)]
    assert provider.stats()["requests"] == before
    resumed = project.acm("resume", interrupted, "--json")

    assert (listed.code, show.code, resumed.code) == (0, 0, 0), listed.err + show.err + resumed.err
    states = {run["id"]: (run["state"], run["abandoned"]) for run in listed.last["runs"]}
    assert states == {ended: ("done", False), interrupted: ("running", True)}
    assert project.rows(_PAID, ended) == paid[ended]
    assert set(paid[interrupted]) < set(project.rows(_PAID, interrupted))
    assert len(project.rows(_PAID, interrupted)) == _CALLS
    for run, said, documents, unsure in (
        (ended, show.last, 2, 0),
        (interrupted, resumed.last, 1, uncertain),
    ):
        calls = documents * _CALLS + unsure
        told = {"total": calls, "failed": 0, "cached": 0, "uncertain": unsure}
        assert (said["state"], said["usd"], said["calls"]) == ("done", bill(project, run), told)
        winners, results = exported(project, run)
        assert len([name for name in winners if name.endswith(".winner.md")]) == documents
        assert (results["cost"]["known_usd"], results["calls"]) == (said["usd"], told)
    assert provider.stats()["requests"] - before == _CALLS - len(paid[interrupted])
