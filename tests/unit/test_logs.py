"""Our own lines in the log of a worker that `celery` started."""

import io
import logging
from collections.abc import Iterator

import pytest
import structlog

from acm_workers import logs

log = structlog.get_logger()


@pytest.fixture
def text() -> Iterator[io.StringIO]:
    """Yield what arrives where Celery logs, whatever its level."""
    root, kept = logging.getLogger(), logging.getLogger().level
    handler = logging.StreamHandler(io.StringIO())
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield handler.stream
    root.removeHandler(handler)
    root.setLevel(kept)
    structlog.reset_defaults()


def test_nothing_below_the_level_that_was_asked_for_is_told(
    text: io.StringIO, capsys: pytest.CaptureFixture[str]
) -> None:
    logs.to_celery(logging.WARNING)

    log.info("call ended")
    log.warning("the store is away")

    assert text.getvalue() == "the store is away\n"
    assert capsys.readouterr().out == ""


def test_an_error_is_told_with_its_place_and_without_the_values_of_variables(
    text: io.StringIO,
) -> None:
    logs.to_celery(logging.WARNING)

    key = "sk-" + "secret"
    try:
        [][len(key)]
    except IndexError:
        log.exception("heartbeat failed", unit="u1")

    assert text.getvalue().startswith("heartbeat failed unit=u1\nTraceback")
    assert "test_logs.py" in text.getvalue()
    assert "sk-secret" not in text.getvalue()


def test_a_line_tells_what_it_is_about(text: io.StringIO) -> None:
    logs.to_celery(logging.INFO)

    with structlog.contextvars.bound_contextvars(run="r1"):
        log.info("call ended", stage="main", attempt=1)

    assert text.getvalue() == "call ended stage=main attempt=1 run=r1\n"
