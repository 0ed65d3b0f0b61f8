"""The audit log of a tenant: logins, and which user started or changed which run."""

from datetime import datetime

from fastapi import APIRouter

from acm_api.http.access import Authorized
from acm_api.http.service import CurrentService
from acm_workers.store import accounts
from schemas.record import Record

router = APIRouter(tags=["audit"])


class AuditedAction(Record):
    """An action of a user, and its run."""

    at: datetime
    actor: str
    action: str
    target: str | None


@router.get("/audit")
def list_audited(service: CurrentService, caller: Authorized.admin) -> list[AuditedAction]:
    """Return the last 200 entries of the tenant's audit, the newest first."""
    with service.database.read() as connection:
        found = accounts.audited(connection, caller.scope)
    return [AuditedAction(**one._asdict()) for one in found]
