"""How a supervisor and its processes are, for health checks and for people."""

from collections.abc import Mapping
from typing import Any, NamedTuple


class Report(NamedTuple):
    """How it stands.

    Attributes:
        name: Of this machine, as in the names of its processes.
        reasons: What is wrong; empty if nothing is.
        lacking: Why a provider is not served here, by its name.
        processes: Name, pid, queues, threads, restarts and state of each.
    """

    name: str
    reasons: tuple[str, ...]
    lacking: Mapping[str, str]
    processes: tuple[dict[str, Any], ...]

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "ok": not self.reasons,
            "name": self.name,
            "reasons": list(self.reasons),
            "lacking": dict(self.lacking),
            "processes": list(self.processes),
        }
