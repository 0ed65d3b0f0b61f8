"""Search in a folder of documents."""

import os
from pathlib import Path

import pytest

from acm_workers.errors import RequestError
from acm_workers.gateway import folder_search

DOCUMENTS = {
    "canals.md": "# Canals of the north\n\nA canal lock lifts boats. Locks need water.\n",
    "bread.md": "Bread needs flour, water and time.\n",
    "deep/keys.txt": "A key opens a lock.\n",
    "page.html": "<title>Weirs</title><nav>canal canal</nav><p>A weir holds the <b>river</b>.</p>",
    "picture.png": "canal canal canal",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in DOCUMENTS.items():
        file = tmp_path / "sources" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path / "sources"


def found(folder: Path, query: str, most: int = 5) -> list[str]:
    return [page.url for page in folder_search.find(str(folder), query, most)]


def test_the_document_that_is_most_about_the_query_comes_first(folder: Path) -> None:
    assert found(folder, "canal lock") == ["file:canals.md", "file:deep/keys.txt"]
    assert found(folder, "canal lock", most=1) == ["file:canals.md"]


@pytest.mark.parametrize("query", ["boat", "BOATS", "canals of the norths"])
def test_a_plural_finds_what_its_singular_does(folder: Path, query: str) -> None:
    assert found(folder, query)[0] == "file:canals.md"


def test_documents_that_share_no_word_with_the_query_are_not_found(folder: Path) -> None:
    assert found(folder, "quantum chromodynamics") == []
    assert found(folder, "?!") == []


def test_a_result_has_title_and_text_and_no_menu(folder: Path) -> None:
    (page,) = folder_search.find(str(folder), "weir", 5)

    assert (page.title, page.text) == ("Weirs", "Weirs\nA weir holds the river.")
    assert folder_search.find(str(folder), "boats", 5)[0].title == "Canals of the north"


def test_files_that_changed_are_read_again(folder: Path) -> None:
    assert found(folder, "tunnel") == []

    (folder / "tunnels.md").write_text("A tunnel is dark.")
    os.utime(folder / "tunnels.md")

    assert found(folder, "tunnel") == ["file:tunnels.md"]


def test_links_out_of_the_folder_are_not_followed(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("The password is swordfish.")
    (folder / "link.md").symlink_to(tmp_path / "secret.md")

    assert found(folder, "swordfish") == []


def test_of_a_long_document_the_best_passages_are_given(tmp_path: Path) -> None:
    filler = "Nothing of interest is said here.\n\n" * 2000
    (tmp_path / "long.md").write_text(f"{filler}The aqueduct crosses the valley.\n\n{filler}")

    (page,) = folder_search.find(str(tmp_path), "aqueduct valley", 5)

    assert "The aqueduct crosses the valley." in page.text
    assert len(page.text) <= 20_100


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="nowhere is not on this machine"):
        folder_search.find(str(tmp_path / "nowhere"), "canal", 5)


def test_an_empty_folder_finds_nothing(tmp_path: Path) -> None:
    assert found(tmp_path, "canal") == []
