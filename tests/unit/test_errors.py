"""Errors cross the borders of processes."""

import pickle
from datetime import UTC, datetime

import pytest

from acm_workers import errors
from acm_workers.errors import AcmError

KINDS = [
    value
    for value in vars(errors).values()
    if isinstance(value, type) and issubclass(value, AcmError)
]


def made(kind: type[AcmError]) -> AcmError:
    """Return an error with a value for everything that it can hold."""
    values = {
        errors.RequestError: ("config.yaml:3",),
        errors.TransientError: (7.5, 429),
        errors.ParameterRefused: ("temperature", 400, "the raw answer"),
        errors.PermanentError: (400, "the raw answer"),
        errors.ProviderPaused: ("alpha", 402),
        errors.AnswerPending: (datetime(2026, 3, 2, tzinfo=UTC),),
    }
    more = next((more for root, more in values.items() if issubclass(kind, root)), ())
    return kind("what happened", *more)


@pytest.mark.parametrize("kind", KINDS)
def test_every_error_comes_out_of_a_pickle_as_it_went_in(kind: type[AcmError]) -> None:
    error = made(kind)

    back = pickle.loads(pickle.dumps(error))  # noqa: S301

    assert type(back) is kind
    assert vars(back) == vars(error)
    assert (str(back), back.kind) == ("what happened", errors.kind_of(kind))
    assert None not in vars(back).values()


@pytest.mark.parametrize("kind", KINDS)
def test_no_error_shows_the_name_of_its_class(kind: type[AcmError]) -> None:
    assert made(kind).kind == made(kind).kind.lower()
    assert made(kind).kind.replace("_", "") == kind.__name__.lower()
    assert errors.kind_of(KeyError) == "unexpected"


@pytest.mark.parametrize("kind", KINDS)
def test_every_error_is_told_in_the_tree_at_the_top(kind: type[AcmError]) -> None:
    assert errors.__doc__ is not None

    assert f"{kind.__name__} " in f"{errors.__doc__} ".replace("\n", " ")
