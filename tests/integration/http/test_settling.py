"""Runs are decided early from every side: HTTP, `Client` and Python."""

from pathlib import Path

import pytest

import acm_api
from acm_workers.errors import Conflict
from acm_workers.store import runs
from acm_workers.store.connection.database import Database
from tests.support import api_server, stored


def judged(database: Database) -> tuple[str, str]:
    """Add a paused run with two scored candidates; return its id and that of the better one."""
    with database.write() as connection:
        scene = stored.scene(connection)
        worse, better = scene.candidates
        written = [worse.id, better.id]
        stored.put(connection, "artifact", written, state="done", text="A text of some length.")
        for candidate, score in ((worse, 3.0), (better, 8.0)):
            one = stored.evaluation(connection, candidate)
            scores = {criterion.name: score for criterion in scene.run.config.criteria}
            ended = {"state": "done", "scores": scores, "overall": score}
            stored.put(connection, "evaluation", [one.id], **ended)
        runs.pause(connection, scene.run.id, "the budget is spent")
    return scene.run.id, better.id


def test_a_paused_run_is_decided_with_what_it_has_from_here_and_at_a_server(
    tmp_path: Path,
) -> None:
    with api_server.running(tmp_path, dispatch=False) as server:
        run_id, better = judged(server.database)
        client = acm_api.Client(server.url)
        page = server.client.get(f"{server.url}/runs/{run_id}").text
        client.settle(run_id)
        shown = client.show(run_id)
        after = server.client.get(f"{server.url}/runs/{run_id}").text
        with pytest.raises(Conflict, match="there is nothing to settle"):
            client.settle(run_id)
        other_id, _ = judged(server.database)
    here = acm_api.settle(other_id, home=tmp_path)

    assert (shown.state, shown.documents[0].settled) == ("done", True)
    assert shown.documents[0].winner is not None
    assert shown.documents[0].winner.artifact_id == better
    assert shown.calls.total == 0
    assert f'data-post="/api/v1/runs/{run_id}/settle"' in page
    assert ("/settle" in after, "settled early" in after) == (False, True)
    assert here.state == "done"
    assert (here.candidates[0].rank, here.candidates[0].overall) == (1, 8.0)
