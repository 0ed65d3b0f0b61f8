"""Extracts the texts of Word documents, PDF and HTML files as Markdown."""

import io
import logging
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

from acm_api.config import source
from acm_workers.errors import RequestError

_MOST_UNPACKED_BYTES = 256 * 1024 * 1024
_MOST_PAGES = 5_000
_WITHOUT_TEXT = ("script", "style", "noscript", "template", "head", "svg", "iframe", "img")


def text(file: Path, data: bytes) -> str:
    """Return the text in the ``data`` of a file.

    Raises:
        RequestError: The file is damaged, encrypted, too large, or without text.
    """
    try:
        found = _READERS[file.suffix.lower()](file, data)
    except RequestError:
        raise
    except RecursionError as error:
        raise _refusal(file, "is nested too deeply") from error
    except Exception as error:  # the libraries document no common error
        raise _refusal(file, f"cannot be read ({type(error).__name__}: {error})") from error
    found = found.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
    if not found.strip():
        raise _refusal(file, "has no text; pages that are pictures need text recognition first")
    if len(found) > source.MAX_TEXT_BYTES:
        raise _refusal(file, f"has more than {source.MAX_TEXT_BYTES // 2**20} MB of text; split it")
    return found.strip() + "\n"


def _word(file: Path, data: bytes) -> str:
    import mammoth  # type: ignore[import-untyped]  # slow to import

    # A small archive may unpack to more than the memory.
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        size = sum(entry.file_size for entry in archive.infolist())
    if size > _MOST_UNPACKED_BYTES:
        raise _refusal(file, f"unpacks to {size // 2**20} MB")
    html = mammoth.convert_to_html(
        io.BytesIO(data),
        convert_image=mammoth.images.img_element(lambda image: {}),
        external_file_access=False,
    )
    return _markdown(str(html.value))


def _html(file: Path, data: bytes) -> str:
    return _markdown(source.decoded(data, file))


def _markdown(html: str) -> str:
    import bs4  # slow to import
    import markdownify

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that short texts look like file names
        soup = bs4.BeautifulSoup(html, "html.parser")
    for element in soup(_WITHOUT_TEXT):
        element.decompose()
    converter = markdownify.MarkdownConverter(heading_style="ATX", bullets="-")
    return "\n".join(line.rstrip() for line in str(converter.convert_soup(soup)).splitlines())


def _pdf(file: Path, data: bytes) -> str:
    import pypdf  # slow to import

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # small damages are mended silently
    reader = pypdf.PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        raise _refusal(file, "is encrypted; save it without a password")
    if len(reader.pages) > _MOST_PAGES:
        raise _refusal(file, f"has more than {_MOST_PAGES:,} pages; split it")
    return "\n\n".join(page.extract_text().strip() for page in reader.pages)


def _refusal(file: Path, why: str) -> RequestError:
    return RequestError(f"{file} {why}", str(file))


_READERS: dict[str, Callable[[Path, bytes], str]] = {
    ".docx": _word,
    ".pdf": _pdf,
    ".html": _html,
    ".htm": _html,
}

SUFFIXES = tuple(_READERS)
"""Suffixes of files from which text is extracted."""
