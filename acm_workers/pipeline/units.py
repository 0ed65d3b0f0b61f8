"""The units that a config asks for; pure."""

from collections.abc import Sequence

from acm_workers.pipeline.snapshot import DocumentSnapshot, RecordContext
from acm_workers.ranking.pairs import PlannedPair
from schemas.config.config import Config
from schemas.config.variant import Model
from schemas.units import Artifact, Comparison, Document, Evaluation


def candidates(document: Document, config: Config, making: RecordContext) -> list[Artifact]:
    """Return the artifacts that the ``runs:`` of a config ask for."""
    planned: list[Artifact] = []
    for variant_number, variant in enumerate(config.runs, start=1):
        for iteration in range(1, variant.iterations + 1):
            planned.append(
                Artifact(
                    id=making.new_id(),
                    run_id=document.run_id,
                    document_id=document.id,
                    generator=variant.type,
                    variant=variant_number,
                    iteration=iteration,
                    number=len(planned) + 1,
                    provider=variant.provider,
                    model=variant.model,
                    created_at=making.now,
                )
            )
    return planned


def missing_combinations(
    view: DocumentSnapshot, parents: Sequence[Artifact], config: Config, making: RecordContext
) -> list[Artifact]:
    """Return the artifacts that combine ``parents``, the better one first, unless planned before.

    Those planned before stay as they are, also if other parents were the best ones then.
    """
    there = {artifact.variant for artifact in view.artifacts if artifact.combined}
    best = parents[0]
    models = config.playoffs.models or (Model(provider=best.provider, model=best.model),)
    return [
        Artifact(
            id=making.new_id(),
            run_id=view.document.run_id,
            document_id=view.document.id,
            generator="combine",
            variant=number,
            iteration=1,
            number=number,
            provider=model.provider,
            model=model.model,
            parents=tuple(parent.id for parent in parents),
            created_at=making.now,
        )
        for number, model in enumerate(models, start=1)
        if number not in there
    ]


def evaluations(artifact: Artifact, config: Config, making: RecordContext) -> list[Evaluation]:
    """Return the evaluations that an artifact is to get."""
    return [
        Evaluation(
            id=making.new_id(),
            run_id=artifact.run_id,
            document_id=artifact.document_id,
            artifact_id=artifact.id,
            judge=judge.name,
            provider=judge.provider,
            model=judge.model,
            iteration=iteration,
            created_at=making.now,
        )
        for judge in config.judges_of(combined=artifact.combined)
        for iteration in range(1, config.iterations_of(judge, combined=artifact.combined) + 1)
    ]


def comparisons(
    view: DocumentSnapshot, pairs: Sequence[PlannedPair], config: Config, making: RecordContext
) -> list[Comparison]:
    """Return the comparisons that a round of pairs asks for."""
    judges = {judge.name: judge for judge in config.comparing_judges}
    return [
        Comparison(
            id=making.new_id(),
            run_id=view.document.run_id,
            document_id=view.document.id,
            a_id=pair.a,
            b_id=pair.b,
            judge=pair.judge,
            provider=judges[pair.judge].provider,
            model=judges[pair.judge].model,
            iteration=pair.iteration,
            created_at=making.now,
        )
        for pair in pairs
    ]
