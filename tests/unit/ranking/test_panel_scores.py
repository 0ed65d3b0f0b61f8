import random
from typing import NamedTuple

import pytest

from acm_workers.ranking.panel import JudgeStatistics, Panel, describe
from schemas.config.config import Config
from schemas.config.judging import Criterion
from schemas.config.ranking import Playoffs
from schemas.units import Artifact, Comparison, Evaluation
from tests.support.judging_records import artifact, comparison, config, evaluation, judge


class Given(NamedTuple):
    artifacts: list[Artifact] = []  # noqa: RUF012  never changed
    evaluations: list[Evaluation] = []  # noqa: RUF012  never changed
    comparisons: list[Comparison] = []  # noqa: RUF012  never changed


def settings(**weights: float) -> Config:
    named = tuple(judge(name, weight) for name, weight in weights.items())
    return config(criteria=(Criterion(name="x"),)).model_copy(update={"judges": named})


def seen(given: Given, known: Config) -> Panel:
    return describe(given.artifacts, given.evaluations, given.comparisons, known)


def of(name: str, given: Given, known: Config) -> JudgeStatistics:
    return next(one for one in seen(given, known).judges if one.name == name)


def scored(**by_judge: list[float | None]) -> Given:
    """Return candidates c0, c1, ... with a score by each judge, None if it failed."""
    number = max(map(len, by_judge.values()))
    return Given(
        [artifact(f"c{place}") for place in range(number)],
        [
            evaluation(f"c{place}", score, judge=name, state="failed" if score is None else "done")
            for name, scores in by_judge.items()
            for place, score in enumerate(scores)
        ],
    )


def test_severity_is_the_mean_difference_to_the_others_on_shared_candidates() -> None:
    given = scored(strict=[5, 6, None, 1], fair=[7, 8, 9], kind=[8, 9, 9])

    strict = of("strict", given, settings(strict=1, fair=1, kind=1)).scores

    assert (strict.severity, strict.shared) == (-2.5, 2)  # 5 to 7.5 and 6 to 8.5
    assert (strict.given, strict.mean) == (3, 4.0)


def test_severity_is_absent_where_nobody_else_scored() -> None:
    only = of("j", scored(j=[5, 7, 6]), settings(j=1)).scores

    assert (only.severity, only.shared, only.spread) == (None, 0, 1.0)


def test_judge_of_weight_zero_is_shown_and_not_counted() -> None:
    given = scored(one=[6, 7, 8], two=[6, 8, 8], off=[1, 9, 1])
    weights = {"one": 1.0, "two": 1.0, "off": 0.0}

    found = seen(given, settings(**weights))
    off = of("off", given, settings(**weights))

    assert (off.counts, off.scores.given, off.scores.shared) == (False, 3, 3)
    assert off.scores.severity == pytest.approx((1 + 9 + 1 - 6 - 7.5 - 8) / 3)
    assert of("one", given, settings(**weights)).scores.severity == pytest.approx(-1 / 3)
    assert found.agreement == seen(scored(one=[6, 7, 8], two=[6, 8, 8]), settings(one=1, two=1))[1]


def test_judge_that_was_never_asked_is_shown_without_figures() -> None:
    off = of("off", scored(j=[5, 6]), settings(j=1, off=0))

    assert not off.counts
    assert (off.failed, off.scores.given, off.scores.mean, off.scores.severity) == (
        0,
        0,
        None,
        None,
    )
    assert (off.verdicts.given, off.verdicts.first, off.verdicts.ties, off.family) == (
        0, None, None, None,
    )  # fmt: skip


def test_judge_that_failed_every_time_has_failures_and_no_figures() -> None:
    given = scored(j=[None, None], k=[5, 6])
    failed = comparison(("c0", "c1"), None, judge="j")

    found = of("j", given._replace(comparisons=[failed]), settings(j=1, k=1))

    assert (found.failed, found.scores.given, found.scores.spread) == (3, 0, None)
    assert found.verdicts.given == 0


def test_all_equal_gives_no_agreement_and_no_length_effect() -> None:
    given = scored(j=[7] * 5, k=[7] * 5)

    found = seen(given, settings(j=1, k=1))

    assert found.agreement.overall.value is None
    assert found.agreement.overall.units == 5
    assert [one.scores.severity for one in found.judges] == [0, 0]
    assert [one.scores.spread for one in found.judges] == [0, 0]
    assert [one.scores.length for one in found.judges] == [None, None]


def test_noise_is_the_spread_of_scores_of_one_candidate() -> None:
    given = Given(
        [artifact("p"), artifact("q"), artifact("r")],
        [
            evaluation(name, score, iteration=place)
            for name, scores in {"p": [6, 8], "q": [5, 5, 5], "r": [9]}.items()
            for place, score in enumerate(scores)
        ],
    )

    found = of("j", given, settings(j=1)).scores

    assert found.noise == pytest.approx((2 / 3) ** 0.5)
    assert found.repeated == 2


def test_noise_is_absent_where_no_candidate_was_scored_twice() -> None:
    found = of("j", scored(j=[5, 9]), settings(j=1)).scores

    assert (found.noise, found.repeated) == (None, 0)


def lengths(given: Given, sizes: list[int], documents: list[str]) -> Given:
    texts = zip(given.artifacts, sizes, documents, strict=True)
    return given._replace(
        artifacts=[
            one.model_copy(update={"text": "x" * size, "document_id": document})
            for one, size, document in texts
        ]
    )


def test_length_correlation_is_spearmans() -> None:
    given = lengths(scored(j=[2, 4, 6, 5, 9]), [10, 20, 30, 40, 500], ["d"] * 5)

    found = of("j", given, settings(j=1)).scores

    assert found.length == pytest.approx(0.9)  # 1 - 6 * 2 / (5 * 24)
    assert found.measured == 5


def test_length_correlation_gives_equal_scores_the_same_rank() -> None:
    given = lengths(scored(j=[3, 3, 5, 5]), [10, 20, 30, 40], ["d"] * 4)

    assert of("j", given, settings(j=1)).scores.length == pytest.approx(0.894, abs=1e-3)


def test_length_correlation_is_absent_with_three_candidates() -> None:
    given = lengths(scored(j=[1, 2, 3]), [10, 20, 30], ["d"] * 3)

    found = of("j", given, settings(j=1)).scores

    assert (found.length, found.measured) == (None, 0)


def test_length_correlation_ignores_that_one_document_is_longer_and_better() -> None:
    sizes = [10, 20, 30, 40, 1010, 1020, 1030, 1040]
    given = lengths(scored(j=[4, 3, 2, 1, 9, 8, 7, 6]), sizes, ["short"] * 4 + ["long"] * 4)

    found = of("j", given, settings(j=1)).scores

    assert found.length == pytest.approx(-1.0)
    assert found.measured == 8


def test_candidates_on_another_scale_say_nothing_about_agreement() -> None:
    luck = random.Random(1)
    given = scored(j=[4, 6, 8], k=[5, 6, 8])
    apart = [artifact(f"mix{place}", parents=("c0", "c1")) for place in range(4)]
    theirs = [
        evaluation(one.id, luck.uniform(50, 90), judge=name) for one in apart for name in ("j", "k")
    ]
    known = settings(j=1, k=1)
    playoffs = Playoffs(criteria=(Criterion(name="x", max=100),))
    alone = seen(given, known).agreement.overall

    both = given._replace(
        artifacts=[*given.artifacts, *apart], evaluations=[*given.evaluations, *theirs]
    )

    assert seen(both, known.model_copy(update={"playoffs": playoffs})).agreement.overall == alone
    assert seen(both, known).agreement.overall != alone


def test_a_score_that_was_filled_in_is_nobodys_judgement() -> None:
    given = Given(
        [artifact("p"), artifact("q")],
        [
            evaluation(name, score, judge=by, scores={"x": score})
            for name, by, score in [("p", "j", 5), ("p", "k", 5), ("q", "j", 9), ("q", "k", 1)]
        ],
    )
    filled = given.evaluations[-1].model_copy(update={"filled": ("x",)})
    known = settings(j=1, k=1)

    found = seen(given._replace(evaluations=[*given.evaluations[:-1], filled]), known)

    assert found.agreement.criteria["x"].units == 1
    assert [one.scores.filled for one in found.judges] == [0, 1]


def test_an_evaluation_without_an_overall_score_is_no_repetition() -> None:
    given = scored(j=[5, 7])
    unscored = evaluation("c0", None, judge="j", iteration=2)

    found = of("j", given._replace(evaluations=[*given.evaluations, unscored]), settings(j=1))

    assert (found.scores.given, found.scores.repeated, found.scores.noise) == (2, 0, None)
