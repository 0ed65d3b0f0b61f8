"""Runs and what is noted about them: results, waits, events, reports and ratings."""

from collections.abc import Mapping

import pytest

from acm_workers.errors import NotFound
from acm_workers.store import (
    activity,
    calls,
    claims,
    documents,
    events,
    ratings,
    reports,
    results,
    runs,
    waits,
)
from acm_workers.store.connection.database import Database
from acm_workers.store.waits import WaitingUnits
from schemas.ranking import Fusion, Rating, Standing
from schemas.run import SkippedDocument
from schemas.units import Document
from tests.support import stored
from tests.support.stored import NOW, at


def standing(artifact_id: str, **changes: object) -> Standing:
    values = {
        "artifact_id": artifact_id, "rank": 1, "admitted": True, "rank_score": 8.1, "overall": 7.5,
        "elo": 1516.0, "wins": 1, "games": 1, "selected": True, "reason": "It is good.",
    }  # fmt: skip
    return Standing.model_validate({**values, **changes})


def finished(document: Document, winner_id: str | None) -> Document:
    values = {"state": "done", "winner_id": winner_id, "reason": "won", "finished_at": at(9)}
    return document.model_copy(update=values)


def test_a_run_comes_back_as_it_was_added(database: Database) -> None:
    skipped = (SkippedDocument(path="a.md", run_id="R0", document_id="D0"),)
    with database.write() as connection:
        run = stored.run(connection, skipped=skipped, guidelines="Be brief.")

        assert runs.get(connection, run.id) == run
        assert runs.latest(connection) == run


def test_a_run_is_found_by_the_beginning_of_its_id(database: Database) -> None:
    with database.write() as connection:
        for run_id in ("01JAAA", "01JABB", "01JABC", "01K_%"):
            stored.run(connection, run_id)

        assert runs.get(connection, "01jaa").id == "01JAAA"
        assert runs.get(connection, "01JABC").id == "01JABC"
        assert runs.get(connection, "01K").id == "01K_%"
        with pytest.raises(NotFound, match='more than one run begins with "01JAB"'):
            runs.get(connection, "01JAB")
        for other in ("01X", "01J_A", "%", "01JAAAA"):
            with pytest.raises(NotFound, match="there is no run"):
                runs.get(connection, other)


def test_the_latest_of_no_runs_is_not_found(database: Database) -> None:
    with database.read() as connection, pytest.raises(NotFound, match="no runs here yet"):
        runs.latest(connection)


def test_runs_are_listed_in_pages_the_newest_first(database: Database) -> None:
    with database.write() as connection:
        for number in range(5):
            stored.run(connection, f"R{number}")

        page = runs.page(connection, 2)
        next_page = runs.page(connection, 2, before=page[-1].id)

        assert [run.id for run in page + next_page] == ["R4", "R3", "R2", "R1"]


def test_only_a_run_that_can_go_on_is_found_by_its_key(database: Database) -> None:
    with database.write() as connection:
        stored.run(connection, "R1", key="k", state="cancelled")
        stored.run(connection, "R2", key="k", state="done")
        stored.run(connection, "R3", key="other")

        found = runs.unfinished(connection, "k")

        assert found is not None
        assert found.id == "R1"
        assert runs.unfinished(connection, "none") is None


def test_a_run_ends_once(database: Database) -> None:
    with database.write() as connection:
        run = stored.run(connection)

        assert runs.finish(connection, run.id, "partial", at(9))
        assert not runs.finish(connection, run.id, "failed", at(10))
        assert (runs.get(connection, run.id).state, runs.running(connection)) == ("partial", [])


def test_a_cancelled_run_goes_on_with_its_new_config(database: Database) -> None:
    changed = stored.config(retries={"attempts": 9})
    with database.write() as connection:
        run = stored.run(connection)
        runs.cancel(connection, run.id)
        runs.finish(connection, run.id, "cancelled", at(9))
        cancelled = runs.get(connection, run.id)
        runs.reopen(connection, run.id, changed)

        assert cancelled.cancel_requested
        assert runs.get(connection, run.id) == run.model_copy(update={"config": changed})


def test_waits_are_those_of_the_last_look(database: Database) -> None:
    first = [
        WaitingUnits("beta", "requests", 3, at(5)),
        WaitingUnits("alpha", "paused: no money", 9, None),
    ]
    with database.write() as connection:
        run, other = stored.run(connection), stored.run(connection)
        waits.replace(connection, run.id, first)
        waits.replace(connection, other.id, first)
        assert waits.of_run(connection, run.id) == sorted(first)

        waits.replace(connection, run.id, [])

        assert waits.of_run(connection, run.id) == []
        assert len(waits.of_run(connection, other.id)) == 2


def test_events_are_told_in_order_from_any_place(database: Database) -> None:
    with database.write() as connection:
        run = stored.run(connection)
        for number in range(3):
            events.add(connection, run.id, "note", at(number), data={"number": number})
        events.add(connection, stored.run(connection).id, "note", NOW)

        found = events.since(connection, run.id, 0)

        assert [event.data["number"] for event in found] == [0, 1, 2]
        assert events.since(connection, run.id, found[1].id) == found[2:]
        assert found[2].at == at(2)


def test_a_run_has_one_report(database: Database) -> None:
    with database.write() as connection:
        run = stored.run(connection)
        assert reports.path(connection, run.id) is None

        for path in ("old/index.html", "new/index.html"):
            reports.replace(connection, run.id, path, NOW)

        assert reports.path(connection, run.id) == "new/index.html"


def test_a_finished_document_keeps_its_ranking(database: Database) -> None:
    with database.write() as connection:
        run = stored.run(connection)
        document = stored.document(connection, run)
        a, b = stored.candidates(connection, document)
        places = (standing(a.id), standing(b.id, rank=2, rank_score=None, overall=None))
        fusions = (Fusion(artifact_id=b.id, parent_id=a.id, better=0.25, games=1, lift=None),)
        documents.finish(connection, finished(document, a.id), places, fusions)

        kept = documents.get(connection, document.id)
        assert (kept.stage, kept.state, kept.winner_id) == ("finished", "done", a.id)
        assert documents.standings(connection, run.id) == {document.id: places}
        assert documents.fusions(connection, run.id) == {document.id: fusions}
        assert documents.with_winner(connection, [document.key]) == {document.key: kept}

        documents.reopen(connection, document.id, "generate")
        assert documents.get(connection, document.id) == document
        assert documents.standings(connection, run.id) == {}


def test_ratings_take_the_place_of_earlier_ones(database: Database) -> None:
    with database.write() as connection:
        run = stored.run(connection)
        document = stored.document(connection, run)
        a, b = stored.candidates(connection, document)
        values = {"games": 1, "wins": 1, "losses": 0, "ties": 0}
        for points in (1500.0, 1516.25):
            rated = [
                Rating(artifact_id=b.id, points=3000 - points, history=(1500.0,), **values),
                Rating(artifact_id=a.id, points=points, history=(1500.0, points), **values),
            ]
            ratings.replace(connection, document, rated, NOW)

        assert ratings.of_run(connection, run.id) == {document.id: (rated[1], rated[0])}


def test_everything_about_a_run_is_found_in_a_few_queries(database: Database) -> None:
    with database.write() as connection:
        run = stored.run(connection)
        document = stored.document(connection, run)
        a, b = stored.candidates(connection, document)
        evaluation = stored.evaluation(connection, a)
        comparison = stored.comparison(connection, a, b)

        found = results.records(connection, run.id)

        assert (found.run, found.documents) == (run, (document,))
        assert found.texts == {document.id: f"The source of {document.path}."}
        assert found.artifacts == (a, b)
        assert (found.evaluations, found.comparisons) == ((evaluation,), (comparison,))
        assert found.calls == ()


def test_a_result_tells_winners_and_what_is_missing(database: Database) -> None:
    with database.write() as connection:
        run = stored.run(connection)
        document = stored.document(connection, run, path="a.md")
        a, _ = stored.candidates(connection, document)
        documents.finish(connection, finished(document, a.id), [standing(a.id)], [])
        stored.document(connection, run, path="b.md")

        found = results.of_run(connection, run.id)
        seen = results.progress(connection, run.id)

        assert [one.path for one in found.documents] == ["a.md", "b.md"]
        assert found.documents[0].winner is not None
        assert found.documents[0].winner.artifact_id == a.id
        assert found.documents[1].winner is None
        assert seen.stages == {"done": 1, "generate": 1}
        assert seen.units["artifact"] == {"planned": 2}
        assert seen.units["comparison"] == {}


def test_skipped_documents_show_the_winners_they_have(database: Database) -> None:
    with database.write() as connection:
        earlier = stored.run(connection)
        winners: dict[str, Mapping[str, str]] = {}
        for path in ("a.md", "b.md"):
            document = stored.document(connection, earlier, path=path)
            a, _ = stored.candidates(connection, document)
            documents.finish(connection, finished(document, a.id), [standing(a.id)], [])
            winners[path] = {"document_id": document.id, "artifact_id": a.id}
        skipped = tuple(
            SkippedDocument(path=f"moved/{path}", run_id=earlier.id, document_id=one["document_id"])
            for path, one in winners.items()
        )
        run = stored.run(connection, skipped=skipped)

        for found in (
            results.of_run(connection, run.id),
            results.nothing_to_do(connection, skipped),
        ):
            told = {one.path: one.winner and one.winner.artifact_id for one in found.documents}
            assert told == {f"moved/{path}": one["artifact_id"] for path, one in winners.items()}
            assert {one.state for one in found.documents} == {"skipped"}
            assert found.usd == 0.0


def test_what_a_run_does_is_counted_by_document_and_by_model(database: Database) -> None:
    with database.write() as connection:
        run, document, (one, two) = stored.scene(connection)
        ended = stored.document(connection, run, path="a.md", state="done")
        stored.evaluation(connection, one)
        stored.put(connection, "artifact", [one.id], state="done")
        calls.start(connection, stored.call(one))
        calls.start(connection, stored.call(two, model="other", digest="b" * 64))

    with database.read() as connection:
        found = activity.of_run(connection, run.id, 5)
        first = activity.of_run(connection, run.id, 1)

    assert [(shown.path, shown.stage) for shown in found.documents] == [
        (document.path, "generate"), (ended.path, "done"),
    ]  # fmt: skip
    assert found.documents[0].units == {"artifact": (1, 2), "evaluation": (0, 1)}
    assert found.documents[1].units == {}
    assert [(model.sent, model.in_flight, model.failed) for model in found.models] == [
        (1, 1, 0)
    ] * 2
    assert (len(first.documents), first.left_out) == (1, 1)


_REPORT = {
    "type": "gptr", "provider": "alpha", "model": "m1", "iterations": 3,
    "research": {"max_calls": 20, "timeout_seconds": 60},
}  # fmt: skip


def test_the_progress_of_each_child_has_its_step_and_what_it_used(database: Database) -> None:
    config = stored.config(runs=[_REPORT], retriever={"type": "folder", "folder": "sources"})
    with database.write() as connection:
        run = stored.run(connection, config=config)
        document = stored.document(connection, run, path="a.md")
        one, two, _ = stored.candidates(connection, document, config)
        assert claims.acquire(connection, "artifact", one.id, "w1", at(60))
        assert claims.acquire(connection, "artifact", two.id, "w1", at(60))
        used = {"calls": 3, "searches": 5, "peak_rss_bytes": 212_400_000}
        data = {"artifact_id": one.id, "step": "searching", **used}
        events.add(connection, run.id, "child", NOW, document.id, data)

        assert results.progress(connection, run.id).children == (
            "m1 gptr #1 for a.md: searching (calls: 3, searches: 5, memory: 212 MB)",
            "m1 gptr #2 for a.md: starting",
        )
