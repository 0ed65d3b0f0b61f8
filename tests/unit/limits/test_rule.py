"""The rule of limits stands in Python and in Lua: both grant the same permits at the same times."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any, NamedTuple

import fakeredis
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from acm_workers.limits.interface import Limiter, Permit
from acm_workers.limits.memory import MemoryLimiter
from tests.support import fake_redis
from tests.support.fake_redis import Clock
from tests.support.limiters import providers
from tests.support.shared_limits import participant


class Step(NamedTuple):
    """What a caller does: reserve, settle or release a permit, penalise, or wait."""

    kind: str
    number: int = 0
    model: str = "m"
    amount: float = 0.0


@pytest.fixture(scope="module")
def clock() -> Iterator[Clock]:
    with fake_redis.clock() as clock:
        yield clock


def step(kind: str, amounts: st.SearchStrategy[float]) -> st.SearchStrategy[Step]:
    models = st.sampled_from(["m", "own"])
    return st.builds(Step, st.just(kind), st.integers(0, 15), models, amounts)


steps = st.one_of(
    step("reserve", st.integers(0, 3000).map(float)),
    step("settle", st.integers(0, 4000).map(float)),
    step("release", st.just(0.0)),
    step("penalise", st.sampled_from([0.5, 7.0])),
    step("wait", st.sampled_from([0.05, 0.3, 2.0, 11.0, 61.0])),
)
SETTLED_TWICE = [
    Step("reserve", amount=6.0),
    Step("settle", amount=1.0),
    Step("settle", amount=1.0),
    Step("reserve", amount=2.0),
    Step("reserve"),
]
SETTLED_LATE = [
    Step("reserve", model="own"),
    Step("wait", amount=61.0),
    Step("reserve"),
    Step("settle", amount=1010.0),
    Step("reserve", model="own"),
]
own_limits = st.fixed_dictionaries(
    {},
    optional={
        "requests_per_minute": st.sampled_from([0.5, 1.5, 7.0, 60.0, 600.0]),
        "tokens_per_minute": st.sampled_from([1000.0, 9000.0]),
        "launch_delay_seconds": st.sampled_from([0.4, 3.0]),
        "max_in_flight": st.integers(1, 6),
    },
)


@given(own_limits, own_limits, st.lists(steps, min_size=5, max_size=30))
@example({"max_in_flight": 1}, {}, [Step("reserve"), Step("reserve")])
@example({"tokens_per_minute": 1000.0}, {}, SETTLED_TWICE)
@example({}, {"tokens_per_minute": 1000.0}, SETTLED_LATE)
def test_python_and_lua_grant_the_same_permits_at_the_same_times(
    clock: Clock, limits: dict[str, Any], of_model: dict[str, Any], plan: list[Step]
) -> None:
    given = {**limits, "timeout_seconds": 1e6, "models": {"own": of_model}}
    process = participant(lease_s=1e6)
    with closing(fake_redis.limiter(fakeredis.FakeServer(), process, **given)) as in_redis:
        clock.now = 1000.0
        found = played(in_redis, plan, clock)
        clock.now = 1000.0
        expected = played(MemoryLimiter(providers(**given), clock), plan, clock)

    assert [one[1:] for one in found] == [one[1:] for one in expected]
    assert [one[0] for one in found] == pytest.approx([one[0] for one in expected], abs=1e-3)


def played(limiter: Limiter, plan: list[Step], clock: Clock) -> list[tuple[float, Any, bool]]:
    """Return start, reason and success of each permit that is reserved."""
    permits = list[Permit]()
    for step in plan:
        if step.kind == "reserve":
            permits.append(limiter.reserve("alpha", step.model, int(step.amount)))
        elif step.kind == "wait":
            limiter.state("alpha")  # whatever was reported reaches Redis before time goes on
            clock.now += step.amount
        elif step.kind == "penalise":
            limiter.penalise("alpha", step.amount)
        elif step.number < len(permits) and permits[step.number].granted:
            if step.kind == "settle":
                limiter.settle(permits[step.number], int(step.amount))
            else:
                limiter.release(permits[step.number])
    return [(one.start_at if one.granted else 0.0, one.reason, one.granted) for one in permits]
