"""Runs a version of a submission in a sandbox, and scores its result in another sandbox."""

import json
import os
import shutil
import stat
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from acm_workers.errors import RequestError, SandboxFailed
from acm_workers.processes import child, sandbox
from acm_workers.processes.folders import WorkFolders
from acm_workers.processes.printed import BoundedText
from acm_workers.processes.sandbox import SandboxEnd, SandboxFolders, SandboxSpec
from schemas.record import Record
from schemas.submissions import (
    ORIGINAL,
    ExecutionLimits,
    FailureCause,
    Isolation,
    Score,
    Submission,
    SubmissionTask,
    Version,
)

MOST_ERROR = 2000
_HARNESS = Path(__file__).with_name("harness")
_RESULT_FILES = ("result.json", "result.npz")
_MOST_ANSWER = 1 << 20
_MIB = 1 << 20
_LOG_EVERY_S = 1.0
_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1"
)
"""Default environment of versions, so that one version does not use all processors."""


class VersionOutcome(Record):
    """The outcome of running a version.

    Attributes:
        cause: Reason why the version has no score; None with a score.
        error: Description of the cause for users.
        log: Head and tail of the code's output.
    """

    score: Score | None = None
    cause: FailureCause | None = None
    error: str | None = None
    log: str = ""
    exit_code: int | None = None
    wall_s: float = 0.0


class ExecutionHost(NamedTuple):
    """The resources that a worker gives to a run.

    Attributes:
        folders: Parent folder of the folders for runs.
        isolation: The sandbox.
        variables: Variables of the slots that the version holds.
        follow: Callback that is called from time to time with the output so far.
        cancelled: Function that returns whether the run must end.
    """

    folders: WorkFolders
    isolation: Isolation
    variables: dict[str, str]
    follow: Callable[[str], None]
    cancelled: Callable[[], bool]


def execute(
    task: SubmissionTask, submission: Submission, version: Version, host: ExecutionHost
) -> VersionOutcome:
    """Run a version and score its result; all its processes have ended on return.

    Raises:
        SandboxFailed: The machine failed instead of the code, so the same run may succeed later.
    """
    with host.folders.fresh("run") as folder:
        let_pass(folder)
        validated = _validate(task, submission, version, host, folder)
        if validated is not None:
            return validated
        folders = _prepare(folder / "code", {task.filename: version.content})
        for name in (*_RESULT_FILES, "error.json"):
            (folders.outputs / name).touch(mode=0o600)
        log = _Log(task.limits, host.follow)

        def look() -> bool:
            log.show()
            return host.cancelled()

        try:
            ended = sandbox.run(_spec(task, folders, host), on_output=log.add, cancelled=look)
        except sandbox.OutputTooLarge:
            error = f"it printed more than {task.limits.output_mb} MB"
            return VersionOutcome(cause="limit", error=error, log=log.text())
        _require_begun(ended)
        about: dict[str, Any] = {
            "log": log.text(),
            "exit_code": ended.end.exit_code,
            "wall_s": ended.end.wall_s,
        }
        failure = _failure(task, ended, folders, log)
        if failure is not None:
            return VersionOutcome(cause=failure[0], error=_cut(failure[1]), **about)
        inputs = {}
        try:
            for name in _RESULT_FILES:
                inputs[name] = _harvest(folders.outputs / name, task.limits.file_mb * _MIB)
        except ValueError as error:
            return VersionOutcome(cause="bad_result", error=str(error), **about)
        if task.result == "file" and not any(inputs.values()):
            return VersionOutcome(cause="bad_result", error="it left no result", **about)
        return _evaluate(
            task, _EvaluatorInput(submission, version, log, inputs), host, folder, about
        )


def describe(task: SubmissionTask, host: ExecutionHost) -> dict[str, Any]:
    """Return the execution mode that a Station evaluator declares.

    Raises:
        RequestError: The evaluator does not work.
        SandboxFailed: The machine failed.
    """
    now = datetime.fromtimestamp(0, UTC)
    nobody = Submission(id=0, task_key=task.key, author="", created_at=now)
    nothing = Version(submission_id=0, version=ORIGINAL, content="", queued_at=now)
    with host.folders.fresh("describe") as folder:
        let_pass(folder)
        subject = _EvaluatorInput(nobody, nothing, None, {})
        answer = ask_evaluator(task, "describe", subject, host, folder / "evaluator")
    if isinstance(answer, VersionOutcome):
        raise RequestError(f"the evaluator of {task.key} does not work: {answer.error}")
    if "failed" in answer:
        raise RequestError(f"the evaluator of {task.key} does not work: {answer['failed']}")
    return answer


class _EvaluatorInput(NamedTuple):
    """The input of an evaluator."""

    submission: Submission
    version: Version
    log: "_Log | None"
    files: dict[str, bytes]


class _Log:
    """Stores head and tail of both output streams, and publishes them from time to time."""

    def __init__(self, limits: ExecutionLimits, follow: Callable[[str], None]) -> None:
        self._most = limits.output_mb * _MIB
        self._size = 0
        self._is_new = False
        self._follow = follow
        self._shown_at = time.monotonic()
        self.streams = {
            name: BoundedText(limits.log_kb * 512 // 2) for name in ("stdout", "stderr")
        }

    def add(self, stream: str, data: bytes) -> None:
        """Append the next bytes of a stream.

        Raises:
            OutputTooLarge: The output exceeds the limit.
        """
        self._size += len(data)
        self.streams[stream].add(data)
        if self._size > self._most:
            raise sandbox.OutputTooLarge
        self._is_new = True

    def show(self) -> None:
        """Publish new output, about once a second."""
        if self._is_new and time.monotonic() - self._shown_at >= _LOG_EVERY_S:
            self._is_new = False
            self._shown_at = time.monotonic()
            self._follow(self.text())

    def text(self) -> str:
        """Return the stored output, with standard error after a separating line."""
        out, err = (self.of(name) for name in ("stdout", "stderr"))
        return out if not err else f"{out}\n--- stderr ---\n{err}" if out else err

    def of(self, stream: str) -> str:
        """Return the stored output of one stream without zero bytes, which databases refuse."""
        return self.streams[stream].printed().text.replace("\0", "\N{REPLACEMENT CHARACTER}")


def _spec(task: SubmissionTask, folders: SandboxFolders, host: ExecutionHost) -> SandboxSpec:
    argv: tuple[str, ...]
    if task.mode == "function":
        code = f"{{in}}/{task.filename}"
        argv = (sys.executable, "-I", "{in}/run_function.py", code, task.function, "{out}")
    else:
        copied = 'cp "$1" . && shift && exec "$@"'
        argv = ("/bin/sh", "-c", copied, "sh", f"{{in}}/{task.filename}", *task.command)
    paths = {"ACM_RESULT": "{out}/result.json", "ACM_RESULT_NPZ": "{out}/result.npz"}
    return SandboxSpec(
        isolation=host.isolation,
        argv=argv,
        environment={**_ONE_THREAD, **paths, **task.environment, **host.variables},
        folders=folders,
        limits=task.limits,
        read_only=task.read_only,
        devices=_graphics_devices() if host.variables else (),
    )


def _failure(
    task: SubmissionTask, ended: SandboxEnd, folders: SandboxFolders, log: _Log
) -> tuple[FailureCause, str] | None:
    """Return why the code produced no valid result."""
    end = ended.end
    match end.reason:
        case "deadline":
            return "timeout", f"Execution timed out after {task.limits.wall_s:g} s"
        case "memory":
            return "limit", f"it held more than {task.limits.memory_mb} MB of memory"
        case "cancelled":
            return "cancelled", "it was cancelled while it ran"
        case _:
            pass
    if end.exit_code == 0:
        return None
    cpu_s = task.limits.cpu_s or task.limits.wall_s
    if end.exit_code is None and end.cpu_s >= cpu_s - 1:
        return "limit", f"it used more than {cpu_s:g} s of processor time"
    told = _told_error(folders.outputs / "error.json") if task.mode == "function" else None
    if told is not None:
        return told
    return "crash", f"{child.describe(end)}: {_last_lines(log.of('stderr'))}".rstrip(": ")


def _told_error(path: Path) -> tuple[FailureCause, str] | None:
    """Return the harness's description of a failure; the code could have forged it."""
    try:
        told = json.loads(_harvest(path, _MOST_ANSWER))
        cause, message = told["cause"], str(told["message"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    known: dict[str, FailureCause] = {
        "crash": "crash",
        "bad_result": "bad_result",
        "limit": "limit",
    }
    return (known[cause], message) if cause in known else None


def _validate(
    task: SubmissionTask,
    submission: Submission,
    version: Version,
    host: ExecutionHost,
    folder: Path,
) -> VersionOutcome | None:
    """Call the validation function of an evaluator, if there is one, before the code runs."""
    has_opinion = "def validate" in task.evaluator.source
    if not has_opinion:
        return None
    subject = _EvaluatorInput(submission, version, None, {})
    answer = ask_evaluator(task, "validate", subject, host, folder / "validate")
    if isinstance(answer, VersionOutcome):
        return answer
    if "failed" in answer:
        return VersionOutcome(cause="evaluator", error=_system_error(str(answer["failed"])))
    if "invalid" in answer:
        return VersionOutcome(cause="invalid_code", error=_cut(str(answer["invalid"])))
    return None


def _evaluate(
    task: SubmissionTask,
    subject: _EvaluatorInput,
    host: ExecutionHost,
    folder: Path,
    about: dict[str, Any],
) -> VersionOutcome:
    answer = ask_evaluator(task, "evaluate", subject, host, folder / "evaluation")
    if isinstance(answer, VersionOutcome):
        return answer.model_copy(update=about)
    if "bad_result" in answer:
        return VersionOutcome(cause="bad_result", error=_cut(str(answer["bad_result"])), **about)
    if "failed" in answer:
        error = _system_error(str(answer["failed"]))
        return VersionOutcome(cause="evaluator", error=error, **about)
    try:
        score = Score.model_validate(answer)
    except ValidationError as error:
        text = _system_error("; ".join(str(one["msg"]) for one in error.errors()))
        return VersionOutcome(cause="evaluator", error=text, **about)
    if score.value is None:
        message = _cut(score.message or "the evaluator does not accept the result")
        return VersionOutcome(cause="rejected", error=message, score=score, **about)
    return VersionOutcome(score=score, **about)


def ask_evaluator(
    task: SubmissionTask, what: str, subject: _EvaluatorInput, host: ExecutionHost, folder: Path
) -> dict[str, Any] | VersionOutcome:
    """Call the evaluator in a separate sandbox; return its answer, or a description of the failure.

    Raises:
        SandboxFailed: The machine failed.
    """
    files: dict[str, str | bytes] = {"evaluator.py": task.evaluator.source}
    files["submission.json"] = json.dumps(_evaluator_request(task, subject))
    files |= {name: subject.files.get(name, b"") for name in _RESULT_FILES}
    limits = task.limits.model_copy(
        update={"wall_s": task.evaluator.wall_s, "cpu_s": task.evaluator.wall_s}
    )
    program = ("{in}/run_evaluator.py", what, task.evaluator.kind, "{in}", "{out}")
    return ask(program, files, limits, host, folder, task.read_only)


def ask(
    program: tuple[str, ...],
    files: dict[str, str | bytes],
    limits: ExecutionLimits,
    host: ExecutionHost,
    folder: Path,
    read_only: tuple[str, ...] = (),
) -> dict[str, Any] | VersionOutcome:
    """Run a harness program in a sandbox; return its answer, or a description of the failure.

    Args:
        program: File and arguments of the program.
        files: Contents of its input files, by name.
        folder: Folder of the child; it is created.
        read_only: Additional files and folders that the program may read.

    Raises:
        SandboxFailed: The machine failed.
    """
    folders = _prepare(folder, files)
    answer = folders.outputs / "score.json"
    answer.touch(mode=0o600)
    argv = (sys.executable, "-I", *program)
    log = _Log(limits, lambda text: None)
    try:
        ended = sandbox.run(
            SandboxSpec(
                isolation=host.isolation,
                argv=argv,
                environment=_ONE_THREAD,
                folders=folders,
                limits=limits,
                read_only=read_only,
            ),
            on_output=log.add,
            cancelled=host.cancelled,
        )
    except sandbox.OutputTooLarge:
        return VersionOutcome(cause="evaluator", error=_system_error("it printed too much"))
    _require_begun(ended)
    if ended.end.reason == "cancelled":
        return VersionOutcome(cause="cancelled", error="it was cancelled while it was evaluated")
    if ended.end.exit_code != 0 or ended.end.reason != "ended":
        told = f"{child.describe(ended.end)}: {_last_lines(log.of('stderr'))}"
        return VersionOutcome(cause="evaluator", error=_system_error(told))
    try:
        found = json.loads(_harvest(answer, _MOST_ANSWER), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        return VersionOutcome(cause="evaluator", error=_system_error(f"no answer: {error}"))
    if not isinstance(found, dict):
        return VersionOutcome(cause="evaluator", error=_system_error("its answer is no object"))
    return found


def _evaluator_request(task: SubmissionTask, subject: _EvaluatorInput) -> dict[str, Any]:
    log = subject.log
    return {
        "id": subject.submission.id,
        "version": subject.version.version,
        "author": subject.submission.author,
        "title": subject.submission.title,
        "code": subject.version.content,
        "stdout": "" if log is None else log.of("stdout"),
        "stderr": "" if log is None else log.of("stderr"),
        "result": task.result,
    }


def _prepare(folder: Path, files: "dict[str, str | bytes] | dict[str, str]") -> SandboxFolders:
    """Create the folders of a child process with the harness programs and input files."""
    folder.mkdir()
    folders = sandbox.prepare(folder)
    for program in _HARNESS.glob("*.py"):
        shutil.copyfile(program, folders.inputs / program.name)
    for name, content in files.items():
        data = content if isinstance(content, bytes) else content.encode("utf-8", "replace")
        (folders.inputs / name).write_bytes(data)
    for path in folders.inputs.iterdir():
        path.chmod(0o644)
    return folders


def let_pass(folder: Path) -> None:
    """Allow other user ids to traverse the folders of this worker without listing them."""
    for one in (folder, folder.parent, folder.parent.parent):
        if one.stat().st_uid == os.getuid():
            one.chmod(0o711)


def _harvest(path: Path, most: int) -> bytes:
    """Return the content of a file that the code could write to.

    Raises:
        ValueError: The path is not the original plain file, or the file is too large.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise ValueError(f"{path.name} is not the file that was put there") from error
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1:
            raise ValueError(f"{path.name} is not the file that was put there")
        content = file.read(most + 1)
    if len(content) > most:
        raise ValueError(f"{path.name} has more than {most} bytes")
    return content


def _require_begun(ended: SandboxEnd) -> None:
    if not ended.began and ended.end.reason not in ("cancelled", "deadline"):
        told = ended.end.stderr.text.strip() or child.describe(ended.end)
        raise SandboxFailed(f"the sandbox could not be made: {told}")
    if ended.end.reason == "lost":
        raise SandboxFailed("the supervisor of the sandbox died")


def _graphics_devices() -> tuple[str, ...]:
    found = [*Path("/dev").glob("nvidia*"), *Path("/dev").glob("dri/*"), Path("/dev/kfd")]
    return tuple(str(path) for path in found if path.is_char_device())


def _last_lines(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def _system_error(text: str) -> str:
    return _cut(f"Evaluation system error: {text}")


def _cut(text: str) -> str:
    text = text.replace("\0", "\N{REPLACEMENT CHARACTER}")
    return text if len(text) <= MOST_ERROR else f"{text[: MOST_ERROR - 4]} ..."


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not a finite number")
