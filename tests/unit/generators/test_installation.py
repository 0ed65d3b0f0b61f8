"""Where GPT Researcher's environment is, and whether it can be used."""

import json
from pathlib import Path

import pytest

from acm_api.cli import setup
from acm_workers.errors import RequestError
from acm_workers.generators.children import installation
from acm_workers.generators.children.installation import STAMP, ResearcherInstallation


def finished(folder: Path) -> ResearcherInstallation:
    """Return an environment that has all that is looked for."""
    found = ResearcherInstallation(folder)
    found.python.parent.mkdir(parents=True)
    found.python.symlink_to("/bin/sh")
    found.tokenizers.mkdir()
    for name in installation.TOKENIZER_FILES:
        (found.tokenizers / name).write_text("data")
    stamp = {"requirements": installation.requirements_digest()}
    (folder / STAMP).write_text(json.dumps(stamp))
    return found


def test_a_finished_environment_can_be_used(tmp_path: Path) -> None:
    assert finished(tmp_path / "gptr").problem() is None


@pytest.mark.parametrize(
    ("stamp", "problem"),
    [
        (None, "GPT Researcher is not in"),
        ("{}", "was not finished"),
        ("[", "cannot be read"),
        ('{"requirements": "of another version"}', "is of another version of ACM"),
    ],
)
def test_what_is_wrong_with_an_environment_is_told_with_what_to_do(
    tmp_path: Path, stamp: str | None, problem: str
) -> None:
    found = finished(tmp_path)
    (tmp_path / STAMP).unlink()
    if stamp is not None:
        (tmp_path / STAMP).write_text(stamp)

    told = found.problem() or ""

    assert problem in told
    assert "`acm setup gptr` builds it" in told


def test_an_environment_whose_files_were_removed_is_not_used(tmp_path: Path) -> None:
    found = finished(tmp_path)
    next(found.tokenizers.iterdir()).unlink()

    assert "lacks" in (found.problem() or "")

    found.python.unlink()

    assert "is gone or cannot be executed" in (found.problem() or "")


def test_the_environment_is_in_the_configured_folder_or_the_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))

    assert installation.of(None).folder == tmp_path / "acm" / "gptr"
    assert installation.of(Path("/opt/gptr")).folder == Path("/opt/gptr")


def test_a_folder_that_is_not_ours_is_never_removed(tmp_path: Path) -> None:
    (tmp_path / "thesis.md").write_text("years of work")

    with pytest.raises(RequestError, match="was not made by"):
        setup._clear(tmp_path)

    assert (tmp_path / "thesis.md").read_text() == "years of work"


def test_an_unfinished_environment_is_removed_first(tmp_path: Path) -> None:
    (tmp_path / STAMP).write_text("{}")
    (tmp_path / "half").write_text("installed")

    setup._clear(tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == [STAMP]


def test_every_requirement_is_pinned_and_hashed() -> None:
    place = Path(installation.__file__).parent
    for name in (installation.REQUIREMENTS, installation.TOKENIZERS):
        entries = (place / name).read_text().replace("\\\n", " ").splitlines()

        assert [one for one in entries if "==" not in one or "--hash=sha256:" not in one] == []


def test_the_requirements_hold_the_version_that_is_checked() -> None:
    lock = (Path(installation.__file__).parent / installation.REQUIREMENTS).read_text()

    assert f"gpt-researcher=={installation.GPT_RESEARCHER} " in lock
