"""`acm setup`: install programs that ACM uses and does not include."""

import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from acm_api.cli.view.output import echo
from acm_workers.errors import RequestError

if TYPE_CHECKING:
    from acm_workers.generators.children.installation import ResearcherInstallation

_INSTALL_WITHIN_S = 3600.0
_CHECK_WITHIN_S = 300.0
_TOLD_LINES = 12

app = typer.Typer(
    name="setup", help="Install programs that some generators need.", no_args_is_help=True
)


@app.callback()
def _options() -> None:
    """Make ``gptr`` a subcommand, although it is the only one."""


@app.command(epilog="Example: acm setup gptr --folder /opt/acm-gptr")
def gptr(
    folder: Annotated[
        Path | None,
        typer.Option(help="Target folder; default: ACM_GPTR_ENVIRONMENT or your data folder."),
    ] = None,
    renew: Annotated[bool, typer.Option("--renew", help="Build it again if it exists.")] = False,
) -> None:
    """Build the environment of GPT Researcher for the generators gptr, dr and ma.

    Takes about a minute and 550 MB. pip installs the packages from its configured index, with the
    versions and hashes that ACM ships. If the environment exists, nothing changes.
    """
    from filelock import FileLock, Timeout

    from acm_workers.generators.children import installation
    from acm_workers.settings import Settings

    target = installation.of(folder or Settings().gptr_environment)
    try:
        target.folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{target.folder}.lock", timeout=0):
            _build_if_needed(target, renew)
    except Timeout as error:
        raise RequestError("another `acm setup gptr` is building it", str(target.folder)) from error
    except OSError as error:
        raise RequestError(f"cannot be written: {error.strerror}", str(target.folder)) from error
    if folder is not None:
        echo(f"set ACM_GPTR_ENVIRONMENT={target.folder} for runs and workers")


def _build_if_needed(target: "ResearcherInstallation", renew: bool) -> None:
    from acm_workers.generators.children.installation import GPT_RESEARCHER

    if target.problem() is None and not renew:
        echo(f"GPT Researcher {GPT_RESEARCHER} is in {target.folder}")
        return
    _clear(target.folder)
    _build(target)
    echo(f"GPT Researcher {GPT_RESEARCHER} is ready in {target.folder}")


def _clear(folder: Path) -> None:
    """Remove an older or incomplete environment, and nothing else."""
    from acm_workers.generators.children.installation import STAMP

    if folder.exists() and any(folder.iterdir()) and not (folder / STAMP).exists():
        message = "exists and was not made by `acm setup gptr`; name another folder"
        raise RequestError(message, str(folder))
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / STAMP).write_text("{}")  # ours, and not finished


def _build(target: "ResearcherInstallation") -> None:
    from acm_workers.generators.children import installation

    shipped = resources.files("acm_workers.generators.children")
    python = str(target.python)
    pip = [python, "-m", "pip", "--disable-pip-version-check"]
    echo(f"1/4 creating {target.folder}")
    hint = "Python's venv is needed; on Debian and Ubuntu it is the package python3-venv"
    _run([sys.executable, "-m", "venv", str(target.folder)], hint)
    echo("2/4 installing its packages")
    with resources.as_file(shipped / installation.REQUIREMENTS) as lock:
        # Without dependencies: GPT Researcher declares 1 GB of packages that ACM does not use.
        command = [*pip, "install", "--quiet", "--no-deps", "--require-hashes", "-r", str(lock)]
        _run(command, "pip could not install the packages; is its index reachable?")
    echo("3/4 downloading the tokenizers' files")
    with (
        tempfile.TemporaryDirectory() as place,
        resources.as_file(shipped / installation.TOKENIZERS) as lock,
    ):
        command = [*pip, "download", "--quiet", "--no-deps", "--require-hashes", "-r", str(lock)]
        _run(
            [*command, "--dest", place], "pip could not download the files; is its index reachable?"
        )
        _extract(Path(place), target.tokenizers, installation.TOKENIZER_FILES)
    echo("4/4 checking it")
    environment = {"PATH": os.defpath, "HOME": str(target.folder), **target.variables}
    found = _run(
        [python, "-I", "-c", installation.CHECK], "the environment does not work", environment
    )
    if found.strip() != installation.GPT_RESEARCHER:
        raise RequestError(f"version {found.strip()} was installed", str(target.folder))
    stamp = {
        "gpt_researcher": installation.GPT_RESEARCHER,
        "python": platform.python_version(),
        "requirements": installation.requirements_digest(),
    }
    unfinished = target.folder / "stamp.part"
    unfinished.write_text(json.dumps(stamp))
    unfinished.replace(target.folder / installation.STAMP)


def _extract(place: Path, into: Path, wanted: Mapping[str, str]) -> None:
    """Extract files from the only wheel in ``place``, and check their hashes."""
    into.mkdir()
    (wheel,) = place.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        by_name = {Path(name).name: name for name in archive.namelist()}
        for name, digest in wanted.items():
            content = archive.read(by_name[name]) if name in by_name else b""
            if hashlib.sha256(content).hexdigest() != digest:
                raise RequestError(f"{wheel.name} does not contain the tokenizer {name}")
            (into / name).write_bytes(content)


def _run(command: list[str], hint: str, environment: dict[str, str] | None = None) -> str:
    """Return the output of a command; an error includes its error output."""
    limit = _INSTALL_WITHIN_S if environment is None else _CHECK_WITHIN_S
    try:
        done = subprocess.run(  # noqa: S603  the commands stand above
            command, capture_output=True, text=True, timeout=limit, env=environment, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise RequestError(f"{hint} (it took more than {limit:g} s)") from error
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip().splitlines()[-_TOLD_LINES:]
        for line in lines:
            echo(f"  {line}", err=True)
        raise RequestError(hint)
    return done.stdout
