"""User templates for judges' prompts: words, values and conditions, but no code.

Templates may come from a client of a server. They therefore support only ``{{ name }}`` and ``{% if
name %}``, and each text is inserted between its marker lines. The surrounding prompt always
explains these lines and the form of the answer.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from jinja2 import Environment, StrictUndefined, TemplateSyntaxError, nodes

from prompts import block, listed

Kind = Literal["score", "compare"]

LONGEST = 50_000
"""Maximum length of a template, in characters."""

_TEXTS: dict[Kind, dict[str, str]] = {
    "score": {"artifact_content": "CANDIDATE"},
    "compare": {"artifact_a": "CANDIDATE A", "artifact_b": "CANDIDATE B"},
}
_MATERIAL = ("instructions", "guidelines", "source")
_SHARED = ("criteria", "context", *_MATERIAL)
_KNOWN = (
    nodes.Template, nodes.Output, nodes.TemplateData, nodes.Name, nodes.If, nodes.Not,
)  # fmt: skip
_EXAMPLE = re.compile(r'"(?:score|confidence)"\s*:\s*"?-?\d|"winner"\s*:\s*"', re.IGNORECASE)
_BLANK_LINES = re.compile(r"\n{3,}")

_ENVIRONMENT = Environment(
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    autoescape=False,  # noqa: S701 - plain text for models, not HTML
)


def render(kind: Kind, template: str, given: Mapping[str, Any], texts: Sequence[str]) -> str:
    """Render the prompt of a judge from the user's ``template``.

    Args:
        kind: Kind of the question.
        template: A valid template; see ``faults``.
        given: ``criteria``, ``instructions``, ``guidelines`` and ``source``; the last two may be
            absent.
        texts: The candidate to score, or the two candidates to compare.
    """
    blocks = {name: block(name.upper(), given[name]) for name in _MATERIAL if given[name]}
    values = {
        **dict.fromkeys(_MATERIAL, ""),
        **blocks,
        "criteria": listed(tuple(given["criteria"])).strip(),
        "context": "\n\n".join(blocks.values()),
    }
    for (name, mark), text in zip(_TEXTS[kind].items(), texts, strict=True):
        values[name] = block(mark, text)
    return _BLANK_LINES.sub("\n\n", _ENVIRONMENT.from_string(template).render(values)).strip()


def faults(kind: Kind, template: str) -> list[str]:
    """Return the problems of a template; none if it can be used."""
    if len(template) > LONGEST:
        return [f"it has more than {LONGEST:,} characters"]
    try:
        tree = _ENVIRONMENT.parse(template)
    except TemplateSyntaxError as error:
        return [f"line {error.lineno}: {error.message}"]
    except RecursionError:
        return ["it is nested too deeply"]
    names = {*_SHARED, *_TEXTS[kind]}
    found = list(dict.fromkeys(_unknown(tree, names)))
    return found or [*_lacking(kind, template)]


def _unknown(tree: nodes.Template, names: set[str]) -> Iterator[str]:
    for node in tree.find_all(nodes.Node):
        if not isinstance(node, _KNOWN):
            yield f"line {node.lineno}: only {{{{ name }}}} and {{% if name %}} are known here"
        elif isinstance(node, nodes.Name) and node.name not in names:
            yield f"line {node.lineno}: unknown value {node.name}; known are {_and(sorted(names))}"


def _lacking(kind: Kind, template: str) -> Iterator[str]:
    """Yield the material that a judge would not see, with all values and with the fewest values."""
    texts = [f"sample of {name}" for name in _TEXTS[kind]]
    wanted = dict(zip(_TEXTS[kind], texts, strict=True))
    for sample in ("sample", None):
        given = {"criteria": (), **dict.fromkeys(_MATERIAL, sample)}
        shown = render(kind, template, given, texts)
        missing = [name for name, text in wanted.items() if text not in shown]
        if missing:
            yield f"it must show {_and([f'{{{{ {name} }}}}' for name in missing])}"
            return
        if _EXAMPLE.search(shown):
            yield "it holds an example of an answer, which could be taken for one"
            return


def _and(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def named(template: str, models: Mapping[str, str]) -> str | None:
    """Return the first of ``models`` that a template names, because judging is blind.

    Args:
        models: Display name for messages, by model name.
    """
    for model, place in models.items():
        if re.search(rf"(?<![\w-]){re.escape(model)}(?![\w-])", template, re.IGNORECASE):
            return place
    return None
