"""Measures the duration and the size of reports."""

import time
from datetime import UTC, datetime
from typing import NamedTuple

from acm_workers.reporting import report
from ops.benchmarks.table import Measured, Target
from tests.support import sample_records


class _Case(NamedTuple):
    """Number of documents and of candidates for each, with the maximum time and page size."""

    documents: int
    candidates: int
    limit_s: float
    limit_mb: float | None = None
    paragraphs: int = 14


_CASES = (
    _Case(1, 10, 1.0),
    _Case(1, 50, 5.0, limit_mb=2.0, paragraphs=17),  # of 5 kB each
    _Case(100, 10, 5.0),
    _Case(1, 1000, 5.0),
)


def measure() -> Measured:
    """Render made-up runs of several sizes."""
    at = datetime(2026, 1, 1, tzinfo=UTC)
    report.files(sample_records.small(), generated_at=at)  # templates are compiled once a process
    rows, targets = [], []
    for case in _CASES:
        known = sample_records.large(case.documents, case.candidates, case.paragraphs)
        started = time.perf_counter()
        made = report.files(known, generated_at=at)
        took_s = time.perf_counter() - started
        size = len(made["index.html"]) / 1e6
        rows.append({"documents": case.documents, "artifacts": case.documents * case.candidates,
                     "seconds": took_s, "index.html MB": size})  # fmt: skip
        name = f"{case.documents} x {case.candidates}"
        targets.append(Target(f"seconds for {name}", took_s, case.limit_s))
        if case.limit_mb is not None:
            targets.append(Target(f"MB for {name}", size, case.limit_mb))
    return Measured("report", rows, targets)
