"""Writing artifacts, winners and reports."""

import errno
import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from acm_api.files import atomic, naming, outputs
from acm_workers.errors import RequestError
from schemas.units import Artifact

ARTIFACT = Artifact(
    id="01ARTIFACT",
    run_id="01RUN",
    document_id="01DOC",
    generator="fpf",
    variant=1,
    iteration=2,
    number=3,
    provider="alpha",
    model="m1",
    lane="generate.alpha",
    state="done",
    text="# Text ä\n",
    created_at=datetime(2025, 1, 1, tzinfo=UTC),
)
FAILED = ARTIFACT.model_copy(
    update={
        "state": "failed",
        "text": None,
        "error": "the model is gone",
        "error_kind": "provider_rejected",
        "attempts": 2,
    }
)
NAMES = [f"a/intro.{middle}" for middle in list(naming.candidates(ARTIFACT))[:12]]


def write(root: Path, artifact: Artifact = ARTIFACT) -> Path:
    return outputs.write_artifact(root, "a/intro.md", artifact)


def tree(root: Path) -> dict[str, bytes]:
    files = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def test_artifact_is_written_where_its_document_lies(tmp_path: Path) -> None:
    file = write(tmp_path)

    assert file == tmp_path / f"{NAMES[0]}.md"
    assert tree(tmp_path) == {f"{NAMES[0]}.md": "# Text ä\n".encode()}


def test_writing_again_changes_nothing(tmp_path: Path) -> None:
    file = write(tmp_path)
    os.utime(file, (1, 1))

    again = write(tmp_path)

    assert again == file
    assert file.stat().st_mtime == 1
    assert len(tree(tmp_path)) == 1


def test_a_name_with_other_content_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / f"{NAMES[0]}.md").write_text("the user's own")

    file = write(tmp_path)

    assert file == tmp_path / f"{NAMES[1]}.md"
    assert (tmp_path / f"{NAMES[0]}.md").read_text() == "the user's own"
    assert write(tmp_path) == file


def test_the_name_that_an_artifact_got_once_is_kept(tmp_path: Path) -> None:
    known = ARTIFACT.model_copy(update={"file": f"{NAMES[4]}.md"})

    assert write(tmp_path, known) == tmp_path / f"{NAMES[4]}.md"


def test_no_name_left_is_a_clear_refusal(tmp_path: Path) -> None:
    for middle in naming.candidates(ARTIFACT):
        (tmp_path / f"intro.{middle}.md").write_text("another text")

    with pytest.raises(RequestError, match="no name is left for artifact 01ARTIFACT"):
        outputs.write_artifact(tmp_path, "intro.md", ARTIFACT)


def test_documents_with_one_base_write_under_their_full_names(tmp_path: Path) -> None:
    file = outputs.write_artifact(tmp_path, "intro.txt", ARTIFACT, full_name=True)

    assert file.name.startswith("intro.txt.fpf.3.m1.")


def test_halves_of_surrogate_pairs_do_not_stop_the_writing(tmp_path: Path) -> None:
    file = write(tmp_path, ARTIFACT.model_copy(update={"text": "a\ud83d b"}))

    assert file.read_text() == "a? b"


def test_an_artifact_without_text_is_a_mistake_of_the_caller(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="has no text"):
        write(tmp_path, FAILED)


def test_failure_is_written_with_its_reason(tmp_path: Path) -> None:
    file = outputs.write_failed(tmp_path, "a/intro.md", FAILED)

    assert file == tmp_path / f"{NAMES[0]}.failed.json"
    assert json.loads(file.read_text()) == {
        "reason": "the model is gone",
        "kind": "provider_rejected",
        "attempts": 2,
        "generator": "fpf",
        "provider": "alpha",
        "model": "m1",
        "iteration": 2,
        "document": "a/intro.md",
        "artifact_id": "01ARTIFACT",
        "run_id": "01RUN",
    }


def test_a_later_failure_replaces_the_earlier_one(tmp_path: Path) -> None:
    first = outputs.write_failed(tmp_path, "a/intro.md", FAILED)

    later = FAILED.model_copy(update={"attempts": 5})
    second = outputs.write_failed(tmp_path, "a/intro.md", later)

    assert first == second
    assert json.loads(second.read_text())["attempts"] == 5
    assert len(tree(tmp_path)) == 1


def test_success_after_a_failure_takes_the_report_of_it_away(tmp_path: Path) -> None:
    outputs.write_failed(tmp_path, "a/intro.md", FAILED)

    write(tmp_path)

    assert list(tree(tmp_path)) == [f"{NAMES[0]}.md"]


def test_reports_of_other_failures_stay(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / f"{NAMES[0]}.failed.json").write_text('{"artifact_id": "other"}')

    write(tmp_path)
    failed = outputs.write_failed(tmp_path, "a/intro.md", FAILED)

    assert failed == tmp_path / f"{NAMES[1]}.failed.json"
    assert "other" in (tmp_path / f"{NAMES[0]}.failed.json").read_text()


def test_winner_comes_with_what_is_known_about_it(tmp_path: Path) -> None:
    file = outputs.write_winner(tmp_path, "a/intro.v2.md", "best", {"overall": 8.5, "who": "ä"})

    assert file == tmp_path / "a" / "intro.v2.winner.md"
    assert file.read_text() == "best"
    about = (tmp_path / "a" / "intro.v2.winner.json").read_text()
    assert json.loads(about) == {"overall": 8.5, "who": "ä"}
    assert "ä" in about


def test_winners_of_one_base_do_not_overwrite_each_other(tmp_path: Path) -> None:
    paths = ["a/intro.md", "a/intro.txt"]
    full = naming.clashing(paths)

    for path in paths:
        outputs.write_winner(tmp_path, path, path, {}, full_name=path in full)

    found = tree(tmp_path)
    assert found["a/intro.md.winner.md"] == b"a/intro.md"
    assert found["a/intro.txt.winner.md"] == b"a/intro.txt"
    assert len(found) == 4


def test_a_new_winner_replaces_the_old_one(tmp_path: Path) -> None:
    outputs.write_winner(tmp_path, "intro.md", "old", {})
    outputs.write_winner(tmp_path, "intro.md", "new", {})

    assert (tmp_path / "intro.winner.md").read_text() == "new"


def test_report_files_are_written_below_their_folder(tmp_path: Path) -> None:
    folder = outputs.write_report(tmp_path / "r", {"index.html": b"<p>", "data/x.csv": b"a"})

    assert tree(folder) == {"index.html": b"<p>", "data/x.csv": b"a"}


def test_the_page_of_a_report_is_not_there_before_the_files_that_it_links_to(
    tmp_path: Path,
) -> None:
    (tmp_path / "calls.csv").mkdir()

    with pytest.raises(RequestError, match="is a directory"):
        outputs.write_report(tmp_path, {"index.html": b"<p>", "calls.csv": b"a"})

    assert not (tmp_path / "index.html").exists()


@pytest.mark.parametrize("path", ["../intro.md", "/etc/intro.md", "a/../../intro.md"])
def test_nothing_is_written_outside_of_the_folder(tmp_path: Path, path: str) -> None:
    with pytest.raises(RequestError, match="would be written outside of"):
        outputs.write_winner(tmp_path, path, "x", {})

    assert tree(tmp_path) == {}


def test_no_temporary_file_stays(tmp_path: Path) -> None:
    (tmp_path / "intro.winner.md").mkdir()

    with pytest.raises(RequestError, match="is a directory"):
        outputs.write_winner(tmp_path, "intro.md", "x", {})

    assert tree(tmp_path) == {}


def test_a_file_in_the_place_of_the_folder_is_told_with_the_way_out(tmp_path: Path) -> None:
    root = tmp_path / "outputs"
    root.write_text("a file")

    with pytest.raises(RequestError) as caught:
        write(root)

    assert str(caught.value) == f"{root}/a is not a folder; use another one"
    assert root.read_text() == "a file"


def test_a_name_too_long_is_told_with_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"a name in .* is too long; use a shorter path"):
        outputs.write_artifact(tmp_path, "x" * 250 + ".md", ARTIFACT)


def test_longest_accepted_input_name_leaves_room_for_every_output(tmp_path: Path) -> None:
    longest = FAILED.model_copy(update={"model": "m" * 99, "generator": "combine", "number": 99999})
    name = "x" * naming.LONGEST_NAME
    for middle in list(naming.candidates(longest))[:10]:
        (tmp_path / f"{name}.{middle}.failed.json").write_text("another failure")

    file = outputs.write_failed(tmp_path, name, longest, full_name=True)

    assert file.exists()


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "the disk of /out is full"),
        (errno.EDQUOT, "the disk of /out is full"),
        (errno.EACCES, "/out is not writable"),
        (errno.EROFS, "/out is not writable"),
        (errno.ENAMETOOLONG, "a name in /out is too long"),
        (errno.EIO, "/out cannot be written (input/output error)"),
    ],
)
def test_every_refusal_names_the_folder_and_what_to_do(number: int, words: str) -> None:
    error = atomic.refusal(Path("/out"), OSError(number, os.strerror(number)))

    assert str(error).startswith(f"{words}; ")
    assert error.where == "/out"


def test_the_winner_of_another_document_is_never_overwritten(tmp_path: Path) -> None:
    about = {name: {"document": name, "run_id": "R"} for name in ("a.md", "a.txt")}

    for _ in range(2):  # in runs of one document each, so that neither knows of the other
        for name in about:
            outputs.write_winner(tmp_path, name, f"from {name}", about[name])

    assert (tmp_path / "a.winner.md").read_text() == "from a.md"
    assert (tmp_path / "a.txt.winner.md").read_text() == "from a.txt"
