"""Versions of submissions as candidates that judges compare in pairs."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from acm_api import submissions
from acm_workers.store import runs, schema
from acm_workers.store.connection.database import Database
from acm_workers.store.submissions import NewSubmission
from schemas.submissions import Evaluator, SubmissionTask
from tests.support import configs, simulator
from tests.support.project import Project

CODES = [
    f"def solve():\n    # {'very ' * number}careful\n    return {number}\n" for number in (1, 2, 3)
]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """Return a project with three submissions of one author, and judges."""
    with simulator.running() as server:
        made = Project(tmp_path / "p", {}, {})
        made.configure(
            {
                "providers": {"alpha": configs.provider(server.url, "j1")},
                "judges": [configs.judge()],
                "criteria": ["correctness", "clarity"],
                "pairwise": {"strategy": "round_robin", "position_swap": "both"},
            }
        )
        database = Database(f"sqlite:///{made.folder / '.acm' / 'acm.db'}")
        schema.upgrade(database)
        submissions.register(
            database,
            [
                SubmissionTask(key="numbers", title="Numbers", evaluator=Evaluator(source="-")),
                SubmissionTask(key="others", evaluator=Evaluator(source="-")),
            ],
        )
        for code in CODES:
            submissions.submit(database, NewSubmission("numbers", "author-ada"), code)
        submissions.submit(database, NewSubmission("others", "bob"), CODES[0])
        database.close()
        yield made


def test_three_versions_are_compared_in_pairs_and_the_winner_comes_back(project: Project) -> None:
    ended = project.acm("submissions", "promote", "1-3", "--config", "config.yaml")

    assert ended.code == 0, ended.err
    last = ended.out.strip().splitlines()[-1]
    number = int(last.split()[4].strip(","))
    assert last == f"the winner is submission {number}, version 1"
    (file,) = (project.folder / "promoted").glob("winners/**/*.winner.md")
    assert CODES[number - 1].strip() in file.read_text()
    with Database(f"sqlite:///{project.folder / '.acm' / 'acm.db'}").read() as connection:
        run = runs.latest(connection)
    assert (run.state, run.config.pairwise.enabled) == ("done", True)
    assert "Numbers" in run.instructions
    (about,) = (project.folder / "promoted").glob("winners/**/*.winner.json")
    assert "author-ada" not in json.dumps(json.loads(about.read_text()))


def test_submissions_of_different_tasks_are_not_compared(project: Project) -> None:
    ended = project.acm("submissions", "promote", "1,4", "--config", "config.yaml")

    assert (ended.code, "of one task" in ended.err) == (2, True)
    assert not (project.folder / "promoted").exists()


def test_without_judging_only_the_texts_are_written(project: Project) -> None:
    ended = project.acm("submissions", "promote", "1-3", "--dry-run")

    assert ended.code == 0
    texts = list((project.folder / "promoted" / "texts").iterdir())
    assert len(texts) == 3
    assert not any(author in path.name for path in texts for author in ("ada", "1.", "2.", "3."))
