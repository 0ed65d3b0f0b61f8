"""The workspace of a debugger: the folder with its input, and the versions that it writes."""

import json
import os
import re
import stat
from pathlib import Path
from typing import NamedTuple

import prompts
from acm_workers.submissions import repair
from acm_workers.submissions.repair import MOST_CODE
from schemas.submissions import ReportKind, Submission, SubmissionTask, Version

_MOST_REPORT = 20_000
_NEXT = re.compile(r"^submission_v(\d{1,6})\.py$")
_REPORTS: tuple[tuple[ReportKind, tuple[str, ...]], ...] = (
    ("success", ("success.md",)),
    ("failed", ("failed.md", "fail.md")),
)
_MONITOR = '''"""Waits for the result of a version: python monitor_evaluation.py 2

Prints the result; exit code 0 if it has a score or took more than 300 s, 2 if it failed.
"""

import json
import sys
import time
from pathlib import Path

file = Path(__file__).parent / "results" / f"v{int(sys.argv[1])}.json"
until = time.monotonic() + 300
while not file.exists() and time.monotonic() < until:
    time.sleep(0.1)
if not file.exists():
    print("still running")
    sys.exit(0)
text = file.read_text()
print(text)
sys.exit(0 if json.loads(text)["state"] == "scored" else 2)
'''


class NewVersion(NamedTuple):
    """A new version written by a debugger.

    Attributes:
        number: Number in the name of the file.
    """

    number: int
    content: str
    path: Path


class Workspace:
    """The folder of a debugger.

    Args:
        next_number: Expected number of the debugger's first version.
    """

    def __init__(self, folder: Path, next_number: int) -> None:
        self.folder = folder
        self._next_number = next_number
        self._seen: dict[str, tuple[int, int]] = {}

    def write(self, task: SubmissionTask, submission: Submission, original: Version) -> None:
        """Write the input files of the debugger."""
        for name in ("submissions", "results", "tmp"):
            (self.folder / name).mkdir()
        (self.folder / "submission_v1.py").write_text(original.content, encoding="utf-8")
        (self.folder / "monitor_evaluation.py").write_text(_MONITOR, encoding="utf-8")
        about = {
            "id": submission.id,
            "task": task.key,
            "title": submission.title,
            "author": submission.author,
            "state": original.state,
            "error": original.error,
            "next_version": self._next_number,
        }
        (self.folder / "evaluation.json").write_text(json.dumps(about, indent=2) + "\n")
        (self.folder / "prompt.md").write_text(self.prompt(task, original), encoding="utf-8")

    def prompt(self, task: SubmissionTask, original: Version) -> str:
        """Return the instructions for the debugger."""
        number = self._next_number
        return (
            f"{question(task, original)}\n\n"
            "You work in this folder. submission_v1.py is the program.\n"
            f"Write each repaired version as submissions/submission_v{number}.py, then"
            f" submissions/submission_v{number + 1}.py, and so on; it is evaluated at once.\n"
            f"`python monitor_evaluation.py {number}` waits for the result of a version.\n"
            "When a version has a score, write report_success.md: what was wrong and what you"
            " changed. If you give up, write report_failed.md: why. Then end.\n"
        )

    def harvest(self, *, final: bool = False) -> list[NewVersion]:
        """Return the new versions since the last call, and mark their files.

        Args:
            final: Whether the debugger has ended, so that all files are complete. Before that, a
                file counts as complete if it did not change between two calls.
        """
        found = []
        for path in sorted(self._files(), key=_number):
            try:
                about = path.lstat()
            except OSError:
                continue
            if not stat.S_ISREG(about.st_mode):
                continue
            now = (about.st_size, about.st_mtime_ns)
            if not final and self._seen.get(path.name) != now:
                self._seen[path.name] = now
                continue
            content = _text(path)
            if content is None or not content.strip():
                continue
            found.append(NewVersion(_number(path), content, path))
        return found

    def mark(self, version: NewVersion) -> None:
        """Mark the file of a version as processed."""
        os.replace(version.path, version.path.with_name(f"{version.path.name}_processed"))

    def tell(self, number: int, version: Version) -> None:
        """Write the outcome of a version to the file that the debugger reads."""
        result = {
            "state": version.state,
            "score": version.score,
            "error": version.error,
            "message": version.message,
            "metrics": version.metrics,
            "log": version.log,
        }
        part = self.folder / "results" / f".v{number}.part"
        part.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
        os.replace(part, part.with_name(f"v{number}.json"))

    def refuse(self, number: int, why: str) -> None:
        """Tell the debugger that a version is not evaluated."""
        refused = json.dumps({"state": "refused", "score": None, "error": why})
        (self.folder / "results" / f"v{number}.json").write_text(refused + "\n")

    def report(self) -> tuple[ReportKind | None, str]:
        """Return the debugger's report, if any; a report of failure takes precedence."""
        found: dict[ReportKind, str] = {}
        for path in sorted(self.folder.glob("*.md")):
            for kind, ends in _REPORTS:
                if path.name.endswith(ends) and (text := _text(path)) is not None:
                    found[kind] = text.strip()[:_MOST_REPORT]
        for kind in ("failed", "success"):
            if kind in found:
                return kind, found[kind]
        return None, ""

    def _files(self) -> list[Path]:
        folder = self.folder / "submissions"
        try:
            return [path for path in folder.iterdir() if _NEXT.match(path.name)]
        except OSError:
            return []


def question(task: SubmissionTask, original: Version) -> str:
    """Return the description of a program's failure for its debugger."""
    return prompts.render("debug_submission.md.j2", **repair.about(task, original))


def _number(path: Path) -> int:
    found = _NEXT.match(path.name)
    return int(found[1]) if found else 0


def _text(path: Path) -> str | None:
    """Return the text of a plain file; None for other kinds of files and for too large files."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        content = file.read(MOST_CODE + 1)
    return (
        None if len(content) > MOST_CODE else content.decode("utf-8", "replace").replace("\0", "")
    )
