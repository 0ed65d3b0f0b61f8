"""The effective configuration of a run, with all defaults filled in."""

from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field

from schemas import lanes
from schemas.config.checks import Check
from schemas.config.judging import DEFAULT_CRITERIA, Criterion, Jsonify, Judge, Pairwise
from schemas.config.policies import Policies
from schemas.config.programs import Concurrency, FilePromptForge
from schemas.config.provider import Provider
from schemas.config.ranking import Playoffs, RankingOptions
from schemas.config.research import Retriever
from schemas.config.variant import Delivery, JsonMode, Variant
from schemas.record import Record
from schemas.units import Artifact


class Retries(Record):
    """The retry policy of failed calls.

    Attributes:
        attempts: Maximum number of requests for one answer, and maximum number of answers for one
            judgement.
        base_delay_seconds: Base of the exponential backoff: the first pause is random and below
            twice this value, the second below four times this value, and so on.
        max_delay_seconds: Maximum pause between two attempts.
        deadline_seconds: Maximum time from the first request of a unit to its last answer.
        give_up_after: Number of consecutive failures for the same cause after which a judge or
            writer is paused for the rest of the run; never paused if null. ``acm resume`` ends the
            pause.
    """

    attempts: Annotated[int, Field(ge=1, le=20)] = 4
    base_delay_seconds: Annotated[float, Field(gt=0)] = 1.0
    max_delay_seconds: Annotated[float, Field(gt=0)] = 60.0
    deadline_seconds: Annotated[float, Field(gt=0)] = 3600.0
    give_up_after: Annotated[int, Field(ge=1)] | None = 10


class Config(Record):
    """The validated configuration of a run.

    Attributes:
        input_folder: Folder of the documents; ``.md``, ``.markdown``, ``.txt``, ``.docx``, ``.pdf``
            and ``.html`` files are read from the folder and its subfolders.
        output_folder: Folder that candidates are written to.
        winners_folder: Folder that winners are written to.
        reports_folder: Folder that reports are written to.
        evaluation_folder: Folder with results of ACM 1, searched by ``skip: files``.
        instructions_file: File with the instructions for writing from each document. With a list of
            files, or of mappings with ``name`` and ``file`` or ``text``, each entry of ``runs``
            writes once with each item of the list; judges see the first item.
        guidelines_file: File with additional rules for writers and judges.
        one_file_only: Write only the text of a report, without the additional files of its
            generator, such as ``.docx``.
        providers: Servers that answer calls to models, by name.
        runs: Variants: the combinations of generator, provider, model and parameters that write
            candidates.
        fpf: The FilePromptForge installation for entries with ``engine: external``; absent without
            such entries.
        concurrency: Maximum numbers of child processes that write candidates at the same time.
        retriever: Search service of GPT Researcher.
        judges: Models that score candidates; if absent, one model of each built-in provider whose
            key is set.
        criteria: Criteria that judges score, as names or mappings; ``criteria_file`` reads the list
            from a file, which may set one scale for all criteria: ``{min: 1, max: 5, criteria:
            [...]}``.
        checks: Checks that are applied to every candidate, at no cost.
        pairwise: Comparisons of candidates.
        playoffs: Whether and how the best candidates are combined.
        ranking: Ranking by scores and comparisons.
        retries: Retries of failed calls.
        budget_usd: Maximum cost of all calls of the run; the run pauses before the budget would be
            exceeded.
        policies: Bounds for the limits of providers.
        missing_score: Score that is used where a judge left out a criterion; such scores are
            counted and shown as filled. If absent, the judgement fails instead.
        cache: ``reuse`` uses stored answers to identical requests; ``refresh`` and ``off`` send
            each request again.
        skip: ``auto`` skips documents whose winner is in the store or in a winner file with
            matching digests; ``files`` skips documents with a file in the folders of evaluations,
            winners or candidates; ``never`` skips no document.
        json_mode: Whether requests to judges contain a JSON schema: ``auto`` if the model supports
            a schema for the call, ``true`` always, ``false`` never.
        jsonify: Model that converts a judge's prose into JSON, for judges whose model cannot search
            and follow a schema in one call.
        report: Whether the report and its tables are written at the end of the run; ``acm report``
            writes them in any case.
        seed: Seed of all random choices: presentation order, shuffles and intervals.
    """

    input_folder: str
    output_folder: str
    winners_folder: str
    reports_folder: str
    evaluation_folder: str | None = None
    instructions_file: str
    guidelines_file: str | None = None
    one_file_only: bool = False
    providers: dict[str, Provider]
    runs: Annotated[tuple[Variant, ...], Field(min_length=1)]
    fpf: FilePromptForge | None = None
    concurrency: Concurrency = Concurrency()
    retriever: Retriever | None = None
    judges: tuple[Judge, ...]
    criteria: Annotated[tuple[Criterion, ...], Field(min_length=1)] = DEFAULT_CRITERIA
    checks: Annotated[tuple[Check, ...], Field(max_length=50)] = ()
    pairwise: Pairwise = Pairwise()
    playoffs: Playoffs = Playoffs()
    ranking: RankingOptions = RankingOptions()
    retries: Retries = Retries()
    budget_usd: Annotated[float, Field(gt=0)] | None = None
    policies: Policies = Policies()
    missing_score: float | None = None
    cache: Literal["reuse", "refresh", "off"] = "reuse"
    skip: Literal["auto", "files", "never"] = "auto"
    json_mode: Annotated[JsonMode, Field(alias="json")] = "auto"
    jsonify: Jsonify | None = None
    report: bool = True
    seed: int = 0

    @property
    def writers(self) -> tuple[Variant, ...]:
        """Return the variants whose texts the run writes, without variants of existing texts."""
        return tuple(variant for variant in self.runs if variant.writes)

    @property
    def calling_writers(self) -> tuple[Variant, ...]:
        """Return the variants whose texts are written by calls to providers of the config."""
        return tuple(variant for variant in self.runs if variant.calls_provider)

    @property
    def scoring_judges(self) -> tuple[Judge, ...]:
        """Return the judges that score candidates, without judges of weight 0."""
        return tuple(judge for judge in self.judges if judge.weight > 0)

    @property
    def comparing_judges(self) -> tuple[Judge, ...]:
        """Return the judges that compare pairs; empty if comparisons are disabled."""
        if not self.pairwise.enabled:
            return ()
        judges = self.judges if self.pairwise.judges is None else self.pairwise.judges
        return tuple(judge for judge in judges if judge.weight > 0)

    @property
    def all_lanes(self) -> tuple[str, ...]:
        """Return the lanes that units of a run can wait in, without the lanes for polling."""
        found = [lane(name) for name in self.providers for lane in (lanes.generate, lanes.judge)]
        return tuple(dict.fromkeys([*found, *(variant.lane for variant in self.runs)]))

    @property
    def child_kinds(self) -> dict[lanes.ChildKind, tuple[str, ...]]:
        """Return the providers of each kind of child process that writes candidates.

        FilePromptForge has no providers here because it makes its own calls.
        """
        found: dict[lanes.ChildKind, tuple[str, ...]] = {}
        for variant in self.runs:
            if variant.child_kind is not None:
                own = (variant.provider,) if variant.calls_provider else ()
                names = (*found.get(variant.child_kind, ()), *own)
                found[variant.child_kind] = tuple(dict.fromkeys(names))
        return found

    def writes_json(self, artifact: Artifact) -> bool:
        """Return whether a candidate is JSON, by a schema of its variant."""
        if artifact.generator != "fpf":
            return False
        return self.runs[artifact.variant - 1].json_schema is not None

    def prompt_of(self, artifact: Artifact) -> str | None:
        """Return the name of a candidate's prompt; None for a combined one or a single prompt."""
        known = not artifact.combined and artifact.variant <= len(self.runs)
        return self.runs[artifact.variant - 1].prompt if known else None

    def judges_of(self, *, combined: bool) -> tuple[Judge, ...]:
        """Return the judges that score combined candidates, or all other candidates."""
        judges = self.judges
        if combined and self.playoffs.judges is not None:
            judges = self.playoffs.judges
        return tuple(judge for judge in judges if judge.weight > 0)

    def delivery_of(self, judge: Judge, *, combined: bool) -> Delivery:
        """Return how a judge's scores of combined candidates, or of all others, are requested."""
        if combined and self.playoffs.judges is None:
            return "live"
        return judge.delivery

    @property
    def batching(self) -> dict[tuple[str, str], None]:
        """Return the providers and models whose requests are sent in batches."""
        entries: tuple[Variant | Judge, ...] = (*self.calling_writers, *self.comparing_judges)
        judges = (self.judges_of(combined=combined) for combined in (False, True))
        entries += tuple(judge for found in judges for judge in found)
        return {(one.provider, one.model): None for one in entries if one.delivery == "batch"}

    @property
    def most_parents(self) -> int:
        """Return the maximum number of candidates that are combined into one."""
        if self.playoffs.parents == "top_n":
            return max(2, 0 if self.ranking.top_n is None else self.ranking.top_n.most)
        return self.playoffs.parents

    def iterations_of(self, judge: Judge, *, combined: bool) -> int:
        """Return the number of scores by one judge for each combined, or each other, candidate."""
        if combined and self.playoffs.judges is None:
            return self.playoffs.iterations
        return judge.iterations

    def criteria_of(self, *, combined: bool) -> tuple[Criterion, ...]:
        """Return the criteria for combined candidates, or for all other candidates."""
        if combined and self.playoffs.criteria is not None:
            return self.playoffs.criteria
        return self.criteria

    def delivered_like(self, other: "Config") -> "Config":
        """Return a copy with the ``delivery`` values of a config that has the same entries."""
        pairwise, playoffs = self.pairwise, self.playoffs
        judging = _delivered_like(pairwise.judges, other.pairwise.judges)
        combining = _delivered_like(playoffs.judges, other.playoffs.judges)
        return self.model_copy(
            update={
                "runs": _delivered_like(self.runs, other.runs),
                "judges": _delivered_like(self.judges, other.judges),
                "pairwise": pairwise.model_copy(update={"judges": judging}),
                "playoffs": playoffs.model_copy(update={"judges": combining}),
            }
        )

    def identity(self) -> dict[str, Any]:
        """Return the values that affect results: no folders, limits, prices or retry settings."""
        kept = self.model_dump(mode="json", by_alias=True, include=_DECISIVE)
        # Absent where it does not matter, so that winners of earlier versions stay known.
        for variant in kept["runs"]:
            for name in ("research", "schema", "instructions"):
                if variant[name] is None:
                    del variant[name]
            del variant["delivery"]
            del variant["prompt"]  # a name for people
            if variant["engine"] == "builtin":
                del variant["engine"]
        if not self.checks:
            del kept["checks"]
        lists = (kept, kept["pairwise"], kept["playoffs"])
        for judge in (one for each in lists for one in each["judges"] or ()):
            del judge["delivery"]
            if judge["prompts"] is None:
                del judge["prompts"]
        if self.playoffs.parents == 2:
            del kept["playoffs"]["parents"]
        if self.retriever is not None and self.child_kinds:
            kept["retriever"] = self.retriever.model_dump(mode="json", include=_SEARCHED)
        used = {variant.provider for variant in self.calling_writers}
        used |= {judge.provider for judge in self.judges}
        used |= {judge.provider for judge in self.pairwise.judges or ()}
        used |= {judge.provider for judge in self.playoffs.judges or ()}
        used |= {model.provider for model in self.playoffs.models or ()}
        used |= {self.jsonify.provider} if self.jsonify is not None else set()
        for variant in kept["runs"]:
            del variant["folder"]  # the texts decide, not the place where they lie
        kept["providers"] = {
            name: [provider.dialect, provider.base_url]
            for name, provider in self.providers.items()
            if name in used
        }
        return kept


_Entry = TypeVar("_Entry", Variant, Judge)


def _delivered_like(
    entries: tuple[_Entry, ...] | None, others: tuple[_Entry, ...] | None
) -> tuple[_Entry, ...] | None:
    if entries is None or others is None:
        return entries
    pairs = zip(entries, others, strict=True)
    return tuple(one.model_copy(update={"delivery": other.delivery}) for one, other in pairs)


_SEARCHED = {"type", "folder", "url", "max_results"}

_DECISIVE = {
    "runs",
    "judges",
    "criteria",
    "checks",
    "pairwise",
    "playoffs",
    "ranking",
    "json_mode",
    "jsonify",
    "seed",
    "missing_score",
}
