"""The limiter of one process does what every limiter must do where many threads wait."""

import pytest

from acm_workers.limits.memory import MemoryLimiter
from tests.support.limiter_waiting import WaitingContract
from tests.support.limiters import Make, providers


class TestMemoryLimiter(WaitingContract):
    @pytest.fixture
    def make(self) -> Make:
        """Return what makes a limiter with the given limits."""
        return lambda **limits: MemoryLimiter(providers(**limits))
