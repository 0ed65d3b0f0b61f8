"""The files of a report, from a run's material."""

import hashlib
import json
from datetime import datetime
from typing import Any

from acm_workers.reporting import build, html, results, tables, timeline
from schemas.run import RunRecords


def files(material: RunRecords, *, generated_at: datetime) -> dict[str, bytes]:
    """Return the content of every report file by name; the same input gives the same bytes."""
    report = build.report(material, generated_at)
    made = {
        "index.html": html.page(report).encode("utf-8", "replace"),
        "timeline_data.json": _json(timeline.data(material)),
        "rankings.csv": tables.rankings(report),
        "results.json": _json(results.data(report, material)),
        "elo_summary.csv": tables.elo_summary(report),
    }
    meta = {
        "format": results.FORMAT,
        "run_id": material.run.id,
        "generated_at": timeline.stamp(generated_at),
        "files": {
            name: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
            for name, content in made.items()
        },
    }
    return made | {"meta.json": _json(meta)}


def _json(value: dict[str, Any]) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace")
