"""Submits a run to workers as a client does: ``python -m ops.benchmarks.handing RUN_ID``.

It is a separate process, because the environment defines the broker. It prints its start time.
"""

import sys
from datetime import timedelta

from acm_workers import app, runtime
from acm_workers.engine import run_ownership, sweep
from acm_workers.settings import Settings
from acm_workers.store import runs, units


def main(run_id: str) -> None:
    """Submit a run, and send the messages of its units."""
    settings = Settings()
    database = runtime.open_store(settings)
    with database.read() as connection:
        run = runs.get(connection, run_id)
    app.distributed()
    begun_at = runtime.utc_now()
    run_ownership.hand_over(database, run, settings, runtime.making())
    with database.write() as connection:
        units.mark_all_unsent(connection, run.id)  # rows are planned as if theirs were on the way
    sweep.sweep(database, run.id, runtime.making(), grace=timedelta())
    database.close()
    print(begun_at.isoformat())  # noqa: T201  what the benchmark reads


if __name__ == "__main__":
    main(sys.argv[1])
