"""Reading one text file, with a refusal that says what is wrong with it."""

from pathlib import Path

from acm_workers.errors import RequestError

_BOM = b"\xef\xbb\xbf"


def read(path: Path) -> str:
    """Return the text of the UTF-8 file at ``path``; a byte order mark is left out.

    Raises:
        RequestError: It is missing, not a regular file, unreadable, empty, blank or not text.
    """
    data = _bytes(path).removeprefix(_BOM)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"{path} is not UTF-8 text (byte {error.start + 1}); save it as UTF-8"
        raise RequestError(message, str(path)) from error
    if "\0" in text:
        raise RequestError(f"{path} holds NUL bytes, so it is not a text file", str(path))
    if not text.strip():
        raise RequestError(f"{path} is empty", str(path))
    return text


def _bytes(path: Path) -> bytes:
    if path.is_dir():
        raise RequestError(f"{path} is a folder, not a file", str(path))
    try:
        if path.exists() and not path.is_file():  # a pipe or device would block for ever
            raise RequestError(f"{path} is not a regular file", str(path))
        return path.read_bytes()
    except FileNotFoundError as error:
        raise RequestError(f"{path} does not exist", str(path)) from error
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise RequestError(f"{path} cannot be read: {reason}", str(path)) from error
