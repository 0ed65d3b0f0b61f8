import json
from itertools import groupby
from typing import Any

import pytest

from acm_workers.simulator.faults import registry
from acm_workers.simulator.faults.registry import FaultEntry, UnknownFault
from acm_workers.simulator.messages import PlannedAnswer
from acm_workers.simulator.service import SimulatedProvider
from acm_workers.simulator.settings import SimulatorSettings
from tests.support import simulated
from tests.support.simulated import DialectName, Wanted

NUMBERS = {"T": 20, "O": 25, "A": 21, "G": 19, "R": 11, "C": 20}
CATALOGUE = registry.catalogue()
MET_ALONE = [entry for entry in CATALOGUE if entry.dialects and entry.needs != "a message batch"]


def simulator(*faults: str) -> SimulatedProvider:
    return SimulatedProvider(SimulatorSettings(faults=faults))


def asked(service: SimulatedProvider, dialect: DialectName, wanted: Wanted) -> PlannedAnswer:
    return service.decide(simulated.arrived(dialect, wanted))


def judged(service: SimulatedProvider, wanted: Wanted, model: str = "m1") -> str | None:
    return asked(service, "openai", wanted._replace(model=model)).fault


SCORE = simulated.meeting("scores as JSON")


def test_the_catalogue_holds_every_number_once_and_in_order() -> None:
    families = groupby((entry.number for entry in CATALOGUE), key=lambda number: number[0])

    assert {family: list(numbers) for family, numbers in families} == {
        family: [f"{family}{n}" for n in range(1, most + 1)] for family, most in NUMBERS.items()
    }
    assert [entry.number for entry in CATALOGUE if not entry.dialects] == ["T1", "T2"]
    assert all(entry.title for entry in CATALOGUE)


@pytest.mark.parametrize("entry", MET_ALONE, ids=lambda entry: entry.number)
def test_each_fault_is_given_once_for_each_distinct_request(entry: FaultEntry) -> None:
    wanted = simulated.meeting(entry.needs)
    for variant in entry.variants or ("",):
        for dialect in entry.dialects:
            service = simulator(f"{entry.number}.{variant}" if variant else entry.number)

            first, again = (asked(service, dialect, wanted) for _ in range(2))
            other = asked(service, dialect, wanted._replace(request_id="r2"))

            assert [first.fault, again.fault, other.fault] == [entry.number, None, entry.number]
            assert again.status == 200
            assert json.loads(again.answer.body)


def test_a_fault_wished_for_in_a_models_name_meets_that_model_alone() -> None:
    service = simulator()

    met = [judged(service, SCORE, model) for model in ("m1@C07", "m1@C7", "m1", "m1@C7")]

    assert met == ["C7", "C7", None, None]


def test_a_fault_can_be_had_for_ever_or_for_the_first_requests() -> None:
    service = simulator()
    asks = [SCORE._replace(request_id=str(n)) for n in (1, 1, 2)]

    always = [judged(service, ask, "m1@C7*") for ask in asks]
    twice = [judged(service, ask, "m1@C7x2") for ask in asks]

    assert always == ["C7"] * 3
    assert twice == ["C7", "C7", None]


@pytest.mark.parametrize(
    "reaction",
    [
        {"max_tokens": 4000},
        {"temperature": 1.0},
        {"thinking": True},
        {"said": ('{"accuracy": 9', "That cannot be used. Answer again.")},
        {"prompt": "Search first.\n\n" + simulated.JUDGE},
    ],
)
def test_what_a_client_changes_about_the_same_material_is_answered_normally(
    reaction: dict[str, Any],
) -> None:
    service = simulator("C7")
    asked_first = judged(service, SCORE)

    asked_then = judged(service, SCORE._replace(**reaction))

    assert (asked_first, asked_then) == ("C7", None)


@pytest.mark.parametrize("model", ["m1@403", "m1@Z9", "m1@C7@bogus", "m1@L2x", "m1@"])
def test_what_a_models_name_asks_for_in_vain_is_refused(model: str) -> None:
    outcome = asked(simulator(), "openai", SCORE._replace(model=model))

    assert outcome.status == 404
    assert f"{model}: ".encode() in outcome.answer.body
    assert b"L2.5 (seconds), 500, or a fault such as C7" in outcome.answer.body


def test_several_faults_are_given_one_after_the_other() -> None:
    service = simulator("O1", "C7")

    met = [judged(service, SCORE, "m1@C9") for _ in range(4)]

    assert met == ["C9", "O1", "C7", None]


def test_faults_pass_by_requests_that_cannot_meet_them() -> None:
    service = simulator("C7", "O4", "G12", "O16", "C16")

    assert judged(service, Wanted()) is None
    assert judged(service, SCORE._replace(search=True)) == "C7"


@pytest.mark.parametrize(
    ("wish", "says"),
    [
        ("c7", "is not written"),
        ("C7y", "is not written"),
        ("C21", "did you mean C2"),
        ("T1", "no HTTP server"),
        ("C9.nought", "above, below"),
        ("C7.poll", "a poll has no fault"),
    ],
)
def test_a_wish_that_means_nothing_is_refused(wish: str, says: str) -> None:
    with pytest.raises(UnknownFault, match=says):
        simulator(wish)


@pytest.mark.parametrize("model", ["m1@C99", "m1@G12"])
def test_a_model_whose_name_asks_for_an_impossible_fault_is_not_found(model: str) -> None:
    outcome = asked(simulator(), "openai", Wanted(model=model))

    assert outcome.status == 404
    assert json.loads(outcome.answer.body)["error"]["code"] == "model_not_found"


@pytest.mark.parametrize("model", ["claude@20250929", "m1@C7@n12"])
def test_dates_and_numbers_in_model_names_are_no_wishes(model: str) -> None:
    assert asked(simulator(), "anthropic", Wanted(model=model)).status == 200


def test_refusals_come_at_once_and_bad_answers_after_the_latency() -> None:
    service = SimulatedProvider(SimulatorSettings(latency_s=3.0, stall_s=7.0))

    refused = asked(service, "openai", Wanted(model="m1@O1"))
    wrong = asked(service, "openai", Wanted(model="m1@O15"))
    late = asked(service, "openai", Wanted(model="m1@T16"))

    assert (refused.delay_s, refused.output_tokens) == (0.0, 0)
    assert (wrong.delay_s, wrong.output_tokens > 0) == (3.0, True)
    assert late.answer.manner.seconds == 7.0
