"""`acm init`: create a commented config and instructions."""

import shlex
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

from acm_api.cli.view.output import echo
from acm_workers.errors import RequestError

_FILES = {"starter.yaml": "config.yaml", "starter_instructions.md": "instructions.md"}


def init(
    folder: Annotated[Path, typer.Argument(help="Folder to set up.", show_default=True)] = Path(),
    old: Annotated[
        Path | None,
        typer.Option("--from", help="Translate this config of ACM 1, with comments."),
    ] = None,
    preset: Annotated[
        str | None, typer.Option(help="Name of the preset, if --from is a file of presets.")
    ] = None,
) -> None:
    """Create a config and instructions to start from.

    Existing files are not overwritten. With --from a config of ACM 1 is translated; comments name
    the earlier key of each value, changes of meaning, and open decisions. Its instructions and
    inputs are not copied.
    """
    if old is not None:
        _migrate(old, folder, preset)
        return
    if preset is not None:
        raise RequestError("--preset needs --from, the file of presets", "--preset")
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
    change = "" if folder == Path() else f"cd {shlex.quote(str(folder))}; "
    echo(f"wrote {folder / 'config.yaml'} and {folder / 'instructions.md'}; next:")
    echo(f"  put .md or .txt files into {folder / 'inputs'}")
    echo(f"  describe in {folder / 'instructions.md'} what to write from each")
    echo("  export OPENAI_API_KEY=...   (or put it into .env there, or name other providers)")
    echo(f"  {change}acm plan; acm run")


def _migrate(old: Path, folder: Path, preset: str | None) -> None:
    from acm_api.config import migration

    target = folder / "config.yaml"
    if target.exists():
        message = f"{target} exists; nothing was overwritten; `acm init FOLDER --from {old}`"
        raise RequestError(f"{message} writes elsewhere", str(target))
    text = migration.migrated(old, folder, preset)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    except OSError as error:
        raise RequestError(f"cannot be written: {error.strerror}", str(folder)) from error
    left = text.count("# TO DECIDE")
    echo(
        f"wrote {target}; its comments say what was decided" + (f", {left} TO DECIDE" * bool(left))
    )
    change = "" if folder == Path() else f"cd {shlex.quote(str(folder))}; "
    echo(f"next: {change}acm plan; acm run")
