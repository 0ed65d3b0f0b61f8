"""The task that writes one candidate."""

from celery import shared_task
from sqlalchemy import Connection

from acm_workers import runtime
from acm_workers.calls.caller import Caller
from acm_workers.engine import publish
from acm_workers.generators import combine, fpf
from acm_workers.generators.material import Material
from acm_workers.generators.text import Written
from acm_workers.pipeline import units
from acm_workers.providers.catalog import capabilities
from acm_workers.runtime import Runtime
from acm_workers.store import artifacts, evaluations
from acm_workers.store.units import Published
from acm_workers.tasks.deliver import Result, deliver, quietly
from schemas.config.variant import Model
from schemas.units import Artifact


@shared_task(name="acm.generate")
@quietly
def generate(artifact_id: str) -> None:
    """Write one candidate and send its evaluations on their way."""
    messages: list[Published] = []

    def work(live: Runtime, artifact: Artifact, caller: Caller) -> Result:
        written = _written(live, artifact, caller)
        planned = units.evaluations(artifact, live.run(artifact.run_id).config, runtime.making())
        messages.extend(
            Published(
                "evaluation", unit.id, unit.document_id, unit.provider, urgent=artifact.combined
            )
            for unit in planned
        )

        def plan(connection: Connection) -> None:
            evaluations.plan(connection, planned, runtime.utc_now())

        return Result({"text": written.text, "proof": written.proof.model_dump()}, plan)

    saved = deliver("artifact", artifact_id, artifacts.get, work)
    if saved is None:
        return
    if messages:
        publish.publish(runtime.current().database, messages)
    else:
        publish.advance(saved.document_id)


def _written(live: Runtime, artifact: Artifact, caller: Caller) -> Written:
    run = live.run(artifact.run_id)
    config, attempts = run.config, run.config.retries.attempts
    material = Material(run.instructions, run.guidelines, live.source(artifact.document_id))
    if not artifact.combined:
        variant = config.runs[artifact.variant - 1]
        able = capabilities.of(config.providers[variant.provider], variant.model)
        return fpf.write(caller, variant, material, able, attempts)
    better, other = (_parent(live, parent) for parent in artifact.parents)
    model = Model(provider=artifact.provider, model=artifact.model)
    return combine.write(caller, model, material, (better, other), attempts)


def _parent(live: Runtime, artifact_id: str) -> combine.Parent:
    with live.database.read() as connection:
        return combine.Parent(live.text(artifact_id), evaluations.reasons(connection, artifact_id))
