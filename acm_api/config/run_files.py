"""Folders of a run, and the instructions and guidelines for its writers."""

from collections.abc import Iterator
from importlib import resources
from pathlib import Path

from acm_api.config.draft import ConfigDraft, Problem
from schemas.config.config import Config

FOLDERS = ("input_folder", "output_folder", "winners_folder", "reports_folder")


def read(draft: ConfigDraft, config: Config, *, writes: bool) -> tuple[str, str | None]:
    """Return instructions and guidelines; add the problems of these texts and of folders.

    Args:
        writes: Whether the run writes candidates; if not, folders are not checked.
    """
    if writes:
        draft.problems.extend(_folder_problems(config))
    found = draft.read(("instructions_file",), Path(config.instructions_file))
    file = config.guidelines_file
    guidelines = None if file is None else draft.read(("guidelines_file",), Path(file))
    if writes and found is not None and _is_placeholder(found):
        message = f"{config.instructions_file} is as `acm init` wrote it: say what is to be written"
        draft.problem(("instructions_file",), message)
    return found or "", guidelines


def _folder_problems(config: Config) -> Iterator[Problem]:
    for name in FOLDERS:
        try:
            Path(getattr(config, name)).exists()
        except OSError as error:
            why = (error.strerror or type(error).__name__).lower()
            yield Problem((name,), f"{name} cannot be used: {why}")
            return
    inputs = Path(config.input_folder)
    if not inputs.exists():
        yield Problem(("input_folder",), f"input folder {inputs} does not exist")
    elif not inputs.is_dir():
        yield Problem(("input_folder",), f"input folder {inputs} is a file, not a folder")
    for name in ("output_folder", "winners_folder", "reports_folder"):
        folder = Path(getattr(config, name))
        if folder.resolve() == inputs.resolve():
            yield Problem((name,), f"{name} must not be the input folder")
        elif folder.exists() and not folder.is_dir():
            yield Problem((name,), f"{name} {folder} is a file, not a folder")


def _is_placeholder(instructions: str) -> bool:
    shipped = resources.files("acm_api.demo").joinpath("starter_instructions.md")
    return instructions.split() == shipped.read_text("utf-8").split()
