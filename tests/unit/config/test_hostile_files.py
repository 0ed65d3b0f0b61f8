"""Files that attack whoever reads them: each is refused, in work that grows with its size."""

import os
from pathlib import Path

import pytest

from acm_api.config import source
from acm_api.files import inputs
from acm_workers.errors import RequestError


def written(folder: Path, text: str) -> Path:
    file = folder / "config.yaml"
    file.write_text(text)
    return file


def merges(levels: int) -> str:
    lines = ["a0: &a0 {x: 1}"]
    lines += [f"a{at}: &a{at} {{<<: [*a{at - 1}, *a{at - 1}]}}" for at in range(1, levels)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    "text",
    [
        merges(60),
        "a: " + "[" * 200_000 + "]" * 200_000,
        "a: " + '{"a":' * 100_000,
        "- " * 50_000 + "a",
        "a: &a [*a]",
        "a: " + "9" * 100,
        "a: " + ":".join(["59"] * 4000),
        "a: " + ":".join(["59"] * 400) + ".5",
        "a: !!python/object/new:os.system id",
    ],
    ids=[
        "merges",
        "brackets",
        "braces",
        "dashes",
        "itself",
        "digits",
        "base 60",
        "base 60 fraction",
        "object",
    ],
)
def test_yaml_that_attacks_its_reader_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(RequestError, match="not valid YAML") as caught:
        source.read_yaml(written(tmp_path, text))

    assert len(str(caught.value)) < 300


def test_numbers_of_usual_size_are_read(tmp_path: Path) -> None:
    read = source.read_yaml(written(tmp_path, "a: 123456789012345678\nb: 1:30\nc: 1e-3"))

    assert read.data == {"a": 123456789012345678, "b": 90, "c": 0.001}


def test_document_that_is_too_long_is_refused_and_one_that_just_fits_is_read(
    tmp_path: Path,
) -> None:
    file = tmp_path / "a.md"
    file.write_bytes(b"a" * source.MAX_TEXT_BYTES)
    fits = source.read_text(file)
    os.truncate(file, 200 * 1024 * 1024)

    with pytest.raises(RequestError, match="longer than 4 MB; split it"):
        source.read_text(file)

    assert len(fits) == source.MAX_TEXT_BYTES


def test_link_that_is_changed_after_the_look_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, secret = tmp_path / "inputs", tmp_path / "secret"
    (root / "inner").mkdir(parents=True)
    secret.mkdir()
    (root / "inner" / "a.md").write_text("mine")
    (secret / "a.md").write_text("of somebody else")
    real = (root / "inner" / "a.md").resolve()

    def resolved(_path: Path) -> Path:  # another process is faster than the look
        if not (root / "inner").is_symlink():
            (root / "inner").rename(tmp_path / "aside")
            (root / "inner").symlink_to(secret)
        return real

    monkeypatch.setattr(Path, "resolve", resolved)

    with pytest.raises(RequestError, match="cannot be read"):
        source.read_text(root / "inner" / "a.md", root)


def test_link_within_the_input_folder_is_read(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "b.txt").write_text("mine")
    (tmp_path / "a.md").symlink_to("deep/b.txt")

    assert [each.text for each in inputs.read(tmp_path)] == ["mine"]


def test_pipe_is_no_document(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.md")

    with pytest.raises(RequestError, match="not a regular file"):
        source.read_text(tmp_path / "a.md")


@pytest.mark.parametrize(("levels", "refused"), [(100, False), (101, True)])
def test_input_folder_has_at_most_a_hundred_levels(
    tmp_path: Path, levels: int, refused: bool
) -> None:
    deepest = tmp_path.joinpath(*["d"] * levels)
    deepest.mkdir(parents=True)
    (deepest / "a.md").write_text("far down")

    if refused:
        with pytest.raises(RequestError, match="more than 100 levels of folders"):
            inputs.read(tmp_path)
    else:
        assert [each.text for each in inputs.read(tmp_path)] == ["far down"]
