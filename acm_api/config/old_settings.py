"""Translates settings of ACM 2, and options of research in presets."""

from collections.abc import Callable
from typing import Any

from acm_api.config.draft import ConfigDraft, Problem
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
    "eval_config.iterations": "eval_iterations",
    "post_combine_eval.criteria": "playoffs.criteria",
    "post_combine_eval.iterations": "playoffs.iterations",
    "post_combine_eval.judges": "playoffs.judges",
    "post_combine_eval.pairwise": "playoffs.pairwise",
}
"""Keys of the same meaning here; ``eval_iterations`` is given to each judge."""

SECTIONS = {
    "eval_config": ("criteria", "judges", "iterations"),
    "post_combine_eval": ("enabled", "judges", "iterations", "pairwise", "criteria"),
}
WITHOUT_EFFECT = ("eval_timeout", "eval_max_concurrent")
"""Limits of calls, which each provider has: ``timeout_seconds`` and ``max_in_flight``."""

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
"""Keys for all entries of some types: their names in ``research``, and these types."""

_ONLY_FORGE = frozenset(
    {"provider", "provider_urls", "web_search", "reasoning", "prompt_template", "search_mode"}
)
_FORGE = _ONLY_FORGE | {
    "concurrency", "include", "json", "jsonify", "max_completion_tokens", "model", "providers",
    "runs", "test", "temperature", "top_p", "instructions", "anthropic_version", "anthropic_beta",
    "referer", "title", "stream", "citation_format", "grounding",
}  # fmt: skip
"""Keys of FilePromptForge's file, those first that no other configuration has."""

RESEARCH = frozenset(name for name in _OPTIONS if "." not in name)


def is_of_forge(data: dict[str, Any]) -> bool:
    """Return whether a file is a configuration of FilePromptForge."""
    return not data.keys() - _FORGE and not data.keys().isdisjoint(_ONLY_FORGE)


def translate(
    draft: ConfigDraft, values: dict[str, Any], move: Callable[[ConfigDraft, str, str, Any], None]
) -> None:
    """Move the values of old settings to their new keys.

    Args:
        values: By dotted name.
        move: Moves the value of an old key to a new one.
    """
    for name, target in MOVED.items():
        if name in values and target != "eval_iterations":
            move(draft, name, target, values[name])
    if values.get("post_combine_eval.enabled") is False:
        message = (
            "post_combine_eval.enabled: combined candidates are always judged; to combine none,"
            " say playoffs.enabled: false"
        )
        draft.problems.append(Problem(("post_combine_eval", "enabled"), message))
    _named_by_model(draft)
    research(draft, values)


def iterations(draft: ConfigDraft) -> tuple[Key, Any] | None:
    """Return the key and the value of the old setting for judge iterations, if there is one."""
    data = draft.main.data
    for key in (("eval", "iterations"), ("eval_iterations",), ("eval_config", "iterations")):
        value: Any = data
        for part in key:
            value = value.get(part) if isinstance(value, dict) else None
        if value is not None:
            return key, value
    return None


def _named_by_model(draft: ConfigDraft) -> None:
    """Complete judges of combined candidates that are named by the model of another judge."""
    section = draft.data.get("playoffs")
    judges = section.get("judges") if isinstance(section, dict) else None
    if not isinstance(section, dict) or not isinstance(judges, list):
        return
    others = draft.data.get("judges")
    known = {
        one.get("model"): one
        for one in (others if isinstance(others, list) else [])
        if isinstance(one, dict)
    }
    found = []
    for index, name in enumerate(judges):
        if not isinstance(name, str):
            found.append(name)
            continue
        if name not in known:
            key: Key = ("playoffs", "judges", index)
            own = draft.sources.get(("playoffs", "judges"), ("playoffs", "judges"))
            message = f"{dotted((*own, index))}: no judge has the model {name}; give its provider"
            draft.problems.append(Problem(key, message))
            continue
        found.append({part: known[name][part] for part in ("provider", "model")})
    section["judges"] = found


def research(draft: ConfigDraft, values: dict[str, Any]) -> None:
    """Copy the options of a type to each of its entries that has none."""
    entries = draft.data.get("runs")
    used = set()
    for index, entry in enumerate(entries if isinstance(entries, list) else []):
        for old, (name, types) in _OPTIONS.items():
            if old not in values or not isinstance(entry, dict) or entry.get("type") not in types:
                continue
            used.add(old)
            options = entry.setdefault("research", {})
            if isinstance(options, dict) and options.get(name) is None:
                options[name] = values[old]
                draft.sources["runs", index, "research", name] = tuple(old.split("."))
    draft.notes.extend(
        f"{old} has no effect: no entry is of type {' or '.join(_OPTIONS[old][1])}"
        for old in _OPTIONS
        if old in values and old not in used
    )
