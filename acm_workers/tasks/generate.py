"""The task that writes one candidate."""

from celery import shared_task
from sqlalchemy import Connection

from acm_workers import runtime
from acm_workers.calls.caller import Caller
from acm_workers.calls.unit_caller import UnitCaller
from acm_workers.calls.unit_work import UnitResult
from acm_workers.engine import publish
from acm_workers.generators import combine, fpf
from acm_workers.generators.text import Brief, GeneratedText
from acm_workers.pipeline import units
from acm_workers.providers.catalog import capabilities
from acm_workers.runtime import Runtime
from acm_workers.store import artifacts, evaluations
from acm_workers.store import units as unit_rows
from acm_workers.store.units import UnitMessage
from acm_workers.tasks import checking, child_generation, external_generation, unit_task
from acm_workers.tasks.unit_task import never_raises
from schemas.config.variant import Delivery, Model, Variant
from schemas.units import Artifact


@shared_task(name="acm.generate")
@never_raises
def generate(artifact_id: str) -> None:
    """Write one candidate, check it, and publish its evaluations."""
    messages: list[UnitMessage] = []

    def work(live: Runtime, artifact: Artifact, caller: UnitCaller) -> UnitResult:
        result = _generate(live, artifact, caller)
        config = live.run(artifact.run_id).config
        if any(check.type == "function" for check in config.checks):
            caller.work.save_answered()
        found = checking.results(live, config, str(result.values["text"]))
        planned = units.evaluations(
            artifact.model_copy(update={"checks": tuple(found)}), config, runtime.making()
        )

        def also(connection: Connection) -> None:
            if result.also is not None:
                result.also(connection)
            evaluations.plan(connection, planned, runtime.utc_now())
            messages[:] = unit_rows.messages(connection, planned, urgent=artifact.combined)

        values = {"checks": [one.model_dump() for one in found]} if found else {}
        return UnitResult(result.values | values, also)

    saved = unit_task.run("artifact", artifact_id, artifacts.get, work, _delivery)
    if saved is None:
        return
    if messages:
        publish.new_units(runtime.current().database, messages)
    else:
        publish.advance(saved.document_id)


def _generate(live: Runtime, artifact: Artifact, caller: UnitCaller) -> UnitResult:
    variant = None if artifact.combined else _variant(live, artifact)
    if variant is not None and variant.engine == "external":
        return external_generation.write(live, artifact, _brief(live, artifact), caller.work)
    if variant is not None and variant.child_kind is not None:
        return child_generation.write(live, artifact, _brief(live, artifact), caller.work)
    generated = write(live, artifact, caller)
    return UnitResult({"text": generated.text, "proof": generated.proof.model_dump()})


def write(live: Runtime, artifact: Artifact, caller: Caller) -> GeneratedText:
    """Return the text of a candidate without child process, written by calls of ``caller``."""
    config = live.run(artifact.run_id).config
    attempts, brief = config.retries.attempts, _brief(live, artifact)
    if artifact.combined:
        parents = [_parent(live, parent) for parent in artifact.parents]
        model = Model(provider=artifact.provider, model=artifact.model)
        own = config.playoffs.instructions
        return combine.write(caller, model, brief, parents, attempts, own)
    variant = _variant(live, artifact)
    able = capabilities.of(config.providers[variant.provider], variant.model)
    return fpf.write(caller, variant, brief, able, attempts, config.jsonify)


def _delivery(live: Runtime, artifact: Artifact) -> Delivery:
    return "live" if artifact.combined else _variant(live, artifact).delivery


def _variant(live: Runtime, artifact: Artifact) -> Variant:
    return live.run(artifact.run_id).config.runs[artifact.variant - 1]


def _brief(live: Runtime, artifact: Artifact) -> Brief:
    run = live.run(artifact.run_id)
    own = None if artifact.combined else run.config.runs[artifact.variant - 1].instructions
    return Brief(own or run.instructions, run.guidelines, live.source(artifact.document_id))


def _parent(live: Runtime, artifact_id: str) -> combine.ParentText:
    with live.database.read() as connection:
        reasons = evaluations.reasons(connection, artifact_id)
    return combine.ParentText(live.text(artifact_id), reasons)
