"""Configs of the first version: its keys become ours."""

from typing import Any

from acm_api.config import draft as drafts
from acm_api.config.draft import Draft, Problem
from acm_api.config.nearest import hint
from acm_api.config.source import Key, dotted

_LOG = ("console_level", "file_level", "forward_subprocess_output")
_REPORTS = ("enabled", "max_concurrent_reports", "launch_delay_seconds")
_RUNS = ("enabled", "max_concurrent_runs", "launch_delay_seconds")
_CAPS = ("enforce", "max_concurrent_reports_cap", "launch_delay_seconds_min")
_RUN_CAPS = ("enforce", "max_concurrent_runs_cap", "launch_delay_seconds_min")
_PARTS = ("gpt_researcher", "multi_agent")

_SECTIONS: dict[str, tuple[str, ...]] = {
    "acm": ("log",),
    "acm.log": _LOG,
    "combine": ("enabled", "models"),
    "concurrency": _PARTS,
    "concurrency.gpt_researcher": _REPORTS,
    "concurrency.multi_agent": _RUNS,
    "eval": (
        "auto_run", "streaming_single_eval", "output_directory", "export_directory", "config_path",
        "iterations", "pairwise_top_n", "mode", "judges", "log", "playoffs",
    ),
    "eval.log": _LOG,
    "eval.playoffs": ("enabled", "top_n"),
    "iterations": ("fpf", "gptr", "dr", "ma"),
    "policies": ("concurrency", "providers"),
    "policies.concurrency": _PARTS,
    "policies.concurrency.gpt_researcher": _CAPS,
    "policies.concurrency.multi_agent": _RUN_CAPS,
}  # fmt: skip

_WITHOUT_EFFECT = (
    "acm.log", "additional_models", "concurrency", "eval.config_path", "eval.export_directory",
    "eval.log", "eval.output_directory", "eval.playoffs.top_n", "eval.streaming_single_eval",
    "follow_guidelines", "iterations", "max_sections", "policies.concurrency",
)  # fmt: skip

_MOVED = {
    "eval.judges": "judges",
    "eval.pairwise_top_n": "pairwise.top_n",
    "eval.playoffs.enabled": "playoffs.enabled",
    "combine.enabled": "playoffs.enabled",
    "combine.models": "playoffs.models",
    "policies.providers": "policies.providers",
}

AUTO_RUN: Key = ("eval", "auto_run")
MODE: Key = ("eval", "mode")
"""Keys that may leave a config without judges that score."""

TOP_LEVEL = frozenset(
    {name.split(".")[0] for name in (*_SECTIONS, *_WITHOUT_EFFECT)} | {"iterations_default"}
)
"""Keys that a config may hold beside those of the effective config."""


def translate(data: dict[str, Any]) -> Draft:
    """Return ``data`` with the first version's keys in today's places; ``data`` stays as it is."""
    draft = drafts.start(data)
    old = {name: draft.data.pop(name) for name in TOP_LEVEL if name in draft.data}
    _refuse_unknown(draft, old)
    for name, target in _MOVED.items():
        value = drafts.get(old, _key(name))
        if value is not None:
            _move(draft, name, target, value)
    _iterations(draft, old.get("iterations_default"), "iterations_default", ("runs",))
    _iterations(draft, drafts.get(old, ("eval", "iterations")), "eval.iterations", ("judges",))
    _mode(draft, drafts.get(old, MODE))
    _auto_run(draft, drafts.get(old, AUTO_RUN))
    _jsonify(draft)
    draft.notes.extend(
        f"accepted, without effect in this version: {name}"
        for name in _WITHOUT_EFFECT
        if drafts.get(old, _key(name)) is not None
    )
    return draft


def _key(name: str) -> Key:
    return tuple(name.split("."))


def _refuse_unknown(draft: Draft, old: dict[str, Any]) -> None:
    for name, known in _SECTIONS.items():
        section = drafts.get(old, _key(name))
        if section is None:
            continue
        if not isinstance(section, dict):
            draft.problems.append(Problem(_key(name), f"{name} must be a mapping of keys"))
            continue
        for unknown in section.keys() - set(known):
            message = f"unknown key {unknown} in {name}{hint(unknown, known)}"
            draft.problems.append(Problem((*_key(name), unknown), message))


def _move(draft: Draft, name: str, target: str, value: Any) -> None:
    key = _key(target)
    if drafts.get(draft.data, key) is not None:
        other = dotted(draft.sources.get(key, key))
        message = f"{name} and {other} say the same thing; keep one of them"
        draft.problems.append(Problem(_key(name), message))
    else:
        drafts.put(draft, key, value, _key(name))


def _mode(draft: Draft, mode: Any) -> None:
    if mode in ("both", "single"):
        _move(draft, "eval.mode", "pairwise.enabled", mode == "both")
    elif mode == "pairwise":
        _move(draft, "eval.mode", "pairwise.enabled", True)
        _only_compare(draft)
    elif mode is not None:
        message = f"eval.mode must be both, single or pairwise, not {mode!r}"
        draft.problems.append(Problem(MODE, message))


def _only_compare(draft: Draft) -> None:
    """Let the judges compare, and nobody score."""
    judges = drafts.get(draft.data, ("judges",))
    if judges is not None and drafts.get(draft.data, ("pairwise", "judges")) is None:
        source = draft.sources.get(("judges",), ("judges",))
        drafts.put(draft, ("pairwise", "judges"), judges, source)
    drafts.put(draft, ("judges",), [], MODE)
    draft.notes.append("eval.mode is pairwise: candidates are compared, and not scored")


def _iterations(draft: Draft, count: Any, name: str, section: Key) -> None:
    """Give ``count`` to each entry of ``section`` that says nothing of its own."""
    if count is None:
        return
    for key, entry in drafts.entries(draft.data, section):
        if entry.get("iterations") is None:
            entry["iterations"] = count
            draft.sources[*key, "iterations"] = _key(name)


def _auto_run(draft: Draft, auto_run: Any) -> None:
    if auto_run is not None and not isinstance(auto_run, bool):
        message = f"eval.auto_run must be true or false, not {auto_run!r}"
        draft.problems.append(Problem(AUTO_RUN, message))
    if auto_run is not False:
        return
    for key in (("pairwise", "enabled"), ("playoffs", "enabled")):
        if drafts.get(draft.data, key) is True and key not in draft.sources:
            message = f"{dotted(key)} cannot be true while eval.auto_run is false"
            draft.problems.append(Problem(key, message))
        drafts.put(draft, key, False, AUTO_RUN)
    drafts.put(draft, ("judges",), [], AUTO_RUN)
    draft.notes.append("eval.auto_run is false: nothing is scored, compared or combined")


def _jsonify(draft: Draft) -> None:
    """Understand the section as llm-doc-eval wrote it: with a switch and another word."""
    section = draft.data.get("jsonify")
    if not isinstance(section, dict):
        return
    enabled, budget = section.pop("enabled", None), section.pop("max_output_tokens", None)
    if section.pop("temperature", None) is not None:
        draft.notes.append("accepted, without effect in this version: jsonify.temperature")
    if enabled is False:
        del draft.data["jsonify"]
    elif enabled is not None and enabled is not True:
        message = f"jsonify.enabled must be true or false, not {enabled!r}"
        draft.problems.append(Problem(("jsonify", "enabled"), message))
    elif budget is not None:
        _move(draft, "jsonify.max_output_tokens", "jsonify.max_tokens", budget)
