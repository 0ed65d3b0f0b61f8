"""Finds the installed programs that write candidates in child processes."""

import os
from collections.abc import Mapping
from pathlib import Path

from acm_workers.errors import RequestError
from acm_workers.generators.children import installation
from acm_workers.generators.children.checkout import Checkout
from acm_workers.generators.children.installation import ResearcherInstallation
from schemas.config.programs import FilePromptForge

VARIABLE = "ACM_GPTR_ENVIRONMENT"
"""The variable of ``Settings``; configs are also checked with another environment."""

FPF_PATH = "ACM_FPF_PATH"
FPF_VARIABLES = "ACM_FPF_VARIABLES"
_BROKER = "ACM_BROKER_URL"


def require(
    kind: str, named: FilePromptForge | None = None, environ: Mapping[str, str] = os.environ
) -> None:
    """Make sure that children of a kind can be started on this machine.

    Args:
        named: FilePromptForge's section of a config.

    Raises:
        RequestError: Children of this kind cannot be started.
    """
    if kind == "fpf":
        forge(named, environ)
    else:
        installed(kind, environ)


def installed(kind: str, environ: Mapping[str, str] = os.environ) -> ResearcherInstallation:
    """Return the installation that children of a kind run in.

    Raises:
        RequestError: The program does not exist, or cannot be used.
    """
    named = environ.get(VARIABLE, "").strip()
    found = installation.of(Path(named) if named else None)
    problem = found.problem()
    if problem is not None:
        raise RequestError(f"type {kind}: {problem}")
    return found


def forge(named: FilePromptForge | None, environ: Mapping[str, str] = os.environ) -> Checkout:
    """Return the checkout of FilePromptForge that this machine executes.

    Workers receive configs from other machines, and possibly from other people, so they use only
    their own environment.

    Args:
        named: FilePromptForge's section of a config; absent if no config is known.

    Raises:
        RequestError: The program does not exist, or cannot be used.
    """
    own = environ.get(FPF_PATH, "").strip()
    if own:
        names = environ.get(FPF_VARIABLES, "").split(",")
        variables = tuple(name.strip() for name in names if name.strip())
        found = Checkout(Path(own).expanduser().absolute(), variables=variables)
    elif named is not None and not environ.get(_BROKER, "").strip():
        found = Checkout(Path(named.path), named.python, named.variables)
    else:
        raise RequestError(
            f"engine external: {FPF_PATH} is not set, the folder of FilePromptForge on this machine"
        )
    problem = found.problem(environ)
    if problem is not None:
        raise RequestError(f"engine external: {problem}")
    return found
