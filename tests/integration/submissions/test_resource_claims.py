"""Versions are claimed with their slots: each once, and never more slots than there are."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

import pytest

from acm_workers.errors import RequestError
from acm_workers.store import resource_pools, submission_versions, submissions
from acm_workers.store.connection.database import Database
from acm_workers.store.resource_pools import AGEING, ClaimedVersion, ClaimingWorker
from acm_workers.store.submission_versions import VersionKey
from acm_workers.store.submissions import NewSubmission
from schemas.submissions import AuthorLimits
from tests.support import submission_records as records
from tests.support.submission_records import NOW, at, worker


def claim(
    database: Database, by: ClaimingWorker | None = None, now: datetime = NOW
) -> ClaimedVersion | None:
    with database.write() as connection:
        return resource_pools.claim(connection, by or worker(), now).version


def reason(database: Database, by: ClaimingWorker | None = None) -> str:
    with database.write() as connection:
        found = resource_pools.claim(connection, by or worker(), NOW)
    assert found.version is None
    return found.waiting[0].reason


def end(database: Database, claimed: ClaimedVersion) -> bool:
    with database.write() as connection:
        return submission_versions.end(
            connection, claimed.key, claimed.epoch, "scored", NOW, score=1.0
        )


def held(database: Database) -> list[str]:
    with database.read() as connection:
        return [slot.id for slot in resource_pools.every(connection) if slot.holder]


def test_versions_are_claimed_in_the_order_in_which_they_came(database: Database) -> None:
    with database.write() as connection:
        records.add_task(connection)
        keys = [records.add(connection, now=at(-index)) for index in range(3)]

    found = [claim(database) for _ in range(4)]

    assert [one and one.key for one in found] == [*reversed(keys), None]


def test_a_version_is_claimed_only_with_all_its_slots(database: Database) -> None:
    with database.write() as connection:
        records.add_task(connection, resources={"gpu": 2, "licence": 1})
        records.add_slots(connection, "gpu", 3)
        records.add_slots(connection, "licence", 1, host=None)
        first, second = records.add(connection), records.add(connection)

    taken = claim(database)

    assert taken is not None
    assert taken.key == first
    assert taken.variables == {"CUDA_VISIBLE_DEVICES": "0,1"}
    assert held(database) == ["gpu:0@box", "gpu:1@box", "licence:0"]
    assert reason(database) == "waits for gpu, licence"
    assert end(database, taken)
    assert held(database) == []
    again = claim(database)
    assert again is not None
    assert again.key == second


def test_slots_of_another_machine_are_not_taken(database: Database) -> None:
    with database.write() as connection:
        records.add_task(connection, resources={"gpu": 1})
        records.add_slots(connection, "gpu", 1, host="elsewhere")
        records.add(connection)

    assert reason(database) == "needs 1 of gpu, and box has 0"
    assert claim(database, worker(host="elsewhere")) is not None


def test_drained_slots_are_not_taken(database: Database) -> None:
    with database.write() as connection:
        records.add_task(connection, resources={"gpu": 1})
        records.add_slots(connection, "gpu", 1)
        records.add(connection)
        resource_pools.drain(connection, ["gpu:0@box"])

    assert claim(database) is None
    with database.write() as connection:
        resource_pools.undrain(connection, ["gpu:0@box"])
    assert claim(database) is not None


def test_small_tasks_pass_a_large_one_until_it_has_waited_long(database: Database) -> None:
    with database.write() as connection:
        records.add_task(connection, "large", resources={"gpu": 2})
        records.add_task(connection, "small", resources={"gpu": 1})
        records.add_slots(connection, "gpu", 2)
        running = records.add(connection, task_key="small", now=at(-9))
        large = records.add(connection, task_key="large", now=at(-5))
        small = [records.add(connection, task_key="small", now=at(1)) for _ in range(2)]
    later = NOW + AGEING

    first, second = claim(database), claim(database)
    assert first is not None
    assert second is not None
    assert [first.key, second.key] == [running, small[0]]
    end(database, first)
    assert claim(database, now=later) is None  # kept free for the large one
    end(database, second)
    third = claim(database, now=later)

    assert third is not None
    assert third.key == large


def test_a_request_larger_than_the_machine_keeps_nothing_from_others(database: Database) -> None:
    with database.write() as connection:
        records.add_task(connection, "large", resources={"gpu": 9})
        records.add_task(connection, "small", resources={"gpu": 1})
        records.add_slots(connection, "gpu", 1)
        records.add(connection, task_key="large", now=at(-9999))
        small = records.add(connection, task_key="small")

    found = claim(database)

    assert found is not None
    assert found.key == small


def test_a_sequential_task_runs_one_version_at_a_time_and_stops_no_other(
    database: Database,
) -> None:
    with database.write() as connection:
        records.add_task(connection, "one", parallel=1)
        records.add_task(connection, "many")
        first, second = [records.add(connection, task_key="one", now=at(-9)) for _ in range(2)]
        other = records.add(connection, task_key="many")

    found = [claim(database) for _ in range(3)]

    assert [one and one.key for one in found] == [first, other, None]
    assert found[0] is not None
    end(database, found[0])
    then = claim(database)
    assert then is not None
    assert then.key == second


def test_a_task_that_needs_a_stronger_sandbox_is_left_to_other_machines(
    database: Database,
) -> None:
    with database.write() as connection:
        records.add_task(connection, isolation="unshare")
        records.add(connection)

    assert reason(database) == "needs isolation by unshare, and box has only rlimits"
    assert claim(database, worker(isolation="bubblewrap")) is not None


def test_a_save_under_an_older_claim_changes_nothing(database: Database) -> None:
    with database.write() as connection:
        records.add_task(connection, resources={"gpu": 1})
        records.add_slots(connection, "gpu", 1)
        records.add(connection)
    old = claim(database)
    assert old is not None
    with database.write() as connection:
        submission_versions.queue_again(connection, old.key, old.epoch, NOW, outcome="expired")
    new = claim(database, worker("other"))
    assert new is not None

    assert not end(database, old)
    assert held(database) == ["gpu:0@box"]  # those of the new claim
    assert end(database, new)
    assert (new.epoch, held(database)) == (old.epoch + 1, [])


def test_an_author_has_as_many_open_submissions_as_the_task_allows(database: Database) -> None:
    limits = AuthorLimits(pending=2, cooldown_s=10)
    new = NewSubmission("circles", "ada")
    with database.write() as connection:
        records.add_task(connection)
        submissions.add(connection, new, NOW, limits)

        with pytest.raises(RequestError, match="again in 7 s"):
            submissions.add(connection, new, at(3), limits)
        submissions.add(connection, new, at(10), limits)
        with pytest.raises(RequestError, match="has 2 open submissions"):
            submissions.add(connection, new, at(99), limits)
        submissions.add(connection, new._replace(author="bob"), at(99), limits)


def test_many_submit_and_claim_at_once_and_nothing_is_lost_or_doubled(
    database: Database,
) -> None:
    with database.write() as connection:
        records.add_task(connection, resources={"gpu": 1})
        records.add_task(connection, "pair", resources={"gpu": 2})
        records.add_slots(connection, "gpu", 3)
    finished: Counter[VersionKey] = Counter()
    most = []
    submitted = threading.Event()
    counting = threading.Lock()

    def submit(index: int) -> None:
        with database.write() as connection:
            records.add(connection, task_key="pair" if index % 5 == 0 else "circles")

    def work(index: int) -> None:
        while True:
            all_there = submitted.is_set()
            claimed = claim(database, worker(f"w{index}"))
            if claimed is None:
                if all_there and not held(database):
                    return
                continue
            with counting:
                most.append(len(held(database)))
            assert end(database, claimed)
            with counting:
                finished[claimed.key] += 1

    with ThreadPoolExecutor(12) as pool:
        working = [pool.submit(work, index) for index in range(4)]
        list(pool.map(submit, range(60)))
        submitted.set()
        for one in working:
            one.result()

    assert (len(finished), set(finished.values())) == (60, {1})
    assert max(most) <= 3
