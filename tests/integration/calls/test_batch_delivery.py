"""One batch from its first submission to its saved results, whatever is lost on the way."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from acm_workers import submit
from acm_workers.calls import batched_calls
from acm_workers.calls.batch_delivery import BatchDelivery
from acm_workers.errors import AnswerLost, ProviderUnavailable
from acm_workers.providers.batches import delivery
from acm_workers.providers.batches.records import BatchedRequest, BatchLabel
from acm_workers.store import batches, calls, runs
from acm_workers.store.batches import BatchLimits
from acm_workers.store.connection.database import Database
from acm_workers.submit import RunInput
from schemas.calls import Call, Message, Request
from schemas.config.config import Config
from schemas.config.provider import Dialect, Provider
from tests.support import simulator, stored
from tests.support.project import wait_until
from tests.support.simulator import Simulator

pytestmark = pytest.mark.usefixtures("closed")

_DIALECTS: list[Dialect] = ["openai", "anthropic", "google"]
_POLL_S = 10.0
_SIZE = 3


@pytest.fixture(scope="module")
def there() -> Iterator[Simulator]:
    with simulator.running(latency_s=0.0, background_latency_s=0.05) as running:
        yield running


class Sent:
    """A batch of three requests in a store, and a clock that tests move."""

    def __init__(self, database: Database, there: Simulator, dialect: Dialect) -> None:
        url = there.google_url if dialect == "google" else there.url
        alpha = {"dialect": dialect, "base_url": url, "poll_seconds": _POLL_S}
        self.config: Config = stored.config(providers={"alpha": alpha})
        self.provider: Provider = self.config.providers["alpha"]
        self.database, self.clock = database, stored.NOW
        with database.write() as connection:
            run = stored.run(connection, config=self.config)
            self._document = stored.document(connection, run).id
        self.run_id = run.id
        self.calls = [self._stored() for _ in range(_SIZE)]
        with database.write() as connection:
            (waiting,) = batches.waiting(connection, run.id)
            self.id = stored.new_id()
            limits = BatchLimits(1000, 10**6)
            assert batches.seal(connection, waiting, run.id, self.id, self.clock, limits) == _SIZE

    def now(self) -> datetime:
        return self.clock

    def pass_time(self, seconds: float) -> None:
        self.clock += timedelta(seconds=seconds)

    def step(self) -> batches.Batch:
        """Do one step as a worker does it; return the batch after it."""
        BatchDelivery(self.database, self.config, "w", self.now).work_on(self.id)
        return self.state()

    def state(self) -> batches.Batch:
        with self.database.read() as connection:
            found = batches.get(connection, self.id)
        assert found is not None
        return found

    def die_before_sending(self) -> None:
        """Claim the batch as a worker that dies then."""
        with self.database.write() as connection:
            assert batches.claim(connection, self.id, "dead", self.clock) is not None
            batches.release(connection, owner="dead")

    def die_after_sending(self) -> str:
        """Send the batch as a worker that dies before it has saved the id; return the id."""
        self.die_before_sending()
        with self.database.read() as connection:
            found = batches.bodies(connection, self.id)
        requests = tuple(BatchedRequest(name, body) for name, body in found)
        label = BatchLabel(self.id, len(requests), self.clock)
        return delivery.of(self.provider).submit(self.provider, "alpha", label, "m1", requests)

    def finish(self) -> None:
        """Look at the batch until it has ended."""

        def ended() -> bool:
            self.pass_time(_POLL_S)
            return self.step().state == "ended"

        wait_until(ended)

    def texts(self) -> set[str]:
        """Return the answers, each read as its unit does."""
        found: set[str] = set()
        for call in self.calls:
            with self.database.read() as connection:
                request = batches.of_call(connection, call.id)
            assert request is not None
            found.add(batched_calls.read(call, request, self.provider, self.clock).text)
        return found

    def _stored(self) -> Call:
        number = stored.new_id()
        request = Request(
            provider="alpha",
            model="m1",
            messages=(Message(role="user", content=f"Write, as {number}."),),
        )
        call = Call(
            id=stored.new_id(),
            run_id=self.run_id,
            document_id=self._document,
            unit_id=number,
            unit_kind="artifact",
            stage="main",
            attempt=1,
            provider="alpha",
            model="m1",
            digest=number.ljust(64, "0"),
            iteration=1,
            state="started",
            started_at=self.clock,
            owner="w",
        )
        with self.database.write() as connection:
            calls.start(connection, call)
            batches.add_request(connection, call, delivery.body(self.provider, request))
        return call


def submitted(there: Simulator) -> int:
    counted: dict[str, Any] = there.stats()["batches"]
    return int(counted["submitted"])


@pytest.mark.parametrize("dialect", _DIALECTS)
def test_a_batch_whose_submission_was_not_answered_is_found_and_not_sent_again(
    sqlite_database: Database, there: Simulator, dialect: Dialect
) -> None:
    batch, before = Sent(sqlite_database, there, dialect), submitted(there)
    there_id = batch.die_after_sending()

    found = batch.step()
    batch.finish()

    assert (found.state, found.there_id) == ("sent", there_id)
    assert len(batch.texts()) == _SIZE
    assert submitted(there) - before == 1


@pytest.mark.parametrize("dialect", _DIALECTS)
def test_a_batch_that_did_not_arrive_is_sent_once_it_must_have_shown(
    sqlite_database: Database, there: Simulator, dialect: Dialect
) -> None:
    batch, before = Sent(sqlite_database, there, dialect), submitted(there)
    # Anthropic's batches are told apart by size and time: those of other tests are none of ours.
    others = _others(batch, there)
    batch.die_before_sending()
    _ignore(batch, others)

    early = batch.step()
    batch.pass_time(6 * _POLL_S)
    late = batch.step()
    batch.finish()

    assert (early.state, late.state) == ("sending", "sent")
    assert len(batch.texts()) == _SIZE
    assert submitted(there) - before == 1


def test_a_batch_of_somebody_else_is_neither_kept_nor_cancelled(
    sqlite_database: Database, there: Simulator
) -> None:
    foreign = Sent(sqlite_database, there, "anthropic")
    others = _others(foreign, there)
    foreign_id = foreign.die_after_sending()
    batch = Sent(sqlite_database, there, "anthropic")
    batch.die_before_sending()
    _ignore(batch, others)
    cancels = there.stats()["batches"]["cancels"]

    taken = batch.step()
    with sqlite_database.write() as connection:
        batches.cancel_abandoned(connection, batch.run_id, batch.clock)

    def left_alone() -> bool:
        batch.pass_time(_POLL_S)
        return batch.step().state == "sending"

    wait_until(left_alone)
    unharmed = there.stats()["batches"]["cancels"] - cancels
    foreign.finish()

    assert taken.there_id == foreign_id
    assert foreign_id in batch.state().others
    assert unharmed == 0
    assert len(foreign.texts()) == _SIZE


def test_answers_of_a_batch_that_its_provider_no_longer_knows_may_have_been_paid(
    sqlite_database: Database, there: Simulator
) -> None:
    batch = Sent(sqlite_database, there, "openai")
    with sqlite_database.write() as connection:
        claimed = batches.claim(connection, batch.id, "w", batch.clock)
        assert claimed is not None
        batches.mark_sent(connection, claimed, "batch_gone", batch.clock, adopted=False)

    states = [batch.step().state for _ in range(3)]

    assert states == ["sent", "sent", "ended"]
    with pytest.raises(AnswerLost) as caught:
        batch.texts()
    assert caught.value.maybe_billed
    assert caught.value.final


def test_a_batch_that_is_refused_leaves_its_requests_to_be_sent_by_themselves(
    sqlite_database: Database, there: Simulator
) -> None:
    batch = Sent(sqlite_database, there, "openai")
    nowhere = batch.provider.model_copy(update={"base_url": f"{there.root}/nowhere"})
    batch.config = batch.config.model_copy(update={"providers": {"alpha": nowhere}})

    refused = batch.step()

    assert refused.state == "ended"
    with pytest.raises(ProviderUnavailable, match="the provider did not execute the request"):
        batch.texts()


def test_a_batch_waits_for_a_valid_key(
    sqlite_database: Database, there: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALPHA_KEY", "invalid")
    batch = Sent(sqlite_database, there, "openai")
    keyed = batch.provider.model_copy(update={"key_env": "ALPHA_KEY"})
    batch.config = batch.config.model_copy(update={"providers": {"alpha": keyed}})

    refused = batch.step()

    assert refused.state == "sealed"
    with sqlite_database.read() as connection:
        assert batches.unanswered(connection, batch.id)


def _others(batch: Sent, there: Simulator) -> list[str]:
    """Return the provider's ids of all batches that look like this one."""
    found: list[str] = []
    dialect = delivery.of(batch.provider)
    while True:
        label = BatchLabel(batch.id, _SIZE, stored.NOW, frozenset(found))
        one = dialect.find(batch.provider, "alpha", label)
        if one is None:
            return found
        found.append(one)


def _ignore(batch: Sent, others: list[str]) -> None:
    with batch.database.write() as connection:
        batches.change(connection, batch.state(), others=others)


def test_a_run_keeps_its_delivery_while_something_of_it_is_in_a_batch(
    sqlite_database: Database, there: Simulator
) -> None:
    alpha = {"dialect": "openai", "base_url": there.url}
    variant = {"type": "fpf", "provider": "alpha", "model": "m1"}
    live, batch = (
        stored.config(providers={"alpha": alpha}, runs=[{**variant, "delivery": delivery}])
        for delivery in ("live", "batch")
    )

    def begun(config: Config) -> tuple[str, str]:
        work = RunInput("config.yaml", config, "Write.", None, {"a.md": "A source."})
        run_id = submit.submit(sqlite_database, work, stored.making()).run_id
        assert run_id is not None
        with sqlite_database.read() as connection:
            return run_id, runs.get(connection, run_id).config.runs[0].delivery

    run_id, first = begun(batch)
    with sqlite_database.write() as connection:
        document = stored.document(connection, runs.get(connection, run_id))
        call = stored.call(stored.candidates(connection, document)[0])
        calls.start(connection, call)
        batches.add_request(connection, call, {})
    kept = begun(live)
    with sqlite_database.write() as connection:
        batches.withdraw(connection, [call.id])
    changed = begun(live)

    assert (first, kept, changed) == ("batch", (run_id, "batch"), (run_id, "live"))
