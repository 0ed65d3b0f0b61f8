"""T17 to T20: what headers say about trying again."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Final

from acm_workers.simulator.answer import JSON, Answer, Manner
from acm_workers.simulator.faults.fault import Case, Fault
from acm_workers.simulator.refused import Refused

_WAIT_S: Final = 1
_SKEW_S: Final = 3600
_RETRY_AFTER: Final = ("seconds", "date", "float", "zero", "negative", "nonsense", "day")


def _limited(case: Case, *headers: tuple[bytes, bytes]) -> Answer:
    body = case.dialect.error(
        Refused("Rate limit reached.", 429, "requests", "rate_limit_exceeded"), case.request_id
    )
    return case.refused(429, body, list(headers))


def _told(case: Case) -> Answer:
    told = {
        "seconds": f"{_WAIT_S}",
        "date": _date(case.wall + _WAIT_S + 1),  # dates have no fractions: at least a second
        "float": "0.5",
        "zero": "0",
        "negative": "-5",
        "nonsense": "abc",
        "day": "86400",
    }[case.variant]
    return _limited(case, (b"retry-after", told.encode()))


def _untold(case: Case) -> Answer:
    return _limited(case)


def _should_retry(case: Case) -> Answer:
    status = 500 if case.variant == "false" else 400
    kind = "server_error" if status == 500 else "invalid_request_error"
    body = case.dialect.error(Refused("Something went wrong.", status, kind), case.request_id)
    return case.refused(status, body, [(b"x-should-retry", case.variant.encode())])


def _skewed(case: Case) -> Answer:
    theirs = case.wall + (_SKEW_S if case.variant == "ahead" else -_SKEW_S)
    answer = _limited(
        case,
        (b"content-type", JSON),
        (b"date", _date(theirs).encode()),
        (b"retry-after", _date(theirs + _WAIT_S).encode()),
    )
    return answer._replace(manner=Manner("raw"))


def _date(wall: float) -> str:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=int(wall))
    return format_datetime(moment, usegmt=True)


FAULTS: Final = (
    Fault("T17", "429 with one kind of Retry-After or another", _told, variants=_RETRY_AFTER),
    Fault("T18", "429 without Retry-After", _untold),
    Fault("T19", "x-should-retry against the status", _should_retry, variants=("false", "true")),
    Fault("T20", "429 from a server whose clock is wrong", _skewed, variants=("behind", "ahead")),
)
