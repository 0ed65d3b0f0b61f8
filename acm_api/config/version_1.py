"""Translates configs of the first version, and refuses keys that are not supported."""

import copy
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from acm_api.config import evaluator, old_concurrency, old_entries, old_settings
from acm_api.config.draft import AUTO_RUN, MODE, NOT_RUN, ConfigDraft, Problem
from acm_api.config.nearest import hint
from acm_api.config.source import Key, YamlFile, dotted
from acm_workers.errors import RequestError

_LOG = ("console_level", "file_level", "forward_subprocess_output")
_LIMITS = ("max_in_flight", "launch_delay_seconds")
_REPORTS = ("enabled", "max_concurrent_reports", *_LIMITS)
_RUNS = ("enabled", "max_concurrent_runs", *_LIMITS)
_CAPS = ("enforce", "max_concurrent_reports_cap", "launch_delay_seconds_min")
_RUN_CAPS = ("enforce", "max_concurrent_runs_cap", "launch_delay_seconds_min")
_PARTS = ("gpt_researcher", "multi_agent")

_SECTIONS: dict[str, tuple[str, ...]] = {
    "acm": ("log",),
    "acm.log": _LOG,
    "combine": ("enabled", "models", "instructions_file"),
    "concurrency": (*_PARTS, "fpf"),
    "concurrency.fpf": _LIMITS,
    "concurrency.gpt_researcher": _REPORTS,
    "concurrency.multi_agent": _RUNS,
    "eval": (
        "auto_run", "streaming_single_eval", "output_directory", "export_directory", "config_path",
        "iterations", "pairwise_top_n", "mode", "judges", "log", "playoffs",
        "combine_instructions_file",
    ),
    "eval.log": _LOG,
    "eval.playoffs": ("enabled", "top_n"),
    "iterations": ("fpf", "gptr", "dr", "ma"),
    "ma": ("max_sections",),
    "policies": ("concurrency", "providers"),
    "policies.concurrency": _PARTS,
    "policies.concurrency.gpt_researcher": _CAPS,
    "policies.concurrency.multi_agent": _RUN_CAPS,
    **old_settings.SECTIONS,
}  # fmt: skip

_WITHOUT_EFFECT = (
    "acm.log", "eval.export_directory", "eval.log",
    "eval.streaming_single_eval", *old_settings.WITHOUT_EFFECT, *old_entries.PRESET_LIMITS,
)  # fmt: skip

_MOVED = {
    "eval.judges": "judges",
    "eval.output_directory": "evaluation_folder",
    "eval.pairwise_top_n": "pairwise.top_n",
    "eval.playoffs.enabled": "playoffs.enabled",
    "combine.enabled": "playoffs.enabled",
    "combine.models": "playoffs.models",
    "combine.instructions_file": "playoffs.instructions_file",
    "combine_instructions_file": "playoffs.instructions_file",
    "eval.combine_instructions_file": "playoffs.instructions_file",
    "policies.providers": "policies.providers",
    **old_settings.MOVED,
}

_PATHS = (
    "input_folder", "output_folder", "winners_folder", "reports_folder", "instructions_file",
    "guidelines_file", "criteria_file", "evaluation_folder",
)  # fmt: skip

TOP_LEVEL = frozenset(
    {name.split(".")[0] for name in (*_SECTIONS, *_WITHOUT_EFFECT)}
    | old_settings.TOP_LEVEL
    | old_settings.RESEARCH
    | {"iterations_default", "additional_models", "enable", "combine_instructions_file"}
    | {*evaluator.OWN}
)
"""Top-level keys of a config, besides those of the effective config."""


class _Refusal(NamedTuple):
    """A rule that refuses values at a key.

    Attributes:
        pattern: Key of the values; ``*`` matches every entry of a list or mapping.
        values: The refused values; None refuses all.
        message: Message, in which ``{value}`` is replaced by the value.
    """

    pattern: str
    values: tuple[object, ...] | None
    message: str


_NO = "is not available in this version"

_UNSUPPORTED = (
    _Refusal(
        "runs.*.type", ("openaidp",), "openaidp is a provider: write type: fpf, provider: openaidp"
    ),
    _Refusal(
        "providers.*.dialect",
        ("simulated",),
        f"dialect {{value}} {_NO}; use openai_chat, openai, anthropic or google",
    ),
)


def translate(main: YamlFile, options: Mapping[Key, str] = MappingProxyType({})) -> ConfigDraft:
    """Return a draft of a file's values with keys of the first version translated.

    Args:
        main: The file, whose values are a mapping.
        options: Command-line options by the keys that they set.
    """
    data = {name: copy.deepcopy(value) for name, value in main.data.items() if value is not None}
    found = old_entries.presets(data)
    if found:
        message = (
            f"{main.path} holds presets ({', '.join(found)}) and no config: `acm init FOLDER --from"
            f" {main.path} --preset {found[0]}` makes one of a preset"
        )
        raise RequestError(message, str(main.path))
    if old_settings.is_of_forge(data):
        raise RequestError(
            f"{main.path} is a configuration of FilePromptForge: its provider and model are an"
            " entry of runs here, qps is requests_per_minute (60 × qps) of a provider; an entry"
            " with engine: external has FilePromptForge itself write, by that file",
            str(main.path),
        )
    old = {name: data.pop(name) for name in TOP_LEVEL if name in data}
    draft = ConfigDraft(data, main, options=options)
    draft.errors.extend(main.problems)
    values = _values(draft, old)
    if values.get("eval.pairwise_top_n") == 0:
        draft.notes.append("eval.pairwise_top_n is 0: all candidates are compared")
        del values["eval.pairwise_top_n"]
    for name, target in _MOVED.items():
        if name in values:
            _move(draft, name, target, values[name])
    old_settings.translate(draft, values)
    old_entries.translate(draft, values)
    old_settings.windows_paths(draft, _PATHS)
    old_concurrency.translate(draft, values)
    old_entries.give_iterations(draft, "runs", ("iterations_default",))
    old_entries.judge_iterations(draft)
    _mode(draft, values.get("eval.mode"))
    _playoffs_top_n(draft, values)
    _auto_run(draft, values, judged=bool(main.data.get("judges")))
    _jsonify(draft)
    draft.notes.extend(
        f"accepted, without effect in this version: {name}"
        for name in _WITHOUT_EFFECT
        if name in values
    )
    draft.problems.extend(unsupported(draft.data))
    return draft


def _values(draft: ConfigDraft, old: dict[str, Any]) -> dict[str, Any]:
    """Return the first version's values by dotted name; null counts as absent.

    Sections are included as values. A problem is added for each unknown key.
    """
    values = dict(old)
    for name, known in _SECTIONS.items():  # outer sections first
        section = values.get(name)
        if section is None:
            continue
        if not isinstance(section, dict):
            draft.problem(_key(name), f"{name} must be a mapping of keys")
            continue
        for key, value in section.items():
            if key not in known:
                message = f"unknown key {key} in {name}{hint(key, known)}"
                draft.problem((*_key(name), key), message)
            elif value is not None:
                values[f"{name}.{key}"] = value
    return values


def _key(name: str) -> Key:
    return tuple(name.split("."))


def _get(draft: ConfigDraft, name: str) -> Any:
    """Return the value at a dotted name; None if there is none."""
    value: Any = draft.data
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _put(draft: ConfigDraft, name: str, value: Any, source: Key) -> None:
    """Set the value at a dotted name; ``source`` is its key in the file.

    A section that is not a mapping is left unchanged and fails validation later.
    """
    section: Any = draft.data
    *outer, last = name.split(".")
    for part in outer:
        section = section.setdefault(part, {}) if isinstance(section, dict) else None
    if isinstance(section, dict):
        section[last] = value
        draft.sources[_key(name)] = source


def _move(draft: ConfigDraft, name: str, target: str, value: Any) -> None:
    if _get(draft, target) is None:
        _put(draft, target, value, _key(name))
        return
    other = dotted(draft.sources.get(_key(target), _key(target)))
    message = f"{name} and {other} say the same thing; keep one of them"
    draft.problem(_key(name), message)


def _mode(draft: ConfigDraft, mode: Any) -> None:
    if mode in ("both", "single"):
        _move(draft, "eval.mode", "pairwise.enabled", mode == "both")
    elif mode == "pairwise":
        _move(draft, "eval.mode", "pairwise.enabled", True)
        _only_compare(draft)
    elif mode == "config":
        draft.notes.append(
            "eval.mode is config: evaluation.mode of llm-doc-eval decides, else both"
        )
    elif mode is not None:
        message = f"eval.mode must be both, single or pairwise, not {mode!r}"
        draft.problem(MODE, message)


def _playoffs_top_n(draft: ConfigDraft, values: dict[str, Any]) -> None:
    """Add a note about the old number of candidates for the playoffs."""
    section = draft.data.get("playoffs")
    own = section.pop("top_n", None) if isinstance(section, dict) else None
    for name, value in (("eval.playoffs.top_n", values.get("eval.playoffs.top_n")),
                        ("playoffs.top_n", own)):  # fmt: skip
        if value is not None:
            draft.notes.append(
                f"{name} is without effect, as it was: the best two are combined;"
                f" playoffs.parents: {value} combines more of them"
            )


def _only_compare(draft: ConfigDraft) -> None:
    """Configure judges to compare without scoring."""
    judges = _get(draft, "judges")
    if judges is not None and _get(draft, "pairwise.judges") is None:
        source = draft.sources.get(("judges",), ("judges",))
        _put(draft, "pairwise.judges", judges, source)
    _put(draft, "judges", [], MODE)
    draft.notes.append("eval.mode is pairwise: candidates are compared, and not scored")


def _auto_run(draft: ConfigDraft, values: dict[str, Any], *, judged: bool) -> None:
    """Disable judging for configs that the first version did not judge.

    Args:
        judged: Whether the config names judges with current keys.
    """
    auto_run, enable = values.get("eval.auto_run"), values.get("enable")
    source, said = AUTO_RUN, "eval.auto_run is false"
    if auto_run is not None and not isinstance(auto_run, bool):
        message = f"eval.auto_run must be true or false, not {auto_run!r}"
        draft.problem(AUTO_RUN, message)
    if isinstance(enable, dict) and enable.get("evaluation") is False:
        source, said = ("enable", "evaluation"), "enable.evaluation is false"
    elif isinstance(enable, dict) and enable.get("pairwise") is False and auto_run is not False:
        _put(draft, "pairwise.enabled", False, ("enable", "pairwise"))
        return
    elif auto_run is None and isinstance(values.get("eval"), dict) and not judged:
        source, said = NOT_RUN, "eval has no auto_run: true"
    elif auto_run is not False:
        return
    for name in ("pairwise.enabled", "playoffs.enabled"):
        if _get(draft, name) is True and _key(name) not in draft.sources:
            message = f"{name} cannot be true while {said}"
            draft.problem(_key(name), message)
        _put(draft, name, False, source)
    _put(draft, "judges", [], source)
    draft.notes.append(f"{said}: nothing is scored, compared or combined")


def _jsonify(draft: ConfigDraft) -> None:
    """Translate the section in llm-doc-eval's form, with a switch and max_output_tokens."""
    section = draft.data.get("jsonify")
    if not isinstance(section, dict):
        return
    enabled, max_tokens = section.pop("enabled", None), section.pop("max_output_tokens", None)
    if section.pop("temperature", None) is not None:
        draft.notes.append("accepted, without effect in this version: jsonify.temperature")
    if enabled is False:
        del draft.data["jsonify"]
    elif enabled is not None and enabled is not True:
        message = f"jsonify.enabled must be true or false, not {enabled!r}"
        draft.problem(("jsonify", "enabled"), message)
    elif max_tokens is not None:
        _move(draft, "jsonify.max_output_tokens", "jsonify.max_tokens", max_tokens)


def unsupported(data: dict[str, Any]) -> list[Problem]:
    """Return a problem for each value that this version does not support."""
    return [
        Problem(key, entry.message.format(value=value))
        for entry in _UNSUPPORTED
        for key, value in _matches(data, tuple(entry.pattern.split(".")))
        if value is not None and (entry.values is None or _is_one_of(value, entry.values))
    ]


def _is_one_of(value: object, values: tuple[object, ...]) -> bool:
    # 1 equals True, and is refused elsewhere with a better message.
    return any(type(value) is type(refused) and value == refused for refused in values)


def _matches(data: Any, pattern: tuple[str, ...], key: Key = ()) -> Iterator[tuple[Key, Any]]:
    if not pattern:
        yield key, data
        return
    part, rest = pattern[0], pattern[1:]
    if isinstance(data, dict):
        for name in data if part == "*" else [part]:
            yield from _matches(data.get(name), rest, (*key, name))
    elif isinstance(data, list) and part == "*":
        for index, item in enumerate(data):
            yield from _matches(item, rest, (*key, index))
