"""Nothing that others wrote reaches the terminal as a command to it."""

import io
import json
from collections.abc import Callable

import pytest
from rich.live import Live
from rich.table import Table
from rich.text import Text

from acm_api.cli.view import formatting, output
from schemas.record import Record

HOSTILE = {
    "clipboard": "\x1b]52;c;cm0gLXJm\x07",
    "link": "\x1b]8;;http://evil.example\x1b\\safe\x1b]8;;\x1b\\",
    "colour": "\x1b[31mred\x1b[0m",
    "title": "\x1b]0;title\x07",
    "one byte": "\x9b31mred",
    "reversed": "\u202egnp.exe",
    "isolate": "\u2066a\u2069",
    "carriage return": "good\rbad",
    "backspace": "bad\b\b\bgood",
    "null": "a\0b",
    "line separator": "a\u2028b",
    "delete": "a\x7fb",
}
PARTS: dict[str, Callable[[str], object]] = {
    "text": Text,
    "line": str,
    "styled": lambda text: Text(text, style="dim"),
}


class Told(Record):
    """A record with a foreign text."""

    text: str


def is_safe(shown: str) -> bool:
    return all(char.isprintable() or char == "\n" for char in shown)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_lines_hold_nothing_that_controls_the_terminal(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    output.echo(f"before {text} after\nnext")
    output.echo(text, err=True)
    out, err = capsys.readouterr()

    assert is_safe(out + err)
    assert out.endswith(" after\nnext\n")


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_json_is_safe_and_keeps_its_values(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    formatting.print_json(Told(text=text + "\U000e0041"))
    out = capsys.readouterr().out

    assert is_safe(out)
    assert json.loads(out) == {"text": text + "\U000e0041"}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_console_shows_hostile_texts_as_texts(
    monkeypatch: pytest.MonkeyPatch, part: Callable[[str], object], text: str
) -> None:
    formatting.console.cache_clear()
    out = formatting.console()
    formatting.console.cache_clear()
    monkeypatch.setattr(out, "file", io.StringIO())
    table = Table(title=text)
    table.add_column(text)
    table.add_row(text)

    out.print(part(text), soft_wrap=True)
    out.print(table)

    assert isinstance(out.file, io.StringIO)
    assert is_safe(out.file.getvalue())


def test_live_view_keeps_its_own_control_of_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    formatting.console.cache_clear()
    out = formatting.console()
    formatting.console.cache_clear()
    monkeypatch.setattr(out, "file", io.StringIO())
    monkeypatch.setattr(out, "_force_terminal", True)

    with Live(Text("first"), console=out, auto_refresh=False) as live:
        live.update(Text(f"second {HOSTILE['clipboard']}"), refresh=True)

    assert isinstance(out.file, io.StringIO)
    assert "\x1b[" in out.file.getvalue()
    assert "\x1b]" not in out.file.getvalue()


def test_brackets_are_no_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    formatting.console.cache_clear()
    out = formatting.console()
    formatting.console.cache_clear()
    monkeypatch.setattr(out, "file", io.StringIO())

    out.print("model [/red] and [bold]x[/bold] :smile:")

    assert isinstance(out.file, io.StringIO)
    assert out.file.getvalue() == "model [/red] and [bold]x[/bold] :smile:\n"
