"""`acm simulate`: the simulated provider as a server on this machine."""

import typer


def simulate(context: typer.Context) -> None:
    """Serve a simulated provider on this machine."""
    from acm_workers.simulator.__main__ import main

    raise typer.Exit(main(["--port", "8077", *context.args]))
