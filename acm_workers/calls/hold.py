"""What paid calls know of the claim on their unit."""

from typing import Protocol

from sqlalchemy import Connection

from schemas.calls import Call


class Hold(Protocol):
    """The claim on one unit, from the first call that is written down for it."""

    @property
    def taken(self) -> bool:
        """Return whether the unit is claimed by us."""
        ...

    def take(self, connection: Connection) -> None:
        """Claim the unit, if that has not been done.

        Raises:
            AlreadyClaimed: Another worker has it.
        """
        ...

    def begin(self, call: Call) -> None:
        """Claim the unit and write down its first call, at once; nothing is reserved for it.

        Raises:
            AlreadyClaimed: Another worker has it; the call is not written down.
        """
        ...
