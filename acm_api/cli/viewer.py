"""`acm view`: the pages on the local store, in the browser."""

import webbrowser
from typing import Annotated

import typer

from acm_api.cli.common import DEMO_FOLDER, EnvFile, load_env
from acm_api.cli.view.output import echo


def view(
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port; 0: the system chooses one.")
    ] = 0,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the address without opening a browser.")
    ] = False,
    env_file: EnvFile = None,
) -> None:
    """Show the runs of this folder in the browser.

    The pages show runs, live progress, texts side by side, and every call with its prompt and
    answer; a form plans and starts a run. Only this machine can connect. Ctrl-C stops the server; a
    run that was started from the form then stops, keeps its results, and continues at the next
    start.
    """
    from acm_api.cli.common import open_store
    from acm_api.http import application, server
    from acm_workers import logs
    from acm_workers.settings import Settings
    from acm_workers.store import accounts, runs

    load_env(env_file)
    settings = Settings()
    with open_store(settings, create=True) as database:
        logs.to_file(settings.home / "acm.log", settings.log_level)
        with database.read() as connection:
            has_users = accounts.any_user(connection)
            is_empty = not runs.page(connection, 1)
        app = application.make(database, settings, None, single_user=not has_users)
        with server.listening("127.0.0.1", port) as listener:
            address = server.address(listener)
            echo(f"acm view: {address}   (Ctrl-C ends it)", err=True)
            if is_empty and (DEMO_FOLDER / ".acm").is_dir():
                echo(
                    f"this folder has no runs; for those of the demo: cd {DEMO_FOLDER} && acm view",
                    err=True,
                )
            if not no_browser and not _opened(address):
                echo(f"no browser was found here; open {address}", err=True)
            server.serve(app, listener)


def _opened(address: str) -> bool:
    try:
        return webbrowser.open(address)
    except webbrowser.Error:
        return False
