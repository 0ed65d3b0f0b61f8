"""External programs that write candidates, and their maximum number of concurrent processes."""

from typing import Annotated

from pydantic import Field

from schemas.record import Record

LIMITED_AS: dict[str, str] = {
    "gptr": "gpt_researcher", "dr": "gpt_researcher", "ma": "multi_agent", "fpf": "fpf"
}  # fmt: skip
"""Keys of ``Concurrency`` by kind of child; kinds with the same key share its limits."""


class FilePromptForge(Record):
    """The checkout of FilePromptForge for entries with ``engine: external``.

    Workers on other machines use their own ``ACM_FPF_PATH`` and ``ACM_FPF_VARIABLES`` instead.

    Attributes:
        path: Folder of the checkout, with ``fpf_main.py``, ``fpf_config.yaml`` and ``.env``.
        python: Python interpreter that has the required packages; if absent, the interpreter of the
            checkout's ``.venv`` or ``venv``, else ``python3``.
        variables: Environment variables that are passed in addition to ``PATH`` and the locale.
            FilePromptForge reads its keys from its own ``.env``.
        timeout_seconds: Maximum time for one candidate.
    """

    path: str = "../FilePromptForge"
    python: str | None = None
    variables: tuple[str, ...] = ()
    timeout_seconds: Annotated[float, Field(ge=1, le=86_400)] = 1800.0


class ProcessLimits(Record):
    """Limits on child processes of one kind in one process of ACM.

    Attributes:
        max_in_flight: Maximum number at the same time; if absent, the default of each type.
        launch_delay_seconds: Minimum time between two starts.
    """

    max_in_flight: Annotated[int, Field(ge=1, le=64)] | None = None
    launch_delay_seconds: Annotated[float, Field(ge=0, le=3600)] = 1.0


class Concurrency(Record):
    """Limits on child processes in one process of ACM, by kind.

    Attributes:
        gpt_researcher: Limit of types ``gptr`` and ``dr`` together; without a limit, the number for
            each type depends on the memory of the machine.
        multi_agent: Limit of type ``ma``, with the same default.
        fpf: Limit of ``fpf`` with ``engine: external``; 16 if no limit is set.
    """

    gpt_researcher: ProcessLimits = ProcessLimits()
    multi_agent: ProcessLimits = ProcessLimits()
    fpf: ProcessLimits = ProcessLimits(launch_delay_seconds=0.0)

    def most(self, kind: str) -> int | None:
        """Return the limit of a kind of child processes; None if no limit is set."""
        limits: ProcessLimits = getattr(self, LIMITED_AS[kind])
        return limits.max_in_flight
