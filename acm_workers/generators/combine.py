"""Writes a candidate out of two others."""

from collections.abc import Sequence
from typing import NamedTuple

import prompts
from acm_workers.calls.caller import Caller
from acm_workers.generators import text
from acm_workers.generators.material import Material
from acm_workers.generators.text import Written
from schemas.calls import Message, Request
from schemas.config.variant import Model

_CRITICISM_LIMIT = 4_000
"""Characters of criticism of one parent that a prompt holds at the most."""


class Parent(NamedTuple):
    """A candidate to combine, and what judges said of it."""

    text: str
    criticism: Sequence[str] = ()


def write(
    caller: Caller,
    model: Model,
    material: Material,
    parents: tuple[Parent, Parent],
    attempts: int = 4,
) -> Written:
    """Return the document that ``model`` makes of the two parents.

    Args:
        attempts: Highest number of answers to ask for.

    Raises:
        PermanentError: There is no whole document; see ``text.ask``.
    """
    a, b = parents

    def request(remarks: str | None) -> Request:
        prompt = prompts.render(
            "combine.md.j2",
            **material._asdict(),
            candidate_a=a.text,
            candidate_b=b.text,
            criticism_a=_listed(a.criticism),
            criticism_b=_listed(b.criticism),
            remarks=remarks,
        )
        message = Message(role="user", content=prompt)
        return Request(provider=model.provider, model=model.model, messages=(message,))

    return text.ask(caller, text.Task(request, attempts=attempts))


def _listed(reasons: Sequence[str]) -> str | None:
    """Return the different reasons, one a line, within the limit; absent if there are none."""
    lines = list(dict.fromkeys(f"- {' '.join(reason.split())}" for reason in reasons))
    listed = "\n".join(line for line in lines if line != "- ")
    if len(listed) <= _CRITICISM_LIMIT:
        return listed or None
    mark = "\n[… cut here …]"
    return listed[: _CRITICISM_LIMIT - len(mark)] + mark
