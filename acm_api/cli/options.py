"""Arguments and options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

ConfigFile = Annotated[Path, typer.Argument(help="The config file.", show_default=True)]
RunId = Annotated[
    str | None,
    typer.Argument(metavar="RUN", help="Id of a run, or its beginning; the latest if absent."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
Plain = Annotated[bool, typer.Option("--plain", help="Print plain lines instead of a live view.")]

DEFAULT_CONFIG = Path("config.yaml")
DEMO_FOLDER = Path("acm-demo")
