"""Translates settings of ACM 2, options of research in presets, and paths of Windows."""

import re
from collections.abc import Iterable
from typing import Any

from acm_api.config.draft import ConfigDraft
from acm_api.config.source import Key, dotted

MOVED = {
    "eval_judges": "judges",
    "elo_k_factor": "ranking.elo.k",
    "elo_initial": "ranking.elo.initial",
    "top_n_count": "ranking.top_n.count",
    "top_n_threshold": "ranking.top_n.threshold",
    "top_n_min": "ranking.top_n.min",
    "top_n_max": "ranking.top_n.max",
    "eval_config.criteria": "criteria",
    "eval_config.judges": "judges",
    "post_combine_eval.criteria": "playoffs.criteria",
    "post_combine_eval.iterations": "playoffs.iterations",
    "post_combine_eval.judges": "playoffs.judges",
    "post_combine_eval.pairwise": "playoffs.pairwise",
}
"""Old keys with their new names."""

SECTIONS = {
    "eval_config": ("criteria", "judges", "iterations"),
    "post_combine_eval": ("enabled", "judges", "iterations", "pairwise", "criteria"),
}
WITHOUT_EFFECT = ("eval_timeout", "eval_max_concurrent")
"""Limits of calls, replaced by a provider's ``timeout_seconds`` and ``max_in_flight``."""

TOP_LEVEL = frozenset({*(name.split(".")[0] for name in MOVED), *WITHOUT_EFFECT, "eval_iterations"})

_OPTIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "follow_guidelines": ("follow_guidelines", ("ma",)),
    "max_sections": ("sections", ("ma",)),
    "ma.max_sections": ("sections", ("ma",)),
    "TOTAL_WORDS": ("words", ("gptr", "dr")),
    "MAX_ITERATIONS": ("sub_queries", ("gptr", "dr", "ma")),
    "DEEP_RESEARCH_BREADTH": ("breadth", ("dr",)),
    "DEEP_RESEARCH_DEPTH": ("depth", ("dr",)),
}
"""Old keys for all entries of some types: their names in ``research``, and these types."""

_ONLY_FORGE = frozenset(
    {"provider", "provider_urls", "web_search", "reasoning", "prompt_template", "search_mode"}
)
_FORGE = _ONLY_FORGE | {
    "concurrency", "include", "json", "jsonify", "max_completion_tokens", "model", "providers",
    "runs", "test", "temperature", "top_p", "instructions", "anthropic_version", "anthropic_beta",
    "referer", "title", "stream", "citation_format", "grounding",
}  # fmt: skip
"""Keys of FilePromptForge's file; the first ones are unique to it."""

_DRIVE = re.compile(r"([A-Za-z]):[\\/]")

RESEARCH = frozenset(name for name in _OPTIONS if "." not in name)


def is_of_forge(data: dict[str, Any]) -> bool:
    """Return whether a file is a configuration of FilePromptForge."""
    return not data.keys() - _FORGE and not data.keys().isdisjoint(_ONLY_FORGE)


def translate(draft: ConfigDraft, values: dict[str, Any]) -> None:
    """Translate old settings whose values must be converted.

    Args:
        values: Values by dotted name.
    """
    if values.get("post_combine_eval.enabled") is False:
        message = (
            "post_combine_eval.enabled: combined candidates are always judged; to combine none,"
            " say playoffs.enabled: false"
        )
        draft.problem(("post_combine_eval", "enabled"), message)
    _named_by_model(draft)
    research(draft, values)


def _named_by_model(draft: ConfigDraft) -> None:
    """Complete judges of combined candidates that refer to another judge by its model."""
    section = draft.section("playoffs")
    judges = section.get("judges")
    if not isinstance(judges, list):
        return
    known = {one.get("model"): one for _, one in draft.entries(("judges",))}
    found = []
    for index, name in enumerate(judges):
        if not isinstance(name, str):
            found.append(name)
            continue
        if name not in known:
            key: Key = ("playoffs", "judges", index)
            own = draft.sources.get(("playoffs", "judges"), ("playoffs", "judges"))
            message = f"{dotted((*own, index))}: no judge has the model {name}; give its provider"
            draft.problem(key, message)
            continue
        found.append({part: known[name][part] for part in ("provider", "model")})
    section["judges"] = found


def research(draft: ConfigDraft, values: dict[str, Any]) -> None:
    """Copy the options of a type to each entry of this type without options."""
    used = set()
    for key, entry in draft.entries(("runs",)):
        for old, (name, types) in _OPTIONS.items():
            if old not in values or entry.get("type") not in types:
                continue
            used.add(old)
            options = entry.setdefault("research", {})
            if isinstance(options, dict) and options.get(name) is None:
                options[name] = values[old]
                draft.sources[*key, "research", name] = tuple(old.split("."))
    draft.notes.extend(
        f"{old} has no effect: no entry is of type {' or '.join(_OPTIONS[old][1])}"
        for old in _OPTIONS
        if old in values and old not in used
    )


def path(value: str) -> tuple[str, str | None]:
    """Return a path in the form of this system, or the reason why this is impossible."""
    if "\\" not in value and not _DRIVE.match(value):
        return value, None
    if _DRIVE.match(value):
        return value, f"{value} is a path of Windows; name the folder on this machine"
    return value.replace("\\", "/"), None


def windows_paths(draft: ConfigDraft, names: Iterable[str]) -> None:
    """Convert Windows paths to this system's form; paths with a drive are refused."""
    for name in names:
        value = draft.data.get(name)
        if not isinstance(value, str):
            continue
        draft.data[name], why = path(value)
        if why is not None:
            draft.problem((name,), f"{name}: {why}")
        elif draft.data[name] != value:
            draft.notes.append(f"{name}: {value} is read as {draft.data[name]}")
