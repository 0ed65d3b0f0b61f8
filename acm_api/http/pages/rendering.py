"""Rendering of pages; texts of models are escaped, or rendered as Markdown without HTML."""

import re
from functools import cache
from importlib import resources
from typing import Any

from fastapi import Request
from jinja2 import ChoiceLoader, Environment, PackageLoader, PrefixLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse

from acm_api.http.access import Requester
from acm_workers.reporting import markdown, report, word_diff
from acm_workers.reporting.word_diff import WordDiff

_SHOWN = 200_000
"""Maximum length of a text on a page, in characters; the download has all of it."""

_RENDERED = 60_000
"""Maximum length of rendered Markdown, in characters: rendering takes 3 s per million.

Longer texts are shown as plain text.
"""

# Escape sequences of terminals, and characters that are not printed.
_CONTROLS = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))|[\x00-\x08\x0b-\x1f\x7f]"
)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=ChoiceLoader(
            [
                PackageLoader("acm_api.http.pages"),
                # What reports and pages show alike.
                PrefixLoader({"report": PackageLoader("acm_workers.reporting")}),
            ]
        ),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        report.FILTERS, markdown=_markdown, visible=_visible, is_cut=_is_cut, basename=_basename
    )
    environment.globals.update(report.GLOBALS)
    return environment


def load() -> None:
    """Compile the templates, so that the first request of a page is not slow."""
    environment = _environment()
    for name in (*PackageLoader("acm_api.http.pages").list_templates(), "report/macros.html.j2"):
        environment.get_template(name)


def page(
    request: Request, name: str, caller: Requester | None, status: int = 200, **values: Any
) -> HTMLResponse:
    """Return a page.

    Args:
        name: Name of the template, without its extension.
        caller: The user of the page.
        status: HTTP status.
        values: Values of the template.
    """
    service = request.app.state.service
    csrf = "" if caller is None or caller.csrf is None else caller.csrf
    template = _environment().get_template(f"{name}.html.j2")
    html = template.render(
        caller=caller, csrf=csrf, single_user=service.single_user, path=request.url.path, **values
    )
    return HTMLResponse(html.encode("utf-8", "replace"), status)


def _markdown(text: str | None) -> Markup:
    if not text:
        return Markup("")
    html = markdown.html(text) if len(text) <= _RENDERED else None
    if html is None:  # too long, or too much markup to be worth rendering
        return Markup('<pre class="plain" dir="auto">{}</pre>').format(text[:_SHOWN])
    return Markup(html)  # noqa: S704  made by our own renderer, which escapes all of the text


def _visible(text: str) -> str:
    """Return the output of a program without terminal control sequences."""
    return _CONTROLS.sub("", text[:_SHOWN])


def _is_cut(text: str) -> bool:
    return len(text) > _SHOWN


def _basename(path: str) -> str:
    return path.rpartition("/")[2]


def diff(left: str, right: str) -> WordDiff | None:
    """Compare two texts word by word; None if one of them is too long or both are empty."""
    return word_diff.diff(left, right)


@cache
def style() -> bytes:
    """Return the style sheet of the pages, which includes that of the report."""
    shared = resources.files("acm_workers.reporting").joinpath("templates/style.css").read_bytes()
    own = resources.files("acm_api.http.pages").joinpath("static/pages.css").read_bytes()
    return shared + b"\n" + own


@cache
def script() -> bytes:
    """Return the script of the pages."""
    return resources.files("acm_api.http.pages").joinpath("static/pages.js").read_bytes()
