"""What people see of a candidate names nobody who could have written it."""

import time

import pytest

from acm_workers.judging.blinding import MASK, Blinding, of_run
from tests.support import stored

BLIND = Blinding(["acme:writer-5.2-sol", "acme", "vendor/bright_7b", "intro.fpf.1.bright.a1b.md"])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("By acme, in May.", f"By {MASK}, in May."),
        ("ACME: Writer 5.2 Sol", MASK),
        ("see writer_5_2_sol", "see writer_5_2_sol"),
        ("acme:writer-5.2-sol-2026-01-01 wrote", f"{MASK} wrote"),
        ("Bright 7B and bright-7b", f"{MASK} and {MASK}"),
        ("vendor/bright_7b", MASK),
        ("from intro.fpf.1.bright.a1b.md", f"from {MASK}"),
        ("GPT-4o, gpt 5.6 mini and ChatGPT-5", f"{MASK}, {MASK} and {MASK}"),
        ("Claude Opus 4.8 or Claude-3-5-sonnet-20241022", f"{MASK} or {MASK}"),
        ("OpenAI's and Anthropic's", f"{MASK}'s and {MASK}'s"),
        ("G\u200bP\u200bT-4", MASK),
        ("the egyptian egpt", "the egyptian egpt"),
        ("Llamas graze, acmeology grows.", "Llamas graze, acmeology grows."),
    ],
)
def test_names_are_masked_however_they_are_written(text: str, shown: str) -> None:
    assert BLIND(text).text == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("As an AI language model, I cannot know.", f"{MASK}, I cannot know."),
        ("As a model made by Zorblax Labs, I say yes.", f"{MASK}, I say yes."),
        ("As a large language model trained by Zorblax: no.", f"{MASK}."),
        ("I am Zorb, an AI assistant by Zorblax. Hello.", f"{MASK}. Hello."),
        ("I'm a helpful assistant made by Zorblax! Hi.", f"{MASK}! Hi."),
        ("I was trained by Zorblax.", f"{MASK}."),
        ("My training data ends in May. So what?", f"{MASK}. So what?"),
        ("Generated with the help of a language model of Zorblax", MASK),
        ("As a result, prices fell.", "As a result, prices fell."),
        ("As a model of civic virtue she served.", "As a model of civic virtue she served."),
        ("I was made captain.", "I was made captain."),
        ("The report was written by the committee.", "The report was written by the committee."),
    ],
)
def test_what_a_model_says_of_itself_is_masked_and_other_sentences_stay(
    text: str, shown: str
) -> None:
    assert BLIND(text).text == shown


def test_it_tells_how_many_passages_of_which_kind_are_masked() -> None:
    found = BLIND("As an AI, acme\u200b says: GPT-5 wrote this.")

    assert found.masked == {"invisible characters": 1, "self-identification": 1, "names": 2}
    assert BLIND("Plain words.").masked == {}


def test_everything_that_a_run_names_is_masked() -> None:
    config = stored.config(
        judges=[{"name": "strict", "provider": "alpha", "model": "j1"}],
        pairwise={"judges": [{"name": "pairs", "provider": "alpha", "model": "j2"}]},
        playoffs={
            "judges": [{"name": "finals", "provider": "alpha", "model": "j3"}],
            "models": [{"provider": "alpha", "model": "mixer"}],
        },
    )
    names = ["alpha", "m1", "strict", "j1", "pairs", "j2", "finals", "j3", "mixer", "ours #1"]

    blind = of_run(config, ["ours #1"])

    assert {blind(f"({name})").text for name in names} == {f"({MASK})"}


def test_hostile_texts_are_masked_in_linear_time() -> None:
    began = time.process_time()
    for text in ("as a " * 20_000, "gpt-" * 20_000, "I am a " * 20_000, "gpt" + "1-" * 40_000):
        BLIND(text)

    assert time.process_time() - began < 5
