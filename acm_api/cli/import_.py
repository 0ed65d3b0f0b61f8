"""`acm import`: import results of ACM 1 and llm-doc-eval as runs."""

from pathlib import Path
from typing import Annotated

import typer

from acm_api.cli.common import AsJson

_MOST_SHOWN = 5


def import_results(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATH…", help="Databases, CSV files, or folders of these."),
    ],
    texts: Annotated[
        Path | None, typer.Option(help="Folder with the texts of the candidates, by name.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Import results of ACM 1 and llm-doc-eval as runs, for list, show, report and explain.

    Reads evaluation databases of every version, CSV exports, and folders of winners. Ratings are
    computed again and compared with the stored ones. Rows that do not fit into a run are kept with
    it and counted. The originals are not changed, and importing them again has no effect.
    """
    import json

    from acm_api.cli.common import local_store
    from acm_api.cli.view.formatting import count
    from acm_api.cli.view.output import echo
    from acm_api.files import old_results
    from acm_workers import runtime, submit
    from acm_workers.settings import Settings

    found = [results for path in paths for results in old_results.read(path, texts)]
    with local_store(Settings(), create=True) as database:
        for results in found:
            made = submit.import_results(database, results, runtime.making())
            if as_json:
                echo(json.dumps(made.model_dump(mode="json")))
                continue
            state = "run" if made.new else "imported before as run"
            echo(
                f"{made.title}: {state} {made.run_id}; {count(made.candidates, 'candidate')},"
                f" {count(made.scores, 'score')}, {count(made.verdicts, 'comparison')},"
                f" {count(made.kept, 'row')} kept aside"
            )
            for line in results.kept[:_MOST_SHOWN] if made.new else ():
                echo(f"  kept aside: {line[:200]}", err=True)
            for name in made.different[:_MOST_SHOWN]:
                echo(f"  the stored rating of {name} is not the one that the rows give", err=True)
