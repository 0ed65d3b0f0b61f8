"""Which documents are finished, by the files of earlier runs."""

import json
import os
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from acm_api.files import skipping
from schemas.config.config import Config
from tests.support import office_files, stored

NAME = "intro.fpf.1.gpt-4o.abc.md"
TEXT = "A finished text.\n"


def config(root: Path, **more: Any) -> Config:
    folders = {
        "output_folder": str(root / "outputs"),
        "winners_folder": str(root / "winners"),
        "evaluation_folder": str(root / "evaluated"),
    }
    return stored.config(**folders | more)


def put(root: Path, path: str, data: str | bytes = TEXT) -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data if isinstance(data, bytes) else data.encode())
    return file


def found(root: Path, *paths: str, told: list[str] | None = None) -> dict[str, str]:
    lines = [] if told is None else told
    files = skipping.by_files(config(root), paths or ("intro.md",), lines.append)
    return {path: file.relative_to(root).as_posix() for path, file in files.items()}


@pytest.mark.parametrize(
    "path",
    [
        f"outputs/{NAME}",
        "outputs/intro.gptr.2.gemini-1.5-pro.xyz.docx",
        "outputs/intro.dr.1.o3.a1b-3.pdf",
        "outputs/intro.ma.1.claude-3-opus.def.txt",
        "outputs/intro.CR.1.gpt-4o.ghi.md",
        "outputs/intro.fpf.1.m.abc.json",
        "winners/intro.winner.md",
        f"winners/{NAME}",
        f"evaluated/{NAME}",
        f"evaluated/eval_run_20251116/deep/{NAME}",
    ],
)
def test_a_whole_file_in_one_of_three_folders_counts(tmp_path: Path, path: str) -> None:
    content = {".docx": office_files.docx("x"), ".pdf": office_files.pdf("x"), ".json": b"{}"}
    put(tmp_path, path, content.get(Path(path).suffix, TEXT.encode()))

    assert found(tmp_path) == {"intro.md": path}


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("outputs/intro.v2.fpf.1.m.abc.md", TEXT),
        ("outputs/introduction.fpf.1.m.abc.md", TEXT),
        ("outputs/intro.md", TEXT),
        ("outputs/intro.notes.md", TEXT),
        ("outputs/intro.fpf.1.m.abc.failed.json", "{}"),
        (f"outputs/{NAME}", ""),
        (f"outputs/{NAME}", " \n"),
        (f"outputs/{NAME}", b"cut in a charact\xc3"),
        ("outputs/intro.fpf.1.m.abc.json", '{"cut'),
        ("outputs/intro.fpf.1.m.abc.docx", b"PK cut"),
        ("outputs/intro.fpf.1.m.abc.pdf", b"%PDF-1.4 cut"),
        (f"outputs/.{NAME}.tmp", TEXT),
        (f"outputs/sub/{NAME}", TEXT),
        (f"winners/sub/{NAME}", TEXT),
        ("winners/intro.winner.json", "{}"),
        ("winners/intro.v2.winner.md", TEXT),
    ],
)
def test_other_failed_empty_and_truncated_files_do_not_count(
    tmp_path: Path, path: str, data: str | bytes
) -> None:
    put(tmp_path, path, data)

    assert found(tmp_path) == {}


def test_a_folder_with_the_name_of_a_result_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "outputs" / NAME).mkdir(parents=True)

    assert found(tmp_path) == {}


def test_a_document_in_a_subfolder_is_looked_for_there(tmp_path: Path) -> None:
    put(tmp_path, f"outputs/deep/er/{NAME}")

    assert found(tmp_path, "intro.md", "deep/er/intro.md") == {
        "deep/er/intro.md": f"outputs/deep/er/{NAME}"
    }


def test_documents_that_share_a_name_are_told_apart_by_their_extension(tmp_path: Path) -> None:
    put(tmp_path, "outputs/intro.txt.fpf.1.m.abc.md")

    assert list(found(tmp_path, "intro.md", "intro.txt")) == ["intro.txt"]


def test_a_link_to_a_result_counts_and_one_that_leads_nowhere_does_not(tmp_path: Path) -> None:
    put(tmp_path, "kept/text.md")
    (tmp_path / "outputs").mkdir()
    (tmp_path / "outputs" / NAME).symlink_to(tmp_path / "kept/text.md")
    (tmp_path / "outputs/other.fpf.1.m.abc.md").symlink_to(tmp_path / "nowhere")

    assert list(found(tmp_path, "intro.md", "other.md")) == ["intro.md"]


def test_names_are_equal_however_their_accents_are_written(tmp_path: Path) -> None:
    put(tmp_path, f"outputs/{unicodedata.normalize('NFD', 'Übung')}.fpf.1.m.abc.md")

    assert list(found(tmp_path, f"{unicodedata.normalize('NFC', 'Übung')}.md")) == [
        f"{unicodedata.normalize('NFC', 'Übung')}.md"
    ]


@pytest.fixture
def unreadable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder that cannot be listed; root may list any, so the system's answer is given."""
    folder = tmp_path / "outputs"
    folder.mkdir()
    real = os.scandir, os.listdir

    def refuse(path: Any = ".") -> None:
        if Path(path) == folder:
            raise PermissionError(13, "Permission denied", str(path))

    def scandir(path: Any = ".") -> Any:
        refuse(path)
        return real[0](path)

    def listdir(path: Any = ".") -> Any:
        refuse(path)
        return real[1](path)

    monkeypatch.setattr(os, "scandir", scandir)
    monkeypatch.setattr(os, "listdir", listdir)
    return folder


def test_a_folder_that_cannot_be_read_is_told_of_and_the_others_are_read(
    tmp_path: Path, unreadable: Path
) -> None:
    put(tmp_path, "winners/other.winner.md")
    told: list[str] = []

    assert list(found(tmp_path, "intro.md", "other.md", told=told)) == ["other.md"]
    assert told == [f"{unreadable} cannot be read: permission denied"]


def test_without_a_folder_of_evaluations_two_are_looked_into(tmp_path: Path) -> None:
    put(tmp_path, f"evaluated/{NAME}")

    assert skipping.by_files(config(tmp_path, evaluation_folder=None), ["intro.md"], print) == {}


def test_a_winner_whose_text_was_changed_does_not_count(tmp_path: Path) -> None:
    put(tmp_path, "winners/intro.winner.md", "Changed.")
    put(tmp_path, "winners/intro.winner.json", json.dumps(about()))

    assert found(tmp_path) == {}


def about(**changes: str) -> dict[str, Any]:
    digests = {"input": skipping.digest("source"), "config": "k", "text": skipping.digest(TEXT)}
    return {"document": "intro.md", "digests": digests | changes}


@pytest.mark.parametrize(
    ("key", "source", "facts", "text", "fits"),
    [
        ("k", "source", about(), TEXT, True),
        ("other config", "source", about(), TEXT, False),
        ("k", "changed source", about(), TEXT, False),
        ("k", "source", about(), "A changed text.", False),
        ("k", "source", about(), "", False),
        ("k", "source", {"document": "intro.md"}, TEXT, False),
        ("k", "source", "no facts", TEXT, False),
    ],
)
def test_a_winner_is_trusted_if_the_digests_of_input_config_and_text_fit(
    tmp_path: Path, key: str, source: str, facts: Any, text: str, fits: bool
) -> None:
    put(tmp_path, "intro.winner.md", text)
    put(tmp_path, "intro.winner.json", json.dumps(facts))

    trusted = skipping.by_digest(tmp_path, {"intro.md": key}, {"intro.md": source})

    assert (trusted == {"intro.md": tmp_path / "intro.winner.md"}) is fits


def test_a_winner_without_facts_is_not_trusted(tmp_path: Path) -> None:
    put(tmp_path, "intro.winner.md")

    assert skipping.by_digest(tmp_path, {"intro.md": "k"}, {"intro.md": "source"}) == {}
