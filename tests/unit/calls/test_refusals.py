"""Refusals in words."""

import pytest

from acm_workers.calls import refusals


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.",
        "I\u2019m sorry, but I can\u2019t assist with this request.",
        "I am unable to provide this document.",
        "I'm not able to write about this person.",
        "Sorry, I cannot comply.",
        "Unfortunately, I must decline to answer.",
        "As an AI language model, I cannot evaluate this content.",
        "I won't judge these texts.",
        "**I cannot  help\nwith that.**",
        "We are unable to process your request.",
    ],
)
def test_text_that_declines_the_task_is_a_refusal(text: str) -> None:
    assert refusals.declines(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# I cannot sleep\n\nA poem.",
        "I cannot say which is better; both are sound.",
        "I cannot judge which of them is better.",
        "The model said: I'm sorry, but I can't help with that.",
        "Sorry, the moon is a rock.",
        "Unfortunately, the source is short.",
        "Accuracy: I can help. Score: 8.",
        '{"winner": "A"}',
        "Canterbury and its pilgrims",
    ],
)
def test_text_that_only_sounds_like_it_is_none(text: str) -> None:
    assert not refusals.declines(text)
