"""Records the progress of children, and their reports when they have ended."""

import time
from collections.abc import Mapping
from typing import Any

from acm_workers.processes.spec import ChildEnd
from acm_workers.runtime import Runtime, utc_now
from acm_workers.store import events
from schemas.children import ChildReport, ChildStep
from schemas.units import Artifact

_KEPT_STEPS = 100
_TOLD_EVERY_S = 2.0
_BEAT_EVERY_S = 15.0
_USED = ("calls", "searches", "peak_rss_bytes")
_LARGEST = 1 << 53
PRINTED = 8_000
"""Length of the end of a child's output that is kept, in characters."""


class ChildProgress:
    """Receives the events of children, and saves them for the report and for followers."""

    def __init__(self, live: Runtime, artifact: Artifact) -> None:
        self.steps: list[ChildStep] = []
        self._live, self._artifact = live, artifact
        self._began = time.monotonic()
        self._told_at = self._beat_at = float("-inf")
        self._now_at = {"step": "starting", "detail": ""}
        self._used: dict[str, int] = {}

    def take(self, event: Mapping[str, Any]) -> None:
        """Take one event."""
        if event.get("event") == "progress":
            self._take_step(str(event.get("step") or "")[:100], str(event.get("detail") or ""))
        elif event.get("event") == "heartbeat":
            self._take_heartbeat(event)

    def _take_step(self, step: str, detail: str) -> None:
        now = time.monotonic()
        is_new = not self.steps or self.steps[-1].name != step
        if is_new and len(self.steps) < _KEPT_STEPS:
            self.steps.append(ChildStep(name=step, at_s=round(now - self._began, 3)))
        self._now_at = {"step": step, "detail": detail[:300]}
        if is_new and now - self._told_at >= _TOLD_EVERY_S:
            self._told_at = now
            self._tell()

    def _take_heartbeat(self, event: Mapping[str, Any]) -> None:
        """Save the resources that the child has used from time to time, even without a new step."""
        self._used = {name: _number(event.get(name)) for name in _USED}
        now = time.monotonic()
        if now - self._beat_at >= _BEAT_EVERY_S:
            self._beat_at = now
            self._tell()

    def _tell(self) -> None:
        artifact = self._artifact
        data = {
            "artifact_id": artifact.id,
            "generator": artifact.generator,
            "number": artifact.number,
            **self._now_at,
            **self._used,
        }
        with self._live.database.write() as connection:
            events.add(connection, artifact.run_id, "child", utc_now(), artifact.document_id, data)


def _number(value: Any) -> int:
    """Return a number from a child's event; 0 if the value is not a number."""
    return value if type(value) is int and 0 <= value < _LARGEST else 0


def report(end: ChildEnd, outcome: str, progress: ChildProgress, **more: Any) -> ChildReport:
    """Return the report of a child.

    Args:
        outcome: Description of the reason for its end.
        more: Further fields.
    """
    return ChildReport(
        outcome=outcome[:1000],
        exit_code=end.exit_code,
        signal=end.signal,
        wall_s=round(end.wall_s, 3),
        cpu_s=round(end.cpu_s, 3),
        peak_rss_bytes=end.peak_rss_bytes,
        steps=tuple(progress.steps),
        **{
            "stderr": end.stderr.text[-PRINTED:],
            "stdout": end.stdout.text[-PRINTED:],
            **more,
        },
    )
