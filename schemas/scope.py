"""The scope of a request: the tenant whose rows are visible."""

from typing import NamedTuple


class Scope(NamedTuple):
    """A tenant as the limit of visible rows; single-user installations have only ``default``."""

    tenant_id: str = "default"


LOCAL = Scope()
"""The scope of commands and of servers for a single user."""
