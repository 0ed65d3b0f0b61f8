"""Writing to the standard streams never fails, whatever is behind them."""

import errno
import json
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from acm_api.cli.view import formatting, output, streams
from schemas.record import Record

NAME = "日本語 · café … ━─"


class Named(Record):
    """A record with the name of a document."""

    name: str


@pytest.fixture(autouse=True)
def _own_console() -> Iterator[None]:
    formatting.console.cache_clear()
    yield
    formatting.console.cache_clear()


@contextmanager
def stdout(file: int | str | Path, encoding: str = "utf-8") -> Iterator[None]:
    """Have stdout go to ``file``, protected, while the context is open."""
    before = sys.stdout, sys.stderr
    with open(file, "w", encoding=encoding) as stream:
        sys.stdout = stream
        try:
            streams.protect()
            yield
            sys.stdout.flush()
        finally:
            sys.stdout, sys.stderr = before


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1", "shift_jis", "cp437"])
def test_what_an_encoding_lacks_is_replaced(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "out.txt"
    with stdout(file, encoding):
        output.echo(f"{NAME}\nnext")
        formatting.console().print(NAME)

    lines = file.read_text(encoding=encoding).splitlines()
    assert len(lines) == 3
    assert lines[0] == lines[2]
    assert lines[1] == "next"


def test_our_own_signs_have_lookalikes_in_ascii(tmp_path: Path) -> None:
    file = tmp_path / "out.txt"
    with stdout(file, "ascii"):
        output.echo(NAME)

    assert file.read_text(encoding="ascii") == "??? - caf? ~ =-\n"


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "shift_jis", "utf-8", "utf-16-le"])
def test_json_keeps_its_values_in_any_encoding(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "out.txt"
    with stdout(file, encoding):
        formatting.print_json(Named(name=NAME + "\N{HONEYBEE}"))

    assert json.loads(file.read_text(encoding=encoding)) == {"name": NAME + "\N{HONEYBEE}"}


def test_a_reader_that_leaves_is_no_failure() -> None:
    reading, writing = os.pipe()
    with stdout(writing):
        output.echo("read")
        assert not streams.nobody_reads()
        os.close(reading)

        output.echo("not read")
        formatting.console().print("not read")

        assert streams.nobody_reads()
        assert streams.loss() is None


def test_a_full_disk_is_told_and_raises_nothing() -> None:
    with stdout("/dev/full"):
        output.echo("lost")
        formatting.console().print("lost")
        lost = streams.loss()

        assert lost is not None
        assert lost.errno == errno.ENOSPC
        assert not streams.nobody_reads()


def test_a_terminal_that_was_closed_is_a_reader_that_left() -> None:
    outer, inner = os.openpty()
    with stdout(inner):
        os.close(outer)

        output.echo("not read")

        assert sys.stdout.isatty()
        assert streams.nobody_reads()
        assert streams.loss() is None


def test_a_pipe_that_does_not_wait_gets_everything() -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    received: list[bytes] = []

    def read() -> None:
        with open(reading, "rb") as file:
            received.append(file.read())

    reader = threading.Thread(target=read)
    text = "x" * 1_000_000
    reader.start()
    with stdout(writing):
        output.echo(text)
    reader.join()

    assert received[0].decode() == text + "\n"


def test_closed_descriptors_are_streams_without_a_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    streams.protect()

    output.echo("dropped")
    output.echo("dropped", err=True)
    formatting.console().print("dropped")

    assert streams.loss() is None
    sys.stdout.close()
    sys.stderr.close()
