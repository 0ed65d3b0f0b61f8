"""Answers that end where their budget does."""

from typing import Final

from acm_workers.simulator.asked import Reply
from acm_workers.simulator.counting import tokens
from acm_workers.simulator.faults.fault import Case

_BUDGET: Final = 2048


def half(case: Case) -> Reply:
    """Return the first half of the answer; the rest of the budget went on thinking."""
    text = case.reply.text[: len(case.reply.text) // 2]
    written = tokens(len(text))
    budget = case.asked.max_tokens or _BUDGET
    thought = max(case.reply.reasoning_tokens, budget - written)
    return case.reply._replace(text=text, cut=True, text_tokens=written, reasoning_tokens=thought)


def nothing(case: Case) -> Reply:
    """Return an answer whose whole budget went on thinking."""
    budget = case.asked.max_tokens or _BUDGET
    return case.reply._replace(text="", cut=True, text_tokens=0, reasoning_tokens=budget)
