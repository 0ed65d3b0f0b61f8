"""The tenant whose rows a request may see."""

from typing import NamedTuple


class Scope(NamedTuple):
    """One tenant; single-user installs have only ``default``."""

    tenant_id: str = "default"


LOCAL = Scope()
"""The scope of commands and of servers for a single user."""
