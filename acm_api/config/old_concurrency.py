"""Translates the first version's limits on concurrent research programs."""

from typing import Any

from acm_api.config.draft import ConfigDraft, Problem
from acm_api.config.source import Key

_MOST = {"gpt_researcher": "max_concurrent_reports", "multi_agent": "max_concurrent_runs"}
_USUAL = 4
"""Default number of concurrent children if only a policy sets a limit."""


def translate(draft: ConfigDraft, values: dict[str, Any]) -> None:
    """Add limits on child processes to a draft, within the bounds enforced by policies.

    Args:
        values: Values of the first version's sections, by dotted name.
    """
    section = values.get("concurrency")
    if not isinstance(section, dict):
        section = {}
    found: dict[str, Any] = {}
    if isinstance(section.get("fpf"), dict):
        found["fpf"] = section["fpf"]
    for part in _MOST:
        limits = _limits(draft, values, part)
        if limits:
            found[part] = limits
    if found:
        draft.data["concurrency"] = found


def _limits(draft: ConfigDraft, values: dict[str, Any], part: str) -> dict[str, Any]:
    """Return the limits of one kind of research, and record the origin of each limit."""
    name, old = f"concurrency.{part}", _MOST[part]
    most, former = values.get(f"{name}.max_in_flight"), values.get(f"{name}.{old}")
    delay, enabled = values.get(f"{name}.launch_delay_seconds"), values.get(f"{name}.enabled")
    source: Key = ("concurrency", part, "max_in_flight")
    if most is not None and former is not None:
        message = f"{name}.{old} and {name}.max_in_flight say the same thing; keep one of them"
        draft.problem(("concurrency", part, old), message)
    elif enabled is not None and not isinstance(enabled, bool):
        message = f"{name}.enabled must be true or false, not {enabled!r}"
        draft.problem(("concurrency", part, "enabled"), message)
    elif enabled is False or (former is not None and enabled is None):
        most, source = 1, ("concurrency", part, "enabled" if enabled is False else old)
        why = "is false" if enabled is False else "is not set"
        draft.notes.append(f"{name}.enabled {why}: one at a time, as in the first version")
    elif former is not None:
        most, source = former, ("concurrency", part, old)
    policy = f"policies.concurrency.{part}"
    if isinstance(values.get(policy), dict) and values.get(f"{policy}.enforce") is not True:
        draft.notes.append(f"{policy} has no effect: enforce is not true")
    elif isinstance(values.get(policy), dict):
        cap = _number(draft, values, f"{policy}.{old}_cap")
        least = _number(draft, values, f"{policy}.launch_delay_seconds_min")
        if cap is not None and _is_above(_USUAL if most is None else most, cap):
            most, source = cap, (*policy.split("."), f"{old}_cap")
            draft.notes.append(f"{name}: at most {cap} at once, as {policy} demands")
        if least is not None and _is_above(least, 1.0 if delay is None else delay):
            delay = least
            draft.sources["concurrency", part, "launch_delay_seconds"] = (
                *policy.split("."), "launch_delay_seconds_min"
            )  # fmt: skip
            draft.notes.append(f"{name}: {least:g} s between two starts, as {policy} demands")
    if most is not None:
        draft.sources["concurrency", part, "max_in_flight"] = source
    limits = {"max_in_flight": most, "launch_delay_seconds": delay}
    return {key: value for key, value in limits.items() if value is not None}


def _is_above(value: Any, bound: Any) -> bool:
    """Return whether a value is above a bound; False for values that are not numbers."""
    return isinstance(value, int | float) and isinstance(bound, int | float) and value > bound


def _number(draft: ConfigDraft, values: dict[str, Any], name: str) -> Any:
    """Return a number of a policy; add a problem if it is not a number."""
    value = values.get(name)
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        return value
    draft.problems.append(
        Problem(tuple(name.split(".")), f"{name} must be a number, not {value!r}")
    )
    return None
