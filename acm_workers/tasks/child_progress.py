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
PRINTED = 8_000
"""Characters of the end of what a child printed."""


class ChildProgress:
    """Takes the events of children: for the report, and now and then for who follows the run."""

    def __init__(self, live: Runtime, artifact: Artifact) -> None:
        self.steps: list[ChildStep] = []
        self._live, self._artifact = live, artifact
        self._began = time.monotonic()
        self._told_at = float("-inf")

    def take(self, event: Mapping[str, Any]) -> None:
        """Take one event."""
        if event.get("event") != "progress":
            return
        step, detail = str(event.get("step") or "")[:100], str(event.get("detail") or "")[:300]
        now = time.monotonic()
        is_new = not self.steps or self.steps[-1].name != step
        if is_new and len(self.steps) < _KEPT_STEPS:
            self.steps.append(ChildStep(name=step, at_s=round(now - self._began, 3)))
        if not is_new or now - self._told_at < _TOLD_EVERY_S:
            return
        self._told_at = now
        artifact = self._artifact
        data = {
            "artifact_id": artifact.id,
            "generator": artifact.generator,
            "number": artifact.number,
            "step": step,
            "detail": detail,
        }
        with self._live.database.write() as connection:
            events.add(connection, artifact.run_id, "child", utc_now(), artifact.document_id, data)


def report(end: ChildEnd, outcome: str, progress: ChildProgress, **more: Any) -> ChildReport:
    """Return the report of a child.

    Args:
        outcome: Why it ended, in words.
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
