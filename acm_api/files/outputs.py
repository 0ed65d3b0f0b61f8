"""Files of artifacts, winners and reports; repeated writes have no effect."""

import json
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any

from acm_api.files import atomic, naming
from acm_workers.errors import RequestError
from schemas.children import ArtifactFile
from schemas.units import Artifact

_FAILED = "failed.json"


def write_artifact(
    root: Path,
    document_path: str,
    artifact: Artifact,
    *,
    full_name: bool = False,
    extension: str = "md",
) -> Path:
    """Write the text of ``artifact`` and return its file.

    A file with different content is never replaced; the next free name is used instead.

    Args:
        root: The output folder.
        document_path: Path of the document in the input folder.
        artifact: An artifact with its text.
        full_name: Whether the document is in the result of ``naming.clashing``.
        extension: Extension of the file.

    Raises:
        RequestError: The folder cannot be written.
    """
    if artifact.text is None:
        raise ValueError(f"artifact {artifact.id} has no text")
    stem = naming.stem(document_path, full_name=full_name)
    data = _bytes(artifact.text)
    file = _free_file(
        root,
        stem,
        artifact,
        extension,
        lambda file: not file.exists() or atomic.holds(file, data),
    )
    atomic.write(file, data)
    _remove_failure(file, artifact)
    return file


def write_beside(file: Path, others: Sequence[ArtifactFile]) -> None:
    """Write the additional files of an artifact next to its text, with the same name.

    Raises:
        RequestError: The folder cannot be written.
    """
    for other in others:
        atomic.write(
            file.with_name(file.name.removesuffix(file.suffix[1:]) + other.extension), other.data
        )


def write_failed(
    root: Path, document_path: str, artifact: Artifact, *, full_name: bool = False
) -> Path:
    """Write why ``artifact`` failed and return the file; see ``write_artifact``."""
    stem = naming.stem(document_path, full_name=full_name)
    about: dict[str, Any] = {
        "reason": artifact.error,
        "kind": artifact.error_kind,
        "attempts": artifact.attempts,
        "generator": artifact.generator,
        "provider": artifact.provider,
        "model": artifact.model,
        "iteration": artifact.iteration,
        "document": document_path,
        "artifact_id": artifact.id,
        "run_id": artifact.run_id,
    }
    if artifact.child is not None:
        about["child"] = artifact.child.model_dump(mode="json")
    file = _free_file(
        root,
        stem,
        artifact,
        _FAILED,
        lambda file: not file.exists() or _is_failure_of(file, artifact),
    )
    atomic.write(file, _json(about))
    return file


def write_winner(
    root: Path, document_path: str, text: str, about: dict[str, Any], *, full_name: bool = False
) -> Path:
    """Write the winner of a document with details ``about`` it; return the file of the text.

    A file of another document's winner, from a run that had only that document, is not overwritten.

    Args:
        root: The winners folder.
        document_path: Path of the document in the input folder.
        about: Details as values for JSON.
        full_name: Whether the document is in the result of ``naming.clashing``.

    Raises:
        RequestError: The folder cannot be written.
    """
    stem = naming.stem(document_path, full_name=full_name)
    if _winner_document(root, stem) not in (None, document_path):
        stem = naming.stem(document_path, full_name=True)
    file = _inside(root, f"{stem}.winner.md")
    atomic.write(file, _bytes(text))
    atomic.write(_inside(root, f"{stem}.winner.json"), _json(about))
    return file


def _winner_document(root: Path, stem: str) -> str | None:
    """Return the document of the winner with this name; None if ACM wrote no such file."""
    try:
        found = json.loads(_inside(root, f"{stem}.winner.json").read_bytes())
    except (OSError, ValueError):
        return None
    return str(found["document"]) if isinstance(found, dict) and "document" in found else None


def write_report(folder: Path, files: dict[str, bytes]) -> Path:
    """Write the files of a report into ``folder``; return the folder.

    The page is written last, so that all files that it links to exist.

    Raises:
        RequestError: The folder cannot be written.
    """
    for name in sorted(files, key=lambda name: name == "index.html"):
        atomic.write(_inside(folder, name), files[name])
    atomic.remove_leftovers(folder)
    return folder


def _free_file(
    root: Path, stem: str, artifact: Artifact, extension: str, free: Callable[[Path], bool]
) -> Path:
    """Return the first free path for ``artifact``; its earlier path is tried first."""
    earlier = artifact.file or ""
    names = (f"{stem}.{middle}.{extension}" for middle in naming.candidates(artifact))
    for name in chain([earlier] if earlier.endswith(f".{extension}") else [], names):
        file = _inside(root, name)
        try:
            if free(file):
                return file
        except OSError as error:
            raise atomic.refusal(file.parent, error) from error
    message = f"no name is left for artifact {artifact.id} in {root}; write to an empty folder"
    raise RequestError(message, str(root))


def _is_failure_of(file: Path, artifact: Artifact) -> bool:
    try:
        found = json.loads(file.read_bytes())
    except (ValueError, FileNotFoundError):
        return False
    return isinstance(found, dict) and found.get("artifact_id") == artifact.id


def _remove_failure(file: Path, artifact: Artifact) -> None:
    """Remove the file of an earlier failure of ``artifact``."""
    failure = file.with_name(file.name.removesuffix(file.suffix[1:]) + _FAILED)
    try:
        if _is_failure_of(failure, artifact):
            failure.unlink(missing_ok=True)
    except OSError as error:
        raise atomic.refusal(file.parent, error) from error


def _inside(root: Path, name: str) -> Path:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise RequestError(f"{name} would be written outside of {root}", str(root))
    return root / path


def _bytes(text: str) -> bytes:
    # Answers of models may contain lone surrogates, which UTF-8 cannot encode.
    return text.encode("utf-8", errors="replace")


def _json(value: dict[str, Any]) -> bytes:
    return _bytes(json.dumps(value, ensure_ascii=False, indent=2) + "\n")
