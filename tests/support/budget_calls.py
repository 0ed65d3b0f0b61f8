"""Calls that are paid out of a budget, by threads and by whole processes.

Run as a program it pays until nothing is left, and says what it paid: see ``payer``.
"""

import json
import random
import subprocess
import sys
import threading
from collections.abc import Callable

from acm_workers.calls.budget import BudgetReservation, RunBudget
from acm_workers.errors import BudgetSpent
from acm_workers.store import calls
from acm_workers.store.connection.database import Database
from acm_workers.store.ids import new_id
from schemas.calls import Call, Request
from schemas.units import Artifact
from tests.support import stored

MOST_USD = 0.05
_ASK = Request(provider="alpha", model="m1", messages=())


def never() -> None:
    """Check, and find no reason to stop."""


def begin(
    database: Database,
    budget: RunBudget,
    unit: Artifact,
    most_usd: float = MOST_USD,
    check: Callable[[], None] = never,
    owner: str = "me",
) -> Call:
    """Write down a call of a unit as soon as the budget allows it; return it.

    Raises:
        BudgetSpent: It never will.
    """
    reservation = BudgetReservation(_ASK, most_usd, budget, check)
    call = stored.call(unit, id=new_id(), reserved_usd=most_usd, owner=owner)
    try:
        while True:
            reservation.wait()
            with database.write() as connection:
                fits = reservation.reserve(connection)
                if fits:
                    calls.start(connection, call)
            if fits:
                reservation.close()
                return call
    finally:
        reservation.close()


def end(database: Database, call: Call, cost_usd: float) -> None:
    """Write down that a call was answered."""
    done = call.model_copy(update={"state": "done", "cost_usd": cost_usd, "ended_at": stored.NOW})
    with database.write() as connection:
        calls.end(connection, [done])


def spend_budget(
    database: Database, budget: RunBudget, unit: Artifact, seed: int, owner: str = "me"
) -> float:
    """Pay calls of unequal cost until the budget is spent; return what they cost."""
    dice, paid = random.Random(seed), 0.0
    try:
        while True:
            call = begin(database, budget, unit, owner=owner)
            cost_usd = dice.uniform(0.2, 1.0) * MOST_USD
            end(database, call, cost_usd)
            paid += cost_usd
    except BudgetSpent:
        return paid


def in_threads(
    database: Database, unit: Artifact, budget_usd: float, number: int, owner: str = "me"
) -> float:
    """Do so in many threads of this process; return what they paid together."""
    budget, paid = RunBudget(database, unit.run_id, budget_usd), list[float]()
    threads = [
        threading.Thread(
            target=lambda seed=seed: paid.append(spend_budget(database, budget, unit, seed, owner))
        )
        for seed in range(number)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(paid) == number
    return sum(paid)


def paying_process(
    database: Database, unit: Artifact, owner: str, budget_usd: float, threads: int
) -> "subprocess.Popen[str]":
    """Start a process that pays in many threads; ``together.begin`` lets it begin."""
    given = {
        "url": database.url.render_as_string(hide_password=False),
        "unit": unit.model_dump(mode="json"),
        "budget_usd": budget_usd,
        "threads": threads,
        "owner": owner,
    }
    return subprocess.Popen(
        [sys.executable, "-m", "tests.support.budget_calls", json.dumps(given)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def main() -> None:
    """Pay in threads, once a line comes in; the argument is JSON: see ``payer``."""
    given = json.loads(sys.argv[1])
    database = Database(given["url"])
    unit = Artifact.model_validate(given["unit"])
    owner, number = given["owner"], given["threads"]
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    sys.stdout.write(f"{in_threads(database, unit, given['budget_usd'], number, owner)}\n")


if __name__ == "__main__":
    main()
