"""The text of a web page."""

import re
import warnings

_WITHOUT_TEXT = ("script", "style", "noscript", "template", "svg", "nav", "header", "footer")
_BLOCKS = (
    "title", "p", "div", "section", "article", "li", "tr", "br", "pre", "blockquote",
    "h1", "h2", "h3", "h4", "h5", "h6",
)  # fmt: skip
_BLANK = re.compile(r"[ \t\xa0]+")
_PLAIN = ("text/plain", "text/markdown", "text/x-markdown")
_HTML = ("text/html", "application/xhtml+xml")

ACCEPTED = (*_HTML, *_PLAIN)
"""Media types of pages whose text is read."""


def of(media_type: str, charset: str | None, data: bytes) -> tuple[str | None, str]:
    """Return title and text of a page; no text if its type is not accepted."""
    if media_type in _PLAIN:
        try:
            return None, data.decode(charset or "utf-8", errors="replace").strip()
        except LookupError:
            return None, data.decode("utf-8", errors="replace").strip()
    return of_html(data, charset) if media_type in _HTML else (None, "")


def of_html(data: bytes, charset: str | None = None) -> tuple[str | None, str]:
    """Return title and text of an HTML page, without menus and scripts; "" if unreadable."""
    import bs4  # slow to import

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            soup = bs4.BeautifulSoup(data, "html.parser", from_encoding=charset)
        title = soup.title.get_text(" ", strip=True)[:300] if soup.title is not None else None
        for element in soup(_WITHOUT_TEXT):
            element.decompose()
        for element in soup(_BLOCKS):
            element.append("\n")
        text = soup.get_text()
    except (RecursionError, LookupError, ValueError):  # built to be unreadable
        return None, ""
    lines = (_BLANK.sub(" ", line).strip() for line in text.splitlines())
    return title, "\n".join(line for line in lines if line)
