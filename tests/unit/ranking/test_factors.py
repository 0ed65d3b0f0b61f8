"""Factors: what prompts, models, and their interaction bring."""

import pytest

from acm_workers.ranking import factors
from acm_workers.ranking.factors import FactorCell, FactorEffects

PROMPTS, MODELS = ("p", "q"), ("m", "n")


def document(
    base: float, q: float = 0.0, n: float = 0.0, both: float = 0.0
) -> dict[FactorCell, float]:
    """Return scores: ``q`` more with that prompt, ``n`` with that model, ``both`` with both."""
    return {
        FactorCell("m", "p"): base,
        FactorCell("m", "q"): base + q,
        FactorCell("n", "p"): base + n,
        FactorCell("n", "q"): base + q + n + both,
    }


def told(found: FactorEffects) -> dict[tuple[str, str | None, str | None], float]:
    return {(one.kind, one.prompt, one.model): one.found.mean for one in found.effects}


def test_a_prompt_and_a_model_bring_what_was_put_in() -> None:
    found = factors.effects(
        [document(5, 1.0, -0.5), document(7, 1.2, -0.5), document(6, 0.8, -0.5)], PROMPTS, MODELS
    )

    assert told(found) == pytest.approx(
        {
            ("prompt", "q", None): 1.0,
            ("model", None, "n"): -0.5,
            ("prompt with model", "q", "m"): 1.0,
            ("prompt with model", "q", "n"): 1.0,
            ("interaction", "q", "m"): 0.0,
            ("interaction", "q", "n"): 0.0,
        }
    )
    assert found.means[FactorCell("n", "q")] == pytest.approx(6.5)
    assert found.effects[0].found.direction == "better"
    assert found.interacts is False


def test_a_prompt_that_helps_one_model_alone_interacts_with_it() -> None:
    found = factors.effects(
        [document(5, 0.0, 0.0, 2.0), document(7, 0.1, 0.0, 2.1), document(6, 0.0, 0.1, 1.9)],
        PROMPTS,
        MODELS,
    )

    assert told(found)["interaction", "q", "n"] == pytest.approx(1.0)
    assert told(found)["prompt", "q", None] == pytest.approx(1.0 + 0.1 / 3)
    assert found.interacts is True


def test_documents_without_all_cells_are_left_out_and_counted() -> None:
    part = {FactorCell("m", "p"): 9.0}

    found = factors.effects([document(5, 1.0), part, document(7, 1.0)], PROMPTS, MODELS)

    assert (found.documents, found.left_out) == (2, 1)
    assert found.means[FactorCell("m", "p")] == 6.0


def test_one_document_has_effects_and_no_intervals() -> None:
    found = factors.effects([document(5, 1.0)], PROMPTS, MODELS)

    assert found.effects[0].found.low is None
    assert found.interacts is None


def test_without_a_whole_document_nothing_is_told() -> None:
    found = factors.effects([{FactorCell("m", "p"): 5.0}], PROMPTS, MODELS)

    assert (found.effects, found.means, found.interacts) == ((), {}, None)


def test_one_model_has_no_interaction() -> None:
    scores = [{FactorCell("m", "p"): 5.0, FactorCell("m", "q"): 6.0}] * 3

    found = factors.effects(scores, PROMPTS, ("m",), least_sd=0.27)

    assert list(told(found)) == [("prompt", "q", None)]
    assert found.interacts is None
