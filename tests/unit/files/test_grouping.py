"""Which texts in folders are candidates for the same document."""

from pathlib import Path
from typing import Any

import pytest

from acm_api.files import grouping
from acm_api.files.inputs import InputDocument
from acm_workers.errors import RequestError


def put(root: Path, *paths: str) -> None:
    for path in paths:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"text of {path}")


def grouped(root: Path, *folders: str, **more: Any) -> dict[str, list[str]]:
    by = more.pop("by", "auto")
    found = grouping.group([root / folder for folder in folders], by, output=root, **more)
    return {name: [text.name for text in texts] for name, texts in found.given.items()}


def test_texts_of_one_name_in_several_folders_are_for_one_document(tmp_path: Path) -> None:
    put(tmp_path, "a/x.md", "b/x.txt", "a/sub/y.md", "b/sub/y.md", "b/z.md")

    assert grouped(tmp_path, "a", "b") == {"sub/y": ["a", "b"], "x": ["a", "b"], "z": ["b"]}


def test_texts_without_common_names_are_for_the_document_of_their_folder(tmp_path: Path) -> None:
    put(tmp_path, "a/one.md", "a/two.md", "b/three.md", "b/inner/four.md")

    assert grouped(tmp_path, "a", "b") == {
        "a": ["one", "two"], "b": ["three"], "b/inner": ["four"]
    }  # fmt: skip


def test_files_that_acm_wrote_are_for_the_document_in_their_name(tmp_path: Path) -> None:
    put(
        tmp_path,
        "out/intro.fpf.1.gpt-4o.abc.md",
        "out/intro.dr.2.o3.x1z.md",
        "out/intro.v2.fpf.1.m.aaa-2.md",
    )

    found = grouped(tmp_path, "out")

    assert {name: len(texts) for name, texts in found.items()} == {"intro": 2, "intro.v2": 1}
    assert found["intro"][0] == "out/intro.dr.2.o3.x1z"


def test_all_texts_are_for_one_document_if_asked_so(tmp_path: Path) -> None:
    put(tmp_path, "a/x.md", "b/x.md")

    assert grouped(tmp_path, "a", "b", by="all") == {"texts": ["a/x", "b/x"]}


def test_folders_of_one_name_are_told_apart(tmp_path: Path) -> None:
    put(tmp_path, "a/out/x.md", "b/out/x.md")

    assert grouped(tmp_path, "a/out", "b/out") == {"x": ["a/out", "b/out"]}


def test_a_document_takes_path_and_text_of_its_source(tmp_path: Path) -> None:
    put(tmp_path, "a/x.md", "b/x.md", "a/y.md", "b/y.md")
    sources = [InputDocument("deep/x.docx", "The source.")]

    found = grouping.group([tmp_path / "a", tmp_path / "b"], "names", sources, output=tmp_path)

    assert found.inputs == {"deep/x.docx": "The source.", "y": ""}
    assert [(one.variant, one.file, one.text) for one in found.given["y"]] == [
        (1, "a/y.md", "text of a/y.md"), (2, "b/y.md", "text of b/y.md")
    ]  # fmt: skip


def test_only_some_documents_are_taken_if_asked_so(tmp_path: Path) -> None:
    put(tmp_path, "a/x.md", "b/x.md", "a/y.md", "b/y.md")

    assert list(grouped(tmp_path, "a", "b", only=["y"])) == ["y"]


@pytest.mark.parametrize(
    ("folder", "message"),
    [("no", "ROOT/no does not exist"), ("a/x.md", "ROOT/a/x.md is a file, not a folder"),
     ("empty", "no texts in ROOT/empty (")],
)  # fmt: skip
def test_a_folder_without_texts_is_refused(tmp_path: Path, folder: str, message: str) -> None:
    put(tmp_path, "a/x.md")
    (tmp_path / "empty").mkdir()

    with pytest.raises(RequestError) as caught:
        grouped(tmp_path, folder)

    assert str(caught.value).replace(str(tmp_path), "ROOT").startswith(message)
