"""Factors: effects of prompts, models and their interaction, in points of the overall score.

A block is a document for which every model wrote a text with every prompt. Effects are differences
within a block, and their intervals are over documents.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from statistics import fmean
from typing import Literal, NamedTuple

from acm_workers.ranking import paired
from acm_workers.ranking.paired import MeanDifference

Kind = Literal["prompt", "model", "prompt with model", "interaction"]

LEAST_DOCUMENTS = 2
"""Minimum number of documents for an interval."""


class FactorCell(NamedTuple):
    """Texts of one model with one prompt."""

    model: str
    prompt: str


class FactorEffect(NamedTuple):
    """One difference between texts of a document.

    Attributes:
        kind: ``prompt``: of a prompt against the first one, over all models; ``model`` likewise;
            ``prompt with model``: of a prompt against the first one, with one model;
            ``interaction``: the difference of that effect from its mean over the models.
        prompt: Absent for models.
        model: Absent for prompts over all models.
        found: The mean over documents; intervals of one kind hold together.
    """

    kind: Kind
    prompt: str | None
    model: str | None
    found: MeanDifference


class FactorEffects(NamedTuple):
    """The effects of prompts and models.

    Attributes:
        prompts: Prompts; the others are compared with the first one.
        models: Likewise.
        means: Mean score over the documents, by model and prompt.
        documents: Number of documents with a score for each of these.
        left_out: Number of all other documents.
        effects: Empty if there is no such document.
    """

    prompts: tuple[str, ...]
    models: tuple[str, ...]
    means: dict[FactorCell, float]
    documents: int
    left_out: int
    effects: tuple[FactorEffect, ...]

    @property
    def interacts(self) -> bool | None:
        """Return whether the effect of prompts differs between models; None if unknown."""
        found = [one.found for one in self.effects if one.kind == "interaction"]
        if not found or self.documents < LEAST_DOCUMENTS:
            return None
        return any(one.direction != "no difference seen" for one in found)


def effects(
    scores: Sequence[Mapping[FactorCell, float]],
    prompts: Sequence[str],
    models: Sequence[str],
    least_sd: float = 0.0,
) -> FactorEffects:
    """Return the effects of prompts and models.

    Args:
        scores: Mean score of the texts of each cell with texts, by document.
        prompts: At least one.
        models: At least one.
        least_sd: See ``paired.mean_difference``.
    """
    cells = [FactorCell(*both) for both in product(models, prompts)]
    whole = [one for one in scores if one.keys() >= set(cells)]
    differences = _differences(whole, prompts, models) if whole else {}
    numbers = [kind for kind, _, _ in differences]
    found = []
    for (kind, prompt, model), values in differences.items():
        mean = paired.mean_difference(values, endpoints=numbers.count(kind), least_sd=least_sd)
        assert mean is not None  # noqa: S101  there are documents
        found.append(FactorEffect(kind, prompt, model, mean))
    return FactorEffects(
        tuple(prompts),
        tuple(models),
        {cell: fmean(one[cell] for one in whole) for cell in cells} if whole else {},
        len(whole),
        len(scores) - len(whole),
        tuple(found),
    )


def _differences(
    whole: Sequence[Mapping[FactorCell, float]], prompts: Sequence[str], models: Sequence[str]
) -> dict[tuple[Kind, str | None, str | None], list[float]]:
    """Return the difference in each document, by kind, prompt and model."""
    found: dict[tuple[Kind, str | None, str | None], list[float]] = {}
    for prompt in prompts[1:]:
        found["prompt", prompt, None] = [
            fmean(_gain(one, model, prompt, prompts[0]) for model in models) for one in whole
        ]
    for model in models[1:]:
        found["model", None, model] = [
            fmean(
                one[FactorCell(model, prompt)] - one[FactorCell(models[0], prompt)]
                for prompt in prompts
            )
            for one in whole
        ]
    if len(models) == 1:
        return found
    for prompt, model in product(prompts[1:], models):
        found["prompt with model", prompt, model] = [
            _gain(one, model, prompt, prompts[0]) for one in whole
        ]
    for prompt, model in product(prompts[1:], models):
        found["interaction", prompt, model] = [
            own - mean
            for own, mean in zip(
                found["prompt with model", prompt, model],
                found["prompt", prompt, None],
                strict=True,
            )
        ]
    return found


def _gain(scores: Mapping[FactorCell, float], model: str, prompt: str, first: str) -> float:
    return scores[FactorCell(model, prompt)] - scores[FactorCell(model, first)]
