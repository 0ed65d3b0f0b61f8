"""Texts of files that are no text files."""

from pathlib import Path

import pytest

from acm_api.files import extraction, inputs
from acm_workers.errors import RequestError
from tests.support import office_files

PAGE = """<html><head><title>T</title><style>p {color: red}</style></head><body>
<h1>Moon</h1><p>A <b>rock</b>.</p><script>steal()</script><img src="http://x/y.png">
<table><tr><th>a</th></tr><tr><td>1</td></tr></table></body></html>"""


def refusal(name: str, data: bytes) -> str:
    with pytest.raises(RequestError) as caught:
        extraction.text(Path(name), data)
    return str(caught.value)


def test_a_word_document_becomes_markdown() -> None:
    data = office_files.docx("Moon", "A bright moon over Berlin.")

    assert extraction.text(Path("a.docx"), data) == "# Moon\n\nA bright moon over Berlin.\n"


def test_the_text_of_a_pdf_is_extracted() -> None:
    assert extraction.text(Path("a.PDF"), office_files.pdf("Craters.")) == "Craters.\n"


def test_a_page_becomes_markdown_without_scripts_styles_and_pictures() -> None:
    found = extraction.text(Path("a.html"), PAGE.encode())

    assert found == "# Moon\n\nA **rock**.\n\n| a |\n| --- |\n| 1 |\n"


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.docx", b"no archive", "a.docx cannot be read (BadZipFile: File is not a zip file)"),
        ("a.pdf", office_files.pdf(), "a.pdf has no text; pages that are pictures need text"),
        ("a.pdf", b"%PDF-1.4\n", "a.pdf cannot be read ("),
        ("a.html", "caf\xe9".encode("latin-1"), "a.html is not UTF-8 text (byte 4)"),
        ("a.html", b"<p> <script>x</script>", "a.html has no text"),
        ("a.html", b"<div>" * 30_000 + b"x", "a.html is nested too deeply"),
        ("a.html", b"<p>" + b"x" * (5 * 2**20), "a.html has more than 4 MB of text; split it"),
    ],
)
def test_a_file_without_a_text_is_refused(name: str, data: bytes, message: str) -> None:
    assert refusal(name, data).startswith(message)


def test_an_archive_that_unpacks_to_more_than_the_memory_is_refused() -> None:
    data = office_files.docx("Moon", filler=257 * 2**20)

    assert refusal("a.docx", data) == "a.docx unpacks to 257 MB"


def test_extracted_texts_are_documents_like_others(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Plain.")
    (tmp_path / "b.docx").write_bytes(office_files.docx("Moon"))

    found = inputs.read(tmp_path)

    assert [(one.path, one.text) for one in found] == [("a.md", "Plain."), ("b.docx", "# Moon\n")]
    assert inputs.extracted(one.path for one in found) == ["b.docx"]
