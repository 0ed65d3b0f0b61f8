import gc
import signal
import sys
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

# As in ops/check: where PYTHONDONTWRITEBYTECODE is set, each run would compile everything anew.
sys.dont_write_bytecode = False

# Under nohup and in the background, where processes ignore these signals, tests prove the same.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# How long an example takes says nothing about the code: the machine may have other things to do.
_quiet = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
# The same examples each time: whoever changed nothing sees no new failure. `--deep` looks for them.
settings.register_profile("quick", _quiet, max_examples=50, derandomize=True)
settings.register_profile("deep", _quiet, max_examples=500)  # ops/check --deep
settings.load_profile("quick")


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
