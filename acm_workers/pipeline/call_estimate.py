"""The calls that one document takes at the most, and what one of each kind is expected to take."""

from collections.abc import Iterator
from typing import NamedTuple

from acm_workers.providers.catalog import capabilities
from acm_workers.providers.dialects import json_modes
from acm_workers.ranking import pairs
from schemas.calls import Effort
from schemas.config.config import Config
from schemas.config.judging import Judge
from schemas.config.variant import Variant

PROMPT_TOKENS = 500
DRAFT_TOKENS = 1500
SEARCH_TOKENS = 5200
"""Expected tokens of what prompts say around texts, of a candidate, and of what a search brings."""

_VERDICT_TOKENS = 400
_SEARCHES, _RESEARCH_SEARCHES = 10, 40
_THINKING_TOKENS: dict[Effort, int] = {"low": 1000, "medium": 4000, "high": 10_000}


class CallEstimate(NamedTuple):
    """Calls of one kind to one model, for one document.

    Attributes:
        texts: Candidates that its prompt holds, beside source and instructions.
        searches: Those of one call.
        second: It puts prose into JSON: the second stage of as many others.
        either: One of all such loads is called, alike but for their models, and which is not known.
    """

    unit: str
    provider: str
    model: str
    calls: int
    texts: int
    answer_tokens: int
    searches: int = 0
    second: bool = False
    either: bool = False


def of(config: Config) -> list[CallEstimate]:
    """Return all calls for one document."""
    candidates = sum(variant.iterations for variant in config.runs)
    loads = [_write(config, variant) for variant in config.runs]
    judged = config.scoring_judges or config.comparing_judges
    if not config.playoffs.enabled or candidates < 2 or not judged:
        return loads + judging(config, candidates, 0)
    combining = _combine(config)
    combined = 1 if combining[0].either else len(combining)
    return loads + combining + judging(config, candidates, combined)


def judging(config: Config, candidates: int, combined: int) -> list[CallEstimate]:
    """Return the calls that judge the candidates of one document.

    Args:
        candidates: Those that are not combined.
        combined: Combined ones, that come after these are judged.
    """
    loads = [*_score(config, candidates, combined=False)]
    compared = candidates
    if config.scoring_judges:
        # Without scores there is nothing to choose the best by.
        compared = pairs.admitted(config.pairwise, candidates)
    loads += _compare(config, compared, 0)
    if combined:
        loads += _score(config, combined, combined=True)
    if combined and config.playoffs.pairwise:
        loads += _compare(config, compared, combined)
    return loads


def _write(config: Config, variant: Variant) -> CallEstimate:
    return CallEstimate(
        "generate",
        variant.provider,
        variant.model,
        variant.iterations,
        0,
        _answer(config, variant, DRAFT_TOKENS),
        _searches(config, variant),
    )


def _combine(config: Config) -> list[CallEstimate]:
    """Return who combines: all models that are named, else that of the best candidate, any."""
    named = config.playoffs.models
    models = [(one.provider, one.model) for one in named or config.runs]
    return [
        CallEstimate("combine", provider, model, 1, 2, DRAFT_TOKENS, either=not named)
        for provider, model in (models if named else dict.fromkeys(models))
    ]


def _score(config: Config, candidates: int, *, combined: bool) -> Iterator[CallEstimate]:
    for judge in config.judges_of(combined=combined):
        calls = candidates * config.iterations_of(judge, combined=combined)
        yield from _judge(config, judge, "score", calls, 1)


def _compare(config: Config, old: int, new: int) -> Iterator[CallEstimate]:
    most = pairs.most(old, new, config.comparing_judges, config.pairwise)
    for judge in config.comparing_judges:
        yield from _judge(config, judge, "compare", most[judge.name], 2)


def _judge(
    config: Config, judge: Judge, unit: str, calls: int, texts: int
) -> Iterator[CallEstimate]:
    answer_tokens = _answer(config, judge, _VERDICT_TOKENS)
    searches = _searches(config, judge)
    yield CallEstimate(unit, judge.provider, judge.model, calls, texts, answer_tokens, searches)
    mode = config.json_mode if judge.json_mode is None else judge.json_mode
    able = capabilities.of(config.providers[judge.provider], judge.model)
    if config.jsonify is not None and json_modes.form(mode, able, judge.require) == "two_stages":
        second = config.jsonify
        tokens = _VERDICT_TOKENS
        yield CallEstimate(unit, second.provider, second.model, calls, 0, tokens, second=True)


def _answer(config: Config, of: Variant | Judge, text_tokens: int) -> int:
    """Return the tokens of an answer with a text of so many: thinking costs as much as text."""
    tokens = text_tokens
    if _thinks(config, of):
        tokens += _THINKING_TOKENS[of.effort or "medium"]
    return tokens if of.max_tokens is None else min(tokens, of.max_tokens)


def _thinks(config: Config, of: Variant | Judge) -> bool:
    provider = config.providers[of.provider]
    able = capabilities.of(provider, of.model)
    if not able.known or not able.efforts:
        return False
    asked = of.effort is not None or of.require.reasoning != "none"
    # Models that take a temperature think when they are asked to, but for Google's.
    return asked or not able.sampling or provider.dialect == "google"


def _searches(config: Config, of: Variant | Judge) -> int:
    if not of.require.search:
        return 0
    slow = capabilities.of(config.providers[of.provider], of.model).background
    return of.max_searches or (_RESEARCH_SEARCHES if slow else _SEARCHES)
