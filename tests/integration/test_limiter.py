"""The limiter of one process does what every limiter must do."""

import pytest

from acm_workers.limits.memory import MemoryLimiter
from tests.support.limiter_contract import Contract
from tests.support.limiters import Make, providers


class TestMemoryLimiter(Contract):
    @pytest.fixture
    def make(self) -> Make:
        """Return what makes a limiter with the given limits."""
        return lambda **limits: MemoryLimiter(providers(**limits))
