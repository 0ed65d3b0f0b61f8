"""A child process that executes one run, for programs and servers that cannot do so themselves.

The engine adds threads, signal handlers and settings to its process. A child process keeps them out
of the caller, and a crash of the engine ends only the child (decision 0044).
"""

import json
import os
import signal
import subprocess
import sys
import threading
from typing import NoReturn

from acm_workers.errors import AcmError, StoreFailed
from acm_workers.settings import Settings

STOPPED = 130
_STOP_TIMEOUT_S = 10.0


class Execution:
    """A run that a child process executes; it stops when this process ends.

    After ``stop`` no further calls start; answers to calls in flight are awaited and saved.
    """

    def __init__(self, settings: Settings, run_id: str) -> None:
        environment = dict(os.environ) | {"ACM_HOME": str(settings.home)}
        environment.pop("ACM_BROKER_URL", None)
        environment.pop("ACM_DATABASE_URL", None)
        if settings.database_url is not None:
            environment["ACM_DATABASE_URL"] = settings.database_url
        self.run_id = run_id
        self._output = b""
        self._process = subprocess.Popen(  # noqa: S603  our own program, no shell
            [sys.executable, "-P", "-m", "acm_api.executor", run_id],
            env=environment,
            stdin=subprocess.PIPE,  # closed when this process ends, however it ends
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # an interrupt of this process comes through ``stop``
        )

    @property
    def ended(self) -> bool:
        """Return whether the child has ended."""
        return self._process.poll() is not None

    def stop(self) -> None:
        """Start no further calls, and wait until calls in flight have been answered."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
        self._close()

    def kill(self) -> None:
        """End the child at once; calls in flight are uncertain then."""
        self._process.kill()
        self._close()

    def finish(self) -> None:
        """Wait for the end of the child.

        Raises:
            AcmError: The child failed.
        """
        self._close()
        code = self._process.returncode
        if code not in (0, STOPPED):
            raise _error(self._output) or AcmError(
                f"the process that executed run {self.run_id} ended with code {code};"
                f" what was saved is safe: `acm resume {self.run_id}` continues it"
            )

    def _close(self) -> None:
        # Its standard input stays open till its end: the child stops when that is closed.
        if self._process.stdout is not None and not self._process.stdout.closed:
            self._output += self._process.stdout.read()
            self._process.stdout.close()
        self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()


def _error(output: bytes) -> AcmError | None:
    """Return the error that the child reported."""
    try:
        told = json.loads(output.splitlines()[-1])["error"]
    except (IndexError, ValueError, KeyError, TypeError):
        return None
    kind = StoreFailed if told["kind"].startswith("store_") else AcmError
    return kind(str(told["message"]))


def main() -> NoReturn:
    """Execute the run that the command line names, until it ends or standard input is closed."""
    threading.Thread(target=_stop_with_parent, name="acm-parent", daemon=True).start()
    code = 0
    try:
        _execute(sys.argv[1])
    except KeyboardInterrupt:
        code = STOPPED
    except AcmError as error:
        about = {"error": {"kind": error.kind, "message": str(error)}}
        sys.stdout.write(json.dumps(about) + "\n")
        code = 1
    except BaseException as error:  # whatever it is, the parent must get to know it
        about = {"error": {"kind": "unexpected", "message": f"{type(error).__name__}: {error}"}}
        sys.stdout.write(json.dumps(about) + "\n")
        code = 1
    sys.stdout.flush()
    os._exit(code)


def _stop_with_parent() -> None:
    while os.read(0, 1024):
        pass
    os.kill(os.getpid(), signal.SIGINT)


def _execute(run_id: str) -> None:
    from acm_api import execution
    from acm_api.files import locks
    from acm_workers import runtime
    from acm_workers.engine import run_ownership
    from acm_workers.store import runs

    settings = Settings()
    database = runtime.open_store(settings)
    try:
        with locks.run_lock(database, run_id, lambda: None, executes=True):
            with database.read() as connection:
                run = runs.get(connection, run_id)
            if run.state != "running":  # it ended, or was cancelled, while another one went on
                return
            run_ownership.take_back(database, run, runtime.utc_now())
            execution.execute(database, run, settings, lambda _progress: None, lambda: None)
    finally:
        database.close()


if __name__ == "__main__":
    main()
