"""Renders Markdown of models as inert HTML: no raw markup, no loading, no scripts.

The text is hostile. Raw HTML is shown as text, an image becomes its description, and a link keeps
only an address that a reader may follow by hand.
"""

from collections.abc import MutableMapping, Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

_SCHEMES = ("http://", "https://", "mailto:")
_LONGEST = 100_000
_SWELL = 12
_HEADINGS_BELOW = 3


class _Renderer(RendererHTML):
    def image(
        self, tokens: Sequence[Token], idx: int, options: Any, env: MutableMapping[str, Any]
    ) -> str:
        shown = self.renderInlineAsText(tokens[idx].children or [], options, env)
        return f'<span class="picture">[image: {escapeHtml(shown)}]</span>'

    def link_open(
        self, tokens: Sequence[Token], idx: int, options: Any, env: MutableMapping[str, Any]
    ) -> str:
        tokens[idx].attrSet("rel", "noopener noreferrer nofollow")
        return self.renderToken(tokens, idx, options, env)

    def heading_open(
        self, tokens: Sequence[Token], idx: int, options: Any, env: MutableMapping[str, Any]
    ) -> str:
        return f"<{_below(tokens[idx].tag)}>"

    def heading_close(
        self, tokens: Sequence[Token], idx: int, options: Any, env: MutableMapping[str, Any]
    ) -> str:
        return f"</{_below(tokens[idx].tag)}>\n"


def _below(tag: str) -> str:
    """Return the heading tag that ranks below the report's own headings."""
    return f"h{min(6, int(tag[1]) + _HEADINGS_BELOW)}"


class _Parser(MarkdownIt):
    def validateLink(self, url: str) -> bool:
        return url.strip().lower().startswith(_SCHEMES)


def _parser() -> MarkdownIt:
    parser = _Parser("commonmark", {"html": False}, renderer_cls=_Renderer)
    return parser.enable(["table", "strikethrough"])


_PARSER = _parser()


def html(text: str) -> str | None:
    """Render ``text``; None if it is too long or its HTML would be, and is shown unrendered."""
    if len(text) > _LONGEST:
        return None
    rendered: str = _PARSER.render(text)
    return rendered if len(rendered) <= _SWELL * len(text) + 1_000 else None
