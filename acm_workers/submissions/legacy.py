"""Records of the old evaluation system: the queue of YAML documents, and JSON files."""

import json
import math
import re
from collections.abc import Sequence
from typing import Any

import yaml
from pydantic import Field

from schemas.record import Record
from schemas.submissions import (
    ORIGINAL,
    DebugSession,
    FailureCause,
    Submission,
    Version,
    VersionState,
)

NO_SCORE = "n.a."
_TIMED_OUT = "Execution timed out after"
_VERSION_KEY = re.compile(r"^v(\d+)$")


class LegacySubmission(Record):
    """A submission to the old system.

    Attributes:
        id: Number of the submission in the old system.
        task_id: Number or name of the task in the old system.
    """

    id: str
    author: str
    task_id: str
    title: str = ""
    content: str
    tags: tuple[str, ...] = ()
    abstract: str = ""
    tick: int | None = None
    no_debugger: bool = False


class LegacyVersion(Record):
    """A version in an old evaluation, with its outcome."""

    version: int
    content: str
    state: VersionState
    score: float | None = None
    sort_key: tuple[float, ...] | None = None
    metrics: dict[str, Any] = Field(default_factory=dict)
    message: str = ""
    cause: FailureCause | None = None
    error: str | None = None
    log: str = ""


class LegacyEvaluation(Record):
    """An old evaluation with all its versions."""

    submission: LegacySubmission
    versions: tuple[LegacyVersion, ...]
    notified_version: int | None = None


def documents(text: str) -> list[str]:
    """Split a queue into its YAML documents, which are separated by lines of ``---``."""
    parts = re.split(r"^---(?:[ \t].*)?$", text, flags=re.MULTILINE)
    return [part for part in parts if part.strip()]


def read_pending(text: str) -> LegacySubmission:
    """Return the submission in one document of the queue.

    Raises:
        ValueError: The document is not valid.
    """
    try:
        found = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(f"no YAML: {' '.join(str(error).split())[:300]}") from error
    return _submission(found, found)


def read_evaluation(text: str) -> LegacyEvaluation:
    """Return the evaluation in a JSON file; ``-Infinity`` and ``NaN`` count as no score.

    Raises:
        ValueError: The file is not valid.
    """
    found = json.loads(text)
    original = found.get("original_submission") if isinstance(found, dict) else None
    if not original or not hasattr(original, "get"):
        raise ValueError("it holds no original_submission")
    versions = [_version(ORIGINAL, original)]
    for key, entry in (found.get("versions") or {}).items():
        number = _VERSION_KEY.match(str(key))
        if number is None or not isinstance(entry, dict):
            raise ValueError(f"{key} is no version")
        versions.append(_version(int(number[1]), entry))
    notified = (found.get("notification") or {}).get("version_notified")
    number = _VERSION_KEY.match(str(notified))
    about = None if notified is None else int(number[1]) if number else ORIGINAL
    versions.sort(key=lambda one: one.version)
    return LegacyEvaluation(
        submission=_submission({**found, "content": original.get("content")}, found),
        versions=tuple(versions),
        notified_version=about,
    )


def write_evaluation(
    submission: Submission,
    versions: Sequence[Version],
    session: DebugSession | None,
    notice: str | None,
) -> dict[str, Any]:
    """Return a submission in the format of the old system: one object with all versions."""
    by_number = {one.version: one for one in versions}
    latest = max(by_number)
    notified = submission.notified_version
    return {
        "id": str(submission.id),
        "author": submission.author,
        "research_task_id": submission.task_key,
        "title": submission.title,
        "tags": list(submission.tags),
        "abstract": submission.abstract,
        "submission_tick": submission.tick,
        "original_submission": _entry(by_number[ORIGINAL]),
        "versions": {
            _key(number): _entry(one) for number, one in by_number.items() if number != ORIGINAL
        },
        "current_state": {
            "latest_version": _key(latest),
            "claude_active": session is not None and session.state != "ended",
        },
        "notification": {
            "sent": submission.state == "finished",
            "version_notified": None if notified is None else _key(notified),
            "message": notice,
        },
    }


def _submission(found: Any, whole: Any) -> LegacySubmission:
    if not hasattr(found, "get"):
        raise ValueError("no mapping")
    number = found.get("id", found.get("eval_id"))
    task_id = found.get("research_task_id", found.get("task_id"))
    content = found.get("content")
    missing = [
        name
        for name, value in (("id", number), ("author", found.get("author")), ("task_id", task_id))
        if value is None or not str(value).strip()
    ]
    if not isinstance(content, str) or not content.strip():
        missing.append("content")
    if missing:
        raise ValueError(f"it lacks {', '.join(missing)}")
    tags = found.get("tags") or ()
    if isinstance(tags, str):
        tags = [tag.strip() for tag in tags.split(",")]
    tick = whole.get("submission_tick", whole.get("tick"))
    return LegacySubmission(
        id=str(number),
        author=str(found["author"]),
        task_id=str(task_id),
        title=str(found.get("title") or ""),
        content=str(content).replace("\0", ""),
        tags=tuple(str(tag) for tag in tags if str(tag)),
        abstract=str(found.get("abstract") or ""),
        tick=tick if isinstance(tick, int) else None,
        no_debugger=found.get("no_debugger") is True,
    )


def _version(number: int, entry: dict[str, Any]) -> LegacyVersion:
    result = entry.get("evaluation_result") or {}
    status, score = result.get("status"), _number(result.get("score"))
    error = result.get("error") or result.get("details") if status == "failed" else None
    cause: FailureCause | None = None
    state: VersionState = "queued"
    if status == "completed" and score is not None:
        state = "scored"
    elif status == "failed" and str(error or "").startswith(_TIMED_OUT):
        state, cause = "timed_out", "timeout"
    elif status == "failed" and score is not None:
        state, cause = "rejected", "rejected"
    elif status in ("failed", "completed"):
        state, cause = "failed", "crash"
    sort_key = result.get("sort_key")
    keys = [_number(one) for one in sort_key] if isinstance(sort_key, list) else []
    whole = tuple(one for one in keys if one is not None)
    return LegacyVersion(
        version=number,
        content=str(entry.get("content") or "").replace("\0", ""),
        state=state,
        score=score if state == "scored" else None,
        sort_key=whole if whole and len(whole) == len(keys) else None,
        metrics=_metrics(result.get("details")) if state == "scored" else {},
        cause=cause,
        error=None if error is None or cause is None else str(error)[:2000].replace("\0", ""),
        log=str(result.get("execution_log") or result.get("logs") or "").replace("\0", ""),
    )


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def _metrics(details: Any) -> dict[str, Any]:
    """Return secondary metrics, with the raw value of each pair of formatted and raw values."""
    if not isinstance(details, dict):
        return {}
    found = {}
    for name, value in details.items():
        raw = value[1] if isinstance(value, list) and len(value) == 2 else value
        if isinstance(raw, bool | int | str) or _number(raw) is not None:
            found[str(name)] = raw
    found.pop("Message", None)
    return found


def _entry(version: Version) -> dict[str, Any]:
    status = {"scored": "completed", "queued": "pending", "claimed": "pending"}
    status |= {"running": "pending"}
    state = status.get(version.state, "failed")
    score: float | str = NO_SCORE if version.score is None else version.score
    message = {"Message": version.message} if version.message else {}
    return {
        "content": version.content,
        "evaluation_result": {
            "status": state,
            "score": "pending" if state == "pending" else score,
            "error": version.error,
            "details": {**version.metrics, **message},
            "sort_key": None if version.sort_key is None else list(version.sort_key),
            "execution_log": version.log,
        },
    }


def _key(number: int) -> str:
    return "original" if number == ORIGINAL else f"v{number}"
