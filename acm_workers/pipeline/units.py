"""The units that a config plans: artifacts, evaluations and comparisons; pure."""

from collections import Counter
from collections.abc import Sequence

from pydantic import BaseModel

from acm_workers.pipeline.snapshot import DocumentSnapshot, GivenText, RecordContext
from acm_workers.ranking.pairs import PlannedPair
from schemas import lanes
from schemas.config.config import Config
from schemas.config.variant import Model
from schemas.units import Artifact, Comparison, Document, Evaluation

_STRIDE = 1000
"""Factor that separates iterations of entries; higher than the iterations of any entry."""


def candidates(document: Document, config: Config, context: RecordContext) -> list[Artifact]:
    """Return the artifacts that the ``runs`` entries of a config write."""
    planned: list[Artifact] = []
    numbers: Counter[str] = Counter()
    for variant_number, variant in enumerate(config.runs, start=1):
        if not variant.writes:
            continue  # its texts were stored with the document
        for iteration in range(1, variant.iterations + 1):
            numbers[variant.type] += 1
            planned.append(
                Artifact(
                    id=context.new_id(),
                    run_id=document.run_id,
                    document_id=document.id,
                    generator=variant.type,
                    variant=variant_number,
                    iteration=iteration,
                    number=numbers[variant.type],
                    provider=variant.provider,
                    model=variant.model,
                    lane=variant.lane,
                    created_at=context.now,
                )
            )
    return planned


def given(
    document: Document, texts: Sequence[GivenText], config: Config, context: RecordContext
) -> list[Artifact]:
    """Return the artifacts of texts that existed before the run."""
    iterations = Counter[int]()
    found = []
    for number, one in enumerate(texts, start=1):
        iterations[one.variant] += 1
        found.append(
            Artifact(
                id=context.new_id(),
                run_id=document.run_id,
                document_id=document.id,
                generator="files",
                variant=one.variant,
                iteration=iterations[one.variant],
                number=number,
                provider=config.runs[one.variant - 1].provider,
                model=one.name,
                lane=config.runs[one.variant - 1].lane,
                state="done",
                text=one.text,
                file=one.file,
                created_at=context.now,
                finished_at=context.now,
            )
        )
    return found


def missing_combinations(
    snapshot: DocumentSnapshot, parents: Sequence[Artifact], config: Config, context: RecordContext
) -> list[Artifact]:
    """Return the artifacts that combine ``parents``, the better one first, unless planned before.

    Artifacts planned before are kept, even if their parents are no longer the best.
    """
    planned = {artifact.variant for artifact in snapshot.artifacts if artifact.combined}
    models = config.playoffs.models or _writer(parents, config)
    return [
        Artifact(
            id=context.new_id(),
            run_id=snapshot.document.run_id,
            document_id=snapshot.document.id,
            generator="combine",
            variant=number,
            iteration=1,
            number=number,
            provider=model.provider,
            model=model.model,
            lane=lanes.generate(model.provider),
            parents=tuple(parent.id for parent in parents),
            created_at=context.now,
        )
        for number, model in enumerate(models, start=1)
        if number not in planned
    ]


def _writer(parents: Sequence[Artifact], config: Config) -> tuple[Model, ...]:
    """Return the model of the best parent that a model of this run wrote, else its first writer."""
    written = [
        (one.provider, one.model)
        for one in parents
        if one.generator == "combine" or config.runs[one.variant - 1].calls_provider
    ]
    written += [(one.provider, one.model) for one in config.calling_writers]
    return tuple(Model(provider=provider, model=model) for provider, model in written[:1])


def evaluations(artifact: Artifact, config: Config, context: RecordContext) -> list[Evaluation]:
    """Return the evaluations of an artifact; none if a check keeps it from winning."""
    if artifact.barred:
        return []
    return [
        Evaluation(
            id=context.new_id(),
            run_id=artifact.run_id,
            document_id=artifact.document_id,
            artifact_id=artifact.id,
            judge=judge.name,
            provider=judge.provider,
            model=judge.model,
            lane=lanes.judge(judge.provider),
            iteration=iteration,
            created_at=context.now,
        )
        for judge in config.judges_of(combined=artifact.combined)
        for iteration in range(1, config.iterations_of(judge, combined=artifact.combined) + 1)
    ]


def comparisons(
    snapshot: DocumentSnapshot, pairs: Sequence[PlannedPair], config: Config, context: RecordContext
) -> list[Comparison]:
    """Return the comparisons of a round of pairs."""
    judges = {judge.name: judge for judge in config.comparing_judges}
    return [
        Comparison(
            id=context.new_id(),
            run_id=snapshot.document.run_id,
            document_id=snapshot.document.id,
            a_id=pair.a,
            b_id=pair.b,
            judge=pair.judge,
            provider=judges[pair.judge].provider,
            model=judges[pair.judge].model,
            lane=lanes.judge(judges[pair.judge].provider),
            iteration=pair.iteration,
            created_at=context.now,
        )
        for pair in pairs
    ]


def sample_number(unit: Artifact | Evaluation | Comparison, config: Config) -> int:
    """Return the sample number of a unit, from 1.

    Two variants or judges that differ only in their names send identical requests; the numbers of
    the second continue after the first, so that each gets its own answer instead of a stored copy.
    """
    entries: Sequence[BaseModel]
    if isinstance(unit, Artifact):
        entries = (config.playoffs.models or ()) if unit.combined else config.runs
        index, ignored = unit.variant - 1, {"iterations", "delivery", "prompt"}
    else:
        judges = config.comparing_judges
        if isinstance(unit, Evaluation):
            # Combined texts are in no request of the first round, so one list is enough.
            judges = (*config.judges, *(config.playoffs.judges or ()))
        entries, ignored = judges, {"name", "iterations", "weight", "delivery"}
        index = [judge.name for judge in judges].index(unit.judge)
    twins = 0
    if index and entries:
        own, *others = (
            entry.model_dump(exclude=ignored) for entry in (entries[index], *entries[:index])
        )
        twins = others.count(own)
    return unit.iteration + _STRIDE * twins
