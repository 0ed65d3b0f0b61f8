"""Reading the documents of a run."""

import os
from pathlib import Path

import pytest

from acm_api.files import inputs
from acm_workers.errors import RequestError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return an empty input folder."""
    found = tmp_path / "inputs"
    found.mkdir()
    return found


def put(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"text of {name}")


def paths(folder: Path, *exclude: Path) -> list[str]:
    return [found.path for found in inputs.read(folder, exclude)]


def refusal(folder: Path) -> str:
    with pytest.raises(RequestError) as caught:
        inputs.read(folder)
    assert "\n" not in str(caught.value)
    return str(caught.value).replace(str(folder), "IN")


def test_documents_come_from_all_depths_ordered_by_path(folder: Path) -> None:
    put(folder, "z.md", "b/y.txt", "b/a/x.markdown", "b.md", "b-1/c.md", "A.MD", "é.md")

    found = paths(folder)

    assert found == ["A.MD", "b-1/c.md", "b.md", "b/a/x.markdown", "b/y.txt", "z.md", "é.md"]
    assert found == sorted(found)


def test_other_and_hidden_files_are_left_out(folder: Path) -> None:
    put(folder, "a.md", "a.doc", "README", ".hidden.md", ".git/b.md", "c/.d/e.md", "data.json")

    assert paths(folder) == ["a.md"]


def test_text_is_kept_as_it_is_but_for_the_byte_order_mark(folder: Path) -> None:
    (folder / "a.md").write_bytes(b"\xef\xbb\xbf# \xc3\x84\r\n\r\nx")

    assert inputs.read(folder) == [inputs.InputDocument("a.md", "# Ä\r\n\r\nx")]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "IN/a/b.md is empty"),
        (b" \n\t\n", "IN/a/b.md is empty"),
        (b"\xef\xbb\xbf", "IN/a/b.md is empty"),
        (b"caf\xe9", "IN/a/b.md is not UTF-8 text (byte 4); save it as UTF-8"),
        ("text".encode("utf-16"), "IN/a/b.md is not UTF-8 text (byte 1); save it as UTF-8"),
        (b"a\0b", "IN/a/b.md holds NUL bytes, so it is not a text file"),
    ],
)
def test_a_file_that_is_no_text_is_refused_by_name(folder: Path, data: bytes, message: str) -> None:
    put(folder, "a/b.md", "z.md")
    (folder / "a" / "b.md").write_bytes(data)

    assert refusal(folder) == message


def test_no_documents_are_refused(folder: Path) -> None:
    put(folder, "a.doc")

    suffixes = ".md, .markdown, .txt, .docx, .pdf, .html, .htm"
    assert refusal(folder) == f"input folder IN holds no documents ({suffixes})"


def test_a_refused_folder_is_named_once(folder: Path) -> None:
    for refused in (folder, folder / "no"):
        with pytest.raises(RequestError) as caught:
            inputs.read(refused)

        assert caught.value.where == "input_folder"
        assert str(caught.value).count(str(refused)) == 1


def test_a_missing_folder_is_refused(folder: Path) -> None:
    assert refusal(folder / "no").replace("IN/no", "IN") == "input folder IN does not exist"


def test_a_file_is_no_input_folder(folder: Path) -> None:
    put(folder, "a.md")

    assert refusal(folder / "a.md") == "input folder IN is a file, not a folder"


def test_one_real_file_is_read_once_by_its_first_name(folder: Path) -> None:
    put(folder, "m/real.md")
    (folder / "a.md").symlink_to(folder / "m" / "real.md")
    (folder / "z.md").symlink_to("m/real.md")

    assert inputs.read(folder) == [inputs.InputDocument("a.md", "text of m/real.md")]


def test_linked_folders_are_followed_once(folder: Path) -> None:
    put(folder, "b/x.md")
    (folder / "a").symlink_to(folder / "b")
    (folder / "b" / "up").symlink_to(folder)

    assert paths(folder) == ["a/x.md"]


def test_the_input_folder_may_itself_be_a_link(folder: Path, tmp_path: Path) -> None:
    put(folder, "x.md")
    (tmp_path / "link").symlink_to(folder)

    assert paths(tmp_path / "link") == ["x.md"]


@pytest.mark.parametrize("target", ["secret.md", "elsewhere"])
def test_a_link_out_of_the_input_folder_is_refused_by_name(
    folder: Path, tmp_path: Path, target: str
) -> None:
    put(tmp_path, "secret.md", "elsewhere/x.md")
    put(folder, "ok.md")
    (folder / "out.md").symlink_to(tmp_path / target)

    assert refusal(folder) == (
        f"link IN/out.md leads out of the input folder, to {tmp_path}/{target}"
    )


def test_a_folder_beside_with_the_same_start_is_outside(folder: Path, tmp_path: Path) -> None:
    put(tmp_path, "inputs2/x.md")
    (folder / "x.md").symlink_to(tmp_path / "inputs2" / "x.md")

    assert "leads out of the input folder" in refusal(folder)


@pytest.mark.parametrize("target", ["nothing.md", "loop.md"])
def test_a_link_to_nothing_is_refused_by_name(folder: Path, target: str) -> None:
    (folder / "loop.md").symlink_to(folder / target)

    assert refusal(folder) == "link IN/loop.md leads nowhere"


def test_a_pipe_is_refused_and_not_waited_for(folder: Path) -> None:
    os.mkfifo(folder / "a.md")

    assert refusal(folder) == "IN/a.md is not a regular file"


def test_outputs_in_the_input_folder_are_no_inputs(folder: Path) -> None:
    put(folder, "a.md", "out/a.fpf.1.m.abc.md", "winners/a.winner.md", "task.md")

    found = paths(folder, folder / "out", folder / "winners", folder / "task.md", folder / "none")

    assert found == ["a.md"]


def test_excluded_link_may_lead_anywhere(folder: Path, tmp_path: Path) -> None:
    put(tmp_path, "disk/a.fpf.1.m.abc.md")
    put(folder, "a.md")
    (folder / "out").symlink_to(tmp_path / "disk")

    assert paths(folder, folder / "out") == ["a.md"]


def test_a_folder_around_the_inputs_excludes_nothing(folder: Path) -> None:
    put(folder, "a.md")

    assert paths(folder, folder.parent) == ["a.md"]


def test_a_name_too_long_for_its_outputs_is_refused_before_anything_is_paid(folder: Path) -> None:
    put(folder, "x" * 168 + ".md")

    assert refusal(folder).endswith("is longer than 170 bytes; shorten it")


@pytest.mark.parametrize("name", ["caf\udce9.md", "caf\udce9/b.md"])
def test_a_name_that_is_not_utf8_is_refused(name: str) -> None:
    # As Linux hands out the byte E9; file systems of other makers hold no such name.
    with pytest.raises(RequestError) as caught:
        inputs.relative(Path("inputs"), Path("inputs", name))

    shown = name.replace("\udce9", "\\udce9")
    assert str(caught.value) == f"the name of {shown} is not UTF-8; rename it"
    assert caught.value.where == "inputs"


def only(folder: Path, *names: str) -> list[str]:
    return [found.path for found in inputs.read(folder, only=names)]


def test_only_named_documents_are_taken_and_the_others_are_not_read(folder: Path) -> None:
    put(folder, "a.md", "b/c.md", "b/d.txt", "b/e.txt")
    (folder / "empty.md").write_text("")

    assert only(folder, "a.md") == ["a.md"]
    assert only(folder, "c") == only(folder, "b/c") == ["b/c.md"]
    assert only(folder, "d.txt", "a") == ["a.md", "b/d.txt"]
    assert only(folder, "b/*", "b/c.md") == ["b/c.md", "b/d.txt", "b/e.txt"]
    assert only(folder, "[de].txt") == ["b/d.txt", "b/e.txt"]
    assert only(folder, str(folder / "b" / "e.txt")) == ["b/e.txt"]


def test_the_path_of_a_document_names_it_alone(folder: Path) -> None:
    put(folder, "a.md", "b/a.md", "n[1].md", "n1.md")

    assert only(folder, "a.md") == ["a.md"]
    assert only(folder, "n[1].md") == ["n[1].md"]


def test_an_unknown_document_is_refused_with_the_nearest_one(folder: Path) -> None:
    put(folder, "intro.md", "history/locks.md")

    with pytest.raises(RequestError) as caught:
        only(folder, "intro.md", "history/lock.md")

    assert caught.value.where == "--only"
    assert str(caught.value) == (
        f'input folder {folder} has no document "history/lock.md"; did you mean history/locks.md?'
    )


def test_an_unlike_document_is_refused_with_all_paths(folder: Path) -> None:
    put(folder, "intro.md", "history/locks.md")

    with pytest.raises(RequestError, match=r"\(known: history/locks.md, intro.md\)"):
        only(folder, "*.txt")
