"""Measures the cost of a call: CPU, and the operations and bytes of Redis and Postgres."""

import time
from collections.abc import Mapping
from typing import Any

import redis
from sqlalchemy import text

from ops.benchmarks import processes
from ops.benchmarks.cluster import Machines

_DATABASE = text(
    "SELECT xact_commit, tup_inserted, tup_updated, tup_deleted,"
    " pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS wal,"
    " pg_total_relation_size('calls') AS calls_size,"
    " pg_total_relation_size('pairwise_comparisons') AS units_size"
    " FROM pg_stat_database WHERE datname = current_database()"
)
_DONE = "select count(*) from pairwise_comparisons where state = 'done'"


class Meter:
    """Counts from its creation.

    Args:
        pids: Process ids by name.
    """

    def __init__(self, machines: Machines, pids: Mapping[str, int]) -> None:
        self._machines = machines
        self._pids = pids
        self._began = time.monotonic()
        self._before = self._figures()

    def per_call(self) -> dict[str, float]:
        """Return the cost of each call since the creation."""
        now = self._figures()
        calls = now.pop("calls") - self._before["calls"]
        taken_s = time.monotonic() - self._began
        found = {name: (value - self._before[name]) / calls for name, value in now.items()}
        return {"calls a second": calls / taken_s, **found}

    def _figures(self) -> dict[str, float]:
        found: dict[str, float] = {"calls": self._machines.cluster.number(_DONE)}
        for name, pid in self._pids.items():
            found[f"CPU ms a call: {name}"] = 1000 * processes.cpu_s(pid)
        postgres_s = processes.family_cpu_s(self._machines.postgres.pid)
        found["CPU ms a call: postgres"] = 1000 * postgres_s
        return found | _of_redis(self._machines) | _of_postgres(self._machines)


def used_mb(machines: Machines) -> float:
    """Return the memory that Redis uses."""
    with redis.Redis.from_url(machines.redis.url) as client:
        about: Any = client.info("memory")
    return float(about["used_memory"]) / 1e6


def _of_redis(machines: Machines) -> dict[str, float]:
    with redis.Redis.from_url(machines.redis.url) as client:
        about: Any = client.info("stats")
    return {
        "Redis commands a call": about["total_commands_processed"],
        "Redis bytes in a call": about["total_net_input_bytes"],
        "Redis bytes out a call": about["total_net_output_bytes"],
    }


def _of_postgres(machines: Machines) -> dict[str, float]:
    time.sleep(1)  # sessions tell their figures once a second
    with machines.database.autocommit() as connection:
        row = connection.execute(_DATABASE).one()
    return {
        "Postgres transactions a call": row.xact_commit,
        "Postgres rows inserted a call": row.tup_inserted,
        "Postgres rows updated a call": row.tup_updated,
        "Postgres rows deleted a call": row.tup_deleted,
        "Postgres WAL bytes a call": float(row.wal),
        "Postgres bytes kept a call: calls": row.calls_size,
        "Postgres bytes kept a call: units": row.units_size,
    }
