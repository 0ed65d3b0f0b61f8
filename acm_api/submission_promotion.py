"""Versions of submissions as texts that judges compare in pairs."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from acm_api.submissions import SubmittedCode
from acm_workers.errors import RequestError
from acm_workers.store import submission_tasks, submission_versions
from acm_workers.store.connection.database import Database
from acm_workers.store.submission_versions import VersionKey
from schemas.submissions import SubmissionTask

_LEAST = 2


def task_of(database: Database, chosen: Sequence[SubmittedCode]) -> SubmissionTask:
    """Return the common task of submissions to compare.

    Raises:
        RequestError: There are too few submissions, or they belong to different tasks.
    """
    keys = sorted({one.submission.task_key for one in chosen})
    if len(chosen) < _LEAST or len(keys) != 1:
        raise RequestError(
            f"two or more submissions of one task are compared, not {len(chosen)} of"
            f" {', '.join(keys) or 'none'}"
        )
    with database.read() as connection:
        return submission_tasks.get(connection, keys[0])


def write(
    folder: Path, task: SubmissionTask, chosen: Sequence[SubmittedCode]
) -> Mapping[str, VersionKey]:
    """Write each version as a text, and the task as instructions; return versions by file name.

    Raises:
        RequestError: The folder contains other texts.
    """
    texts = folder / "texts"
    texts.mkdir(parents=True, exist_ok=True)
    written: dict[str, VersionKey] = {}
    for one in chosen:
        best = submission_versions.summary(one.versions)
        # A name that says nothing of author, number or score.
        digest = hashlib.sha256(best.content.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        name = f"{digest}.md"
        written[name] = VersionKey(best.submission_id, best.version)
        (texts / name).write_text(f"```python\n{best.content.rstrip()}\n```\n", encoding="utf-8")
    strange = {path.name for path in texts.iterdir()} - written.keys()
    if strange:
        raise RequestError(f"{texts} holds other texts ({sorted(strange)[0]}): choose another --to")
    if len(written) < _LEAST:
        raise RequestError("these submissions have the same code: there is nothing to compare")
    about = f"Write a program for this task: {task.title or task.key}\n\n{task.description}\n"
    (folder / "task.md").write_text(about, encoding="utf-8")
    return written


def winner(folder: Path, written: Mapping[str, VersionKey]) -> VersionKey | None:
    """Return the version that judges found to be the best, if there is one."""
    for file in sorted(folder.glob("winners/**/*.winner.json")):
        told = json.loads(file.read_text(encoding="utf-8"))
        name = Path(told.get("file") or "").name
        if name in written:
            return written[name]
    return None
