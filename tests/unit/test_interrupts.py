"""Ctrl-C stops a command wherever it comes."""

import signal
from collections.abc import Iterator

import pytest

from acm_api.cli import interrupts


@pytest.fixture(autouse=True)
def _as_a_command_begins() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class _Interrupted:
    """Something whose end the signal meets: what its callback raises, Python forgets."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_that_python_forgets_is_raised_at_the_next_look() -> None:
    with interrupts.kept() as look:
        look()
        _Interrupted()

        with pytest.raises(KeyboardInterrupt):
            look()
        look()


def test_an_interrupt_is_raised_where_it_comes() -> None:
    with interrupts.kept(), pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_who_ignores_interrupts_goes_on_ignoring_them() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    with interrupts.kept() as look:
        signal.raise_signal(signal.SIGINT)
        look()

    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_afterwards_interrupts_are_what_they_were() -> None:
    with interrupts.kept():
        pass

    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
