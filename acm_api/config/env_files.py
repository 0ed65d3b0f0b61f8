"""Variables from ``.env`` files, for providers' keys that are not in the environment."""

import io
from collections.abc import MutableMapping
from pathlib import Path

import dotenv
from dotenv import parser

from acm_api.config import source
from acm_workers.errors import RequestError

NAME = ".env"
_KEYS = ("_KEY", "_TOKEN")


def load(file: Path | None, folder: Path, environ: MutableMapping[str, str]) -> list[str]:
    """Add the variables of a file to ``environ``, except existing ones; return notes for users.

    A file that the user did not name may belong to an untrusted config. Only keys of providers are
    read from such a file, not settings of ACM, proxies or certificates.

    Args:
        file: The file that the user named; if absent, ``.env`` in ``folder``, if there is one.

    Raises:
        RequestError: The file cannot be read, or a line of it is not an assignment.
    """
    if file is not None:
        found, left_out = _read(file), []
    elif (folder / NAME).is_file():
        file, found = folder / NAME, _read(folder / NAME)
        left_out = sorted(name for name in found if not _is_key(name))
    else:
        return []
    for name, value in found.items():
        if name not in left_out:
            environ.setdefault(name, value)
    if not left_out:
        return []
    return [
        f"{file}: {', '.join(left_out)} not taken; only names that end in _KEY or _TOKEN are,"
        f" unless --env-file names the file"
    ]


def _is_key(name: str) -> bool:
    return name.upper().endswith(_KEYS) and not name.upper().startswith("ACM_")


def _read(file: Path) -> dict[str, str]:
    """Return the variables of a file, without variables that have no value."""
    text = source.read_text(file, blank=True)
    for line in parser.parse_stream(io.StringIO(text)):
        if line.error:
            # Without the line itself, which may be a secret; blank lines before it belong to it.
            original = line.original.string
            blank = original[: len(original) - len(original.lstrip())].count("\n")
            where = f"{file}:{line.original.line + blank}"
            raise RequestError("this line is not NAME=VALUE", where)
    values = dotenv.dotenv_values(stream=io.StringIO(text))
    return {name: value for name, value in values.items() if value is not None}
