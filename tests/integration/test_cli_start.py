"""How the command line starts: at once, for most of it is not needed yet."""

import json
import subprocess
import sys

_ASK = """
import contextlib, io, json, sys
from acm_api.cli.main import app
with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.suppress(SystemExit):
    app(["--help"])
print(json.dumps([out.getvalue(), sorted(sys.modules)]))
"""


def test_help_imports_nothing_that_is_slow() -> None:
    done = subprocess.run([sys.executable, "-c", _ASK], capture_output=True, text=True, check=True)

    shown, modules = json.loads(done.stdout)

    assert "run" in shown
    assert not {"celery", "sqlalchemy", "pydantic", "httpx", "jinja2", "numpy"} & set(modules)
