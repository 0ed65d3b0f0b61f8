"""A request as it came in, and what is to be done about it."""

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

from acm_workers.simulator.answer import Answer
from acm_workers.simulator.asked import Dialect
from acm_workers.simulator.reading import header


class Arrived(NamedTuple):
    """A request as it came in.

    Attributes:
        headers: Names in lower case.
        now: When it came, in seconds on a clock that never jumps.
        wall: When it came, in seconds since 1970.
        request_id: What its answer will call it.
    """

    dialect: Dialect
    path: str
    headers: Sequence[tuple[bytes, bytes]]
    body: bytes
    now: float
    wall: float
    request_id: str = "req_0"

    def header(self, name: bytes) -> bytes | None:
        """Return the value of a header, if it was sent."""
        return header(self.headers, name)

    def digest(self) -> bytes:
        """Return what makes two requests the same: all they say, and what their client calls them.

        Clients name requests in ``X-Client-Request-Id``.
        """
        named = self.header(b"x-client-request-id") or b""
        head = b"%s\n%s\n" % (self.path.encode(), named)
        return blake2b(head + self.body, digest_size=16).digest()


class Outcome(NamedTuple):
    """What to do about a request.

    Attributes:
        digest: What makes two requests the same.
        delay_s: How long after the request came.
        model: Absent where the request did not say.
        fault: The number of the fault that it met.
    """

    answer: Answer
    digest: bytes = b""
    delay_s: float = 0.0
    model: str | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    fault: str | None = None

    @property
    def status(self) -> int | None:
        """Return the HTTP status; absent where no byte of an answer is sent."""
        unseen = self.answer.manner.way in ("reset", "silent")
        return None if unseen else self.answer.status
