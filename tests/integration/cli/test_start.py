"""The command line starts without importing slow modules."""

import json
import subprocess
import sys
from importlib import metadata

_ASK = """
import contextlib, io, json, sys
from acm_api.cli.main import app
with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.suppress(SystemExit):
    app(sys.argv[1:])
print(json.dumps([out.getvalue(), sorted(sys.modules)]))
"""
_SLOW = {"celery", "sqlalchemy", "pydantic", "httpx", "jinja2", "numpy"}


def asked(option: str) -> tuple[str, set[str]]:
    """Return the output of the command line, and the modules that it imported."""
    command = [sys.executable, "-c", _ASK, option]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    shown, modules = json.loads(done.stdout)
    return shown, set(modules)


def test_help_imports_nothing_that_is_slow() -> None:
    shown, modules = asked("--help")

    assert "run" in shown
    assert not _SLOW & modules


def test_version_is_that_of_the_package_and_imports_nothing_that_is_slow() -> None:
    shown, modules = asked("--version")

    assert shown == f"acm {metadata.version('acm')}\n"
    assert not _SLOW & modules
