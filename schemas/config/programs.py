"""Programs beside ACM that write candidates: FilePromptForge, and how many of each run at once."""

from typing import Annotated

from pydantic import Field

from schemas.record import Record

LIMITED_AS: dict[str, str] = {
    "gptr": "gpt_researcher", "dr": "gpt_researcher", "ma": "multi_agent", "fpf": "fpf"
}  # fmt: skip
"""Keys of ``Concurrency`` by kind of children; kinds with the same key share its limits."""


class FilePromptForge(Record):
    """The checkout of FilePromptForge that entries with ``engine: external`` run.

    Workers on other machines go by their own ``ACM_FPF_PATH`` and ``ACM_FPF_VARIABLES`` instead.

    Attributes:
        path: Its folder, with ``fpf_main.py``, ``fpf_config.yaml`` and ``.env``.
        python: Interpreter with its packages; that of its ``.venv`` or ``venv`` if absent, else
            ``python3``.
        variables: Environment variables that it gets beside ``PATH`` and the locale. It reads its
            keys from its own ``.env``.
        timeout_seconds: Longest time of one candidate.
    """

    path: str = "../FilePromptForge"
    python: str | None = None
    variables: tuple[str, ...] = ()
    timeout_seconds: Annotated[float, Field(ge=1, le=86_400)] = 1800.0


class ProcessLimits(Record):
    """The maximum number of children of a kind in one process of ACM.

    Attributes:
        max_in_flight: Most at once; absent: what each type has by itself.
        launch_delay_seconds: Shortest time between two starts.
    """

    max_in_flight: Annotated[int, Field(ge=1, le=64)] | None = None
    launch_delay_seconds: Annotated[float, Field(ge=0, le=3600)] = 1.0


class Concurrency(Record):
    """The maximum numbers of concurrent children in one process of ACM.

    Attributes:
        gpt_researcher: Limit of types ``gptr`` and ``dr`` together; without a limit, of
            each as many as suit the memory of the machine.
        multi_agent: Limit of type ``ma``, likewise.
        fpf: Limit of ``fpf`` with ``engine: external``; sixteen if it has no limit.
    """

    gpt_researcher: ProcessLimits = ProcessLimits()
    multi_agent: ProcessLimits = ProcessLimits()
    fpf: ProcessLimits = ProcessLimits(launch_delay_seconds=0.0)

    def most(self, kind: str) -> int | None:
        """Return the limit of a kind of children; None if there is none."""
        limits: ProcessLimits = getattr(self, LIMITED_AS[kind])
        return limits.max_in_flight
