"""The text of web pages."""

import pytest

from acm_workers.gateway import page_text

PAGE = b"""<html><head><title> Locks &amp; weirs </title><style>p {color: red}</style></head>
<body><nav>Home</nav><h1>Locks</h1><p>A <b>lock</b> lifts boats.</p><p>Twice.</p>
<script>steal()</script><footer>Imprint</footer></body></html>"""


def test_the_text_of_a_page_has_no_menus_and_scripts() -> None:
    title, text = page_text.of("text/html", None, PAGE)

    assert title == "Locks & weirs"
    assert text == "Locks & weirs\nLocks\nA lock lifts boats.\nTwice."


@pytest.mark.parametrize("charset", ["latin-1", None, "no-such-charset"])
def test_a_wrong_charset_is_no_error(charset: str | None) -> None:
    title, text = page_text.of("text/plain", charset, "Größe".encode("latin-1"))

    assert title is None
    assert text.startswith("Gr")
    assert page_text.of("text/html", charset, PAGE)[1] != ""


def test_other_types_have_no_text() -> None:
    assert page_text.of("application/pdf", None, b"%PDF-1.7") == (None, "")


def test_a_deep_page_ends_no_worker() -> None:
    assert page_text.of("text/html", None, b"<div>" * 5_000 + b"deep")[1] in ("", "deep")
