"""Entries of old configs: presets, lists with gaps, other names of providers."""

from typing import Any

from acm_api.config import evaluator, old_settings
from acm_api.config.draft import ConfigDraft
from acm_api.config.source import Key, dotted

PRESET_LIMITS = (
    "FAST_TOKEN_LIMIT", "SMART_TOKEN_LIMIT", "STRATEGIC_TOKEN_LIMIT", "BROWSE_CHUNK_MAX_LENGTH",
    "SUMMARY_TOKEN_LIMIT", "TEMPERATURE", "MAX_SEARCH_RESULTS_PER_QUERY", "MAX_SUBTOPICS",
)  # fmt: skip
"""Limits of GPT Researcher in a preset that have no equivalent in ACM."""

_PRESET_MARKS = frozenset(
    {"runs", "enable", "iterations_default", "input_folder", "output_folder", *PRESET_LIMITS}
    | old_settings.RESEARCH
)
_ENABLE = ("fpf", "gptr", "dr", "ma", "evaluation", "pairwise")
_FPF_PRESET = frozenset({"grounding", "google", "reasoning", "web_search"})
_CHILDREN = ("gptr", "dr", "ma")
_EFFORTS = {"minimal": "low"}


def presets(data: dict[str, Any]) -> list[str]:
    """Return the names of presets in a file of presets; empty for a config."""
    if not data or not all(isinstance(value, dict) for value in data.values()):
        return []
    marked = [name for name, value in data.items() if _PRESET_MARKS & value.keys()]
    return list(data) if len(marked) == len(data) else []


def take_list_entries(draft: ConfigDraft, key: Key, entries: list[Any]) -> list[Any]:
    """Return a list without empty entries, and record the original places of the entries."""
    kept = [index for index, entry in enumerate(entries) if entry is not None]
    if len(kept) < len(entries):
        draft.notes.append(f"{dotted(key)}: empty entries are left out")
        own = draft.sources.get(key, key)
        draft.sources.update({(*key, new): (*own, old) for new, old in enumerate(kept)})
    return [entries[index] for index in kept]


def translate(draft: ConfigDraft, values: dict[str, Any]) -> None:
    """Translate entries of ``runs`` and of lists of models.

    Args:
        draft: Draft of a config whose other keys are translated.
        values: The first version's values by dotted name.
    """
    _more_models(draft, values.get("additional_models"))
    for key in (("runs",), ("judges",), ("pairwise", "judges"), ("playoffs", "models")):
        section = draft.section(*key[:-1])
        if not isinstance(section.get(key[-1]), list):
            continue
        entries = take_list_entries(draft, key, section[key[-1]])
        if key != ("runs",):
            entries = [_named_model(entry) for entry in entries]
        section[key[-1]] = entries
        for index, entry in enumerate(entries):
            # FilePromptForge has names of its own.
            if isinstance(entry, dict) and entry.get("engine") != "external":
                _provider(draft, (*key, index), entry)
    _iterations_by_type(draft)
    _enabled(draft, values.get("enable"))
    _fpf_preset(draft)


def _more_models(draft: ConfigDraft, more: Any) -> None:
    """Add the models that were listed outside of ``runs``."""
    runs = draft.data.get("runs")
    if not more or not isinstance(more, list):
        return
    runs = draft.data.setdefault("runs", []) if runs is None else runs
    for index, entry in enumerate(more):
        key = ("additional_models", index)
        entry = _named_model(entry)
        if not isinstance(entry, dict) or not isinstance(runs, list):
            message = f"{dotted(key)} must have a provider and a model"
            draft.problem(key, message)
            continue
        draft.sources["runs", len(runs)] = key
        runs.append({"type": "fpf", **entry})


def _named_model(entry: Any) -> Any:
    """Convert ``provider:model`` to a mapping; return other values unchanged."""
    if not isinstance(entry, str) or ":" not in entry:
        return entry
    provider, _, model = entry.partition(":")
    return {"provider": provider, "model": model}


def _provider(draft: ConfigDraft, key: Key, entry: dict[str, Any]) -> None:
    """Set ACM's name of the provider; the default is OpenAI or the model's provider."""
    if entry.get("provider") is None and entry.get("type") in _CHILDREN:
        prefix, colon, model = str(entry.get("model", "")).partition(":")
        entry["provider"] = prefix if colon and model else "openai"
        entry["model"] = model if colon and model else entry.get("model")
        draft.notes.append(f"{dotted(key)}: no provider is named; it is {entry['provider']}")
    if "provider" not in entry:
        return
    known = evaluator.provider_name(entry["provider"], draft)
    if known != entry["provider"]:
        draft.notes.append(f"{dotted(key)}: provider {entry['provider']} is {known} here")
        entry["provider"] = known


def _iterations_by_type(draft: ConfigDraft) -> None:
    for name in ("fpf", *_CHILDREN):
        give_iterations(draft, "runs", ("iterations", name), name)


def give_iterations(draft: ConfigDraft, section: str, key: Key, only: str | None = None) -> None:
    """Copy the count at a key of an old config to the entries of a section without a count.

    Args:
        section: A list of the draft.
        key: Key of the count in the file.
        only: Type of the entries that get the count.
    """
    value: Any = draft.main.data
    for part in key:
        value = value.get(part) if isinstance(value, dict) else None
    for at, entry in draft.entries((section,)) if value is not None else ():
        if entry.get("iterations") is None and only in (None, entry.get("type")):
            entry["iterations"] = value
            draft.sources[*at, "iterations"] = key


def judge_iterations(draft: ConfigDraft) -> None:
    """Copy the first count of judge iterations in a config to judges without a count."""
    for key in (("eval", "iterations"), ("eval_iterations",), ("eval_config", "iterations")):
        give_iterations(draft, "judges", key)


def _enabled(draft: ConfigDraft, enable: Any) -> None:
    """Remove the runs that a preset disables."""
    if not isinstance(enable, dict):
        return
    for name, value in enable.items():
        if name not in _ENABLE or not isinstance(value, bool | None):
            message = f"enable.{name} must be one of {', '.join(_ENABLE)}, and true or false"
            draft.problem(("enable", name), message)
    runs = draft.data.get("runs")
    off = [name for name in ("fpf", *_CHILDREN) if enable.get(name) is False]
    if not isinstance(runs, list) or not off:
        return
    kept = [
        index
        for index, entry in enumerate(runs)
        if not (isinstance(entry, dict) and entry.get("type") in off)
    ]
    if len(kept) < len(runs):
        draft.notes.append(f"enable: {', '.join(off)} is switched off, so its runs are left out")
    sources = {new: draft.sources.get(("runs", old), ("runs", old)) for new, old in enumerate(kept)}
    draft.sources.update({("runs", new): own for new, own in sources.items()})
    draft.data["runs"] = [runs[index] for index in kept]


def _fpf_preset(draft: ConfigDraft) -> None:
    """Apply a preset's options of FilePromptForge to the runs of its type."""
    section = draft.data.get("fpf")
    if not isinstance(section, dict) or not section.keys() <= _FPF_PRESET:
        return
    del draft.data["fpf"]
    reasoning, google = section.get("reasoning"), section.get("google")
    effort = reasoning.get("effort") if isinstance(reasoning, dict) else None
    most = google.get("max_tokens") if isinstance(google, dict) else None
    for key, entry in draft.entries(("runs",)):
        if entry.get("type") != "fpf":
            continue
        if effort is not None and entry.get("effort") is None:
            entry["effort"] = _EFFORTS.get(effort, effort)
            draft.sources[*key, "effort"] = ("fpf", "reasoning", "effort")
        if entry.get("provider") == "google" and most is not None and "max_tokens" not in entry:
            entry["max_tokens"] = most
            draft.sources[*key, "max_tokens"] = ("fpf", "google", "max_tokens")
    found = [f"fpf.{name}" for name in ("grounding", "web_search") if section.get(name)]
    if found:
        draft.notes.append(f"accepted, without effect in this version: {', '.join(found)}")
