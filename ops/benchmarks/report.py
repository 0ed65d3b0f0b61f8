"""How long a run's report takes, and how large it is."""

import time
from datetime import UTC, datetime

from acm_workers.reporting import report
from ops.benchmarks.table import Measured, Target
from tests.support import sample_records

_CASES = ((1, 10, 1.0), (100, 10, 5.0), (1, 1000, 5.0))
"""Documents, candidates of each, and the longest time in seconds."""


def measure() -> Measured:
    """Render made-up runs of several sizes."""
    at = datetime(2026, 1, 1, tzinfo=UTC)
    report.files(sample_records.small(), generated_at=at)  # templates are compiled once a process
    rows, targets = [], []
    for documents, candidates, limit_s in _CASES:
        known = sample_records.large(documents, candidates)
        started = time.perf_counter()
        made = report.files(known, generated_at=at)
        took_s = time.perf_counter() - started
        size = len(made["index.html"]) / 1e6
        rows.append({"documents": documents, "artifacts": documents * candidates,
                     "seconds": took_s, "index.html MB": size})  # fmt: skip
        targets.append(Target(f"seconds for {documents} x {candidates}", took_s, limit_s))
    return Measured("report", rows, targets)
