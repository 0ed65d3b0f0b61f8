"""Output of lines without control characters; no other module writes to the terminal.

Most lines contain text from providers, models, file names, configs or other machines. An escape
sequence in it could change the clipboard, the title or earlier output.
"""

import sys

from acm_api.cli.view import streams


def echo(text: str, *, err: bool = False) -> None:
    """Print lines of text."""
    stream = sys.stderr if err else sys.stdout
    stream.write(printable(text, keep="\n") + "\n")
    stream.flush()


def echo_json(text: str) -> None:
    """Print a line of JSON.

    Control characters and characters that the terminal cannot show are escaped, which changes no
    value.
    """
    unicode = streams.writes_unicode()
    echo(
        "".join(
            char if char.isprintable() and (unicode or char.isascii()) else _escaped(char)
            for char in text
        )
    )


def printable(text: str, keep: str = "") -> str:
    """Return ``text`` without the characters that control a terminal or reverse a line.

    Args:
        keep: Characters that are not removed.
    """
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char in keep else "\N{REPLACEMENT CHARACTER}" for char in text
    )


def _escaped(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))
