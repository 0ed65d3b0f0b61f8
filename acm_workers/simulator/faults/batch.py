"""A21: what becomes of single requests of a message batch."""

from typing import Any, Final

from acm_workers.simulator.asked import Asked, Reply
from acm_workers.simulator.faults.fault import Fault, impossible

Result = dict[str, Any]

_ERROR: Final = {"type": "error", "error": {"type": "api_error", "message": "Internal error"}}


def spoiled(results: list[Result], variant: str) -> list[Result]:
    """Return the results of a batch with the fault; the first one is hit where one is."""
    if variant == "order":
        return results[::-1]
    if variant == "duplicate":
        return [*results, results[0]]
    result: dict[str, Any] = {"type": variant}
    if variant == "errored":
        result["error"] = _ERROR
    return [{**results[0], "result": result}, *results[1:]]


def _never(_: Asked, __: Reply) -> bool:
    return False  # the batch as a whole meets it, not a request


FAULTS: Final = (
    Fault(
        "A21",
        "a batch with a request that failed, in another order, or with one twice",
        impossible,
        ("anthropic",),
        _never,
        "a message batch",
        variants=("errored", "expired", "canceled", "order", "duplicate"),
    ),
)
