"""Proof of searching and thinking: asked for, insisted on, kept with the text."""

import pytest

from acm_workers.errors import EvidenceMissing
from acm_workers.generators import fpf
from acm_workers.providers.catalog.capabilities import Capabilities
from schemas.calls import Completion, Evidence, Proof, Source
from schemas.config.variant import RequiredEvidence, Variant
from tests.support.scripted import Scripted, saying
from tests.support.written import BRIEF, UNLIMITED, write

GROUNDED = Evidence(
    grounding="cited",
    reasoning="tokens",
    queries=("moon",),
    sources=(Source(url="https://a"), Source(url="https://b")),
)
ABLE = Capabilities(reasoning_evidence="summary")


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
    assert written.proof == Proof(grounding="cited", reasoning="tokens", searches=1, sources=2)


def test_nothing_is_asked_for_where_nothing_is_required() -> None:
    caller = saying(["# Moon"])

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
