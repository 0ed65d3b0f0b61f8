from itertools import combinations

import pytest

from acm_workers.ranking.agreement import proportion
from acm_workers.ranking.judge_statistics import model_family
from acm_workers.ranking.panel import JudgeStatistics, describe
from schemas.config.config import Config
from schemas.config.judging import Judge
from schemas.units import Artifact, Comparison, Evaluation, Winner
from tests.support.judging_records import artifact, comparison, config, evaluation


def settings(**models: str) -> Config:
    judges = tuple(Judge(name=name, provider="any", model=model) for name, model in models.items())
    return config().model_copy(update={"judges": judges})


def of(
    name: str,
    comparisons: list[Comparison],
    artifacts: list[Artifact] | None = None,
    evaluations: list[Evaluation] | None = None,
    known: Config | None = None,
) -> JudgeStatistics:
    ids = sorted({side for one in comparisons for side in (one.a_id, one.b_id)})
    found = describe(
        artifacts or [artifact(one) for one in ids],
        evaluations or [],
        comparisons,
        known or settings(j="small-1"),
    )
    return next(one for one in found.judges if one.name == name)


def test_judge_that_always_names_the_first_is_biased() -> None:
    names = [f"c{place}" for place in range(6)]
    given = [comparison(pair, "a") for pair in combinations(names, 2)]

    found = of("j", given).verdicts

    assert found.first is not None
    assert (found.first.hits, found.first.of, found.first.value) == (15, 15, 1.0)
    assert found.first.low == pytest.approx(0.796, abs=1e-3)
    assert found.first.excludes_half


def test_planted_position_bias_is_found_and_a_fair_judge_is_not_accused() -> None:
    pairs = [(f"c{place}", f"d{place}") for place in range(200)]
    biased: list[Winner] = ["a" if place % 25 < 16 else "b" for place in range(200)]
    fair: list[Winner] = ["a" if place % 2 else "b" for place in range(200)]
    given = [
        comparison(pair, winner, judge=name)
        for name, winners in (("j", biased), ("k", fair))
        for pair, winner in zip(pairs, winners, strict=True)
    ]

    known = settings(j="m", k="m")

    assert [
        found.first is not None and found.first.excludes_half
        for found in (of("j", given, known=known).verdicts, of("k", given, known=known).verdicts)
    ] == [True, False]


def test_four_verdicts_are_too_few_to_call_a_judge_biased() -> None:
    winners: list[Winner] = ["a", "a", "a", "b"]
    given = [comparison(("p", f"q{place}"), winner) for place, winner in enumerate(winners)]

    first = of("j", given).verdicts.first

    assert first is not None
    assert (first.hits, first.of) == (3, 4)
    assert not first.excludes_half


def test_judge_that_always_ties_has_no_position_and_nothing_but_ties() -> None:
    given = [comparison(("p", f"q{place}"), "tie") for place in range(5)]

    found = of("j", given).verdicts

    assert found.ties is not None
    assert (found.given, found.ties.value) == (5, 1.0)
    assert (found.first, found.longer) == (None, None)


def test_same_verdict_in_both_orders_is_counted_where_both_were_asked() -> None:
    given = [
        comparison(("p", "q"), "a"), comparison(("q", "p"), "b"),
        comparison(("p", "r"), "a"), comparison(("r", "p"), "a"),
        comparison(("q", "r"), "tie"), comparison(("r", "q"), "tie"),
        comparison(("q", "s"), "a"), comparison(("s", "q"), None),
        comparison(("r", "s"), "a"),
    ]  # fmt: skip

    found = of("j", given).verdicts

    assert found.swapped is not None
    assert (found.swapped.hits, found.swapped.of) == (2, 3)
    assert found.repeated is None


def test_same_verdict_in_every_iteration_is_counted_where_it_was_asked_again() -> None:
    verdicts: list[tuple[tuple[str, str], list[Winner]]] = [
        (("p", "q"), ["a", "a", "a"]), (("p", "r"), ["a", "b"]), (("q", "r"), ["tie"]),
    ]  # fmt: skip
    given = [
        comparison(pair, winner, iteration=number)
        for pair, winners in verdicts
        for number, winner in enumerate(winners)
    ]

    found = of("j", given).verdicts

    assert found.repeated is not None
    assert (found.repeated.hits, found.repeated.of) == (1, 2)
    assert found.swapped is None


def test_share_of_the_longer_text_leaves_out_ties_and_equal_lengths() -> None:
    artifacts = [
        artifact(name).model_copy(update={"text": "x" * size})
        for name, size in {"p": 5, "q": 9, "r": 9}.items()
    ] + [artifact("lost")]
    given = [
        comparison(("p", "q"), "b"),
        comparison(("r", "p"), "b"),
        comparison(("q", "r"), "a"),
        comparison(("p", "r"), "tie", iteration=2),
        comparison(("p", "lost"), "a"),
    ]

    found = of("j", given, artifacts).verdicts

    assert found.longer is not None
    assert (found.longer.hits, found.longer.of) == (1, 2)


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"),
    [
        (7, 10, 0.3968, 0.8922),
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (81, 263, 0.2553, 0.3662),
    ],
)
def test_wilson_interval(hits: int, of: int, low: float, high: float) -> None:
    found = proportion(hits, of)

    assert found is not None
    assert found[3:] == pytest.approx((low, high), abs=1e-4)


def test_there_is_no_share_of_nothing() -> None:
    assert proportion(0, 0) is None


def authored(models: dict[str, str]) -> list[Artifact]:
    return [artifact(name).model_copy(update={"model": model}) for name, model in models.items()]


TEXTS = {"a": "gpt-5", "b": "gpt-5-mini", "c": "claude-4", "d": "claude-4"}
KNOWN = settings(kin="openai/gpt-4o", far="gemini-2.5-pro")


def scored(kin: list[float], far: list[float]) -> list[Evaluation]:
    return [
        evaluation(name, score, judge=judge)
        for judge, scores in (("kin", kin), ("far", far))
        for name, score in zip("abcd", scores, strict=True)
    ]


def test_own_family_preference_stands_beside_what_others_think() -> None:
    pairs = [("a", "c"), ("a", "d"), ("c", "b"), ("a", "b")]
    said: dict[str, list[Winner]] = {"kin": ["a", "a", "b", "a"], "far": ["a", "b", "a", "b"]}
    met = [
        comparison(pair, winner, judge=judge)
        for judge, winners in said.items()
        for pair, winner in zip(pairs, winners, strict=True)
    ]

    kin = of("kin", met, authored(TEXTS), scored([8, 8, 6, 6], [7, 5, 7, 5]), KNOWN).family

    assert kin is not None
    assert (kin.family, kin.own, kin.others) == ("gpt", 2, 2)
    assert kin.difference == pytest.approx(2 / 1.1547, abs=1e-3)
    assert kin.theirs == 0.0
    assert kin.wins is not None
    assert (kin.wins.hits, kin.wins.of) == (3, 3)
    assert kin.their_wins is not None
    assert (kin.their_wins.hits, kin.their_wins.of) == (1, 3)


def test_judge_without_candidates_of_its_own_family_has_no_preference() -> None:
    given = scored([8, 8, 6, 6], [7, 5, 7, 5])

    assert of("far", [], authored(TEXTS), given, KNOWN).family is None


def test_judge_of_only_its_own_family_has_no_preference() -> None:
    given = scored([8, 8, 6, 6], [7, 5, 7, 5])

    found = of("kin", [], authored(dict.fromkeys("abcd", "gpt-5")), given, KNOWN)

    assert found.family is None


def test_own_family_is_not_compared_with_another_documents() -> None:
    apart = [one.model_copy(update={"document_id": one.model}) for one in authored(TEXTS)]

    assert of("kin", [], apart, scored([8, 8, 6, 6], [7, 5, 7, 5]), KNOWN).family is None


def test_judge_that_scores_all_the_same_has_no_difference_to_tell() -> None:
    found = of("kin", [], authored(TEXTS), scored([7, 7, 7, 7], [7, 5, 7, 5]), KNOWN).family

    assert found is not None
    assert (found.difference, found.wins, found.their_wins) == (None, None, None)


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gpt-5.4-mini", "gpt"),
        ("openai/o3-mini", "gpt"),
        ("o1", "gpt"),
        ("chatgpt-4o-latest", "gpt"),
        ("anthropic.claude-opus-4", "claude"),
        ("Claude-Haiku", "claude"),
        ("google/gemma-3-27b", "gemini"),
        ("meta-llama/Llama-3.1-8B-Instruct", "llama"),
        ("deepseek-r1-distill-llama-70b", "deepseek"),
        ("small-2", "small"),
        ("maker/olmo-2", "olmo"),
        ("42", "42"),
    ],
)
def test_family_is_read_from_the_name_of_the_model(model: str, name: str) -> None:
    assert model_family(model) == name
