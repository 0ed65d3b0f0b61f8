"""Every text that is sent to a model, as Jinja2 templates."""

import functools
import hashlib
import threading
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

_FOLDER = Path(__file__).parent

_compiling = threading.RLock()  # templates ask for others
_compiled: set[str] = set()


def render(name: str, **values: Any) -> str:
    """Fill in the template of that file name.

    Raises:
        jinja2.TemplateError: There is no such template, or one of its values is not given.
    """
    return _rendered(name, values).rstrip()


@functools.lru_cache(maxsize=64)
def listed(criteria: tuple[Any, ...]) -> str:
    """Return the criteria as judges see them: the same for all calls of a run."""
    return _rendered("_criteria.md.j2", {"criteria": criteria})


@functools.lru_cache(maxsize=64)
def block(name: str, text: str) -> str:
    """Return the text between two lines that mark it as data.

    The mark depends on the text and is not in it, so that no text can hold the line that ends it.
    """
    mark = unused(_digits(text), text)
    return f"<<<{name} {mark}>>>\n{text}\n<<<END {name} {mark}>>>"


def unused(mark: str, text: str) -> str:
    """Return ``mark``, or one made from it if ``text`` holds it: somebody may have tried."""
    while mark in text:
        mark = _digits(mark)
    return mark


def _rendered(name: str, values: dict[str, Any]) -> str:
    if name in _compiled:
        return _environment().get_template(name).render(values)
    # Jinja compiles a template, and what it includes, in each thread that comes before one has
    # ended: 64 that began together took 100 ms for that.
    with _compiling:
        found = _environment().get_template(name).render(values)
        _compiled.add(name)
    return found


def _digits(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


@functools.cache
def digest() -> str:
    """Return the SHA-256 of all templates: when it changes, so do the questions asked."""
    summed = hashlib.sha256()
    for path in sorted(_FOLDER.glob("*.j2")):
        summed.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return summed.hexdigest()


@functools.cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_FOLDER),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        autoescape=False,  # noqa: S701 - plain text for models, not HTML
    )
    environment.globals.update(block=block, listed=listed)
    return environment
