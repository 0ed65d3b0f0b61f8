"""Runs all checks of a config in order."""

import os
from collections.abc import Mapping
from datetime import UTC, datetime

from acm_api.config import (
    batch_checks,
    forge_checks,
    judging_checks,
    model_checks,
    provider_checks,
    research_checks,
    text_checks,
    text_schemas,
)
from acm_api.config.draft import MODE, ConfigDraft
from schemas.config.config import Config


def check(
    draft: ConfigDraft,
    config: Config,
    environ: Mapping[str, str] | None,
    at: datetime | None,
    *,
    writes: bool,
    keys: provider_checks.Keys,
) -> None:
    """Add problems and notes about ``config`` to its draft; arguments as in ``loading.load``."""
    environ = os.environ if environ is None else environ
    at = at or datetime.now(UTC)
    here = keys != "workers"
    no_judges_by = draft.sources.get(("judges",))  # the key that left it without judges, if any
    scored = no_judges_by != MODE and not draft.judging_is_off
    sound = provider_checks.with_addresses(config)
    draft.problems.extend(
        [
            *provider_checks.problems(config, environ, writes=writes, keys=keys),
            *(text_schemas.problems(config) if writes else ()),
            *judging_checks.problems(config, scored=scored, compared=no_judges_by == MODE),
            *(research_checks.problems(config, environ, here=here) if writes else ()),
            *(forge_checks.problems(config, environ, here=here) if writes else ()),
            *text_checks.problems(config, here=here),
            *model_checks.problems(sound, at, writes=writes),
            *batch_checks.problems(sound, at, writes=writes),
        ]
    )
    if draft.problems:
        return
    draft.notes.extend(
        [
            *judging_checks.notes(config, draft.data),
            *provider_checks.notes(config, environ, writes=writes, keys=keys),
            *model_checks.notes(config, at, writes=writes),
            *batch_checks.notes(config),
            *(forge_checks.notes(config) if writes else ()),
            *text_checks.notes(config),
        ]
    )
