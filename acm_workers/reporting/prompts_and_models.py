"""The effects of the prompts and models of a run, for its report."""

from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean

from acm_workers.ranking import factors
from acm_workers.ranking.factors import FactorCell, FactorEffects
from acm_workers.reporting.data import DocumentReport
from schemas.config.config import Config
from schemas.config.variant import Variant

_LEAST_SHARE = 0.03
"""Minimum standard deviation of a difference, as a share of the scale."""


def of_run(config: Config, pages: Sequence[DocumentReport]) -> FactorEffects | None:
    """Return the effects of prompts and models; None if the run has fewer than two prompts."""
    named = [one for one in config.runs if one.prompt is not None]
    prompts = list(dict.fromkeys(_prompt(one) for one in named))
    if len(prompts) < 2:
        return None
    models = list(dict.fromkeys(_model(one) for one in named))
    scale = 0.0
    scores = []
    for page in pages:
        cells: dict[FactorCell, list[float]] = defaultdict(list)
        for one in page.candidates:
            if config.prompt_of(one.artifact) is not None and one.summary is not None:
                variant = config.runs[one.artifact.variant - 1]
                cells[FactorCell(_model(variant), _prompt(variant))].append(one.summary.overall)
                scale = one.summary.scale
        scores.append({cell: fmean(given) for cell, given in cells.items()})
    return factors.effects(scores, prompts, models, _LEAST_SHARE * scale)


def _prompt(variant: Variant) -> str:
    return variant.prompt or ""


def _model(variant: Variant) -> str:
    made = "" if variant.type == "fpf" else f" {variant.type}"
    return f"{variant.provider}:{variant.model}{made}"
