import json
from typing import Any

import pytest

from acm_workers.simulator.messages import IncomingRequest, PlannedAnswer
from acm_workers.simulator.service import SimulatedProvider
from acm_workers.simulator.settings import SimulatorSettings
from tests.support import simulated
from tests.support.simulated import Wanted

LATER = {"background": True, "metadata": {"task": "t1"}}


class Client:
    """Submits one response and looks after it."""

    def __init__(self, model: str = "m1", *faults: str, **more: Any) -> None:
        self.service = SimulatedProvider(
            SimulatorSettings(background_latency_s=10.0, faults=faults)
        )
        wanted = Wanted(model=model, more=LATER | more, search=True)
        self.submitted = self.service.decide(simulated.arrived("openai", wanted))
        self.id: str = self.body(self.submitted).get("id", "")

    def poll(self, now: float) -> PlannedAnswer:
        return self.service.background.poll(self._request("", now))

    def cancel(self, now: float) -> PlannedAnswer:
        return self.service.background.cancel(self._request("/cancel", now))

    def status(self, now: float) -> Any:
        return self.body(self.poll(now))["status"]

    @staticmethod
    def body(outcome: PlannedAnswer) -> Any:
        return json.loads(outcome.answer.body)

    def _request(self, path: str, now: float) -> IncomingRequest:
        request = simulated.arrived("openai", now=now)
        return request._replace(path=f"/v1/responses/{self.id}{path}", body=b"")


def test_a_background_response_is_queued_then_worked_on_then_there() -> None:
    client = Client()

    first = client.body(client.submitted)
    last = client.body(client.poll(10.0))

    assert (first["status"], first["output"], first["usage"]) == ("queued", [], None)
    assert client.submitted.delay_s == 0
    assert [client.status(now) for now in (1.0, 3.0, 9.9)] == [
        "queued",
        "in_progress",
        "in_progress",
    ]
    assert (last["status"], last["id"], last["metadata"]) == (
        "completed",
        client.id,
        {"task": "t1"},
    )
    assert last["tool_usage"]["web_search"]["num_requests"] >= 1
    assert simulated.text("openai", last).startswith("# ")


def test_a_models_name_says_how_long_it_takes() -> None:
    client = Client("m1@L2")

    assert [client.status(1.9), client.status(2.0)] == ["in_progress", "completed"]


def test_cancelling_ends_what_is_not_done_and_can_be_repeated() -> None:
    client, done = Client(), Client()

    cancelled = [client.body(client.cancel(now))["status"] for now in (3.0, 12.0)]

    assert cancelled == ["cancelled"] * 2
    assert client.status(20.0) == "cancelled"
    assert done.body(done.cancel(11.0))["status"] == "completed"


def test_other_responses_can_be_looked_at_again_but_not_cancelled() -> None:
    kept, unkept = Client(background=False), Client(background=False, store=False)

    assert kept.body(kept.poll(0.0)) == kept.body(kept.submitted)
    assert kept.cancel(0.0).status == 400
    assert unkept.poll(0.0).status == 404


def test_the_background_needs_a_store() -> None:
    assert Client(store=False).submitted.status == 400


def test_o19_stays_queued_until_it_is_cancelled() -> None:
    client = Client("m1@O19")

    assert client.status(9999.0) == "queued"
    assert client.body(client.cancel(9999.0))["status"] == "cancelled"


def test_o20_cannot_be_found_at_first_or_for_ever() -> None:
    late, gone = Client("m1@O20"), Client("m1@O20*")

    assert [late.poll(11.0).status for _ in range(3)] == [404, 404, 200]
    assert [gone.poll(11.0).status for _ in range(3)] == [404] * 3
    assert client_error(gone)["param"] == "id"


def client_error(client: Client) -> Any:
    return client.body(client.poll(11.0))["error"]


def test_o21_completes_when_it_is_cancelled() -> None:
    client = Client("m1@O21")

    before = client.status(9999.0)
    cancelled = client.body(client.cancel(9999.0))

    assert (before, cancelled["status"]) == ("in_progress", "completed")
    assert cancelled["usage"]["output_tokens"] > 0


@pytest.mark.parametrize(
    ("fault", "status"),
    [("O22", "incomplete"), ("O9", "failed"), ("O11", "incomplete"), ("O24", "completed")],
)
def test_faults_of_answers_show_when_the_response_is_done(fault: str, status: str) -> None:
    client = Client("m1", fault)

    statuses = client.body(client.submitted)["status"], client.status(5.0), client.status(10.0)

    assert client.submitted.fault == fault
    assert statuses == ("queued", "in_progress", status)


def test_a_submission_that_is_refused_begins_nothing() -> None:
    client = Client("m1@O1")

    assert client.submitted.status == 429
    assert client.service.stats.snapshot()["background"]["submitted"] == 0


def test_a_submission_whose_answer_is_lost_goes_on_all_the_same() -> None:
    client = Client("m1@T5")

    assert client.submitted.answer.manner.mode == "broken"
    assert client.status(10.0) == "completed"
    assert client.service.stats.snapshot()["background"] == {
        "submitted": 1,
        "polls": 1,
        "cancels": 0,
    }


def test_polls_can_meet_faults_of_their_own() -> None:
    client = Client("m1@T10x2.503.poll")

    statuses = [client.poll(10.0).status for _ in range(3)]

    assert client.submitted.status == 200
    assert statuses == [503, 503, 200]
