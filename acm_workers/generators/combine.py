"""Generator ``combine``: one document made from several candidates."""

import string
from collections.abc import Sequence
from typing import NamedTuple

import prompts
from acm_workers.calls.caller import Caller
from acm_workers.generators import text
from acm_workers.generators.text import Brief, GeneratedText
from schemas.calls import Message, Request
from schemas.config.variant import Model

CRITICISM_LIMIT = 4_000
"""Maximum length of the criticism of one parent in a prompt, in characters."""


class ParentText(NamedTuple):
    """A candidate to combine, and the reasons that judges gave for its scores."""

    text: str
    criticism: Sequence[str] = ()


def write(
    caller: Caller,
    model: Model,
    brief: Brief,
    parents: Sequence[ParentText],
    attempts: int = 4,
    own_instructions: str | None = None,
) -> GeneratedText:
    """Return the document that ``model`` makes from its parents.

    Args:
        parents: Best first; at most 26, because prompts refer to them by letters.
        own_instructions: Instructions that replace the shipped instructions for combining.
        attempts: Maximum number of answers to request.

    Raises:
        PermanentError: There is no complete document; see ``text.generate``.
    """
    named = [
        {"name": letter, "text": one.text, "criticism": _listed(one.criticism)}
        for letter, one in zip(string.ascii_uppercase, parents, strict=False)
    ]

    def new_request(retry_hints: str | None) -> Request:
        prompt = prompts.render(
            "combine.md.j2",
            **brief._asdict(),
            own_instructions=own_instructions,
            parents=named,
            retry_hints=retry_hints,
        )
        message = Message(role="user", content=prompt)
        return Request(provider=model.provider, model=model.model, messages=(message,))

    return text.generate(caller, new_request, attempts=attempts)


def _listed(reasons: Sequence[str]) -> str | None:
    """Return the distinct reasons as a Markdown list within the limit; None if there are none."""
    lines = list(dict.fromkeys(f"- {' '.join(reason.split())}" for reason in reasons))
    listed = "\n".join(line for line in lines if line != "- ")
    if len(listed) <= CRITICISM_LIMIT:
        return listed or None
    mark = "\n[… cut here …]"
    return listed[: CRITICISM_LIMIT - len(mark)] + mark
