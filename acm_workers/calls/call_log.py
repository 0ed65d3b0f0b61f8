"""Telling in the log how calls end: ids and numbers, never what was said."""

import structlog

from schemas.calls import Call

log = structlog.get_logger()


def ended(call: Call) -> Call:
    """Tell how a call has ended; return it."""
    took_s = None
    if call.ended_at is not None:
        took_s = round((call.ended_at - call.started_at).total_seconds(), 3)
    log.info(
        "call ended",
        run=call.run_id,
        document=call.document_id,
        unit=call.unit_id,
        call=call.id,
        stage=call.stage,
        attempt=call.attempt,
        provider=call.provider,
        model=call.model,
        state=call.state,
        status=call.status,
        error=call.error_kind,
        took_s=took_s,
        waited_s=round(call.wait_s or 0.0, 3),
        input_tokens=call.usage.input_tokens,
        output_tokens=call.usage.output_tokens,
        cost_usd=call.cost_usd,
    )
    return call
