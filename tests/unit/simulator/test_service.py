import json
from collections import Counter
from typing import Any

from acm_workers.simulator import replies
from acm_workers.simulator.dialects import openai_chat
from acm_workers.simulator.messages import IncomingRequest, PlannedAnswer
from acm_workers.simulator.service import SimulatedProvider
from acm_workers.simulator.settings import SimulatorSettings


def arrived(prompt: str = "Write.", model: str = "m1", request_id: str = "r1") -> IncomingRequest:
    body = {"model": model, "messages": [{"role": "user", "content": prompt}]}
    headers = [(b"x-client-request-id", request_id.encode())]
    path = "/v1/chat/completions"
    return IncomingRequest(openai_chat, path, headers, json.dumps(body).encode(), 0.0, 1.7e9)


def service(**settings: Any) -> SimulatedProvider:
    return SimulatedProvider(SimulatorSettings(**settings))


def ids(outcomes: list[PlannedAnswer]) -> list[str]:
    return [json.loads(outcome.answer.body)["id"] for outcome in outcomes]


def text(outcome: PlannedAnswer) -> str:
    answer: str = json.loads(outcome.answer.body)["choices"][0]["message"]["content"]
    return answer


def test_the_same_requests_in_the_same_order_get_the_same_answers_after_a_restart() -> None:
    asked = [arrived(), arrived(), arrived(request_id="r2"), arrived("Write more.")]
    live, restarted = service(), service()

    before, after = ([each.decide(one) for one in asked] for each in (live, restarted))

    assert before == after
    assert len(set(ids(before))) == 4


def test_a_repeated_request_gets_another_answer_unless_the_simulator_is_repeatable() -> None:
    usual, repeatable = service(), service(repeatable=True)

    texts = [{text(each.decide(arrived())) for _ in range(3)} for each in (usual, repeatable)]

    assert [len(found) for found in texts] == [3, 1]


def test_answers_of_a_repeatable_simulator_have_ids_of_their_own() -> None:
    repeatable = service(repeatable=True)

    answers = [repeatable.decide(arrived()) for _ in range(3)]

    assert len(set(ids(answers))) == 3


def test_another_seed_gives_other_answers() -> None:
    answers = [service(seed=seed).decide(arrived()) for seed in range(3)]

    assert len(set(ids(answers))) == 3


def test_faults_come_as_often_as_asked_for_and_of_every_kind() -> None:
    faulty = service(fault_rate=0.2)

    statuses = Counter(faulty.decide(arrived(f"Write {n}.")).status for n in range(500))

    assert set(statuses) == {200, 429, 500, 503, None}
    assert 70 <= 500 - statuses[200] <= 130


def test_faults_do_not_change_the_answers_of_others() -> None:
    calm, faulty = service(), service(fault_rate=0.5)
    asked = [arrived(f"Write {n}.") for n in range(20)]

    pairs = [(calm.decide(one), faulty.decide(one)) for one in asked]

    answered = [(a, b) for a, b in pairs if b.status == 200]
    assert answered
    assert all(a == b for a, b in answered)


def test_a_refusal_does_not_change_what_is_answered_later() -> None:
    free, limited = service(), service(rpm=1)
    limited.decide(arrived("Write something else."))

    refused = limited.decide(arrived())
    later = limited.decide(arrived()._replace(now=61.0))

    assert refused.status == 429
    assert later.answer.body == free.decide(arrived()).answer.body


def test_latency_strays_within_its_jitter_and_a_name_overrides_it() -> None:
    jittery = service(latency_s=1.0, jitter_s=0.2)

    delays = [jittery.decide(arrived(f"Write {n}.")).delay_s for n in range(100)]
    wished = jittery.decide(arrived(model="m1@L0.3")).delay_s

    assert 0.8 <= min(delays) < 0.85
    assert 1.15 < max(delays) <= 1.2
    assert wished == 0.3


def test_skills_lie_around_the_middle_and_wishes_do_not_change_them() -> None:
    settings = SimulatorSettings()

    skills = [replies.skill(settings, f"m{n}") for n in range(200)]

    assert 0.25 <= min(skills) < 0.3
    assert 0.8 < max(skills) <= 0.85
    assert replies.skill(settings, "m1@L0") == skills[1]


def test_thinking_is_paid_from_the_budget() -> None:
    body = {"model": "big-think", "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 9}

    outcome = service().decide(arrived()._replace(body=json.dumps(body).encode()))

    answer = json.loads(outcome.answer.body)
    assert answer["choices"][0]["finish_reason"] == "length"
    assert answer["choices"][0]["message"]["content"] == ""
    assert answer["usage"]["completion_tokens"] == 9
    assert answer["usage"]["completion_tokens_details"]["reasoning_tokens"] == 9


def test_half_a_character_is_refused_as_bad_json() -> None:
    outcome = service().decide(arrived("Write about \ud800 and what it does to a server."))

    assert outcome.status == 400
