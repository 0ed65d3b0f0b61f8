"""The programs that write candidates in processes of their own, if they are installed here."""

import os
from collections.abc import Mapping
from pathlib import Path

from acm_workers.errors import RequestError
from acm_workers.generators.children import installation
from acm_workers.generators.children.installation import Installation

VARIABLE = "ACM_GPTR_ENVIRONMENT"
"""As in ``Settings``; a config is checked with an environment that may not be this process's."""


def installed(kind: str, environ: Mapping[str, str] = os.environ) -> Installation:
    """Return the installation that children of a kind run in.

    Raises:
        RequestError: It is not there, or cannot be used.
    """
    named = environ.get(VARIABLE, "").strip()
    found = installation.of(Path(named) if named else None)
    problem = found.problem()
    if problem is not None:
        raise RequestError(f"type {kind}: {problem}")
    return found
