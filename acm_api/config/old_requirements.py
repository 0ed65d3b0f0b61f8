"""Implicit requirements of the first version: search, thinking, temperature."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from acm_api.config.draft import ConfigDraft
from acm_workers.providers.catalog import capabilities, json_modes
from acm_workers.providers.catalog.capabilities import Capabilities
from schemas.config.provider import Provider
from schemas.config.variant import RequiredEvidence

_OLD = frozenset({"eval", "combine", "iterations_default", "iterations", "follow_guidelines"})
"""Keys that identify a config of the first version."""

_OURS = frozenset(
    {"judges", "criteria", "criteria_file", "pairwise", "playoffs", "ranking", "policies", "skip"}
)
_TAVILY = "TAVILY_API_KEY"
_STRONGEST = (
    RequiredEvidence(grounding="searched", reasoning="tokens"),
    RequiredEvidence(grounding="searched"),
    RequiredEvidence(reasoning="tokens"),
)


def is_old(draft: ConfigDraft) -> bool:
    """Return whether a config belongs to the first version, without keys of this version."""
    keys = set(draft.main.data)
    policies = draft.main.data.get("policies")
    own = isinstance(policies, dict) and "providers" in policies
    return bool(keys & _OLD) and not keys & (_OURS - {"policies"}) and not own


def require(draft: ConfigDraft, environ: Mapping[str, str]) -> None:
    """Require search and thinking of the writers of an old config whose models support them.

    Args:
        draft: A completed draft.
        environ: Environment variables, for the key of the search service.
    """
    _drop_temperatures(draft)
    if not is_old(draft):
        return
    _retriever(draft, environ)
    if draft.data.get("one_file_only") is True:
        draft.notes.append(
            "one_file_only: the first version stopped after its first document; here it keeps one"
            " file of a result that has several, and all documents are worked on (`--only DOC`"
            " takes one)"
        )
    changed = []
    for key, entry in draft.entries(("runs",)):
        if entry.get("type") != "fpf" or entry.get("engine") == "external":
            continue
        able = _able(draft, entry)
        if able is None or not able.known or able.background or {"require", "effort"} & {*entry}:
            continue
        wanted = _reachable(able, str(entry["model"]))
        if wanted is not None:
            entry["require"] = wanted.model_dump(mode="json")
            draft.labels[*key, "require"] = "as the first version asked"
        if "high" in able.efforts:
            entry["effort"] = "high"
            draft.labels[*key, "effort"] = "as the first version asked"
        if wanted is not None or "effort" in entry:
            changed.append(f"{entry['provider']}:{entry['model']}")
    if changed:
        draft.notes.append(
            "the first version always asked models to search and to think: require and effort say"
            f" so for {', '.join(dict.fromkeys(changed))}; set them in runs to change that"
        )


def _retriever(draft: ConfigDraft, environ: Mapping[str, str]) -> None:
    """Use Tavily for research, as the first version did, if its key is set."""
    kinds = {run.get("type") for _, run in draft.entries(("runs",))}
    if draft.data.get("retriever") is not None or not kinds & {"gptr", "dr", "ma"}:
        return
    if environ.get(_TAVILY, "").strip():
        draft.data["retriever"] = {"type": "tavily", "key_env": _TAVILY}
        draft.labels[("retriever",)] = "as the first version searched"
        draft.notes.append(
            f"the first version searched with Tavily: retriever, as {_TAVILY} is set"
        )


def _reachable(able: Capabilities, model: str) -> RequiredEvidence | None:
    for wanted in _STRONGEST:
        if json_modes.unreachable(able, wanted, model) is None:
            return wanted
    return None


def _able(draft: ConfigDraft, entry: dict[str, Any]) -> Capabilities | None:
    own = draft.section("providers").get(str(entry.get("provider")))
    if not isinstance(own, dict) or not isinstance(entry.get("model"), str):
        return None
    try:
        return capabilities.of(Provider.model_validate(own), entry["model"])
    except ValidationError:
        return None  # which is reported later


def _drop_temperatures(draft: ConfigDraft) -> None:
    """Remove the default temperature of llm-doc-eval from judges whose models do not accept one."""
    for _, judge in draft.entries(("judges",), ("pairwise", "judges")):
        if judge.get("temperature") is None:
            continue
        able = _able(draft, judge)
        if _from_evaluator(draft) and able is not None and not able.sampling:
            del judge["temperature"]
            draft.notes.append(
                f"{judge['provider']}:{judge['model']} takes no temperature; it is left out"
            )


def _from_evaluator(draft: ConfigDraft) -> bool:
    places = [inner for _, inner in draft.mounts.values()] + list(draft.sources.values())
    return ("models",) in places
