"""The checks of a candidate's text, executed in the process that wrote the text."""

from acm_workers.checks import evaluation
from acm_workers.checks.function import FunctionHost
from acm_workers.engine.worker_runtime import WorkerRuntime
from acm_workers.runtime import Runtime
from schemas.config.config import Config
from schemas.submissions import Isolation
from schemas.units import CheckResult


def results(live: Runtime, config: Config, text: str) -> list[CheckResult]:
    """Return the results of a config's checks on a text; empty without checks."""
    # Configs of a worker's runs come from other machines, perhaps from other people.
    weakest: Isolation = "unshare" if isinstance(live, WorkerRuntime) else "rlimits"
    return evaluation.results(text, config.checks, FunctionHost(live.work_folders, weakest))
