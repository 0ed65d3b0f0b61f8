"""`acm judge`: score, compare and rank existing texts."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from acm_api.cli.common import AsJson, Assignments, EnvFile, Only, OpenReport, Plain, load_env

if TYPE_CHECKING:
    from acm_api.config.judging_texts import TextsToJudge
    from acm_api.config.loading import LoadedConfig
    from acm_api.files.grouping import GroupedTexts, Grouping
    from acm_workers.submit import RunInput


def judge(  # noqa: PLR0913  each is an option of the command
    folders: Annotated[
        list[Path], typer.Argument(metavar="FOLDER…", help="Folders of texts.", show_default=False)
    ],
    by: Annotated[
        Literal["auto", "names", "folders", "all"],
        typer.Option(help="How texts are grouped into documents; see above."),
    ] = "auto",
    judges: Annotated[
        str | None, typer.Option(help="Judges: a YAML file, or provider:model,…")
    ] = None,
    criteria: Annotated[str | None, typer.Option(help="Criteria: a YAML file, or name,…")] = None,
    inputs: Annotated[
        Path | None, typer.Option(help="Folder of the source documents, matched by name.")
    ] = None,
    instructions: Annotated[
        Path | None,
        typer.Option(help="File with the instructions that the texts were written for."),
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="Config with providers, judges, criteria and options.")
    ] = None,
    to: Annotated[
        Path | None, typer.Option(help="Parent folder of the results; default: this folder.")
    ] = None,
    only: Only = None,
    given: Assignments = None,
    budget: Annotated[
        float | None, typer.Option(min=0, help="Maximum cost of the run, in USD.")
    ] = None,
    env_file: EnvFile = None,
    open_report: OpenReport = False,
    plain: Plain = False,
    as_json: AsJson = False,
) -> None:
    """Find the best of existing texts: score, compare and rank them.

    No text is written. Texts are .md, .txt, .docx, .pdf and .html files. Winner, report and exit
    codes are as for acm run. Without --judges the judges of the config are used, or one model of
    each provider that has a key.

    --by defines which texts are candidates for the same document. names: texts with the same name
    in different folders; files that ACM wrote belong to the document in their name. folders: all
    texts of a folder. all: all texts. auto: names if at least half of the texts share their name
    with another text, folders otherwise.
    """
    from acm_api.cli.common import chosen_values, require_no_server
    from acm_api.cli.run import RunOptions, start
    from acm_api.cli.view.progress import choose, say
    from acm_api.config import judging_texts
    from acm_api.config.judging_texts import TextsToJudge
    from acm_api.files import candidates, grouping
    from acm_workers import broker
    from acm_workers.settings import Settings
    from acm_workers.submit import RunInput

    view = choose(plain=plain, as_json=as_json)
    load_env(env_file, config)
    settings = Settings()
    require_no_server(settings)
    if settings.broker_url is not None:
        broker.check(settings)
    assignments = chosen_values(given, budget)
    asked = TextsToJudge(
        folders=folders,
        names=[grouping.name_of(folder, folders) for folder in folders],
        inputs=inputs,
        instructions=instructions,
        config=config,
        judges=judges,
        criteria=criteria,
        output=to,
        given=assignments,
    )
    loaded = judging_texts.load(asked, keys="here" if settings.broker_url is None else "workers")
    grouped = _grouped(asked, loaded, by, only or [])
    work = RunInput(
        title=" ".join(asked.names),
        config=loaded.config,
        instructions=loaded.instructions,
        guidelines=loaded.guidelines,
        inputs=grouped.inputs,
        given=grouped.given,
    )
    for note in (*loaded.notes, *candidates.notes(work), _summary(grouped, work)):
        say(view, note)
    options = RunOptions(view, only, given, budget, open_report)
    raise typer.Exit(start(work, config or Path("acm judge"), settings, options))


def _grouped(
    asked: "TextsToJudge", loaded: "LoadedConfig", by: "Grouping", only: list[str]
) -> "GroupedTexts":
    from acm_api.files import grouping, inputs

    known = Path(loaded.config.input_folder)
    sources = []
    judged = [folder.absolute() for folder in asked.folders]
    if asked.inputs is not None or (known not in judged and known.is_dir()):
        sources = inputs.read(known)
    output = Path(loaded.config.output_folder)
    return grouping.group(asked.folders, by, sources, only, output)


def _summary(grouped: "GroupedTexts", work: "RunInput") -> str:
    """Return a summary of the judged texts and of how they were grouped into documents."""
    from acm_api.cli.view.formatting import count

    how = {"names": "texts of one name", "folders": "texts of one folder", "all": "all texts"}
    numbers = sorted({len(texts) for texts in grouped.given.values()})
    each = str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
    sources = sum(bool(text) for text in work.inputs.values())
    without = "" if sources else "; judged without a source (--inputs)"
    return (
        f"{count(len(grouped.given), 'document')} with {each} candidates each:"
        f" {how[grouped.by]} are for one document (--by){without}"
    )
