"""The ``acm`` command in a process of its own that imports no foreign package again."""

import atexit
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from multiprocessing.context import ForkServerProcess
from multiprocessing.reduction import DupFd
from pathlib import Path
from typing import Any

# Most of a second of each command. None of ours is among them: they are new in each process.
_PRELOADED = [
    "alembic.command",
    "celery.app.base",
    "celery.worker",
    "filelock",
    "httpcore",
    "httpx",
    "jinja2",
    "kombu.transport.memory",
    "kombu.transport.redis",
    "markdown_it",
    "psycopg",
    "pydantic_settings",
    "redis",
    "rich.live",
    "rich.progress",
    "sqlalchemy.dialects.postgresql.psycopg",
    "sqlalchemy.dialects.sqlite.pysqlite",
    "sqlalchemy.orm",
    "structlog",
    "typer",
    "ulid",
    "yaml",
]

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(_PRELOADED)


def preload(*modules: str) -> None:
    """Import these modules once for all commands as well; in time before the first command."""
    _context.set_forkserver_preload([*_PRELOADED, *modules])


class ForkedCommand:
    """A running ``acm`` command, with the part of ``subprocess.Popen`` that tests need.

    Args:
        largest_file: Bytes after which the system takes no more of any file, as if the disk were
            full.
        before: Called in the process before the command.
    """

    def __init__(  # noqa: PLR0913  options of a process
        self,
        arguments: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        out: Any,
        err: Any,
        largest_file: int | None = None,
        before: Callable[[], object] | None = None,
    ) -> None:
        self._process: ForkServerProcess = _context.Process(
            target=_become,
            args=(
                list(arguments),
                str(cwd),
                dict(env),
                (DupFd(out.fileno()), DupFd(err.fileno())),
                largest_file,
                before,
            ),
        )
        self._process.start()

    @property
    def pid(self) -> int:
        """Return its process id."""
        assert self._process.pid is not None
        return self._process.pid

    def poll(self) -> int | None:
        """Return its exit code, if it has ended."""
        return self._process.exitcode

    def wait(self, timeout: float) -> int:
        """Return its exit code when it has ended.

        Raises:
            TimeoutExpired: It has not.
        """
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("acm", timeout)
        return self._process.exitcode

    def send_signal(self, which: signal.Signals) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, which)

    def kill(self) -> None:
        """End it, and wait for that."""
        self.send_signal(signal.SIGKILL)
        self._process.join()


def _become(
    arguments: list[str],
    cwd: str,
    env: dict[str, str],
    files: tuple[Any, Any],
    largest_file: int | None,
    before: Callable[[], object] | None,
) -> None:
    """Turn this process into the command, and never return."""
    for descriptor, file in enumerate(files, start=1):
        os.dup2(file.detach(), descriptor)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = ["acm", *arguments]
    code = 1
    try:
        if largest_file is not None:
            import resource  # only where there is one

            resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))
        from acm_api.cli.main import main  # ours, in this process

        if before is not None:
            before()

        main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # as the interpreter does at its end
        traceback.print_exc()
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
