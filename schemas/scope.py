"""The scope of a request: the tenant whose rows are visible."""

from typing import NamedTuple


class Scope(NamedTuple):
    """A tenant as the limit of visible rows; single-user installations have only ``default``."""

    tenant_id: str = "default"

    def qualified(self, name: str) -> str:
        """Return the name of a provider or of a kind of child process, preceded by its tenant.

        Queues and limits have such names, so that no tenant's units wait for those of another. The
        default tenant's names stay as they are.
        """
        return name if self == LOCAL else f"{self.tenant_id}/{name}"


LOCAL = Scope()
"""The scope of commands and of servers for a single user."""


def unqualified(name: str) -> str:
    """Return a name without its tenant; see ``Scope.qualified``."""
    return name.rpartition("/")[2]
