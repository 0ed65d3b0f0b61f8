"""Default judges for configs without judges: one for each provider whose key is set."""

from collections.abc import Mapping

from acm_api.config.draft import ConfigDraft
from acm_workers.providers.catalog import default_judges
from acm_workers.providers.catalog.default_judges import DefaultJudge
from schemas.config.provider import KNOWN


def choose(draft: ConfigDraft, environ: Mapping[str, str]) -> None:
    """Add default judges to a draft without judges.

    If no key is set, the providers that write also judge, since their keys are needed in any case.
    """
    if draft.data.get("judges") is not None or ("judges",) in draft.sources:
        return
    with_key = {
        one.provider: f"{variable} is set"
        for one in default_judges.listed()
        if (variable := _variable(draft, one.provider)) and environ.get(variable, "").strip()
    }
    found = _chosen(with_key) or _chosen(dict.fromkeys(_writing(draft), "it writes as well"))
    draft.data["judges"] = [{"provider": one.provider, "model": one.model} for one in found]
    if not found:
        return  # refused with the advice to set a key
    draft.labels[("judges",)] = "default judges: none are named"
    reasons = with_key or dict.fromkeys(_writing(draft), "it writes as well")
    named = ", ".join(f"{one.provider}:{one.model} ({reasons[one.provider]})" for one in found)
    draft.notes.append(f"judges: none are named, so the default ones judge: {named}")


def variables() -> list[str]:
    """Return the environment variables of keys that add a default judge."""
    return [KNOWN[one.provider].key_env or "" for one in default_judges.listed()]


def _chosen(reasons: Mapping[str, str]) -> list[DefaultJudge]:
    fitting = [one for one in default_judges.listed() if one.provider in reasons]
    return [one for one in fitting if not one.last_resort] or fitting


def _variable(draft: ConfigDraft, provider: str) -> str | None:
    """Return the variable of a provider's key; None if the config redefines the provider."""
    own = draft.section("providers", provider)
    if _is_other(draft, provider):
        return None
    found = own.get("key_env", KNOWN[provider].key_env)
    return found if isinstance(found, str) else None


def _writing(draft: ConfigDraft) -> list[str]:
    """Return the built-in providers that write."""
    named = [run.get("provider") for _, run in draft.entries(("runs",))]
    return [name for name in KNOWN if name in named and not _is_other(draft, name)]


def _is_other(draft: ConfigDraft, provider: str) -> bool:
    """Return whether the config uses a built-in provider's name for another kind of server."""
    dialect = draft.section("providers", provider).get("dialect", KNOWN[provider].dialect)
    return bool(dialect != KNOWN[provider].dialect)
