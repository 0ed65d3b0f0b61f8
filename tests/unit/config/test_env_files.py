"""Variables from ``.env`` files."""

from pathlib import Path

import pytest

from acm_api.config import env_files
from acm_workers.errors import RequestError


def test_a_file_beside_the_config_gives_keys_that_the_environment_lacks(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(
        '# keys\nexport ALPHA_KEY="sk-1 # no comment"\nBETA_TOKEN=t # comment\nGAMMA_KEY=file\n'
    )
    environ = {"GAMMA_KEY": "own"}

    notes = env_files.load(None, tmp_path, environ)

    assert environ == {"ALPHA_KEY": "sk-1 # no comment", "BETA_TOKEN": "t", "GAMMA_KEY": "own"}
    assert notes == []


def test_a_file_that_nobody_named_changes_nothing_but_keys(tmp_path: Path) -> None:
    names = ["ACM_DATABASE_URL", "ACM_API_KEY", "ACM_KEY_HOSTS", "HTTPS_PROXY", "SSL_CERT_FILE"]
    (tmp_path / ".env").write_text("".join(f"{name}=secret\n" for name in names) + "A_KEY=1\n")
    environ: dict[str, str] = {}

    (note,) = env_files.load(None, tmp_path, environ)

    assert environ == {"A_KEY": "1"}
    assert all(name in note for name in names)
    assert "--env-file" in note
    assert "secret" not in note


def test_a_named_file_gives_everything_and_the_other_is_not_read(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("A_KEY=1\n")
    (tmp_path / "mine.env").write_text("ACM_LOG_LEVEL=info\nB_KEY=${ACM_LOG_LEVEL}-2\nEMPTY\n")
    environ: dict[str, str] = {}

    notes = env_files.load(tmp_path / "mine.env", tmp_path, environ)

    assert environ == {"ACM_LOG_LEVEL": "info", "B_KEY": "info-2"}
    assert notes == []


def test_a_folder_without_a_file_and_an_empty_file_are_no_fault(tmp_path: Path) -> None:
    environ: dict[str, str] = {}

    nothing = env_files.load(None, tmp_path, environ)
    (tmp_path / ".env").write_text("")

    assert env_files.load(None, tmp_path, environ) == nothing == []
    assert environ == {}


def test_a_line_that_is_no_assignment_is_refused_without_quoting_it(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("A_KEY=1\n\nsk-secret is my key\n")

    with pytest.raises(RequestError) as caught:
        env_files.load(None, tmp_path, {})

    assert str(caught.value) == "this line is not NAME=VALUE"
    assert caught.value.where == f"{tmp_path}/.env:3"


def test_a_named_file_that_is_missing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="does not exist"):
        env_files.load(tmp_path / "no.env", tmp_path, {})
