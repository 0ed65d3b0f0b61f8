"""`acm eval`: commands that are compatible with llm-doc-eval."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from acm_api.cli.common import EnvFile, load_env

if TYPE_CHECKING:
    from acm_api.config.evaluating import Mode

app = typer.Typer(
    name="eval",
    help="Judge the documents of a folder as llm-doc-eval did, with the same tables.",
    epilog="Example: acm eval run-pairwise --docs candidates --db results.sqlite",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Docs = Annotated[Path, typer.Option(help="Folder of documents.", show_default=False)]
Db = Annotated[Path, typer.Option(help="SQLite database for results.")]
ConfigPath = Annotated[
    Path | None,
    typer.Option(help="A config of llm-doc-eval, which may define providers as well."),
]
CriteriaPath = Annotated[Path | None, typer.Option(help="A YAML file of criteria.")]
ExportDir = Annotated[
    Path | None, typer.Option(help="Folder for CSV files; default: the folder of the database.")
]
NoExport = Annotated[bool, typer.Option("--no-export", help="Do not write CSV files.")]
MaxConcurrent = Annotated[
    int | None, typer.Option(min=1, max=1024, help="Maximum calls in flight to each provider.")
]
Attempts = Annotated[
    int | None, typer.Option(min=1, max=20, help="Maximum requests for one answer.")
]
BaseDelay = Annotated[
    float | None, typer.Option(min=0.001, help="First pause between two requests, in seconds.")
]
Grounding = Annotated[
    bool | None,
    typer.Option("--grounding/--no-grounding", help="Let judges search the web."),
]
K = Annotated[
    float, typer.Option("--k", min=0.1, help="Maximum change of a rating in one game, in points.")
]
Start = Annotated[float, typer.Option(help="Rating before the first game.")]
_DB = Path("results.sqlite")


def _run(  # noqa: PLR0913  each is an option of the commands
    mode: "Mode",
    docs: Path,
    db: Path,
    config: Path | None,
    criteria: Path | None,
    export_dir: Path | None,
    no_export: bool,
    max_concurrent: int | None,
    attempts: int | None,
    base_delay: float | None,
    grounding: bool | None,
    env_file: Path | None,
) -> None:
    from acm_api import doc_evaluation
    from acm_api.cli.foreground import PARTIAL
    from acm_api.cli.view.formatting import count
    from acm_api.cli.view.output import echo
    from acm_api.config.evaluating import EvaluationOptions

    load_env(env_file, config)
    options = EvaluationOptions(
        mode, docs, config, criteria, max_concurrent, attempts, base_delay, grounding
    )
    found = doc_evaluation.evaluate(options, db, lambda line: echo(line, err=True))
    cost = "unknown cost" if found.usd is None else f"${found.usd:.4f}"
    echo(
        f"run {found.run_id}: {count(len(found.documents), 'document')}, "
        f"{count(found.scores, 'score')}, {count(found.verdicts, 'verdict')}, {cost}; in {db}"
    )
    if not no_export:
        for file in _export(mode, db, export_dir or db.absolute().parent):
            echo(str(file))
    if found.missing:
        echo(f"{count(found.missing, 'judgement')} missing; `acm show` says why", err=True)
        raise typer.Exit(PARTIAL)


def _export(mode: "Mode", db: Path, folder: Path) -> list[Path]:
    from acm_api.files import evaluation_tables

    time = datetime.now(UTC).strftime("%Y%m%d_%H%M%S")
    tables = {"single": ("single_doc_results",), "pairwise": ("pairwise_results",)}
    written = []
    for table in tables.get(mode, tuple(evaluation_tables.TABLES)):
        written.append(folder / f"{table}_{time}.csv")
        evaluation_tables.export(db, table, written[-1])
    if mode != "single":
        written.append(folder / f"elo_summary_{time}.csv")
        evaluation_tables.export_ratings(db, written[-1])
    return written


@app.command(epilog="Example: acm eval run-single --docs candidates --criteria criteria.yaml")
def run_single(  # noqa: PLR0913  each is an option of the command
    docs: Docs,
    db: Db = _DB,
    config: ConfigPath = None,
    criteria: CriteriaPath = None,
    export_dir: ExportDir = None,
    no_export: NoExport = False,
    max_concurrent: MaxConcurrent = None,
    attempts: Attempts = None,
    base_delay: BaseDelay = None,
    grounding: Grounding = None,
    env_file: EnvFile = None,
) -> None:
    """Have every judge score every document, from 1 to 5 on each criterion."""
    _run("single", docs, db, config, criteria, export_dir, no_export, max_concurrent, attempts,
         base_delay, grounding, env_file)  # fmt: skip


@app.command(epilog="Example: acm eval run-pairwise --docs candidates --db results.sqlite")
def run_pairwise(  # noqa: PLR0913  each is an option of the command
    docs: Docs,
    db: Db = _DB,
    config: ConfigPath = None,
    criteria: CriteriaPath = None,
    export_dir: ExportDir = None,
    no_export: NoExport = False,
    max_concurrent: MaxConcurrent = None,
    attempts: Attempts = None,
    base_delay: BaseDelay = None,
    grounding: Grounding = None,
    env_file: EnvFile = None,
) -> None:
    """Have every judge compare every pair of documents."""
    _run("pairwise", docs, db, config, criteria, export_dir, no_export, max_concurrent, attempts,
         base_delay, grounding, env_file)  # fmt: skip


@app.command(epilog="Example: acm eval run-both --docs candidates --max-concurrent 16")
def run_both(  # noqa: PLR0913  each is an option of the command
    docs: Docs,
    db: Db = _DB,
    config: ConfigPath = None,
    criteria: CriteriaPath = None,
    export_dir: ExportDir = None,
    no_export: NoExport = False,
    max_concurrent: MaxConcurrent = None,
    attempts: Attempts = None,
    base_delay: BaseDelay = None,
    grounding: Grounding = None,
    env_file: EnvFile = None,
) -> None:
    """Have every judge score every document and compare every pair."""
    _run("both", docs, db, config, criteria, export_dir, no_export, max_concurrent, attempts,
         base_delay, grounding, env_file)  # fmt: skip


@app.command(epilog="Example: acm eval summary --db results.sqlite --out summary.csv")
def summary(
    db: Db = _DB,
    out: Annotated[Path, typer.Option(help="CSV file to write.")] = Path("summary.csv"),
    k: K = 32.0,
    start: Start = 1000.0,
) -> None:
    """Write ratings, win rates and mean scores of a database as CSV.

    Two more files are written next to --out: the scores of each judge with spread and outliers, and
    win rates by judge.
    """
    from acm_api.cli.view.output import echo
    from acm_api.files import evaluation_tables

    for file in evaluation_tables.summary(db, out, k, start):
        echo(str(file))


@app.command(epilog="Example: acm eval export --table single_doc_results --out single.csv")
def export(
    table: Annotated[str, typer.Option(help="single_doc_results or pairwise_results.")],
    out: Annotated[Path, typer.Option(help="CSV file to write.")],
    db: Db = _DB,
) -> None:
    """Write a table of a database as CSV."""
    from acm_api.cli.view.formatting import count
    from acm_api.cli.view.output import echo
    from acm_api.files import evaluation_tables

    echo(f"{out}: {count(evaluation_tables.export(db, table, out), 'row')}")
