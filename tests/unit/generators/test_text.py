"""Whole texts from models: written, unwrapped, written again where they broke off, proven."""

import pytest

import prompts
from acm_workers.errors import (
    AnswerCutOff,
    AnswerRefused,
    EmptyAnswer,
    EvidenceMissing,
    PermanentError,
)
from acm_workers.generators import fpf
from acm_workers.generators.text import is_unfinished, unwrapped
from acm_workers.providers.catalog.capabilities import Capabilities
from schemas.calls import Completion, Evidence, EvidenceSummary, FinishReason, Source
from schemas.config.variant import RequiredEvidence, Variant
from tests.support.scripted import Scripted, scripted_texts, text_completion
from tests.support.scripted_text import BRIEF, UNLIMITED, VARIANT, write

GROUNDED = Evidence(
    grounding="cited",
    reasoning="tokens",
    queries=("moon",),
    sources=(Source(url="https://a"), Source(url="https://b")),
)
ABLE = Capabilities(reasoning_evidence="summary")


def test_candidate_is_written_from_instructions_and_source() -> None:
    caller = scripted_texts(["# Moon\n\nA rock.\n"])

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
    caller = Scripted(text_completion("# Mo", "length"), text_completion("# Moon"))

    found = write(caller)

    assert found == "# Moon"
    assert [request.max_tokens for request in caller.requests] == [500, 1000]


def test_text_cut_off_twice_is_not_kept() -> None:
    with pytest.raises(AnswerCutOff) as caught:
        write(Scripted(text_completion("# Mo", "length"), text_completion("# Moo", "length")))

    assert caught.value.raw == "# Moo"


def test_text_cut_off_without_a_budget_of_ours_is_not_asked_for_again() -> None:
    caller = Scripted(text_completion("# Mo", "length"))

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
    caller = Scripted(*[text_completion(answer, finish_reason)] * 2)

    with pytest.raises(error) as caught:
        write(caller)

    assert caught.value.raw == answer
    assert len(caller.requests) == 2
    assert caller.requests[0].messages != caller.requests[1].messages


def test_whole_document_after_a_failed_one_is_taken() -> None:
    caller = Scripted(
        text_completion("No.", "refusal"),
        text_completion("# Moon", "other"),
        text_completion(""),
        text_completion("# Moon"),
    )

    assert write(caller) == "# Moon"
    assert len(caller.requests) == 4
    with pytest.raises(AnswerCutOff):
        write(
            Scripted(text_completion("No.", "refusal"), text_completion("# Moon", "other")),
            attempts=2,
        )


def test_long_text_that_begins_like_a_refusal_is_a_document() -> None:
    letter = "I cannot write to you today. " * 30

    assert write(scripted_texts([letter])) == letter.strip()


def test_text_that_breaks_off_is_asked_for_once_more_and_then_flagged() -> None:
    cut = f"# Moon\n\nIt is a rock.\n\n{PROSE}"

    assert write(scripted_texts([cut, "# Moon"])) == "# Moon"
    written = fpf.write(scripted_texts([cut, cut]), VARIANT, BRIEF, Capabilities(), 4)
    assert written.text == cut
    assert written.proof.flags == ("unfinished",)
    assert write(Scripted(text_completion(cut), text_completion("", "stop")), attempts=2) == cut


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
    caller = Scripted(*[paused] * 5, text_completion("# Moon"))

    assert write(caller) == "# Moon"
    assert [request.so_far for request in caller.requests] == [()] + [({"part": 1},)] * 5
    with pytest.raises(AnswerCutOff, match="paused more than 5 times"):
        write(Scripted(*[paused] * 6))


def grounded(text: str, evidence: Evidence = GROUNDED) -> Completion:
    return Completion(text=text, finish_reason="stop", evidence=evidence)


def required(**require: str) -> Variant:
    return UNLIMITED.model_copy(update={"require": RequiredEvidence.model_validate(require)})


def test_evidence_is_asked_for_and_what_was_reached_is_kept() -> None:
    variant = required(grounding="cited", reasoning="tokens")
    caller = Scripted(grounded("# Moon"))

    written = fpf.write(caller, variant.model_copy(update={"max_searches": 3}), BRIEF, ABLE)

    request = caller.requests[0]
    assert (request.search, request.max_searches, request.reasoning) == (True, 3, "tokens")
    assert "Search the web before you answer" in request.messages[0].content
    assert "Think the task through" in request.messages[0].content
    assert written.proof == EvidenceSummary(
        grounding="cited", reasoning="tokens", searches=1, sources=2
    )


def test_nothing_is_asked_for_where_nothing_is_required() -> None:
    caller = scripted_texts(["# Moon"])

    write(caller)

    assert (caller.requests[0].search, caller.requests[0].reasoning) == (False, "none")
    assert "Search the web" not in caller.requests[0].messages[0].content


def test_missing_evidence_is_asked_for_three_times_in_stronger_words() -> None:
    weak = grounded("# Moon", GROUNDED.model_copy(update={"grounding": "searched"}))
    caller = Scripted(*[weak] * 4)

    with pytest.raises(
        EvidenceMissing, match=r"grounding is searched, sourced is required \(code 1"
    ):
        fpf.write(caller, required(grounding="sourced"), BRIEF, ABLE)

    prompts_sent = [request.messages[0].content for request in caller.requests]
    assert len(set(prompts_sent)) == 4
    assert "Do nothing else before you have searched" in prompts_sent[3]


def test_missing_thinking_is_asked_for_with_more_effort() -> None:
    weak = grounded("# Moon", Evidence(grounding="cited"))
    caller = Scripted(weak, weak, weak, grounded("# Moon"))

    written = fpf.write(caller, required(grounding="cited", reasoning="tokens"), BRIEF, ABLE)

    assert written.text == "# Moon"
    assert [request.effort for request in caller.requests] == [None, "medium", "high", "high"]


def test_retries_for_evidence_keep_within_the_attempts() -> None:
    caller = Scripted(*[grounded("# Moon", Evidence())] * 2)

    with pytest.raises(EvidenceMissing, match=r"code 3"):
        fpf.write(caller, required(grounding="cited", reasoning="tokens"), BRIEF, ABLE, 2)


@pytest.mark.parametrize(
    ("require", "able", "message"),
    [
        ({"grounding": "searched"}, ABLE.model_copy(update={"search": False}), "no web search"),
        ({"reasoning": "tokens"}, Capabilities(), "shows nothing of its thinking"),
        ({"reasoning": "summary"}, Capabilities(reasoning_evidence="tokens"), "no more of its"),
    ],
)
def test_nothing_is_paid_for_evidence_that_a_model_can_never_give(
    require: dict[str, str], able: Capabilities, message: str
) -> None:
    caller = Scripted()

    with pytest.raises(EvidenceMissing, match=message):
        fpf.write(caller, required(**require), BRIEF, able)
