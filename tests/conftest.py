import gc

from hypothesis import HealthCheck, settings

# Enough to find what a change breaks, few enough for all unit tests to pass within seconds.
# How long that takes says nothing about the code: the machine may have other things to do.
settings.register_profile(
    "acm", max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("acm")


def pytest_collection_finish() -> None:
    """Let the garbage collector leave alone what lives as long as the tests."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
