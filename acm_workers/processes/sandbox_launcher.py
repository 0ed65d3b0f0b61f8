"""The program that enters a sandbox and then executes the untrusted code in its place.

The supervisor of a child calls it after its fork, without ACM and without site packages, with a
marshalled order on stdin. A root user first drops its privileges: the code runs under a user id
that no other process has. ``unshare`` builds a separate file system root (system and Python
read-only, the rest in memory) in new namespaces for users, mounts, processes, network, IPC and host
name; ``bubblewrap`` leaves that to bwrap; ``rlimits`` sets only resource limits.

Before executing the code, the launcher sends ``{"event": "ready"}`` on the descriptor for events,
which the code does not receive. An error before this event is not a failure of the code.
"""

from __future__ import annotations

import ctypes
import marshal
import os
import resource
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # its import would take as long as all of the others
    from typing import Any

_NAMESPACES = (
    0x00020000  # mounts
    | 0x02000000  # control groups
    | 0x04000000  # host name
    | 0x08000000  # IPC
    | 0x10000000  # users
    | 0x20000000  # processes
    | 0x40000000  # network
)
_NEW_MOUNTS = 0x00020000
_READ_ONLY, _NO_SUID, _NO_DEVICES, _REMOUNT, _BIND, _REC, _PRIVATE = (
    1,
    2,
    4,
    32,
    4096,
    16384,
    1 << 18,
)
_DETACH = 2
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41, "riscv64": 41, "armv7l": 218, "ppc64le": 203}
_SET_PDEATHSIG, _SET_DUMPABLE, _SET_NO_NEW_PRIVS, _SIGKILL = 1, 4, 38, 9
_FIRST_UID = 1_000_000
_NOBODY = 65534
_INNER_ID = 1000
_ROOT = "/tmp/root"  # noqa: S108  in a mount namespace of our own
_DEVICES = ("null", "zero", "full", "random", "urandom")
_LIMITS = {
    "cpu_s": resource.RLIMIT_CPU,
    "data_bytes": resource.RLIMIT_DATA,
    "file_bytes": resource.RLIMIT_FSIZE,
    "open_files": resource.RLIMIT_NOFILE,
    "processes": resource.RLIMIT_NPROC,
}


def main() -> None:
    """Execute the order; return only if this fails."""
    with open(0, "rb", closefd=False) as stdin:
        order = marshal.load(stdin)  # noqa: S302  our supervisor's
    nothing = os.open("/dev/null", os.O_RDONLY)
    os.dup2(nothing, 0)
    events = int(os.environ["ACM_EVENTS_FD"])
    isolation = order["isolation"]
    was_root = os.geteuid() == 0
    if was_root:
        uid = _hand_over(order["own"])
        if isolation == "unshare":
            _unshare(_NEW_MOUNTS)
            _build_root(order)
        _give_up_root(uid)
    if isolation == "unshare":
        _enter_namespaces(order, events, is_built=was_root)
        return
    _limit(order["limits"])
    _prctl(_SET_NO_NEW_PRIVS, 1)
    argv = order["argv"]
    if isolation == "bubblewrap":
        os.set_inheritable(events, True)
        argv = [order["bwrap"], "--json-status-fd", str(events), *order["bwrap_options"], *argv]
        os.execve(argv[0], argv, order["environment"])  # noqa: S606
    os.chdir(order["folder"])
    # Without a process namespace, the mark is how what detached itself is found.
    marks = {name: os.environ[name] for name in ("ACM_CHILD",) if name in os.environ}
    _become(argv, {**order["environment"], **marks}, events)


def _hand_over(paths: list[str]) -> int:
    """Give files to a user id that no other process of this machine has, and return the id."""
    for uid in (_FIRST_UID + os.getpid(), _NOBODY):
        try:
            for path in paths:
                os.chown(path, uid, uid)
        except OSError:  # a container that does not know so many ids
            continue
        return uid
    raise OSError("root cannot give files to anybody else")


def _give_up_root(uid: int) -> None:
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    _prctl(_SET_DUMPABLE, 1)  # else /proc/self belongs to root
    _prctl(_SET_PDEATHSIG, _SIGKILL)  # forgotten with the old user id


def _enter_namespaces(order: dict[str, Any], events: int, *, is_built: bool) -> None:
    uid, gid = os.getuid(), os.getgid()
    _unshare(_NAMESPACES)
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{_INNER_ID} {uid} 1")
    _write("/proc/self/gid_map", f"{_INNER_ID} {gid} 1")
    alive, parent = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(parent)
            _prctl(_SET_PDEATHSIG, _SIGKILL)
            if os.read(alive, 1) != b"1":
                os._exit(1)
            if not is_built:
                _build_root(order)
            _enter_root()
            # No namespaces within namespaces: they show the code more of the kernel.
            _write("/proc/sys/user/max_user_namespaces", "0", required=False)
            _mount("none", "/proc/sys", None, _BIND | _REMOUNT | _READ_ONLY, required=False)
            _limit(order["limits"])
            _prctl(_SET_NO_NEW_PRIVS, 1)
            os.chdir(order["folder"])
            _become(order["argv"], order["environment"], events)
        except BaseException as error:  # this process must not return
            _complain(error)
        os._exit(125)
    os.close(events)
    os.write(parent, b"1")
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.kill(os.getpid(), -code)
    os._exit(code)


def _build_root(order: dict[str, Any]) -> None:
    """Mount the root of the sandbox: only readable and writable paths, and nothing else."""
    _mount("none", "/", None, _REC | _PRIVATE)
    content = {}
    bound = [(source, target, True) for source, target in order["read_only"]]
    bound += [(source, target, False) for source, target in order["writable"]]
    # Their paths may lie below what is hidden now.
    for source, _, _ in bound:
        content[source] = os.open(source, os.O_PATH | os.O_CLOEXEC)
    devices = {f"/dev/{name}" for name in _DEVICES} | set(order["devices"])
    for device in devices:
        content[device] = os.open(device, os.O_PATH | os.O_CLOEXEC)
    _mount("tmpfs", "/tmp", "tmpfs", _NO_SUID | _NO_DEVICES, "mode=0755,size=1m")  # noqa: S108
    os.mkdir(_ROOT, 0o755)
    _mount("tmpfs", _ROOT, "tmpfs", _NO_SUID | _NO_DEVICES, "mode=0755,size=1m")
    for name in ("proc", "tmp", "scratch", "dev/shm", "old"):
        os.makedirs(f"{_ROOT}/{name}", exist_ok=True)
    for name in ("tmp", "scratch", "dev/shm"):
        options = f"mode=1777,size={order['scratch_bytes']},nr_inodes=100000"
        _mount("tmpfs", f"{_ROOT}/{name}", "tmpfs", _NO_SUID | _NO_DEVICES, options)
    for source, target, read_only in bound:
        _bind(f"/proc/self/fd/{content[source]}", _ROOT + target, read_only=read_only)
    for link, to in order["links"]:
        os.makedirs(os.path.dirname(_ROOT + link), exist_ok=True)
        os.symlink(to, _ROOT + link)
    for device in devices:
        _bind(f"/proc/self/fd/{content[device]}", _ROOT + device, read_only=False)
    os.symlink("/proc/self/fd", _ROOT + "/dev/fd")
    for descriptor in content.values():
        os.close(descriptor)


def _enter_root() -> None:
    """Make the new root the only visible file system."""
    _mount(_ROOT, _ROOT, None, _BIND | _REC)  # a mount made before the namespace cannot move
    _mount("proc", f"{_ROOT}/proc", "proc", _NO_SUID | _NO_DEVICES | 8)
    os.chdir(_ROOT)
    number = _PIVOT_ROOT[os.uname().machine]
    _check(_libc.syscall(number, _ROOT.encode(), f"{_ROOT}/old".encode()), "pivot_root")
    os.chdir("/")
    _check(_libc.umount2(b"/old", _DETACH), "umount")
    _mount("none", "/", None, _REMOUNT | _BIND | _READ_ONLY | _NO_SUID | _NO_DEVICES)


def _bind(source: str, target: str, *, read_only: bool) -> None:
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o644))
    _mount(source, target, None, _BIND | _REC)
    if read_only:
        # What the outer mount forbids stays forbidden; leaving it out of the flags is refused.
        kept = os.statvfs(target).f_flag & (_NO_SUID | _NO_DEVICES | 8 | 1024 | 2048)
        _mount("none", target, None, _BIND | _REMOUNT | _READ_ONLY | _NO_SUID | kept)


def _limit(limits: dict[str, int]) -> None:
    for name, value in limits.items():
        kind = _LIMITS[name]
        _, most = resource.getrlimit(kind)
        value = value if most == resource.RLIM_INFINITY else min(value, most)
        resource.setrlimit(kind, (value, value))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _become(argv: list[str], environment: dict[str, str], events: int) -> None:
    os.set_inheritable(events, False)
    os.write(events, b'{"event": "ready"}\n')
    os.execvpe(argv[0], argv, environment)  # noqa: S606


_libc = ctypes.CDLL(None, use_errno=True)


def _unshare(flags: int) -> None:
    _check(_libc.unshare(flags), "unshare")


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        _check(_libc.prctl(option, value, 0, 0, 0), "prctl")


def _mount(
    source: str,
    target: str,
    kind: str | None,
    flags: int,
    options: str = "",
    *,
    required: bool = True,
) -> None:
    name = None if kind is None else kind.encode()
    done = _libc.mount(
        source.encode(), target.encode(), name, ctypes.c_ulong(flags), options.encode()
    )
    if required:
        _check(done, f"mount {target}")


def _check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def _write(path: str, text: str, *, required: bool = True) -> None:
    try:
        with open(path, "w") as file:
            file.write(text)
    except OSError:
        if required:
            raise


def _complain(error: BaseException) -> None:
    os.write(2, f"sandbox: {error}\n".encode(errors="replace")[:2000])


def start() -> None:
    """Replace this process by the code; never return."""
    try:
        main()
    except BaseException as error:  # whatever it is, the code did not begin
        _complain(error)
    os._exit(125)
