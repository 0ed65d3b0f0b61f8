"""The effective configuration of a run: every value present, nothing hidden."""

from typing import Annotated, Any, Literal

from pydantic import Field

from schemas.config.judging import DEFAULT_CRITERIA, Criterion, Jsonify, Judge, Pairwise
from schemas.config.policies import Policies
from schemas.config.provider import Provider
from schemas.config.ranking import Playoffs, RankingOptions
from schemas.config.variant import JsonMode, Variant
from schemas.record import Record


class Retries(Record):
    """How failed calls and unreadable answers are asked again.

    Attributes:
        attempts: Highest number of requests for one answer, and of answers for one verdict.
        deadline_seconds: Longest time from the first request to the last answer of one unit.
    """

    attempts: Annotated[int, Field(ge=1, le=20)] = 4
    base_delay_seconds: Annotated[float, Field(gt=0)] = 1.0
    max_delay_seconds: Annotated[float, Field(gt=0)] = 60.0
    deadline_seconds: Annotated[float, Field(gt=0)] = 3600.0


class Config(Record):
    """Everything a run does, and with whom.

    Attributes:
        budget_usd: The most that all calls of a run may cost; it is paused before it costs more.
        json_mode: Whether judges are sent a JSON schema: ``auto`` where their model takes one in
            the same call, ``true`` in any case, ``false`` never.
        jsonify: Puts into JSON what a judge can only write in prose; see ``providers.forms``.
    """

    input_folder: str
    output_folder: str
    winners_folder: str
    reports_folder: str
    instructions_file: str
    guidelines_file: str | None = None
    one_file_only: bool = False
    providers: dict[str, Provider]
    runs: Annotated[tuple[Variant, ...], Field(min_length=1)]
    judges: tuple[Judge, ...]
    criteria: Annotated[tuple[Criterion, ...], Field(min_length=1)] = DEFAULT_CRITERIA
    pairwise: Pairwise = Pairwise()
    playoffs: Playoffs = Playoffs()
    ranking: RankingOptions = RankingOptions()
    retries: Retries = Retries()
    budget_usd: Annotated[float, Field(gt=0)] | None = None
    policies: Policies = Policies()
    missing_score: float | None = None
    cache: Literal["reuse", "refresh", "off"] = "reuse"
    skip: Literal["auto", "never"] = "auto"
    json_mode: Annotated[JsonMode, Field(alias="json")] = "auto"
    jsonify: Jsonify | None = None
    seed: int = 0

    @property
    def scoring_judges(self) -> tuple[Judge, ...]:
        """Return the judges that score; a weight of 0 switches one off."""
        return tuple(judge for judge in self.judges if judge.weight > 0)

    @property
    def comparing_judges(self) -> tuple[Judge, ...]:
        """Return the judges that compare pairs; none if comparing is switched off."""
        if not self.pairwise.enabled:
            return ()
        judges = self.judges if self.pairwise.judges is None else self.pairwise.judges
        return tuple(judge for judge in judges if judge.weight > 0)

    def judges_of(self, *, combined: bool) -> tuple[Judge, ...]:
        """Return the judges that score a combined candidate or another one."""
        judges = self.judges
        if combined and self.playoffs.judges is not None:
            judges = self.playoffs.judges
        return tuple(judge for judge in judges if judge.weight > 0)

    def iterations_of(self, judge: Judge, *, combined: bool) -> int:
        """Return how often a judge scores a combined candidate or another one."""
        if combined and self.playoffs.judges is None:
            return self.playoffs.iterations
        return judge.iterations

    def criteria_of(self, *, combined: bool) -> tuple[Criterion, ...]:
        """Return what a combined candidate or another one is scored by."""
        if combined and self.playoffs.criteria is not None:
            return self.playoffs.criteria
        return self.criteria

    def identity(self) -> dict[str, Any]:
        """Return what decides the results: no folders, limits, prices or retry times."""
        kept = self.model_dump(mode="json", by_alias=True, include=_DECISIVE)
        used = {variant.provider for variant in self.runs}
        used |= {judge.provider for judge in self.judges}
        used |= {judge.provider for judge in self.pairwise.judges or ()}
        used |= {judge.provider for judge in self.playoffs.judges or ()}
        used |= {model.provider for model in self.playoffs.models or ()}
        used |= {self.jsonify.provider} if self.jsonify is not None else set()
        kept["providers"] = {
            name: [provider.dialect, provider.base_url]
            for name, provider in self.providers.items()
            if name in used
        }
        return kept


_DECISIVE = {
    "runs",
    "judges",
    "criteria",
    "pairwise",
    "playoffs",
    "ranking",
    "json_mode",
    "jsonify",
    "seed",
    "missing_score",
}
