"""`acm plan`: the units, calls and cost of a run before it starts."""

from datetime import UTC, datetime
from typing import Annotated

import typer

from acm_api.cli.common import (
    DEFAULT_CONFIG,
    AsJson,
    Assignments,
    ConfigFile,
    EnvFile,
    Only,
    load_config,
    load_env,
)


def plan(
    config: ConfigFile = DEFAULT_CONFIG,
    show_config: Annotated[
        bool,
        typer.Option("--show-config", help="Print every value of the config and its origin."),
    ] = False,
    only: Only = None,
    given: Assignments = None,
    env_file: EnvFile = None,
    as_json: AsJson = False,
) -> None:
    """Show the units, calls and cost of a run; no calls are made."""
    from acm_api.cli import remote
    from acm_api.cli.view import plans
    from acm_api.cli.view.formatting import print_json
    from acm_api.cli.view.output import echo
    from acm_api.files import candidates, readiness
    from acm_workers import submit
    from acm_workers.pipeline import plan as planning
    from acm_workers.settings import Settings

    load_env(env_file, config)
    server = None if show_config else remote.client(Settings())
    if server is not None:
        found = remote.plan(server, config, only or ())
        if as_json:
            print_json(found)
        else:
            echo(plans.in_one_line(found))
        return
    also = None if show_config else lambda found: candidates.of_config(found, only or ())
    loaded = load_config(config, Settings(), given, keys="later", also=also)
    if show_config:
        plans.print_config(loaded, as_json=as_json)
        return
    work = candidates.run_input(candidates.run_title(config), loaded, only or ())
    found = submit.planned(work, work.inputs, datetime.now(UTC))
    if as_json:
        print_json(found)
    else:
        plans.print_plan(loaded, found, tuple(candidates.notes(work)))
    readiness.check(
        loaded.config, work.inputs, planning.expected(found).calls, Settings().local_home
    )
