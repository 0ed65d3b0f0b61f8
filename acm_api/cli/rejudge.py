"""`acm rejudge`: judge the candidates of a run again, and show both rankings."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from acm_api.cli.common import AsJson, EnvFile, OpenReport, Plain, RunId, load_env
from acm_workers.errors import RequestError

if TYPE_CHECKING:
    from acm_api.cli.view.progress import View
    from acm_api.config.rejudging import JudgingChanges
    from acm_workers.settings import Settings
    from acm_workers.store.connection.database import Database
    from acm_workers.submit import StartedRejudging
    from schemas.run import Run


def rejudge(  # noqa: PLR0913  each is an option of the command
    run_id: RunId = None,
    judges: Annotated[
        str | None,
        typer.Option(help="Judges: a YAML file, or names of the run's judges and provider:model,…"),
    ] = None,
    criteria: Annotated[
        str | None, typer.Option(help="Criteria: a YAML file, or names with commas between.")
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(help="A config whose judges, criteria and ranking are used instead."),
    ] = None,
    budget: Annotated[
        float | None, typer.Option(min=0, help="The most that it may cost, in USD.")
    ] = None,
    env_file: EnvFile = None,
    open_report: OpenReport = False,
    plain: Plain = False,
    as_json: AsJson = False,
) -> None:
    """Judge the texts of a run again, by other judges or other criteria.

    A new run takes over the candidates, including combined ones; no text is written, and only
    judging is paid for. Both rankings are shown side by side, with the changes and their reasons.
    Answers that the same judge has given about the same text come from the store. The earlier run
    and its winners do not change. Without RUN the latest run that wrote its own texts is judged.
    Exit codes are those of acm run.
    """
    from acm_api.cli.common import find_run, open_store
    from acm_api.cli.foreground import check_reachable, run_to_end, show_report
    from acm_api.cli.view.progress import choose, say
    from acm_api.config import rejudging
    from acm_api.files import readiness
    from acm_workers import broker, runtime, submit
    from acm_workers.settings import Settings

    view = choose(plain=plain, as_json=as_json)
    changes = rejudging.JudgingChanges(judges, criteria, config, budget)
    load_env(env_file, config)
    settings = Settings()
    if settings.api_url is not None:
        raise typer.Exit(_at_server(settings, run_id, changes, view, open_report=open_report))
    here = settings.broker_url is None
    if not here:
        broker.check(settings)
    with open_store(settings) as database:
        source = _source_run(database, run_id)
        # Workers have the keys and reach the providers; this machine need not.
        new = rejudging.effective(source, changes, keys="here" if here else "workers")
        for note in new.notes:
            say(view, note)
        if here:
            path = changes.config or Path(f"run {source.id}")
            check_reachable(new.config, path, writes=False)
        readiness.check(new.config, (), 0, settings.local_home)
        begun = submit.rejudge(database, source, new.config, runtime.making())
        run = find_run(database, begun.run_id)
        for line in _summary(source, run, begun):
            say(view, line)
        code = run_to_end(database, run, view, settings)
        if open_report:
            show_report(database, run.id, view)
        raise typer.Exit(code)


def _at_server(
    settings: "Settings",
    run_id: str | None,
    changes: "JudgingChanges",
    view: "View",
    *,
    open_report: bool,
) -> int:
    from acm_api.cli import remote

    if open_report:
        raise RequestError(
            "--open is not for runs on a server; `acm report --to FOLDER` writes the report"
        )
    return remote.rejudge(settings, run_id, changes, view)


def _source_run(database: "Database", run_id: str | None) -> "Run":
    """Return the run with this id, or the latest run that wrote its own candidates.

    A repeated command therefore resumes its earlier run, instead of judging that run again.
    """
    from acm_api.cli.common import find_run

    found = find_run(database, run_id)
    while run_id is None and found.rejudged_from is not None:
        found = find_run(database, found.rejudged_from)
    return found


def _summary(source: "Run", run: "Run", begun: "StartedRejudging") -> list[str]:
    """Return a summary of what is judged, what it may cost, and what is left out."""
    from acm_api.cli.view import plans
    from acm_api.cli.view.formatting import count
    from acm_api.cli.view.output import printable

    found = begun.candidates
    if found is None:
        return [f"resuming run {run.id}"]
    combined = sum(found.combined)
    candidates = count(sum(found.first) + combined, "candidate")
    lines = [
        f"run {run.id} judges run {source.id} again: {candidates} ({combined} combined) of"
        f" {count(len(found.documents), 'document')}; no text is written"
    ]
    if run.expected is not None:
        lines.append(f"{plans.expectation(run.expected)}; answers that are stored cost nothing")
    if source.state in ("running", "paused"):
        lines.append(f"run {source.id} is {source.state}: only what it has written is judged")
    if found.unwritten:
        lines.append(f"left out because not written: {count(found.unwritten, 'planned candidate')}")
    lines += [f"left out because it has no candidate: {printable(path)}" for path in found.empty]
    return lines
