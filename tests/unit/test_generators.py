"""Whole texts from models: written, unwrapped, written again where they broke off, combined."""

import pytest

import prompts
from acm_workers.errors import AnswerCutOff, AnswerRefused, EmptyAnswer, PermanentError
from acm_workers.generators import combine, fpf
from acm_workers.generators.combine import ParentText
from acm_workers.generators.text import Brief, is_unfinished, unwrapped
from acm_workers.providers.catalog.capabilities import Capabilities
from schemas.calls import Completion, FinishReason
from schemas.config.variant import Model
from tests.support.scripted import Scripted, said, saying
from tests.support.written import BRIEF, UNLIMITED, VARIANT, write


def test_candidate_is_written_from_instructions_and_source() -> None:
    caller = saying(["# Moon\n\nA rock.\n"])

    found = write(caller)

    request = caller.requests[0]
    assert found == "# Moon\n\nA rock."
    assert (request.provider, request.model) == ("alpha", "m1")
    assert (request.max_tokens, request.temperature, request.json_schema) == (500, 0.7, None)
    assert [message.role for message in request.messages] == ["user"]
    assert request.messages[0].content.startswith("Summarise.\n")
    assert prompts.block("SOURCE", "The moon.") in request.messages[0].content


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("```markdown\n# Moon\n```", "# Moon"),
        ("```md\n# Moon\n```\n", "# Moon"),
        ("````markdown\n# Moon\n```\ncode\n```\n````", "# Moon\n```\ncode\n```"),
        ("```markdown\n# Moon\n```py\nx = 1\n```\nEnd\n```", "# Moon\n```py\nx = 1\n```\nEnd"),
        ("<think>Hm, ```markdown?</think>\n\n# Moon", "# Moon"),
        ("```py\nx = 1\n```", "```py\nx = 1\n```"),
        ("```markdown\na\n```\nb\n```py\nc\n```", "```markdown\na\n```\nb\n```py\nc\n```"),
        ("```markdown\n# Moon", "```markdown\n# Moon"),
        ("# Moon\n```\ncode\n```", "# Moon\n```\ncode\n```"),
    ],
)
def test_only_what_is_wrapped_around_the_document_is_taken_off(answer: str, expected: str) -> None:
    assert unwrapped(answer) == expected


def test_text_cut_off_is_written_again_with_twice_the_tokens() -> None:
    caller = Scripted(said("# Mo", "length"), said("# Moon"))

    found = write(caller)

    assert found == "# Moon"
    assert [request.max_tokens for request in caller.requests] == [500, 1000]


def test_text_cut_off_twice_is_not_kept() -> None:
    with pytest.raises(AnswerCutOff) as caught:
        write(Scripted(said("# Mo", "length"), said("# Moo", "length")))

    assert caught.value.raw == "# Moo"


def test_text_cut_off_without_a_budget_of_ours_is_not_asked_for_again() -> None:
    caller = Scripted(said("# Mo", "length"))

    with pytest.raises(AnswerCutOff):
        write(caller, UNLIMITED)

    assert len(caller.requests) == 1


@pytest.mark.parametrize(
    ("answer", "finish_reason", "error"),
    [
        ("I cannot.", "refusal", AnswerRefused),
        ("I'm sorry, but I can't help with that.", "stop", AnswerRefused),
        ("# Moon", "other", AnswerCutOff),
        ("", "stop", EmptyAnswer),
        (" \n\t", "stop", EmptyAnswer),
        ("```markdown\n\n```", "stop", EmptyAnswer),
        ("<think>I should write", "stop", EmptyAnswer),
    ],
)
def test_answer_that_is_no_whole_document_is_asked_for_once_more(
    answer: str, finish_reason: FinishReason, error: type[PermanentError]
) -> None:
    caller = Scripted(*[said(answer, finish_reason)] * 2)

    with pytest.raises(error) as caught:
        write(caller)

    assert caught.value.raw == answer
    assert len(caller.requests) == 2
    assert caller.requests[0].messages != caller.requests[1].messages


def test_whole_document_after_a_failed_one_is_taken() -> None:
    caller = Scripted(said("No.", "refusal"), said("# Moon", "other"), said(""), said("# Moon"))

    assert write(caller) == "# Moon"
    assert len(caller.requests) == 4
    with pytest.raises(AnswerCutOff):
        write(Scripted(said("No.", "refusal"), said("# Moon", "other")), attempts=2)


def test_long_text_that_begins_like_a_refusal_is_a_document() -> None:
    letter = "I cannot write to you today. " * 30

    assert write(saying([letter])) == letter.strip()


def test_text_that_breaks_off_is_asked_for_once_more_and_then_flagged() -> None:
    cut = f"# Moon\n\nIt is a rock.\n\n{PROSE}"

    assert write(saying([cut, "# Moon"])) == "# Moon"
    written = fpf.write(saying([cut, cut]), VARIANT, BRIEF, Capabilities(), 4)
    assert written.text == cut
    assert written.proof.flags == ("unfinished",)
    assert write(Scripted(said(cut), said("", "stop")), attempts=2) == cut


PROSE = "The moon goes around the Earth and shows us always the same side of"


@pytest.mark.parametrize(
    "text",
    [
        f"# Moon\n\nIt is a rock.\n\n{PROSE}",
        f"It is a rock.\n\n{PROSE} its,",
        f"It is a rock.\n\n{PROSE} its inter-",
        f'"It is a rock."\n\n{PROSE[:-5]}\n  and so on, for it tur',
        "It is a rock.\n\n- It goes around the earth.\n- It shows us alw",
        "1. It goes around\n   the earth.\n2. It shows us always the same s",
        "# Moon\n\n```py\nx = 1",
        "````\n```\nx",
    ],
)
def test_text_that_ends_in_the_middle_of_a_sentence_breaks_off(text: str) -> None:
    assert is_unfinished(text)


@pytest.mark.parametrize(
    "text",
    [
        "# Moon",
        "It is a rock.\n\nIt turns.",
        f"It is a rock.\n\n{PROSE} itself!)",
        "It is a rock.\n\nKind regards,\nAnna Maria Schmidt, Head of the Department",
        "It is a rock.\n\n- it goes around the earth\n- it shows us always the same side",
        "It is a rock.\n\n- It goes around.\n- it shows us one side\n- it is a rock",
        "It is a rock.\n\n1. it goes around the earth and shows us always the same side",
        "It is a rock.\n\n## What it is made of and how we know what it is made of",
        "It is a rock.\n\n> it goes around the earth and shows always the same side",
        "It is a rock.\n\n| it goes | around the earth | and shows the same side |",
        "It is a rock.\n\n[a page about it and all that is known](https://moon.example/a)",
        "It is a rock.\n\n```py\nx = 1\n```",
        "It is a rock.\n\n---",
        "o moon above the silent sea\nyou look at me\n\nand i look back and wonder what you see",
        "\u6708\u306f\u5ca9\u3067\u3059\u3002\n\n\u5730\u7403\u3092\u56de\u308b",
        PROSE,
    ],
)
def test_text_that_may_be_whole_counts_as_whole(text: str) -> None:
    assert not is_unfinished(text)


def test_paused_text_goes_on_up_to_five_times() -> None:
    paused = Completion(text="# M", finish_reason="pause", so_far=({"part": 1},))
    caller = Scripted(*[paused] * 5, said("# Moon"))

    assert write(caller) == "# Moon"
    assert [request.so_far for request in caller.requests] == [()] + [({"part": 1},)] * 5
    with pytest.raises(AnswerCutOff, match="paused more than 5 times"):
        write(Scripted(*[paused] * 6))


def combined(caller: Scripted, a: ParentText, b: ParentText) -> str:
    model = Model(provider="beta", model="m2")
    brief = Brief("Summarise.", "Be brief.", "The moon.")
    return combine.write(caller, model, brief, (a, b)).text


def test_combined_candidate_is_written_from_both_parents_and_their_criticism() -> None:
    caller = saying(["# Better moon"])

    found = combined(caller, ParentText("Text one.", ["dull", "dull"]), ParentText("Text two."))

    prompt = caller.requests[0].messages[0].content
    assert found == "# Better moon"
    assert (caller.requests[0].provider, caller.requests[0].model) == ("beta", "m2")
    assert caller.requests[0].max_tokens is None
    for name, given in [
        ("INSTRUCTIONS", "Summarise."),
        ("GUIDELINES", "Be brief."),
        ("SOURCE", "The moon."),
        ("CANDIDATE A", "Text one."),
        ("CANDIDATE B", "Text two."),
        ("CRITICISM A", "- dull"),
    ]:
        assert prompts.block(name, given) in prompt
    assert "CRITICISM B" not in prompt


def test_long_criticism_is_cut_with_a_mark() -> None:
    caller = saying(["# Better moon"])

    combined(
        caller, ParentText("One."), ParentText("Two.", [f"{n} wrong" for n in range(2000)] + [" "])
    )

    prompt = caller.requests[0].messages[0].content
    criticism = prompt.split("<<<CRITICISM B ")[1].split("\n", 1)[1].split("\n<<<END")[0]
    assert len(criticism) == 4000
    assert criticism.endswith("\n[… cut here …]")
