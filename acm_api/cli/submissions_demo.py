"""`acm submissions demo`: circle packing from submission to notice, in a separate folder."""

import json
import shutil
from pathlib import Path
from typing import Annotated

import typer

from acm_api.cli.view.output import echo

_SUBMITTED = (
    ("circles-26", "grid_with_gaps.py", "ada"),
    ("circles-26", "overlapping.py", "bob"),
    ("circles-26", "crashing.py", "eve"),
    ("circles-32", "grid_with_gaps_32.py", "ada"),
)


def demo(
    folder: Annotated[Path, typer.Option(help="Working folder; created if missing.")] = Path(
        "acm-submissions-demo"
    ),
) -> None:
    """Submit four programs for two tasks, run and repair them, and show the results.

    No key and no network are needed: the debugger is a script.
    """
    from acm_api import submissions
    from acm_api.cli.common import open_store
    from acm_api.cli.view import submissions as view
    from acm_api.files import task_files
    from acm_workers.engine.submission_worker import SubmissionOptions, SubmissionWorker
    from acm_workers.settings import Settings
    from acm_workers.store.submissions import NewSubmission, SubmissionFilter

    _copy(folder)
    home = folder / ".acm"
    with open_store(Settings(home=home, database_url=None), create=True) as database:
        filed = task_files.load(folder / "tasks.yaml")
        submissions.register(database, [one.task for one in filed])
        numbers = []
        for task, file, author in _SUBMITTED:
            new = NewSubmission(task, author, Path(file).stem)
            numbers.append(submissions.submit(database, new, (folder / file).read_text()))
        SubmissionWorker(database, SubmissionOptions(until_empty=True), echo).run()
        found = submissions.page(database, SubmissionFilter(ids=tuple(numbers)), len(numbers))
        view.print_list(found)
    for path in sorted((folder / "notices").glob("*.json")):
        notice = json.loads(path.read_text())
        about = f"{notice['submission_id']}, version {notice['version']}"
        echo(f"notice on {about}, to {notice['author']}: {notice['text']}")
    echo(f"look around: ACM_HOME={home} acm submissions show {numbers[2]}")


def _copy(folder: Path) -> None:
    from acm_workers.errors import RequestError

    if folder.exists() and any(folder.iterdir()):
        raise RequestError(f"{folder} is not empty: remove it, or give another --folder")
    folder.mkdir(parents=True, exist_ok=True)
    shipped = Path(__file__).parents[1] / "demo" / "submissions"
    for file in sorted(shipped.iterdir()):
        if file.suffix in (".py", ".yaml") and file.name != "__init__.py":
            shutil.copyfile(file, folder / file.name)
    tasks = folder / "tasks.yaml"
    tasks.write_text(tasks.read_text().replace("DEMO", str(folder.resolve())))
