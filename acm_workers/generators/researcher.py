"""Generators ``gptr``, ``dr`` and ``ma``: requests to GPT Researcher, and its reports.

The child reads one JSON object on stdin, the request of ``request``, and finds its server, its key
and its retriever in the environment of ``environment``. It writes events, one JSON object a line:
``{"event": "progress", "step": …, "detail": …}``, periodically ``{"event": "heartbeat"}``, and at
the end either ``{"event": "result", "text": …, "sources": [{"url", "title"}], "context_chars": …,
"files": [name in its folder]}`` or ``{"event": "error", "code": …, "message": …}``.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import prompts
from acm_workers.errors import ChildFailed, EmptyAnswer, EvidenceMissing, PermanentError
from acm_workers.generators.text import Brief, GeneratedText, unwrapped
from acm_workers.processes import child
from acm_workers.processes.spec import ChildEnd
from schemas.calls import EvidenceSummary
from schemas.children import ArtifactFile, ChildSource
from schemas.config.research import Research
from schemas.config.variant import Variant

MOST_RETRIES = 1
"""Maximum number of further children of a unit after failures that may be temporary."""

MOST_REQUEST_BYTES = 2 * 1024 * 1024
"""Maximum size of a child's request to a model, in bytes; also a bound of its tokens."""

MOST_REPORT_BYTES = 512 * 1024

_EXTENSIONS = ("md", "docx", "pdf")
_MOST_FILE_BYTES = 32 * 1024 * 1024
_MOST_SOURCES = 200
_LEAST_TEXT = 100
"""Minimum length of a report, in characters."""

_RETRIED_CODES = {1: "anew", 4: "go_on", 5: "anew", 6: "go_on"}
"""Exit codes after which another child may succeed: with new answers, or with the stored ones."""

_FINAL_ERRORS = frozenset({"auth", "model_not_found"})
_FINAL_ENDS = frozenset({"memory", "cancelled"})


class ServiceAddresses(NamedTuple):
    """Addresses of the services that a child uses, all on this machine.

    Attributes:
        models: Address of the OpenAI-compatible server.
        token: Key of that server.
        search: Address of the retriever, without its query.
    """

    models: str
    token: str
    search: str


class Report(NamedTuple):
    """The report of a child: its text, further files, and its sources."""

    generated: GeneratedText
    files: tuple[ArtifactFile, ...]
    sources: tuple[ChildSource, ...]


def options(variant: Variant) -> Research:
    """Return the options with which GPT Researcher works for a variant."""
    if variant.research is None:
        raise ValueError(f"type {variant.type} has no options")  # the config fills them in
    return variant.research


def request(variant: Variant, brief: Brief) -> dict[str, Any]:
    """Return the request for a child."""
    return {
        "kind": variant.type,
        "query": prompts.render("research.md.j2", **brief._asdict()),
        "subject": _subject(brief.source),
        "model": variant.model,
        "guidelines": [line for line in (brief.guidelines or "").splitlines() if line.strip()],
        **options(variant).model_dump(exclude={"timeout_seconds"}),
    }


def environment(variant: Variant, addresses: ServiceAddresses) -> dict[str, str]:
    """Return the child's environment variables in addition to ``processes.environment``."""
    return {
        "OPENAI_API_KEY": addresses.token,
        "OPENAI_BASE_URL": addresses.models,
        "RETRIEVER": "custom",
        "RETRIEVER_ENDPOINT": addresses.search,
        "SMART_LLM": f"openai:{variant.model}",
        "STRATEGIC_LLM": f"openai:{variant.model}",
        "FAST_LLM": f"openai:{variant.model}",
    }


def report(end: ChildEnd, folder: Path, searches: int) -> Report:
    """Return the report of a child.

    Args:
        folder: The folder in which the child ran.
        searches: Number of the child's requests to the retriever.

    Raises:
        EmptyAnswer: There is no text, regardless of its exit code.
        EvidenceMissing: The text has no sources, regardless of its exit code.
        ChildFailed: The child failed for another reason.
    """
    said = end.result or {}
    if end.reason != "ended" or end.exit_code != 0 or said.get("event") != "result":
        raise _failure(end, said)
    text = unwrapped(str(said.get("text") or ""))
    if len(text) < _LEAST_TEXT:
        raise EmptyAnswer("GPT Researcher wrote no report", raw=text or None)
    if len(text.encode()) > MOST_REPORT_BYTES:
        most = MOST_REPORT_BYTES // 1024
        raise ChildFailed(f"GPT Researcher: the report is longer than {most} kB")
    sources = _sources(said)
    if not sources or not said.get("context_chars"):
        raise EvidenceMissing(
            f"the report rests on no source: {len(sources)} were found,"
            f" {said.get('context_chars') or 0} characters of them were read",
            raw=text,
        )
    proof = EvidenceSummary(grounding="sourced", searches=searches, sources=len(sources))
    return Report(GeneratedText(text=text, proof=proof), _files(said, folder), sources)


def next_try(error: PermanentError, end: ChildEnd) -> str | None:
    """Return how the next child starts, ``anew`` or ``go_on``; None if no child is started.

    Answers that led to an empty report would lead to one again, so a child that starts from the
    beginning does not receive these answers.
    """
    if end.reason in _FINAL_ENDS or (end.result or {}).get("code") in _FINAL_ERRORS:
        return None
    if isinstance(error, EmptyAnswer | EvidenceMissing):
        return "anew"
    if end.reason in ("deadline", "silent", "lost"):
        return "go_on"
    return None if end.exit_code is None else _RETRIED_CODES.get(end.exit_code)


def _failure(end: ChildEnd, said: Mapping[str, Any]) -> PermanentError:
    message = str(said.get("message") or "")[:1000] if said.get("event") == "error" else ""
    code = str(said.get("code") or "")
    if end.reason != "ended":
        return ChildFailed(f"GPT Researcher: {child.describe(end)}")
    if code == "empty_report":
        return EmptyAnswer(message or "GPT Researcher wrote no report")
    if code == "ungrounded":
        return EvidenceMissing(message or "the report rests on no source")
    about = message or _last_line(end.stderr.text) or "it said nothing"
    return ChildFailed(f"GPT Researcher: {child.describe(end)}: {about}")


def _last_line(printed: str) -> str:
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""


def _subject(source: str) -> str:
    """Return the subject of a document in one line: its first heading, or its first words."""
    lines = [line.strip() for line in source.splitlines() if line.strip()]
    headings = [line.lstrip("#").strip() for line in lines if line.startswith("#")]
    return next(iter([*headings, *lines]), "")[:200]


def _sources(said: Mapping[str, Any]) -> tuple[ChildSource, ...]:
    found: dict[str, ChildSource] = {}
    listed = said.get("sources")
    for entry in listed if isinstance(listed, list) else []:
        url = entry.get("url") if isinstance(entry, dict) else None
        if isinstance(url, str) and url and len(found) < _MOST_SOURCES:
            title = entry.get("title")
            name = title[:300] if isinstance(title, str) and title else None
            found.setdefault(url, ChildSource(url=url[:1000], title=name))
    return tuple(found.values())


def _files(said: Mapping[str, Any], folder: Path) -> tuple[ArtifactFile, ...]:
    """Return the files that the child names, one of each kind, if they are in its folder."""
    found: dict[str, ArtifactFile] = {}
    listed = said.get("files")
    for name in listed if isinstance(listed, list) else []:
        path = (folder / str(name)).resolve()
        extension = path.suffix.lstrip(".").lower()
        if extension not in _EXTENSIONS[1:] or not path.is_relative_to(folder.resolve()):
            continue
        if path.is_file() and 0 < path.stat().st_size <= _MOST_FILE_BYTES:
            found.setdefault(extension, ArtifactFile(extension=extension, data=path.read_bytes()))
    return tuple(found[extension] for extension in _EXTENSIONS if extension in found)
