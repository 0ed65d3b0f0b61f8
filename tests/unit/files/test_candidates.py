"""Candidates of ``type: files``: texts in folders that mirror the inputs, or lie beside them."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from acm_api.config import loading
from acm_api.files import candidates
from acm_workers.errors import RequestError
from tests.support import configs

FILES = {"type": "files", "folder": "drafts"}


def config(root: Path, *runs: dict[str, Any]) -> loading.LoadedConfig:
    values = configs.small("http://127.0.0.1:1/v1", runs=list(runs))
    (root / "config.yaml").write_text(yaml.safe_dump(values))
    (root / "instructions.md").write_text("Write.")
    return loading.load(root / "config.yaml", {})


def put(root: Path, *paths: str) -> None:
    for path in paths:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"text of {path}")


def found(root: Path, *runs: dict[str, Any]) -> dict[str, list[tuple[str, str]]]:
    read = candidates.of_config(config(root, *runs).config)
    return {
        path: [(one.name, one.file) for one in read.given.get(path, ())]
        for path in (document.path for document in read.documents)
    }


def test_candidates_are_found_by_the_name_of_their_document(tmp_path: Path) -> None:
    put(tmp_path, "inputs/a/intro.md", "inputs/b.txt")
    put(tmp_path, "drafts/a/intro.txt", "drafts/a/intro.one.md", "drafts/a/intro/two.md")
    put(tmp_path, "drafts/b.md", "drafts/c.md")

    assert found(tmp_path, FILES) == {
        "a/intro.md": [
            ("drafts/one", "../drafts/a/intro.one.md"),
            ("drafts", "../drafts/a/intro.txt"),
            ("drafts/two.md", "../drafts/a/intro/two.md"),
        ],
        "b.txt": [("drafts", "../drafts/b.md")],
    }


def test_a_longer_name_of_a_document_wins(tmp_path: Path) -> None:
    put(tmp_path, "inputs/intro.md", "inputs/intro.v2.md", "drafts/intro.md")
    put(tmp_path, "drafts/intro.v2.one.md")

    assert found(tmp_path, FILES) == {
        "intro.md": [("drafts", "../drafts/intro.md")],
        "intro.v2.md": [("drafts/one", "../drafts/intro.v2.one.md")],
    }


def test_candidates_beside_their_document_are_no_documents(tmp_path: Path) -> None:
    put(tmp_path, "inputs/intro.md", "inputs/intro.one.md", "inputs/intro.two.md")

    assert found(tmp_path, FILES | {"folder": "inputs", "model": "hand"}) == {
        "intro.md": [
            ("hand/one", "../inputs/intro.one.md"), ("hand/two", "../inputs/intro.two.md")
        ]
    }  # fmt: skip


def test_a_folder_of_candidates_within_the_inputs_holds_no_documents(tmp_path: Path) -> None:
    put(tmp_path, "inputs/intro.md", "inputs/drafts/intro.md")

    assert found(tmp_path, FILES | {"folder": "inputs/drafts"}) == {
        "intro.md": [("drafts", "../inputs/drafts/intro.md")]
    }


def test_every_document_without_a_candidate_is_named_where_none_is_written(tmp_path: Path) -> None:
    put(tmp_path, "inputs/a.md", "inputs/b.md", "inputs/c.md", "drafts/b.md")

    with pytest.raises(RequestError) as caught:
        found(tmp_path, FILES)

    assert str(caught.value) == f"no text for a.md in {tmp_path}/drafts, and no model writes one"
    assert [one.where for one in caught.value.more] == ["c.md"]


def test_a_document_without_a_candidate_is_written_for_all_the_same(tmp_path: Path) -> None:
    put(tmp_path, "inputs/a.md", "inputs/b.md", "drafts/b.md")
    fpf = {"type": "fpf", "provider": "alpha", "model": "m1"}

    assert found(tmp_path, FILES, fpf)["a.md"] == []


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"type": "files"}, "type: files needs folder, where the texts are"),
        ({"type": "files", "folder": "no"}, "folder ROOT/no does not exist"),
        ({"type": "fpf", "provider": "alpha", "model": "m1", "folder": "x"},
         "folder is for type: files; other types write their texts"),
    ],
)  # fmt: skip
def test_a_wrong_folder_is_refused(tmp_path: Path, entry: dict[str, Any], message: str) -> None:
    put(tmp_path, "inputs/a.md")

    with pytest.raises(RequestError) as caught:
        config(tmp_path, entry)

    assert str(caught.value).replace(str(tmp_path), "ROOT") == message


@pytest.mark.parametrize(
    ("config_file", "title"),
    [
        ("spring report/config.yaml", "spring report"),
        ("spring/acm.yml", "spring"),
        ("spring/../autumn/config.yaml", "autumn"),
        ("spring/weekly.yaml", "weekly.yaml"),
        ("spring/config.json", "config.json"),
        ("/config.yaml", "config.yaml"),
        ("caf\udce9/config.yaml", "caf?"),
    ],
)
def test_a_run_is_named_after_the_folder_of_a_config_with_a_common_name(
    tmp_path: Path, config_file: str, title: str
) -> None:
    assert candidates.run_title(tmp_path / config_file) == title


def test_a_run_of_a_config_in_this_folder_is_named_after_this_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "inputs/a.md")
    monkeypatch.chdir(tmp_path / "inputs")

    assert candidates.run_title(Path("config.yaml")) == "inputs"
    assert candidates.run_title(Path("../config.yaml")) == tmp_path.name


def test_what_is_run_holds_documents_and_candidates(tmp_path: Path) -> None:
    put(tmp_path, "inputs/a.md", "drafts/a.html")

    work = candidates.run_input("t", config(tmp_path, FILES))

    assert work.inputs == {"a.md": "text of inputs/a.md"}
    assert [one.text for one in work.given["a.md"]] == ["text of drafts/a.html\n"]
    assert list(candidates.notes(work)) == [
        "text extracted, without pictures and layout, from ../drafts/a.html"
    ]
