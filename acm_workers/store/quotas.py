"""Quotas of tenants: documents of a run, runs at once, USD per day."""

from datetime import datetime, timedelta

from sqlalchemy import Connection, func, select

from acm_workers.errors import QuotaSpent
from acm_workers.store import accounts, budgets, runs
from acm_workers.store.tables import CallRow, RunRow
from schemas.scope import Scope

_DAY = timedelta(days=1)
_MOST_GOING = 1000


def check(connection: Connection, scope: Scope, documents: int, now: datetime) -> None:
    """Raise an error if the quotas of a tenant do not allow a new run.

    Raises:
        QuotaSpent: A quota is exhausted; the message has the quota and its use.
    """
    tenant = accounts.tenant(connection, scope.tenant_id)
    if tenant.documents_per_run is not None and documents > tenant.documents_per_run:
        raise QuotaSpent(
            f"the run has {documents} documents; its quota is {tenant.documents_per_run}"
        )
    if tenant.runs_at_once is not None:
        going = connection.scalar(
            select(func.count()).where(
                RunRow.tenant_id == scope.tenant_id, RunRow.state == "running"
            )
        )
        if (going or 0) >= tenant.runs_at_once:
            raise QuotaSpent(f"{going} runs are under way; the quota is {tenant.runs_at_once}")
    if tenant.usd_per_day is not None:
        spent = spent_usd(connection, scope, now - _DAY)
        if spent >= tenant.usd_per_day:
            raise QuotaSpent(
                f"{spent:.2f} USD were spent in 24 hours; the quota is {tenant.usd_per_day:.2f}"
            )


def budget_usd(
    connection: Connection, scope: Scope, asked: float | None, now: datetime, run_id: str | None
) -> float | None:
    """Return the budget of a run: the requested amount, limited by the tenant's daily quota.

    Args:
        asked: Requested budget in USD; None for a run without a budget.
        run_id: Id of a run that continues; its cost so far is part of its budget.

    Raises:
        QuotaSpent: The daily quota is exhausted.
    """
    left = left_usd(connection, scope, now)
    if left is None:
        return asked
    if left <= 0:
        raise QuotaSpent("nothing is left of the quota of the day; runs under way count as well")
    most = left + (0.0 if run_id is None else budgets.committed_usd(connection, run_id))
    return most if asked is None else min(asked, most)


def left_usd(connection: Connection, scope: Scope, now: datetime) -> float | None:
    """Return the USD that a tenant may still spend today; None without such a quota.

    The unspent budgets of active runs are subtracted.
    """
    quota = accounts.tenant(connection, scope.tenant_id).usd_per_day
    if quota is None:
        return None
    going = runs.page(connection, _MOST_GOING, scope=scope, state="running")
    reserved = sum(
        max(run.config.budget_usd - budgets.committed_usd(connection, run.id), 0.0)
        for run in going
        if run.config.budget_usd is not None
    )
    return max(quota - spent_usd(connection, scope, now - _DAY) - reserved, 0.0)


def spent_usd(connection: Connection, scope: Scope, since: datetime) -> float:
    """Return the cost of a tenant's calls since a time, with the maximum for calls in flight."""
    cost = func.coalesce(CallRow.cost_usd, CallRow.reserved_usd, 0.0)
    query = (
        select(func.coalesce(func.sum(cost), 0.0))
        .join(RunRow, RunRow.id == CallRow.run_id)
        .where(RunRow.tenant_id == scope.tenant_id, CallRow.started_at >= since)
    )
    return float(connection.scalar(query) or 0.0)
