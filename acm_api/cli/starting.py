"""Setting up a folder for a first run."""

import shlex
from importlib import resources
from pathlib import Path

import typer

from acm_workers.errors import RequestError

_FILES = {"starter.yaml": "config.yaml", "starter_instructions.md": "instructions.md"}


def init(folder: Path) -> None:
    """Write a commented config and instructions into ``folder``.

    Raises:
        RequestError: One of them is there already, or the folder cannot be written.
    """
    for name in _FILES.values():
        if (folder / name).exists():
            message = f"{folder / name} exists; nothing was overwritten"
            raise RequestError(message, str(folder / name))
    shipped = resources.files("acm_api.demo")
    try:
        (folder / "inputs").mkdir(parents=True, exist_ok=True)
        for source, name in _FILES.items():
            (folder / name).write_text(shipped.joinpath(source).read_text("utf-8"), "utf-8")
    except OSError as error:
        raise RequestError(f"cannot be written: {error.strerror}", str(folder)) from error
    go = "" if folder == Path() else f"cd {shlex.quote(str(folder))}; "
    typer.echo(f"wrote {folder / 'config.yaml'} and {folder / 'instructions.md'}; next:")
    typer.echo(f"  put .md or .txt files into {folder / 'inputs'}")
    typer.echo(f"  say in {folder / 'instructions.md'} what is to be written from each")
    typer.echo("  export OPENAI_API_KEY=...   (or name other providers in the config)")
    typer.echo(f"  {go}acm plan; acm run")
