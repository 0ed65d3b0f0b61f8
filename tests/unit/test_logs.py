"""Our own lines in the log of a worker that `celery` started."""

import io
import logging
from collections.abc import Callable, Iterator
from pathlib import Path

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
    log.warning("the store is unavailable")

    assert text.getvalue() == "the store is unavailable\n"
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


def test_headers_of_providers_are_in_no_log_of_any_level(text: io.StringIO, tmp_path: Path) -> None:
    root = logging.getLogger()
    before = root.handlers[:], root.level
    begins: list[Callable[[], None]] = [
        lambda: logs.to_celery(logging.DEBUG),
        lambda: logs.to_file(tmp_path / "acm.log", "debug"),
        lambda: logs.to_stderr("debug"),
    ]
    try:
        for begin in begins:
            logging.getLogger("httpcore").setLevel(logging.NOTSET)
            begin()
            assert not logging.getLogger("httpcore.http11").isEnabledFor(logging.INFO)
    finally:
        logging.captureWarnings(capture=False)
        root.handlers[:], level = before
        root.setLevel(level)


def test_a_log_that_cannot_be_opened_disturbs_nothing(
    text: io.StringIO, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = logging.getLogger()
    before = root.handlers[:], root.level
    try:
        logs.to_file(tmp_path / "gone" / "acm.log", "info")
        (tmp_path / "gone").rmdir()

        log.warning("the store is unavailable")
    finally:
        root.handlers[:], level = before
        root.setLevel(level)

    assert capsys.readouterr().err == ""
    assert text.getvalue() == ""
