"""What models refuse is not sent to them twice."""

import pytest

from acm_workers.calls.context import RefusedParameters
from acm_workers.errors import ParameterRefused
from schemas.calls import Message, Parameter, Request

ASK = Request(provider="alpha", model="m", messages=(Message(role="user", content="Write."),))


def refused(parameter: Parameter) -> ParameterRefused:
    return ParameterRefused("alpha: HTTP 400", parameter, 400)


def test_a_refused_temperature_is_left_out_from_then_on() -> None:
    known = RefusedParameters()

    again = known.learn(ASK, refused("temperature"))

    assert again
    assert known.omit(ASK).left_out == {"temperature"}
    assert known.omit(ASK.model_copy(update={"model": "other"})).left_out == set()


def test_refusals_add_up_with_those_that_the_asker_knows() -> None:
    known = RefusedParameters()
    known.learn(ASK, refused("temperature"))
    known.learn(ASK, refused("reasoning"))

    asked = known.omit(ASK.model_copy(update={"left_out": frozenset({"json_schema"})}))

    assert asked.left_out == {"temperature", "reasoning", "json_schema"}


@pytest.mark.parametrize("parameter", ["json_schema", "search_with_schema"])
def test_what_changes_the_question_is_for_the_asker_to_decide(parameter: Parameter) -> None:
    known = RefusedParameters()

    assert not known.learn(ASK, refused(parameter))
    assert known.omit(ASK) == ASK


def test_what_was_left_out_already_cannot_be_the_reason() -> None:
    known = RefusedParameters()
    known.learn(ASK, refused("temperature"))

    assert not known.learn(known.omit(ASK), refused("temperature"))


def with_schema(name: str, *, search: bool = False) -> Request:
    schema = {"type": "object"}
    return ASK.model_copy(update={"json_schema": schema, "schema_name": name, "search": search})


def test_a_refused_schema_is_not_sent_again() -> None:
    known = RefusedParameters()
    known.learn(with_schema("scores"), refused("json_schema"))

    with pytest.raises(ParameterRefused) as caught:
        known.omit(with_schema("scores"))

    assert (caught.value.parameter, caught.value.status) == ("json_schema", 400)
    assert known.omit(with_schema("verdict")) == with_schema("verdict")
    assert known.omit(ASK) == ASK


def test_a_schema_that_was_refused_beside_search_is_sent_without_it() -> None:
    known = RefusedParameters()
    known.learn(with_schema("scores", search=True), refused("search_with_schema"))

    with pytest.raises(ParameterRefused):
        known.omit(with_schema("scores", search=True))
    assert known.omit(with_schema("scores")) == with_schema("scores")
