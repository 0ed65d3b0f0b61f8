"""Existing candidates: texts in folders, each for one of a run's documents."""

import os
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from acm_api.config.loading import LoadedConfig
from acm_api.files import inputs
from acm_api.files.inputs import InputDocument
from acm_workers.errors import RequestError
from acm_workers.submit import GivenText, RunInput
from schemas.config.config import Config


class DocumentsWithCandidates(NamedTuple):
    """The documents of a run, and the existing candidates.

    Attributes:
        given: Existing candidates by path of the document.
        unused: Files in the folders of candidates without a matching document.
    """

    documents: list[InputDocument]
    given: dict[str, tuple[GivenText, ...]]
    unused: list[Path]


class _CandidateFile(NamedTuple):
    variant: int
    name: str
    file: Path
    root: Path


def run_title(config: Path) -> str:
    """Return the display name of a run: the name of its config file or folder.

    If the file has the usual name of a config, the title is the name of its folder.
    """
    is_common = config.stem in {"config", "acm"} and config.suffix in {".yaml", ".yml"}
    name = (config.parent.resolve().name if is_common else "") or config.name
    return name.encode("utf-8", "replace").decode()  # a name that is not UTF-8 cannot be stored


def run_input(title: str, loaded: LoadedConfig, only: Sequence[str] = ()) -> RunInput:
    """Return the inputs of a config, read from its folders; see ``of_config``."""
    found = of_config(loaded.config, only)
    return RunInput(
        title=title,
        config=loaded.config,
        instructions=loaded.instructions,
        guidelines=loaded.guidelines,
        inputs={document.path: document.text for document in found.documents},
        given=found.given,
    )


def notes(work: RunInput) -> Iterator[str]:
    """Yield notes about the files from which texts were read."""
    extracted = inputs.extracted(work.inputs)
    extracted += inputs.extracted(one.file for texts in work.given.values() for one in texts)
    if extracted:
        yield f"text extracted, without pictures and layout, from {', '.join(extracted)}"


def of_config(config: Config, only: Sequence[str] = ()) -> DocumentsWithCandidates:
    """Return the documents of ``config``, and the candidates in folders of ``type: files``.

    Raises:
        RequestError: A file cannot be read, or a document has no candidate and no variant writes
            one.
    """
    documents = inputs.of_config(config)
    found: dict[str, list[_CandidateFile]] = defaultdict(list)
    unused: list[Path] = []
    beside: set[str] = set()
    for number, variant in enumerate(config.runs, start=1):
        if variant.writes or variant.folder is None:
            continue
        folder = Path(variant.folder)
        same = folder.resolve() == Path(config.input_folder).resolve()
        paths = [document.path for document in documents]
        for file in inputs.files(folder):
            relative = file.relative_to(folder).as_posix()
            match = _document_of(relative, paths, beside=same)
            if match is None:
                unused += [] if same else [file]
                continue
            path, name = match
            beside.update({relative} if same else ())
            label = "/".join(part for part in (variant.model, name) if part)
            found[path].append(_CandidateFile(number, label, file, folder))
    paths = [one.path for one in documents if one.path not in beside]
    wanted = set(inputs.chosen(paths, Path(config.input_folder), only))
    left = [one for one in documents if one.path in wanted]
    output = Path(config.output_folder)
    given = {
        one.path: tuple(_read(candidate, output) for candidate in found[one.path])
        for one in left
        if one.path in found
    }
    _refuse_empty(config, left, given)
    return DocumentsWithCandidates(left, given, unused)


def _document_of(
    relative: str, documents: Collection[str], *, beside: bool
) -> tuple[str, str] | None:
    """Return the document of a candidate, and the additional part of the candidate's name.

    A candidate ``a/intro.md``, ``a/intro.one.md`` or ``a/intro/one.md`` is for ``a/intro.txt``. The
    longest name wins: ``intro.v2.one.md`` is for ``intro.v2.md`` if that is a document.

    Args:
        relative: Path of the candidate in its folder.
        documents: Paths of the documents.
        beside: Whether candidates are in the folder of the documents; documents are then not
            candidates.
    """
    pure = PurePosixPath(relative)
    if beside and relative in documents:
        others = [path for path in documents if path != relative]
        inner = PurePosixPath(relative).with_suffix("").as_posix()
        stems = {_stem(path): path for path in others}
        return _longest(inner, stems, ".")
    stems = {_stem(path): path for path in documents}
    exact = relative if relative in documents else stems.get(_stem(relative))
    if exact is not None:
        return exact, ""
    return _longest(pure.with_suffix("").as_posix(), stems, ".") or _longest(relative, stems, "/")


def _longest(name: str, stems: dict[str, str], separator: str) -> tuple[str, str] | None:
    """Return the document with the longest stem that ``name`` begins with, and the rest."""
    fitting = [stem for stem in stems if name.startswith(f"{stem}{separator}")]
    if not fitting:
        return None
    stem = max(fitting, key=len)
    rest = name[len(stem) + 1 :]
    if separator == "." and "/" in rest:
        return None
    return stems[stem], rest


def _stem(path: str) -> str:
    return PurePosixPath(path).with_suffix("").as_posix()


def _read(found: _CandidateFile, output: Path) -> GivenText:
    text = inputs.text_of(found.file, found.root)
    file = Path(os.path.relpath(found.file, output)).as_posix()
    return GivenText(found.variant, found.name, file, text)


def _refuse_empty(
    config: Config, documents: list[InputDocument], given: dict[str, tuple[GivenText, ...]]
) -> None:
    if config.writers:
        return
    missing = [one.path for one in documents if one.path not in given]
    if not missing:
        return
    folders = ", ".join(str(variant.folder) for variant in config.runs)
    errors = [
        RequestError(f"no text for {path} in {folders}, and no model writes one", path)
        for path in missing
    ]
    first, *more = errors
    first.more = tuple(more)
    raise first
