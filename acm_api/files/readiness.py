"""Checks that the files of a run can be written, before any paid call."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePosixPath

from acm_api.files import atomic, export, naming
from acm_workers.errors import RequestError
from schemas.config.config import Config

STORE_BYTES, FILE_BYTES = 16 * 1024, 8 * 1024
"""Expected bytes of a call in the store with its log, and in files: twice those of the demo."""


def check(config: Config, paths: Iterable[str], calls: int, home: Path | None) -> None:
    """Check the folders of a run and the space on their disks.

    Raises:
        RequestError: The first problem, with all other problems in ``more``; see ``problems``.
    """
    found = problems(config, paths, calls, home)
    if found:
        found[0].more = tuple(found[1:])
        raise found[0]


def problems(
    config: Config,
    paths: Iterable[str],
    calls: int,
    home: Path | None,
    free: Callable[[Path], int] = lambda folder: shutil.disk_usage(folder).free,
) -> list[RequestError]:
    """Return the reasons why the files of a run cannot be written.

    Args:
        paths: Documents whose candidates and winners are written, relative to the input folder.
        calls: Number of expected calls.
        home: Folder of the SQLite store; None if the store is a server.
        free: Function that returns the free bytes on the disk of a folder.
    """
    into = export.folders(config)
    stems = [PurePosixPath(path) for path in paths]
    folders = {into.reports} | ({home} if home is not None else set())
    folders |= {root / stem.parent for stem in stems for root in (into.outputs, into.winners)}
    found = [
        refusal for folder in sorted(folders) if (refusal := folder_problem(folder)) is not None
    ]
    found = list({str(one): one for one in found}.values())
    found += _blocked_winners(into.winners, [str(stem) for stem in stems])
    if found:
        return found
    shares = [(into.outputs, FILE_BYTES // 2), (into.reports, FILE_BYTES // 2)]
    shares += [] if home is None else [(home, STORE_BYTES)]
    needed: dict[int, tuple[Path, int]] = {}
    for folder, size in shares:
        place = _existing(folder)
        first, so_far = needed.get(place.stat().st_dev, (place, 0))
        needed[place.stat().st_dev] = (first, so_far + size * calls)
    return [
        RequestError(
            f"the disk of {folder} has {_megabytes(free(folder))} free, and the run needs about"
            f" {_megabytes(size)}; free some space, or use another folder",
            str(folder),
        )
        for folder, size in needed.values()
        if free(folder) < size
    ]


def folder_problem(folder: Path) -> RequestError | None:
    """Return why a folder cannot be written or created; None if it can."""
    existing = _existing(folder)
    try:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            os.lstat(folder)  # a name may be too long, or lead through a closed folder
    except OSError as error:
        return atomic.refusal(folder, error)
    failed = _write_error(existing)
    return None if failed is None else atomic.refusal(existing, failed)


def _blocked_winners(root: Path, paths: list[str]) -> Iterator[RequestError]:
    clashing = naming.clashing(paths)
    for path in paths:
        stem = naming.stem(path, full_name=path in clashing)
        for file in (root / f"{stem}.winner.md", root / f"{stem}.winner.json"):
            if file.is_dir():
                yield RequestError(f"{file} is a folder, and a winner gets this name", str(file))


def _existing(folder: Path) -> Path:
    """Return the nearest existing parent of a path."""
    return next(one for one in (folder, *folder.parents) if os.path.lexists(one))


def _write_error(folder: Path) -> OSError | None:
    """Write a test file into a folder, since file modes are not sufficient; return the error."""
    try:
        with tempfile.TemporaryFile(dir=folder, prefix=".acm-") as file:
            file.write(b"acm")
            file.flush()
    except OSError as error:
        return error
    return None


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
