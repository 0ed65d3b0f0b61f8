"""Every text that is sent to a model, as Jinja2 templates."""

import functools
import hashlib
import threading
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

_FOLDER = Path(__file__).parent

_compiling = threading.RLock()  # templates include others
_compiled: set[str] = set()


def render(name: str, **values: Any) -> str:
    """Render the template with the given file name.

    Raises:
        jinja2.TemplateError: The template does not exist, or a value that it uses is missing.
    """
    return _rendered(name, values).rstrip()


@functools.lru_cache(maxsize=64)
def listed(criteria: tuple[Any, ...]) -> str:
    """Return the criteria as judges see them; they are the same in all calls of a run."""
    return _rendered("_criteria.md.j2", {"criteria": criteria})


@functools.lru_cache(maxsize=64)
def block(name: str, text: str) -> str:
    """Return the text between two lines that mark it as data.

    The mark is derived from the text and does not occur in it, so that no text can contain its own
    end line.
    """
    mark = unused(_digits(text), text)
    return f"<<<{name} {mark}>>>\n{text}\n<<<END {name} {mark}>>>"


def unused(mark: str, text: str) -> str:
    """Return ``mark``, or a mark derived from it if a possibly hostile ``text`` contains it."""
    while mark in text:
        mark = _digits(mark)
    return mark


def _rendered(name: str, values: dict[str, Any]) -> str:
    if name in _compiled:
        return _environment().get_template(name).render(values)
    # Jinja compiles a template, and what it includes, in every thread that asks before the first
    # is done: 64 threads that started together took 100 ms for that.
    with _compiling:
        found = _environment().get_template(name).render(values)
        _compiled.add(name)
    return found


def _digits(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


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
