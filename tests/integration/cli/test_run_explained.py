"""`acm explain` prints the reasons for the winner of a document."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support import configs, simulator
from tests.support.project import Outcome, Project
from tests.support.texts import first


class _Finished(NamedTuple):
    project: Project
    run: Outcome

    @property
    def paths(self) -> list[str]:
        """Return the paths of its documents."""
        return [str(document["path"]) for document in self.run.last["documents"]]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Finished]:
    with simulator.running(latency_s=0.02) as provider:
        config = configs.small(provider.url)
        project = Project(tmp_path_factory.mktemp("finished"), config, first(2))
        run = project.acm("run", "--json")
        before = provider.stats()["requests"]
        yield _Finished(project, run)
        assert provider.stats()["requests"] == before, "an explanation has paid"


def test_the_explanation_names_the_winner_and_its_reason(finished: _Finished) -> None:
    for document in finished.run.last["documents"]:
        told = finished.project.acm("explain", document["path"])
        found = finished.project.acm("explain", document["path"], "--json").last

        winner = document["winner"]
        assert found["winner"]["artifact_id"] == winner["artifact_id"]
        assert found["winner"]["overall"] == pytest.approx(winner["overall"])
        assert found["reason"] == document["reason"]
        assert found["runner_up"]["artifact_id"] != winner["artifact_id"]
        combined = "combined " if winner["generator"] == "combine" else ""
        assert f"winner        {winner['model']} {combined}#{winner['number']}" in told.out
        assert document["reason"] in told.out
        assert "would change" in told.out


def test_what_judges_say_of_a_winner_is_shown_and_lies_beside_it(finished: _Finished) -> None:
    shown = finished.project.acm("show")
    documents = finished.project.acm("show", "--json").last["documents"]
    root = finished.project.folder

    for document in documents:
        said = [one for one in document["winner"]["remarks"] if one["summary"]]
        explained = finished.project.acm("explain", document["path"]).out
        name = Path(document["path"]).with_suffix("")
        about = json.loads((root / "winners" / f"{name}.winner.json").read_text("utf-8"))

        surest = max(said, key=lambda one: one["confidence"] or -1.0)
        assert surest["summary"][:60] in shown.out
        assert surest["summary"][:60] in explained
        assert about["remarks"] == document["winner"]["remarks"]


def test_a_document_is_found_by_a_part_of_its_path(finished: _Finished) -> None:
    run_id, path = finished.run.last["run_id"], finished.paths[0]
    part = Path(path).stem.upper()

    by_part = finished.project.acm("explain", run_id, part, "--json").last
    by_path = finished.project.acm("explain", run_id[:20], path, "--json").last

    assert by_part == by_path
    assert by_part["path"] == path


def test_a_document_that_was_skipped_is_explained_by_the_run_that_has_its_winner(
    tmp_path: Path,
) -> None:
    with simulator.running(latency_s=0.02) as provider:
        project = Project(tmp_path, configs.small(provider.url), first(2))
        run = project.acm("run", "--json").last
        changed, kept = (document["path"] for document in run["documents"])
        project.write(f"inputs/{changed}", "Another text altogether, about lighthouses.")
        second = project.acm("run", "--json").last
        found = project.acm("explain", kept, "--json").last

    assert second["run_id"] != run["run_id"]
    assert (found["path"], found["run_id"]) == (kept, run["run_id"])


def test_a_name_that_fits_none_or_several_gets_one_line_with_the_nearest(
    finished: _Finished,
) -> None:
    run_id, paths = finished.run.last["run_id"], finished.paths
    misspelled = paths[0].replace(".", "x.")

    for arguments, message in (
        ((run_id, misspelled), f"did you mean {paths[0]}?"),
        ((run_id, "q\x1b[2Jq"), f"there are: {', '.join(sorted(paths))}"),
        ((run_id, "."), '"." is part of 2 documents: '),
        ((run_id,), f"run {run_id} has 2 documents; name one: "),
        (("no-such-thing",), f'run {run_id} has no document "no-such-thing"'),
        (("no-such-run", paths[0]), 'there is no run "no-such-run"'),
    ):
        told = finished.project.acm("explain", *arguments)

        assert (told.code, len(told.err.splitlines())) == (2, 1), told.err
        assert message in told.err
        assert "\x1b" not in told.err
