"""`acm submissions watch`, `import`, `export`, `promote`: submissions in files."""

import json
import signal
import threading
from pathlib import Path
from typing import Annotated, Any

import typer

from acm_api.cli.common import AsJson
from acm_api.cli.view.output import echo

TaskKey = Annotated[
    str | None, typer.Option("--task", help="Task of all submissions; default: task-<id> of each.")
]


def watch(
    folder: Annotated[Path, typer.Argument(help="Folder of the old evaluation system.")],
    task: TaskKey = None,
    once: Annotated[
        bool, typer.Option("--once", help="Import the existing submissions, then stop.")
    ] = False,
) -> None:
    """Import submissions from a folder of the old system, and write results to it.

    Submissions are read from pending_evaluations.yamll, debugged versions from
    claude_workspaces/eval_<number>/submissions/submission_vN.py; results are written to
    evaluations/. A worker runs the submissions.
    """
    from acm_api import submission_folders

    with _store(create=True) as database:
        if once:
            watched = submission_folders.FolderWatch(database, folder, task)
            for look in (watched.look(), watched.look()):  # what does not grow is complete
                for number in look.numbers:
                    echo(f"submission {number}: taken")
                for problem in look.problems:
                    echo(f"not taken: {problem}", err=True)
            return
        ended = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: ended.set())
        submission_folders.watch(database, folder, task, echo, ended.wait)


def load(
    folder: Annotated[Path, typer.Argument(help="Folder with evaluation_<id>.json files.")],
    task: TaskKey = None,
    as_json: AsJson = False,
) -> None:
    """Import evaluations of the old system; existing ones are not changed."""
    from acm_api import submission_folders

    with _store(create=True) as database:
        found = submission_folders.load(database, folder, task)
    if as_json:
        echo(json.dumps(found._asdict()))
    else:
        echo(f"imported: {', '.join(map(str, found.numbers)) or 'nothing new'}")
        for problem in found.problems:
            echo(f"not imported: {problem}", err=True)
    if found.problems:
        raise typer.Exit(3)


def export(
    folder: Annotated[Path, typer.Argument(help="Target folder; created if missing.")],
    task: Annotated[str | None, typer.Option(help="Of this task only.")] = None,
    numbers: Annotated[
        str | None, typer.Option(metavar="3-6,12", help="Only these submissions.")
    ] = None,
) -> None:
    """Write one evaluation_<number>.json for each submission, as the old system keeps them."""
    from acm_api import submission_folders, submissions
    from acm_workers.store.submissions import SubmissionFilter

    ids = () if numbers is None else tuple(submissions.numbers(numbers))
    with _store() as database:
        files = submission_folders.export(database, folder, SubmissionFilter(task, ids=ids))
    echo(f"written: {len(files)} files in {folder}")


def promote(
    numbers: Annotated[
        str, typer.Argument(metavar="NUMBERS", help="Numbers of submissions, as in 3-6,12.")
    ],
    folder: Annotated[Path, typer.Option("--to", help="Target folder; created if missing.")] = Path(
        "promoted"
    ),
    config: Annotated[Path | None, typer.Option(help="A config with providers and judges.")] = None,
    judges: Annotated[str | None, typer.Option(help="Judges, as in `acm judge`.")] = None,
    criteria: Annotated[
        str, typer.Option(help="Criteria, as in `acm judge`.")
    ] = "correctness,clarity,simplicity",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Write the texts without judging them.")
    ] = False,
) -> None:
    """Have judges compare versions of submissions as texts, and print the best version.

    The latest version with a score is taken from each submission, or the latest one if none has a
    score.
    """
    from acm_api import submission_promotion, submissions

    with _store() as database:
        chosen = [submissions.get(database, number) for number in submissions.numbers(numbers)]
        task = submission_promotion.task_of(database, chosen)
    written = submission_promotion.write(folder, task, chosen)
    echo(f"texts: {len(written)} in {folder / 'texts'}")
    if dry_run:
        return
    code = _judge(folder, config, judges, criteria)
    winner = submission_promotion.winner(folder, written)
    if winner is None:
        raise typer.Exit(code or 3)
    echo(f"the winner is submission {winner.submission_id}, version {winner.version}")
    raise typer.Exit(code)


def _judge(folder: Path, config: Path | None, judges: str | None, criteria: str) -> int:
    from acm_api.cli.judge import judge

    try:
        judge(
            folders=[folder / "texts"],
            by="all",
            judges=judges,
            criteria=criteria,
            instructions=folder / "task.md",
            config=config,
            to=folder,
        )
    except typer.Exit as end:
        return int(end.exit_code)
    return 0


def _store(*, create: bool = False) -> Any:
    from acm_api.cli.common import local_store
    from acm_workers.settings import Settings

    return local_store(Settings(), create=create)
