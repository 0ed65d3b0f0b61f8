"""`acm plan`: the units, calls and cost of a run before it starts."""

from datetime import UTC, datetime
from typing import Annotated

import typer

from acm_api.cli.common import DEFAULT_CONFIG, AsJson, ConfigFile


def plan(
    config: ConfigFile = DEFAULT_CONFIG,
    show_config: Annotated[
        bool,
        typer.Option("--show-config", help="Print every value and where it came from."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show what a run would do and cost; nothing is paid."""
    from acm_api.cli.view import plans
    from acm_api.cli.view.formatting import print_json
    from acm_api.config import loading
    from acm_api.files import inputs
    from acm_workers.pipeline import plan as planning
    from acm_workers.settings import Settings

    loaded = loading.load(config, keys=Settings().broker_url is None)
    if show_config:
        plans.print_config(loaded, as_json=as_json)
        return
    texts = [document.text for document in inputs.of_config(loaded.config)]
    found = planning.plan(loaded.config, loaded.instructions, texts, datetime.now(UTC))
    if as_json:
        print_json(found)
    else:
        plans.print_plan(loaded, found)
