"""Agreement of a judge with people, and how sure it is."""

import numpy as np
import pytest

from acm_workers.ranking import human_agreement
from acm_workers.ranking.human_agreement import AgreementEstimate
from acm_workers.ranking.newton import Floats


def found(
    agreed: list[float], weight: list[float] | None = None, predicted: Floats | None = None,
    everywhere: Floats | None = None,
) -> AgreementEstimate:  # fmt: skip
    """Return an estimate; without predictions that differ, from votes alone."""
    flat = np.full(len(agreed), 0.5) if predicted is None else predicted
    estimate = human_agreement.estimate(
        np.array(agreed),
        np.ones(len(agreed)) if weight is None else np.array(weight),
        flat,
        flat if everywhere is None else everywhere,
    )
    assert estimate is not None
    return estimate


def test_eight_of_ten_is_a_wide_interval_around_it() -> None:
    best = found([1.0] * 8 + [0.0] * 2).best

    # With one more of each, nine of twelve, and Student's 2.262 for nine degrees of freedom:
    # 0.75 and 2.262 * sqrt(0.75 * 0.25 / 12) = 0.283.
    assert best.value == pytest.approx(0.8)
    assert best.low == pytest.approx(0.467, abs=0.002)
    assert best.high == 1.0


def test_all_of_few_is_no_certainty() -> None:
    best = found([1.0] * 10).best

    assert (best.value, best.high) == (1.0, 1.0)
    # Eleven of twelve: 0.917 - 2.262 * sqrt(0.917 * 0.083 / 12) = 0.736.
    assert best.low == pytest.approx(0.736, abs=0.002)


def test_each_vote_is_weighed_by_the_inverse_of_its_probability() -> None:
    even = found([1.0, 0.0] * 10)
    weighed = found([1.0, 0.0] * 10, [3.0, 1.0] * 10)

    assert even.best.value == pytest.approx(0.5)
    assert weighed.best.value == pytest.approx(0.75)


def test_fewer_than_two_votes_tell_nothing() -> None:
    one = np.ones(1)

    assert human_agreement.estimate(one, one, one, one) is None


def planted(votes: int, pairs: int, told: bool) -> AgreementEstimate:
    """Return an estimate with predictions that tell much, or nothing."""
    draw = np.random.default_rng(7)
    chance = draw.choice([0.05, 0.95], pairs)
    agreed = (draw.random(votes) < chance[:votes]).astype(np.float64)
    predicted = chance if told else draw.random(pairs)
    return found(agreed.tolist(), predicted=predicted[:votes], everywhere=predicted)


def test_good_predictions_make_the_interval_narrower() -> None:
    estimate = planted(100, 2000, told=True)

    assert estimate.predicted
    assert estimate.best.width < 0.6 * estimate.people.width
    assert estimate.best.low < 0.5 < estimate.best.high


def test_useless_predictions_and_few_votes_leave_it_as_it_is() -> None:
    for estimate in (planted(100, 2000, told=False), planted(20, 2000, told=True)):
        assert not estimate.predicted
        assert estimate.best == estimate.people


def test_predictions_that_would_widen_the_interval_are_left_alone() -> None:
    draw = np.random.default_rng(7)
    chance = draw.choice([0.3, 0.7], 40)
    agreed = (draw.random(40) < chance).astype(np.float64)
    # Over few pairs the mean of the predictions is itself uncertain.
    estimate = found(agreed.tolist(), predicted=chance, everywhere=np.array([0.0, 1.0]))

    assert not estimate.predicted


def test_equal_votes_cannot_tune_anything() -> None:
    estimate = found([1.0] * 40, predicted=np.linspace(0, 1, 40))

    assert not estimate.predicted
    assert estimate.best.value == 1.0


def test_predictions_beside_the_matter_have_no_weight_at_all() -> None:
    agreed = [1.0, 0.0, 1.0, 0.0] * 10
    predicted = np.array([1.0, 1.0, 0.0, 0.0] * 10)

    assert not found(agreed, predicted=predicted).predicted
