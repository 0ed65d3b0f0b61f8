"""Replies to GPT Researcher's requests except the report: plans, queries, learnings, reviews."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Final

from acm_workers.simulator.writing import material

_MOST = 20
_ANGLES: Final = (
    "history of", "causes of", "effects of", "measurements of", "open questions about",
    "examples of", "critics of", "costs of", "future of", "methods of",
)  # fmt: skip
_NEVER_SATISFIED: Final = "Always ask for another revision."
"""Guideline that makes a simulated reviewer object to every draft."""

_NUMBER = re.compile(r"(?:[Ww]rite|generate|maximum of) (\d+)")
_ADDRESS = re.compile(r"\b(?:https?|file):[^\s\]\)'\",>]+")


def reply(prompt: str) -> str | None:
    """Return the answer to a request that is one step of a research; None for other requests."""
    for said, answer in _STEPS.items():
        if said in prompt:
            return answer(prompt)
    return None


def _agent(_prompt: str) -> str:
    role = "You write careful, well structured reports that rest on their sources."
    return json.dumps({"server": "Simulated Agent", "agent_role_prompt": role})


def _list(prompt: str) -> str:
    return json.dumps(_queries(prompt))


def _goals(prompt: str) -> str:
    return "\n".join(f"Query: {query}\nGoal: Learn the {query}." for query in _queries(prompt))


def _questions(prompt: str) -> str:
    return "\n".join(f"Question: What is known of the {query}?" for query in _queries(prompt))


def _learnings(prompt: str) -> str:
    found = dict.fromkeys(_ADDRESS.findall(prompt)) or {"": None}
    facts = material(prompt.partition("<question>")[2]).fragments
    lines = [f"Learning [{address}]: {fact}." for address, fact in zip(found, facts, strict=False)][
        :3
    ]
    return "\n".join([*lines, "Question: What else is known?"])


def _plan(prompt: str) -> str:
    sections = [query.capitalize() for query in _queries(prompt)]
    return json.dumps({"title": _about(prompt), "date": "01/01/2026", "sections": sections})


def _frame(prompt: str) -> str:
    address = next(iter(_ADDRESS.findall(prompt)), "file:source")
    about = _about(prompt)
    return json.dumps(
        {
            "table_of_contents": f"- {about}",
            "introduction": f"This report is about {about}. ([source]({address}))",
            "conclusion": f"So much is known about {about}. ([source]({address}))",
            "sources": [f"- {about}, 2026 [{address}]({address})"],
        }
    )


def _headers(_prompt: str) -> str:
    names = ("title", "date", "introduction", "table_of_contents", "conclusion", "references")
    return json.dumps({name: name.replace("_", " ").title() for name in names})


def _review(prompt: str) -> str:
    return "Write it once more." if _NEVER_SATISFIED in prompt else "None"


def _revision(prompt: str) -> str:
    return json.dumps({"draft": prompt[:2000], "revision_notes": "The notes were followed."})


def _queries(prompt: str) -> list[str]:
    found = _NUMBER.search(prompt)
    number = min(int(found[1]) if found else 3, _MOST)
    about = _about(prompt)
    return [
        f"{_ANGLES[at % len(_ANGLES)]} {about}" + (f" {at}" if at >= len(_ANGLES) else "")
        for at in range(number)
    ]


def _about(prompt: str) -> str:
    """Return the subject of a request: its first quotation, shortened."""
    quoted = re.search(r"<<<SOURCE [0-9a-f]+>>>\s*(.+)|[\"'](.{3,300}?)[\"']", prompt)
    text = (quoted[1] or quoted[2]) if quoted else prompt[-200:]
    words = re.sub(r"[^\w\s-]", " ", text).split()
    return " ".join(words[:8]) or "the subject"


_STEPS: Mapping[str, Callable[[str], str]] = {
    "agent_role_prompt": _agent,
    "respond with a list of strings": _list,
    "'Query: <query>'": _goals,
    "starting with 'Question: '": _questions,
    "'Learning [source_url]: <insight>'": _learnings,
    "outline of sections headers": _plan,
    '"table_of_contents": A table': _frame,
    "revise the given headers JSON": _headers,
    "reviewing the draft": _review,
    "Reviewer's notes:": _revision,
}
"""Steps of GPT Researcher, by words that only their requests contain."""
