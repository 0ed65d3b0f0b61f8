"""The config of a task with calls to models: judges, providers, prices, limits and budget."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from acm_api.config import judging_texts
from acm_api.config.judging_texts import TextsToJudge
from acm_api.config.provider_checks import Keys
from acm_workers.errors import RequestError
from acm_workers.providers.catalog import capabilities
from acm_workers.settings import Settings
from schemas.config.config import Config
from schemas.submissions import SubmissionTask


def load(task: SubmissionTask, file: Path | None, settings: Settings) -> Config:
    """Return the checked config of a task's models.

    Args:
        file: A config; if absent, one judge of each provider whose key is set.

    Raises:
        RequestError: The first problem, with all other problems in ``more``.
    """
    keys: Keys = "here" if settings.broker_url is None else "workers"
    folder = Path.cwd() if file is None else file.absolute().parent
    # A config has judges; where none are asked, the debugger's model stands in their place.
    debugger = None if task.evaluator.kind == "judge" else task.debugger
    asked = TextsToJudge(
        folders=[folder],
        names=["submissions"],
        config=file,
        judges=None if debugger is None else debugger.model,
        writers=_writers(task),
        what="acm submissions",
    )
    config = judging_texts.load(asked, keys=keys).config
    used = {(one.provider, one.model) for one in config.judges}
    used |= {(one.provider, one.model) for one in config.writers}
    for provider, model in sorted(used):
        if capabilities.of(config.providers[provider], model).background:
            raise RequestError(
                f"{provider}:{model} answers in the background, which submissions do not wait for",
                f"task {task.key}",
            )
    return config


def _writers(task: SubmissionTask) -> list[Mapping[str, Any]]:
    if task.debugger is None or task.debugger.model is None:
        return []
    provider, _, model = task.debugger.model.partition(":")
    return [{"type": "fpf", "provider": provider, "model": model}]
