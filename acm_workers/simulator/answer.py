"""What goes out on the wire for a request, and in which manner."""

from typing import Literal, NamedTuple

from acm_workers.simulator.limits import Headers

JSON = b"application/json"

Way = Literal["whole", "reset", "silent", "drip", "broken", "short", "raw"]


class Manner(NamedTuple):
    """How an answer is put on the wire.

    Attributes:
        way: ``whole``: as HTTP wants it; ``reset``: the connection breaks before a byte is sent;
            ``silent``: the connection stays without a byte and is then closed; ``drip``: byte by
            byte without an end; ``broken``: the connection breaks in mid-body; ``short``: it is
            closed in mid-body; ``raw``: whole, with no header but those given, then closed.
        seconds: Before an answer that is ``whole``, for as long as one is ``silent``, or between
            two bytes.
    """

    way: Way = "whole"
    seconds: float = 0.0


WHOLE = Manner()


class Answer(NamedTuple):
    """One HTTP answer.

    Attributes:
        status: Also where no byte of it is ever sent.
        body: Also where only a part of it is sent.
        repeats: How often the body is sent in one answer.
        billed: A model worked on it, whatever the client makes of it.
    """

    status: int
    body: bytes
    headers: Headers
    content_type: bytes = JSON
    manner: Manner = WHOLE
    repeats: int = 1
    billed: bool = False


def page(status: int, title: str, headers: Headers | None = None) -> Answer:
    """Return an HTML page as gateways and proxies send it."""
    html = f"<html><head><title>{title}</title></head><body><h1>{title}</h1></body></html>"
    return Answer(status, html.encode(), headers or [], b"text/html; charset=utf-8")
