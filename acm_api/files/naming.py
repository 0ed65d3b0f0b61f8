"""Names of the files that a run writes."""

import hashlib
import re
import string
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from schemas.units import Artifact

LONGEST_NAME = 170
"""Maximum length of an input's name, in bytes; derived names stay within 255."""

_LONGEST_MODEL = 48
_ALPHABET = string.digits + string.ascii_lowercase
_TRIES = 10
# Device names of Windows, with any extension.
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)", re.IGNORECASE)


def clashing(paths: Iterable[str]) -> frozenset[str]:
    """Return the documents whose outputs need the full file name, including its extension.

    Otherwise documents such as ``intro.md`` and ``intro.txt`` in one folder would have outputs of
    the same names. Case is ignored, because some file systems ignore case.
    """
    documents = list(paths)
    full: set[str] = set()
    while True:
        stems = {path: stem(path, full_name=path in full).casefold() for path in documents}
        shared = Counter(stems.values())
        more = {path for path, name in stems.items() if shared[name] > 1} - full
        if not more:
            return frozenset(full)
        full |= more  # a full name may equal the short name of another document


def stem(document_path: str, *, full_name: bool = False) -> str:
    """Return the common prefix of the paths of a document's outputs."""
    path = PurePosixPath(document_path)
    return str(path if full_name else path.with_name(path.stem))


def candidates(artifact: Artifact) -> Iterator[str]:
    """Yield possible middle parts for the file name of ``artifact``, the preferred part first.

    The form is ``<generator>.<number>.<model>.<uid3>``; after ten names a counter is added.
    """
    start = f"{artifact.generator}.{artifact.number}.{model_label(artifact.model)}"
    for attempt in range(_TRIES):
        yield f"{start}.{uid3(artifact.id, attempt)}"
    for counter in range(1, 1000):
        yield f"{start}.{uid3(artifact.id, 0)}-{counter}"


def uid3(artifact_id: str, attempt: int) -> str:
    """Return three lower-case letters or digits, a hash of the arguments."""
    number = int.from_bytes(hashlib.sha256(f"{artifact_id}:{attempt}".encode()).digest()[:8], "big")
    digits = []
    for _ in range(3):
        number, digit = divmod(number, len(_ALPHABET))
        digits.append(_ALPHABET[digit])
    return "".join(digits)


def model_label(model: str) -> str:
    """Convert ``model`` to a part of a file name that is valid on all file systems."""
    label = re.sub(r"[^A-Za-z0-9._+@=-]+", "-", model).strip("-.")
    label = re.sub(r"\.{2,}", ".", label)[:_LONGEST_MODEL].rstrip("-.")
    if not label:
        return "model"
    return f"{label}-" if _RESERVED.fullmatch(label.split(".")[0]) else label
