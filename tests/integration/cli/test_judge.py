"""Texts that one has: scored, compared, ranked and reported, and nothing is generated."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support import configs, office_files, simulator
from tests.support.project import Outcome, Project
from tests.support.simulator import Simulator


class _Judged(NamedTuple):
    project: Project
    provider: Simulator
    outcome: Outcome


def _text(folder: str, number: int) -> str:
    lines = "The moon is a rock. It has no air, and no water runs on it.\n" * (1 + number % 3)
    return f"# Text {number} of {folder}\n\n{lines}"


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Judged]:
    with simulator.running() as provider:
        place = {"alpha": configs.provider(provider.url, "j1", "m1", max_in_flight=16)}
        config = {"providers": place, "judges": [configs.judge()]}
        project = Project(tmp_path_factory.mktemp("judged"), config, {})
        for folder in ("ada", "bob", "eve"):
            for number in range(10):
                project.write(f"{folder}/t{number}.md", _text(folder, number))
        outcome = project.acm("judge", "ada", "bob", "eve", "--config", "config.yaml", "--json")
        yield _Judged(project, provider, outcome)


def test_each_of_ten_documents_has_a_winner_among_three_texts(judged: _Judged) -> None:
    assert judged.outcome.code == 0, judged.outcome.err
    documents = judged.outcome.last["documents"]

    assert [one["path"] for one in documents] == [f"t{number}" for number in range(10)]
    assert {one["artifacts"] for one in documents} == {3}
    winners = [judged.project.folder / f"winners/t{number}.winner.md" for number in range(10)]
    texts = {_text(folder, number) for folder in ("ada", "bob", "eve") for number in range(10)}
    assert {winner.read_text() for winner in winners} <= texts


def test_no_call_generates(judged: _Judged) -> None:
    kinds = judged.project.rows("select distinct unit_kind from calls")

    assert sorted(kinds) == [("comparison",), ("evaluation",)]
    assert not (judged.project.folder / "outputs").exists()


def test_the_report_names_the_texts_and_their_files(judged: _Judged) -> None:
    (report,) = judged.project.folder.glob("reports/*/index.html")
    page = report.read_text()

    assert all(folder in page for folder in ("ada", "bob", "eve"))
    about = json.loads((judged.project.folder / "winners/t0.winner.json").read_text())
    assert about["file"].startswith("../")


def test_the_same_command_again_pays_nothing(judged: _Judged) -> None:
    before = judged.provider.stats()["requests"]

    again = judged.project.acm("judge", "ada", "bob", "eve", "--config", "config.yaml", "--json")

    assert again.code == 0, again.err
    assert judged.provider.stats()["requests"] == before


def test_judges_read_neither_folders_nor_files(judged: _Judged) -> None:
    judged.project.write("kept/one.md", "The moon is grey.")
    judged.project.write("kept/two.docx", office_files.docx("Moon", "It is white."))
    judged.project.write("kept/three.pdf", office_files.pdf("It is made of cheese."))

    outcome = judged.project.acm("judge", "kept", "--config", "config.yaml", "--json")

    assert outcome.code == 0, outcome.err
    assert "text extracted" in outcome.err
    (only,) = outcome.last["documents"]
    assert (only["path"], only["artifacts"]) == ("kept", 3)
    assert judged.project.rows("select text from artifacts where text like '%cheese%'")


def test_texts_that_are_there_compete_with_those_that_a_model_writes(tmp_path: Path) -> None:
    with simulator.running() as provider:
        runs = [*configs.runs(alpha=["m1"]), {"type": "files", "folder": "drafts"}]
        project = Project(tmp_path, configs.small(provider.url, runs=runs), {"a.md": "The moon."})
        project.write("drafts/a.one.md", "The moon is a rock.")
        project.write("drafts/a.two.md", "The moon is white.")

        outcome = project.acm("run", "--json")

        assert outcome.code == 0, outcome.err
        written = project.rows("select generator, count(*) from artifacts group by 1 order by 1")
        assert written == [("combine", 1), ("files", 2), ("fpf", 1)]
