"""The demonstration: shipped inputs, and a simulated provider started for it."""

import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path

from acm_api.cli import working
from acm_api.cli.live import View
from acm_api.cli.options import DEMO_FOLDER
from acm_workers.errors import AcmError, RequestError
from acm_workers.settings import Settings

_PORT = 8077
_LATENCY_S = 0.15


def run(folder: Path, view: View) -> int:
    """Run the demonstration in ``folder``; return the exit code."""
    settings = Settings(home=(folder / ".acm").absolute(), database_url=None, broker_url=None)
    elsewhere = "" if folder == DEMO_FOLDER else f" --folder {shlex.quote(str(folder))}"
    again = f"acm run --demo{elsewhere}"
    with _simulator(_free_port()) as url:
        return working.run(_copy(folder, url), view, settings, again)


def _copy(folder: Path, url: str) -> Path:
    """Put the shipped files into ``folder``, with the simulator's address; return the config.

    Raises:
        RequestError: The folder does not take them.
    """
    config = folder / "config.yaml"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with resources.as_file(resources.files("acm_api.demo")) as shipped:
            shutil.copytree(shipped / "inputs", folder / "inputs", dirs_exist_ok=True)
            shutil.copy(shipped / "instructions.md", folder)
            text = (shipped / "config.yaml").read_text(encoding="utf-8")
        config.write_text(text.replace(f"http://127.0.0.1:{_PORT}/v1", url), encoding="utf-8")
    except (OSError, shutil.Error) as error:
        raise RequestError(f"the demonstration cannot be written: {error}", str(folder)) from error
    return config


@contextmanager
def _simulator(port: int) -> Iterator[str]:
    command = [sys.executable, "-m", "acm_workers.simulator"]
    command += ["--port", str(port), "--latency", str(_LATENCY_S), "--exit-with-stdin"]
    process = subprocess.Popen(  # noqa: S603  our own program, no shell
        command,
        stdin=subprocess.PIPE,  # closed when this process ends, whatever ends it
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # an interrupt stops the run, which still needs the provider
    )
    try:
        line = process.stdout.readline() if process.stdout is not None else ""
        if "listening on " not in line:
            raise AcmError("the simulated provider did not start; try `acm simulate` to see why")
        yield line.strip().rpartition(" ")[2] + "/v1"
    finally:
        process.terminate()
        process.communicate(timeout=10)


def _free_port() -> int:
    """Return the usual port, so that a second demonstration finds the results of the first."""
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", _PORT))
        except OSError:
            return 0
    return _PORT
