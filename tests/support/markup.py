"""Reads HTML as a browser would see it: elements, attributes and visible text."""

from html.parser import HTMLParser


class Markup(HTMLParser):
    """What a page consists of.

    Attributes:
        tags: Every element's name, in order.
        attributes: (element, attribute, value) of every attribute.
        unclosed: Elements that were opened and not closed, or closed and not opened.
    """

    _VOID = frozenset({"meta", "link", "br", "hr"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.unclosed: list[str] = []
        self._text: list[str] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()
        self.unclosed += self._open

    @property
    def text(self) -> str:
        """Return the visible text with single spaces."""
        return " ".join("".join(self._text).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """See ``HTMLParser``."""
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in self._VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """See ``HTMLParser``."""
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        """See ``HTMLParser``."""
        if self._open and self._open[-1] == tag:
            self._open.pop()
        elif tag not in self._VOID:
            self.unclosed.append(f"/{tag}")

    def handle_data(self, data: str) -> None:
        """See ``HTMLParser``."""
        if self._open[-1:] not in (["style"], ["script"]):
            self._text.append(data)
