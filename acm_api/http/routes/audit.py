"""Routes of the audit log: logins and users' actions of a tenant."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query

from acm_api.http import paging
from acm_api.http.access import Authorized
from acm_api.http.paging import DEFAULT_LIMIT, Limit, Page
from acm_api.http.service import CurrentService
from acm_workers.store import accounts
from schemas.record import Record

router = APIRouter(tags=["audit"])

_MOST_ID = 2**31 - 1


class AuditedAction(Record):
    """An action of a user, with the run, submission, provider or resource that it concerns."""

    at: datetime
    actor: str
    action: str
    target: str | None


@router.get("/audit")
def list_audited(
    service: CurrentService,
    caller: Authorized.admin,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Annotated[
        int | None, Query(ge=1, le=_MOST_ID, description="The `next` of the previous page.")
    ] = None,
) -> Page[AuditedAction]:
    """List the entries of the tenant's audit log, the newest first."""
    with service.database.read() as connection:
        found = accounts.audited(connection, caller.scope, limit + 1, cursor)
    actions = [
        AuditedAction(at=one.at, actor=one.actor, action=one.action, target=one.target)
        for one in found
    ]
    return paging.page(actions, limit, [str(one.id) for one in found])
