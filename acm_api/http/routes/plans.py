"""Routes of plans: the expected calls and cost of a run."""

from fastapi import APIRouter

from acm_api import library
from acm_api.http import starting
from acm_api.http.access import Authorized
from acm_api.http.service import CurrentService
from acm_api.http.shapes import RunTexts
from acm_workers import runtime, submit
from schemas.plan import RunPlan

router = APIRouter(tags=["plans"])


@router.post("/plans")
def plan(body: RunTexts, service: CurrentService, caller: Authorized.read) -> RunPlan:
    """Return the expected calls and cost of a run; no calls are made."""
    work = library.work_of_values(
        body.config,
        starting.documents_of(service, caller, body),
        body.instructions,
        body.guidelines,
        keys="later" if service.settings.broker_url is None else "workers",
    )
    return submit.planned(work, work.inputs, runtime.utc_now())
