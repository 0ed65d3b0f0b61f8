"""The config of `acm eval`, which judges documents as llm-doc-eval did."""

import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple

import prompts
from acm_api.config import (
    checking,
    completion,
    criteria,
    default_judges,
    evaluator,
    old_requirements,
    provider_checks,
    shape,
    source,
)
from acm_api.config.draft import MODE, ConfigDraft
from acm_api.config.loading import LoadedConfig
from acm_api.config.source import YamlFile

Mode = Literal["single", "pairwise", "both"]

_CRITERIA = ("factuality", "relevance", "completeness", "style_clarity")
_START = 1000.0


class EvaluationOptions(NamedTuple):
    """Options of judging documents; None selects the value of llm-doc-eval's config or a default.

    Attributes:
        config: A config of llm-doc-eval.
        criteria: A file of criteria.
        max_concurrent: Maximum number of calls in flight to each provider.
        attempts: Maximum number of requests for one answer.
        base_delay_s: First pause between two requests.
        grounding: Whether judges search the web.
    """

    mode: Mode
    docs: Path
    config: Path | None = None
    criteria: Path | None = None
    max_concurrent: int | None = None
    attempts: int | None = None
    base_delay_s: float | None = None
    grounding: bool | None = None


def load(
    options: EvaluationOptions,
    environ: Mapping[str, str] | None = None,
    at: datetime | None = None,
    *,
    keys: provider_checks.Keys = "here",
) -> LoadedConfig:
    """Return the checked config for judging documents.

    Args:
        options: The documents, and how they are judged.
        environ: See ``loading.load``, also for the next ones.
        at: Time of the evaluation.
        keys: The machines on which keys must be set.

    Raises:
        RequestError: The first problem, with all other problems in ``more``.
    """
    environ = os.environ if environ is None else environ
    main = YamlFile(options.config or Path("acm eval"), {}, {})
    draft = ConfigDraft(_fixed(options), main)
    if options.criteria is not None:
        criteria.mount(draft, source.read_yaml(options.criteria))
        criteria.scale_of_llm_doc_eval(draft)
    if options.config is not None:
        evaluator.apply_file(draft, options.config.absolute(), required=True)
    _options(draft, options)
    default_judges.choose(draft, environ)
    _mode(draft, options)
    completion.complete(draft, Path.cwd())
    _providers(draft, options)
    old_requirements.require(draft, environ)
    config = shape.valid_config(draft)
    checking.check(draft, config, environ, at, writes=True, keys=keys)
    draft.raise_faults()
    return LoadedConfig.of(draft, config, prompts.render("given_texts.md.j2"), None)


def _fixed(options: EvaluationOptions) -> dict[str, Any]:
    """Return the fixed settings of llm-doc-eval: every pair, ordered by name, Elo from 1000."""
    here = Path.cwd()
    return {
        "input_folder": str(options.docs.absolute()),
        "output_folder": str(here / "outputs"),
        "winners_folder": str(here / "winners"),
        "reports_folder": str(here / "reports"),
        "instructions_file": "none",
        "runs": [{"type": "files", "folder": str(options.docs.absolute())}],
        "pairwise": {"strategy": "round_robin", "position_swap": "none"},
        "playoffs": {"enabled": False},
        "ranking": {"method": "score" if options.mode == "single" else "elo",
                    "elo": {"initial": _START}},
        "skip": "never",
    }  # fmt: skip


def _options(draft: ConfigDraft, options: EvaluationOptions) -> None:
    retries = {"attempts": options.attempts, "base_delay_seconds": options.base_delay_s}
    for name, value in retries.items():
        if value is not None:
            draft.data.setdefault("retries", {})[name] = value
            draft.labels["retries", name] = "option of acm eval"
    if "criteria" not in draft.data:
        draft.data["criteria"] = [{"name": name} for name in _CRITERIA]
        criteria.scale_of_llm_doc_eval(draft)
        draft.labels[("criteria",)] = "default of acm eval"


def _mode(draft: ConfigDraft, options: EvaluationOptions) -> None:
    """Enable scores, comparisons, or both, with one iteration unless the config sets more."""
    pairwise, judges = draft.data["pairwise"], draft.data.get("judges") or []
    for judge in [*judges, *(pairwise.get("judges") or [])]:
        if isinstance(judge, dict):
            judge.setdefault("iterations", 1)
            if options.grounding is not None:
                wanted = "searched" if options.grounding else "none"
                judge["require"] = {"grounding": wanted}
    pairwise["enabled"] = options.mode != "single"
    if options.mode == "pairwise":
        pairwise["judges"] = pairwise.get("judges") or judges
        draft.data["judges"] = []
        draft.sources[("judges",)] = MODE
    elif options.mode == "single":
        pairwise.pop("judges", None)


def _providers(draft: ConfigDraft, options: EvaluationOptions) -> None:
    if options.max_concurrent is None:
        return
    for name, provider in draft.data["providers"].items():
        if isinstance(provider, dict):
            provider["max_in_flight"] = options.max_concurrent
            draft.labels["providers", name, "max_in_flight"] = "option of acm eval"
