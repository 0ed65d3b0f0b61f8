import gc
import sys
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

# As in ops/check: where PYTHONDONTWRITEBYTECODE is set, each run would compile everything anew.
sys.dont_write_bytecode = False

# Enough to find what a change breaks, few enough for all unit tests to pass within seconds.
# How long that takes says nothing about the code: the machine may have other things to do.
settings.register_profile(
    "acm", max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("acm")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Let the garbage collector leave alone what lives as long as the tests."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000, 20, 50)
        gc.enable()
