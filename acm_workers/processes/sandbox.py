"""Sandboxes for untrusted code: the strongest that the machine supports.

``bubblewrap`` and ``unshare`` give a child its own root, process numbers and user ids, and no
network; ``rlimits`` sets only resource limits. Each sandbox is tried to find out whether it
works.
"""

import marshal
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from acm_workers.errors import RequestError
from acm_workers.processes import child
from acm_workers.processes.spec import ChildEnd, ChildSpec
from schemas.record import Record
from schemas.submissions import ISOLATIONS, ExecutionLimits, Isolation

_LAUNCHER = Path(__file__).with_name("sandbox_launcher.py")
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/alternatives")
_FILES = ("/etc/ld.so.cache",)
_MIB = 1 << 20
_GRACE_S = 0.2
_PROBE_S = 20.0

INPUTS, OUTPUTS, WORK = "/in", "/out", "/scratch"
"""Folders within a sandbox; see ``SandboxFolders`` for where they are in ``rlimits``."""


class SandboxFolders(Record):
    """Folders of one child on this machine.

    Attributes:
        inputs: Files that the child reads; mounted read-only.
        outputs: Existing files that the child writes; it cannot add or replace files.
        work: The working folder in ``rlimits``; other sandboxes have it in memory.
    """

    inputs: Path
    outputs: Path
    work: Path


class SandboxSpec(Record):
    """One child in a sandbox.

    Attributes:
        argv: Program and arguments; ``{in}``, ``{out}`` and ``{work}`` are replaced by the child's
            folders.
        environment: All variables except paths; the same placeholders are replaced in values.
        read_only: Further files and folders that the child may read.
        devices: Devices that the child may use.
    """

    isolation: Isolation
    argv: tuple[str, ...]
    environment: dict[str, str]
    folders: SandboxFolders
    limits: ExecutionLimits
    read_only: tuple[str, ...] = ()
    devices: tuple[str, ...] = ()


class SandboxEnd(Record):
    """The end of a child in a sandbox.

    Attributes:
        began: Whether the sandbox was built and the program was started.
    """

    began: bool
    end: ChildEnd


class OutputTooLarge(Exception):
    """The output of the child exceeded its limit."""


def prepare(folder: Path) -> SandboxFolders:
    """Create the folders of a child below ``folder``."""
    folder.chmod(0o711)  # for the user id that root gives the child
    folders = SandboxFolders(inputs=folder / "in", outputs=folder / "out", work=folder / "work")
    for path, mode in ((folders.inputs, 0o755), (folders.outputs, 0o711), (folders.work, 0o700)):
        path.mkdir()
        path.chmod(mode)
    return folders


def run(
    spec: SandboxSpec,
    *,
    on_output: Callable[[str, bytes], None] = lambda stream, data: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> SandboxEnd:
    """Run a child in a sandbox to its end; after this returns, none of its processes is alive.

    Args:
        on_output: Callback that receives the name of a stream and the child's output on it.
        cancelled: Function that is called several times a second; if it returns true, the child is
            ended.
    """
    began = False

    def note(event: dict[str, Any]) -> None:
        nonlocal began
        began = began or event.get("event") == "ready" or "child-pid" in event

    end = child.run(
        ChildSpec(
            argv=spec.argv,
            launcher=_LAUNCHER,
            environment={"PATH": os.defpath},
            folder=spec.folders.work.parent,
            stdin=marshal.dumps(_order(spec)),
            soft_deadline_s=spec.limits.wall_s,
            grace_s=_GRACE_S,
            memory_bytes=spec.limits.memory_mb * _MIB,
            kept_bytes=spec.limits.log_kb * 512,  # of the head, and of the tail
        ),
        note,
        cancelled,
        on_output,
    )
    return SandboxEnd(began=began, end=end)


def strongest() -> Isolation:
    """Return the strongest sandbox that works on this machine.

    Raises:
        RequestError: No sandbox works.
    """
    reasons = []
    for isolation in reversed(ISOLATIONS):
        reason = why_not(isolation)
        if reason is None:
            return isolation
        reasons.append(f"{isolation}: {reason}")
    raise RequestError(f"this machine cannot run submitted code ({'; '.join(reasons)})")


def refuse_weaker(needed: Isolation) -> None:
    """Refuse to continue without a sandbox that is at least as strong.

    Raises:
        RequestError: The strongest sandbox of this machine is weaker.
    """
    found = strongest()
    if ISOLATIONS.index(found) < ISOLATIONS.index(needed):
        raise RequestError(
            f"isolation by {needed} is needed, and this machine has only {found}"
            f" ({needed}: {why_not(needed)})"
        )


@lru_cache(maxsize=8)
def why_not(isolation: Isolation) -> str | None:
    """Return why a sandbox does not work on this machine; None if it does. It is tried once."""
    if sys.platform == "win32":
        return "Windows has no limits for processes that ACM could use"
    if isolation != "rlimits" and sys.platform != "linux":
        return f"{platform.system()} has no namespaces"
    if isolation == "bubblewrap" and shutil.which("bwrap") is None:
        return "bwrap is not installed"
    with tempfile.TemporaryDirectory() as base:
        spec = SandboxSpec(
            isolation=isolation,
            argv=(sys.executable, "-I", "-S", "-c", "print('in')"),
            environment={},
            folders=prepare(Path(base)),
            limits=ExecutionLimits(wall_s=_PROBE_S),
        )
        try:
            found = run(spec).end
        except (OSError, subprocess.SubprocessError) as error:
            return str(error)
    if found.exit_code == 0 and found.stdout.text == "in\n":
        return None
    return " ".join(found.stderr.text.split()) or child.describe(found)


def _order(spec: SandboxSpec) -> dict[str, Any]:
    """Return the order for the launcher."""
    inside = spec.isolation != "rlimits"
    folders = spec.folders
    places = {
        "{in}": INPUTS if inside else str(folders.inputs),
        "{out}": OUTPUTS if inside else str(folders.outputs),
        "{work}": WORK if inside else str(folders.work),
    }
    outputs = sorted(folders.outputs.iterdir())
    writable = [(str(path), f"{OUTPUTS}/{path.name}") for path in outputs]
    read_only = _readable(spec)
    environment = {
        "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "HOME": places["{work}"],
        "TMPDIR": "/tmp" if inside else places["{work}"],  # noqa: S108  the sandbox's own
        **{name: _filled(value, places) for name, value in spec.environment.items()},
    }
    limits = spec.limits
    return {
        "isolation": spec.isolation,
        "argv": [_filled(argument, places) for argument in spec.argv],
        "environment": environment,
        "folder": places["{work}"],
        "own": [str(folders.work), *map(str, outputs)],
        "read_only": read_only,
        "writable": writable,
        "links": _links(),
        "devices": list(spec.devices),
        "scratch_bytes": limits.file_mb * _MIB,
        "limits": {
            "cpu_s": max(1, round(limits.cpu_s or limits.wall_s)),
            "data_bytes": limits.memory_mb * _MIB,
            "file_bytes": limits.file_mb * _MIB,
            "open_files": limits.open_files,
            "processes": limits.processes,
        },
        "bwrap": shutil.which("bwrap"),
        "bwrap_options": _bwrap_options(spec, read_only, writable, environment),
    }


def _readable(spec: SandboxSpec) -> list[tuple[str, str]]:
    """Return the readable paths and their paths in the sandbox, parents before children."""
    own = {sys.prefix, sys.base_prefix, str(Path(sys.executable).resolve().parents[1])}
    found = {path for path in (*_SYSTEM, *_FILES) if os.path.exists(path)}
    found = {path for path in found if not os.path.islink(path)} | set(spec.read_only)
    for path in sorted(own):
        if not any(Path(path).is_relative_to(other) for other in found):
            found.add(path)
    return [*((path, path) for path in sorted(found)), (str(spec.folders.inputs), INPUTS)]


def _links() -> list[tuple[str, str]]:
    """Return the system's folders that are links, like ``/bin`` to ``usr/bin``."""
    return [(path, os.readlink(path)) for path in _SYSTEM if os.path.islink(path)]


def _bwrap_options(
    spec: SandboxSpec,
    read_only: list[tuple[str, str]],
    writable: list[tuple[str, str]],
    environment: Mapping[str, str],
) -> list[str]:
    options = ["--unshare-all", "--unshare-user", "--uid", "1000", "--gid", "1000"]
    options += ["--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"]
    options += ["--proc", "/proc", "--dev", "/dev"]
    for device in spec.devices:
        options += ["--dev-bind", device, device]
    size = str(spec.limits.file_mb * _MIB)
    for path in ("/tmp", WORK, "/dev/shm"):  # noqa: S108  the sandbox's own
        options += ["--size", size, "--tmpfs", path]
    for source, target in read_only:
        options += ["--ro-bind", source, target]
    for link, to in _links():
        options += ["--symlink", to, link]
    for source, target in writable:
        options += ["--bind", source, target]
    for name, value in environment.items():
        options += ["--setenv", name, value]
    return [*options, "--chdir", WORK, "--remount-ro", "/", "--"]


def _filled(text: str, places: Mapping[str, str]) -> str:
    for word, place in places.items():
        text = text.replace(word, place)
    return text
