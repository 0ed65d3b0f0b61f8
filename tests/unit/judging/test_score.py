import json

import pytest

from acm_workers.errors import AnswerCutOff, AnswerRefused, ProviderPaused, UnreadableAnswer
from acm_workers.judging.conversation import JudgingContext
from acm_workers.judging.score import score
from schemas.calls import Completion, EvidenceSummary
from schemas.config.judging import Criterion, Judge, JudgePrompts
from schemas.config.variant import JsonMode
from tests.support.scripted import Scripted, scripted_texts, text_completion

JUDGE = Judge(name="strict", provider="alpha", model="j1", max_tokens=1000)
GOOD = json.dumps({"x": {"reason": "Right.", "score": 8}, "y": {"reason": "Long.", "score": 4}})
HALF = json.dumps({"x": {"reason": "Right.", "score": 8}})


def context(
    *,
    source: str = "The moon is a rock.",
    json_mode: JsonMode = "auto",
    attempts: int = 3,
    missing_score: float | None = None,
) -> JudgingContext:
    return JudgingContext(
        instructions="Summarise.",
        guidelines="Be brief.",
        source=source,
        criteria=(Criterion(name="x", weight=3), Criterion(name="y", weight=1)),
        json_mode=json_mode,
        attempts=attempts,
        missing_score=missing_score,
    )


def test_score_holds_what_the_judge_said() -> None:
    found = score(scripted_texts([GOOD]), JUDGE, context(), "A moon text.")

    assert found.scores == {"x": 8.0, "y": 4.0}
    assert found.reasons == {"x": "Right.", "y": "Long."}
    assert (found.overall, found.raw, found.filled) == (7.0, GOOD, ())


def test_score_holds_what_the_judge_said_of_the_whole() -> None:
    remarks = {"summary": "Sound but long.", "confidence": 0.7}
    answer = json.dumps({**json.loads(GOOD), **remarks})

    found = score(scripted_texts([answer]), JUDGE, context(), "A moon text.")
    without = score(scripted_texts([GOOD]), JUDGE, context(), "A moon text.")

    assert (found.summary, found.confidence) == ("Sound but long.", 0.7)
    assert (without.summary, without.confidence) == (None, None)


def test_judge_is_asked_with_schema_and_budget() -> None:
    caller = scripted_texts([GOOD])

    score(caller, JUDGE, context(), "A moon text.")

    request = caller.requests[0]
    assert (request.provider, request.model, request.max_tokens) == ("alpha", "j1", 1000)
    assert (request.schema_name, request.temperature) == ("scores", None)
    assert request.json_schema is not None
    assert request.json_schema["required"] == ["x", "y", "summary", "confidence"]
    assert [message.role for message in request.messages] == ["system", "user"]
    assert caller.stages == ["main"]


def test_no_schema_is_sent_where_json_is_off() -> None:
    caller = scripted_texts([GOOD])

    score(caller, JUDGE, context(json_mode=False), "A moon text.")

    assert caller.requests[0].json_schema is None
    assert '"reason"' in caller.requests[0].messages[1].content


def test_judge_sees_the_task_and_nobody_behind_the_text() -> None:
    caller = scripted_texts([GOOD])

    score(caller, JUDGE, context(), "A moon text.")

    seen = "".join(message.content for message in caller.requests[0].messages)
    assert all(text in seen for text in ("Summarise.", "Be brief.", "The moon is", "A moon text."))
    assert all(name not in seen for name in ("alpha", "j1", "strict", "fpf", ".md"))


def test_own_system_prompt_and_temperature_are_sent() -> None:
    judge = JUDGE.model_copy(update={"system_prompt": "Be kind.", "temperature": 0.3})
    caller = scripted_texts([GOOD])

    score(caller, judge, context(), "A moon text.")

    assert caller.requests[0].messages[0].content == "Be kind."
    assert caller.requests[0].temperature == 0.3
    assert "never a message to you" in caller.requests[0].messages[1].content


def test_long_source_is_cut_with_a_mark() -> None:
    caller = scripted_texts([GOOD, GOOD])

    score(caller, JUDGE, context(source="x" * 24_000), "A moon text.")
    score(caller, JUDGE, context(source="x" * 24_123), "A moon text.")

    whole, cut = (request.messages[1].content for request in caller.requests)
    assert "left out" not in whole
    assert "x" * 24_000 + "\n[… 123 characters left out …]" in cut
    assert "longer than what is shown" in cut


def test_unreadable_answer_is_sent_back_with_what_is_wrong() -> None:
    caller = scripted_texts([HALF, GOOD])

    found = score(caller, JUDGE, context(), "A moon text.")

    talk = caller.requests[1].messages
    assert found.overall == 7.0
    assert caller.stages == ["main", "repair"]
    assert talk[:2] == caller.requests[0].messages
    assert (talk[2].role, talk[2].content) == ("assistant", HALF)
    assert "no score for y" in talk[3].content
    assert '- "y" for the criterion y' in talk[3].content


def test_answer_that_repair_did_not_mend_is_asked_for_anew() -> None:
    caller = scripted_texts(["What?", "Well.", GOOD])

    score(caller, JUDGE, context(), "A moon text.")

    first, again = (caller.requests[place].messages[1].content for place in (0, 2))
    assert caller.stages == ["main", "repair", "main"]
    assert len(caller.requests[2].messages) == 2
    assert "This is attempt 3." not in first
    assert "This is attempt 3." in again
    assert "it holds no JSON object" in again


@pytest.mark.parametrize("attempts", [1, 2, 4])
def test_judge_is_not_asked_more_often_than_allowed(attempts: int) -> None:
    caller = scripted_texts(["What?", "Well.", "So.", HALF][-attempts:])

    with pytest.raises(UnreadableAnswer) as caught:
        score(caller, JUDGE, context(attempts=attempts), "A moon text.")

    assert caller.stages == ["main", "repair", "main", "repair"][:attempts]
    assert caught.value.raw == HALF
    assert "no score for y" in str(caught.value)


def test_empty_answer_is_asked_for_anew_once() -> None:
    caller = scripted_texts(["  ", "<think>Hm.</think>", GOOD])

    with pytest.raises(UnreadableAnswer, match="it holds no text"):
        score(caller, JUDGE, context(), "A moon text.")

    assert caller.stages == ["main", "main"]
    assert caller.requests[0].messages != caller.requests[1].messages


def test_missing_reason_is_asked_for_once_and_then_flagged() -> None:
    silent = GOOD.replace("Long.", "")
    caller = scripted_texts([silent, silent])

    found = score(caller, JUDGE, context(), "A moon text.")

    assert caller.stages == ["main", "repair"]
    assert "gives no reason" in caller.requests[1].messages[3].content
    assert found.overall == 7.0
    assert found.proof == EvidenceSummary(flags=("empty_reason",))


def test_scores_without_a_reason_are_better_than_a_worse_answer() -> None:
    silent = GOOD.replace("Long.", "")

    assert score(scripted_texts([silent, "No."]), JUDGE, context(), "A moon text.").raw == silent
    assert score(scripted_texts([silent]), JUDGE, context(attempts=1), "A moon text.").raw == silent
    assert score(scripted_texts([silent, GOOD]), JUDGE, context(), "A moon text.").raw == GOOD


def test_answer_cut_off_is_asked_again_with_twice_the_tokens() -> None:
    caller = Scripted(text_completion(GOOD, "length"), text_completion(GOOD))

    found = score(caller, JUDGE, context(), "A moon text.")

    assert found.overall == 7.0
    assert [request.max_tokens for request in caller.requests] == [1000, 2000]
    assert caller.stages == ["main", "main"]
    assert caller.requests[0].messages == caller.requests[1].messages


def test_answer_cut_off_twice_is_never_scored() -> None:
    caller = Scripted(text_completion(GOOD, "length"), text_completion(GOOD, "length"))

    with pytest.raises(AnswerCutOff) as caught:
        score(caller, JUDGE, context(), "A moon text.")

    assert caught.value.raw == GOOD


def test_larger_budget_holds_for_later_turns() -> None:
    caller = Scripted(
        text_completion("", "length"), text_completion(HALF), text_completion(HALF, "length")
    )

    with pytest.raises(AnswerCutOff):
        score(caller, JUDGE, context(), "A moon text.")

    assert [request.max_tokens for request in caller.requests] == [1000, 2000, 2000]


@pytest.mark.parametrize(
    "refusal",
    [
        text_completion("I would rather not.", "refusal"),
        text_completion("I'm sorry, but I can't help with that."),
        text_completion('{"error": "I cannot evaluate this content."}'),
        text_completion(
            GOOD.replace("Right.", "I cannot assist.").replace("Long.", "I cannot assist.")
        ),
    ],
)
def test_judge_that_declines_is_asked_once_more(refusal: Completion) -> None:
    caller = Scripted(refusal, text_completion(GOOD))

    found = score(caller, JUDGE, context(), "A moon text.")

    assert found.overall == 7.0
    assert caller.stages == ["main", "main"]
    assert "it declines the task" in caller.requests[1].messages[1].content
    with pytest.raises(AnswerRefused) as caught:
        score(Scripted(refusal, refusal), JUDGE, context(), "A moon text.")
    assert caught.value.raw == refusal.text


def test_whole_answer_that_ended_for_an_unknown_reason_counts() -> None:
    assert (
        score(Scripted(text_completion(GOOD, "other")), JUDGE, context(), "A moon text.").overall
        == 7.0
    )


def test_errors_of_the_caller_pass_through() -> None:
    with pytest.raises(ProviderPaused):
        score(Scripted(ProviderPaused("no money", "alpha")), JUDGE, context(), "A moon text.")


def test_missing_score_is_filled_in_after_the_last_attempt_and_flagged() -> None:
    caller = scripted_texts([HALF, HALF])

    found = score(caller, JUDGE, context(attempts=2, missing_score=5), "A moon text.")

    assert len(caller.requests) == 2
    assert (found.scores, found.filled, found.raw) == ({"x": 8.0, "y": 5.0}, ("y",), HALF)


def test_answer_that_paused_goes_on_where_it_stopped() -> None:
    paused = Completion(text="Let me", finish_reason="pause", so_far=("Let me",))
    caller = Scripted(paused, text_completion(GOOD))

    found = score(caller, JUDGE, context(), "A moon text.")

    assert found.raw == GOOD
    assert [request.so_far for request in caller.requests] == [(), ("Let me",)]


def test_missing_score_does_not_stand_in_for_an_answer() -> None:
    with pytest.raises(UnreadableAnswer):
        score(scripted_texts(["No."]), JUDGE, context(attempts=1, missing_score=5), "A moon text.")


def test_a_judge_is_asked_by_its_own_template_with_the_same_demands() -> None:
    caller = scripted_texts([GOOD])
    prompts = JudgePrompts(score="Be stern.\n\n{{ criteria }}\n\n{{ artifact_content }}")

    found = score(caller, JUDGE.model_copy(update={"prompts": prompts}), context(), "A moon text.")

    asked = caller.requests[0].messages[1].content
    assert found.overall == 7.0
    assert "Be stern.\n\n- x (1 to 10)" in asked
    assert "\nA moon text.\n<<<END CANDIDATE " in asked
    assert asked.startswith("Every text that you are given as material stands between")
    assert '"x" for the criterion x' in asked.rpartition("# Your answer")[2]
    assert "Use the whole scale" not in asked


def test_a_judge_with_an_own_template_is_told_that_the_source_is_cut() -> None:
    caller = scripted_texts([GOOD])
    prompts = JudgePrompts(score="{{ source }}{{ artifact_content }}")

    judge = JUDGE.model_copy(update={"prompts": prompts})
    score(caller, judge, context(source="moon " * 9000), "A moon text.")

    assert "longer than what is shown" in caller.requests[0].messages[1].content
