"""Answers of a person: keys of a terminal and lines of a file."""

import io
import os
import sys
from collections.abc import Iterator

import pytest

from acm_api.cli.view import keyboard


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Make a terminal the input; return the end that a person types at."""
    person, program = os.openpty()
    with open(program, encoding="utf-8") as opened:
        monkeypatch.setattr(sys, "stdin", opened)
        yield person
    os.close(person)


@pytest.mark.parametrize(
    ("pressed", "read"),
    [
        (b"\x1b[D", "left"),
        (b"\x1bOC", "right"),
        (b"\x1b[A", "tie"),
        (b"\x1b[B", "both_bad"),
        (b"T", "t"),
        ("ä".encode(), "ä"),
        (b"\xff", "\N{REPLACEMENT CHARACTER}"),
    ],
)
def test_a_key_counts_at_once_even_if_it_was_pressed_before_it_was_asked_for(
    terminal: int, pressed: bytes, read: str | None
) -> None:
    os.write(terminal, pressed)

    assert keyboard.read() == read


def test_without_a_terminal_an_answer_is_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(" LEFT \n\nq"))

    assert [keyboard.read() for _ in range(4)] == ["left", "", "q", None]
