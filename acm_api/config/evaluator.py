"""Configs of llm-doc-eval: judges, criteria and limits, from a separate file or from the config."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from acm_api.config import criteria, old_settings, source
from acm_api.config.draft import ConfigDraft
from acm_api.config.nearest import hint
from acm_api.config.source import Key, YamlFile
from acm_workers.errors import RequestError
from schemas.config.provider import KNOWN

SECTIONS: dict[str, tuple[str, ...]] = {
    "fpf": ("path",),
    "llm_api": ("max_concurrent_llm_calls", "timeout_seconds"),
    "retries": ("attempts", "base_delay_seconds", "max_delay_seconds", "jitter"),
    "judge_defaults": ("temperature", "max_tokens", "enable_grounding"),
    "models": (),
    "single_doc_eval": ("trial_count", "criteria_file", "enable_grounding"),
    "pairwise_eval": ("trial_count", "criteria_file", "enable_grounding"),
    "evaluation": ("mode",),
    "jsonify": ("enabled", "provider", "model", "temperature", "max_output_tokens"),
    "logging": ("level",),
}
OWN = ("llm_api", "judge_defaults", "models", "single_doc_eval", "pairwise_eval", "evaluation")
"""Sections that only this kind of config has; a config may also contain them directly."""


_ALIASES = {
    "gemini": "google",
    "google_genai": "google",
    "openrouter-openai": "openrouter",
    "openai-deep-research": "openaidp",
}


class _Origin(NamedTuple):
    """The origin of values; ``file`` is None for the config itself."""

    draft: ConfigDraft
    data: Mapping[str, Any]
    file: YamlFile | None

    def section(self, name: str) -> dict[str, Any]:
        value = self.data.get(name)
        return value if isinstance(value, dict) else {}

    def get(self, *key: str) -> Any:
        return self.section(key[0]).get(key[1])

    def put(self, target: Key, value: Any, inner: Key) -> None:
        """Set a missing value of the draft; ``inner`` is its key in the original config."""
        section: Any = self.draft.data
        for part in target[:-1]:
            if isinstance(section, dict) and section.get(part) is None:
                section[part] = {}
            section = section[part] if isinstance(section, dict) else None
        if not isinstance(section, dict) or section.get(target[-1]) is not None:
            return
        section[target[-1]] = value
        if self.file is None:
            self.draft.sources[target] = inner
        else:
            self.draft.mounts[target] = (self.file, inner)

    def place(self, target: Key, names: list[str]) -> None:
        """Record the entry of ``models`` from which each judge of a list was made."""
        for index, name in enumerate(names):
            if self.file is None:
                self.draft.sources[*target, index] = ("models", name)
            else:
                self.draft.mounts[*target, index] = (self.file, ("models", name))

    def problem(self, inner: Key, message: str) -> None:
        if self.file is None:
            self.draft.problem(inner, message)
            return
        line = self.file.line(inner)
        place = self.file.path if line is None else f"{self.file.path}:{line}"
        self.draft.errors.append(RequestError(message, str(place)))


def provider_name(name: Any, draft: ConfigDraft) -> Any:
    """Return ACM's name of a provider for its name in an older program."""
    own = draft.data.get("providers")
    if not isinstance(name, str) or (isinstance(own, dict) and name in own):
        return name
    return _ALIASES.get(name, name)


def apply(draft: ConfigDraft, folder: Path) -> None:
    """Take judges, criteria and limits from sections or a file of llm-doc-eval.

    Args:
        draft: The translated draft.
        folder: Folder that paths are relative to.
    """
    data = draft.main.data
    own = {name: data[name] for name in OWN if data.get(name) is not None}
    if own:
        _apply(_Origin(draft, own, None), folder)
    section = data.get("eval")
    path = section.get("config_path") if isinstance(section, dict) else None
    if path is None or draft.judging_is_off:
        return
    if not isinstance(path, str):
        draft.problem(("eval", "config_path"), "eval.config_path must be the path of a file")
        return
    written, why = old_settings.path(path)
    if why is not None:
        draft.problem(("eval", "config_path"), f"eval.config_path: {why}")
        return
    apply_file(draft, folder / Path(written).expanduser())


def apply_file(draft: ConfigDraft, path: Path, *, required: bool = False) -> None:
    """Translate a config of llm-doc-eval.

    Args:
        draft: Draft to which the values are added.
        path: Path of the config.
        required: Whether a missing file is an error; otherwise a note is added.
    """
    if not required and not path.exists():
        draft.notes.append(f"eval.config_path: {path} does not exist, so it names no judges")
        return
    with draft.collecting():
        file = source.read_yaml(path)
        if not isinstance(file.data, dict):
            raise RequestError("a config must be a mapping of keys", f"{path}:1")
        _apply(_Origin(draft, file.data, file), path.parent)


def _apply(origin: _Origin, folder: Path) -> None:
    _unknown(origin)
    if origin.file is not None and isinstance(origin.data.get("providers"), dict):
        origin.put(("providers",), origin.data["providers"], ("providers",))
    _judges(origin)
    _criteria(origin, folder)
    _limits(origin)
    for name in ("attempts", "base_delay_seconds", "max_delay_seconds"):
        value = origin.get("retries", name)
        if origin.file is not None and value:
            origin.put(("retries", name), value, ("retries", name))
    trials = origin.get("pairwise_eval", "trial_count")
    if trials is not None:
        origin.put(("pairwise", "iterations"), trials, ("pairwise_eval", "trial_count"))
    if origin.file is not None and origin.section("jsonify").get("enabled") is not False:
        jsonify = origin.section("jsonify")
        renamed = {"provider": provider_name(jsonify.get("provider"), origin.draft)}
        renamed |= {"model": jsonify.get("model"), "max_tokens": jsonify.get("max_output_tokens")}
        if jsonify:
            values = {name: value for name, value in renamed.items() if value is not None}
            origin.put(("jsonify",), values, ("jsonify",))
    origin.draft.notes.extend(_without_effect(origin))


def _unknown(origin: _Origin) -> None:
    for name, value in origin.data.items():
        if name == "providers" and origin.file is not None:
            continue  # ours, for servers that llm-doc-eval did not know
        if name not in SECTIONS:
            origin.problem((name,), f"unknown key {name}{hint(name, SECTIONS)}")
        elif value is None:
            continue
        elif not isinstance(value, dict):
            origin.problem((name,), f"{name} must be a mapping of keys")
        elif name != "models":
            for key in value.keys() - {*SECTIONS[name]}:
                message = f"unknown key {key} in {name}{hint(key, SECTIONS[name])}"
                origin.problem((name, key), message)


def _without_effect(origin: _Origin) -> Iterator[str]:
    """Yield the keys that have no effect, as in llm-doc-eval."""
    where = "" if origin.file is None else f"{origin.file.path.name}: "
    found = [
        f"{name}.{key}"
        for name, key in (
            ("fpf", "path"),
            ("llm_api", "timeout_seconds"),
            ("retries", "jitter"),
            ("jsonify", "temperature"),
            ("logging", "level"),
        )
        if origin.file is not None or name in OWN
        if origin.get(name, key) not in (None, "")
    ]
    if found:
        yield f"{where}accepted, without effect in this version: {', '.join(found)}"


def _judges(origin: _Origin) -> None:
    draft = origin.draft
    models = origin.section("models")
    if not models or draft.judging_is_off:
        return
    found, compare, names = [], [], list[str]()
    for name, entry in models.items():
        key = ("models", name)
        if not isinstance(entry, dict):
            origin.problem(key, f"models.{name} must have a provider and a model")
            continue
        for unknown in entry.keys() - {"provider", "model", "temperature", "max_tokens"}:
            origin.problem((*key, unknown), f"unknown key {unknown} in models.{name}")
        judge = _judge(origin, entry)
        names.append(name)
        found.append(judge | _grounding(origin, "single_doc_eval"))
        compare.append(judge | _grounding(origin, "pairwise_eval"))
    mode = origin.get("evaluation", "mode")
    if mode not in (None, "single", "pairwise", "both", "config"):
        message = f"evaluation.mode must be both, single or pairwise, not {mode!r}"
        origin.problem(("evaluation", "mode"), message)
    if not found:
        return
    if draft.data.get("judges"):
        place = "models" if origin.file is None else str(origin.file.path)
        draft.notes.append(f"the judges of {place} are not used: the config names others")
        return
    only_compare = mode == "pairwise" or ("judges",) in draft.sources
    if mode in ("single", "pairwise") and "pairwise" not in draft.data:
        origin.put(("pairwise", "enabled"), mode == "pairwise", ("evaluation", "mode"))
    if compare != found or only_compare:
        origin.place(("pairwise", "judges"), names)
        origin.put(("pairwise", "judges"), compare, ("models",))
    if only_compare:
        draft.data["judges"] = []
        draft.sources[("judges",)] = ("eval", "mode")
    else:
        draft.data.pop("judges", None)
        origin.place(("judges",), names)
        origin.put(("judges",), found, ("models",))


def _judge(origin: _Origin, entry: dict[str, Any]) -> dict[str, Any]:
    judge: dict[str, Any] = {
        name: value for name, value in entry.items() if name in ("provider", "model")
    }
    if "provider" in judge:
        judge["provider"] = provider_name(judge["provider"], origin.draft)
    for name in ("temperature", "max_tokens"):
        value = entry.get(name, origin.get("judge_defaults", name))
        if value is not None:
            judge[name] = value
    trials = origin.get("single_doc_eval", "trial_count")
    if trials is not None:
        judge["iterations"] = trials
    return judge


def _grounding(origin: _Origin, mode: str) -> dict[str, Any]:
    wanted = origin.get(mode, "enable_grounding")
    if wanted is None:
        wanted = origin.get("judge_defaults", "enable_grounding")
    return {"require": {"grounding": "searched"}} if wanted is True else {}


def _criteria(origin: _Origin, folder: Path) -> None:
    """Read the criteria file, with a scale from 1 to 5 unless the file sets another scale."""
    draft = origin.draft
    if {"criteria", "criteria_file"} & draft.data.keys():
        return
    names = [
        name
        for section in ("single_doc_eval", "pairwise_eval")
        if isinstance(name := origin.get(section, "criteria_file"), str) and name.strip()
    ]
    if not names and origin.file is not None and (folder / "criteria.yaml").exists():
        names = ["criteria.yaml"]
    if not names:
        return
    with draft.collecting():
        criteria.mount(draft, source.read_yaml(folder / names[0].replace("\\", "/")))
        criteria.scale_of_llm_doc_eval(draft)


def _limits(origin: _Origin) -> None:
    """Allow the judges' providers as many calls in flight as llm-doc-eval allowed in total."""
    most = origin.get("llm_api", "max_concurrent_llm_calls")
    if most is None:
        return
    providers = origin.draft.data.get("providers")
    known = {*KNOWN, *(providers if isinstance(providers, dict) else ())}
    inner = ("llm_api", "max_concurrent_llm_calls")
    for entry in origin.section("models").values():
        provider = entry.get("provider") if isinstance(entry, dict) else None
        name = provider_name(provider, origin.draft)
        if name in known:
            origin.put(("providers", name, "max_in_flight"), most, inner)
