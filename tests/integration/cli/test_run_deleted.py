"""Deleting a run: its texts are gone from the file of the store, and its bill stays."""

from contextlib import closing
from datetime import timedelta
from pathlib import Path

from acm_workers.store.connection.database import Database
from tests.support import configs, intercepting_proxy, simulator, stored
from tests.support.project import Project, wait_until
from tests.support.texts import first

_SOURCE = b"shiver with their"
_BILL = "select count(*), sum(input_tokens), sum(output_tokens), sum(cost_usd) from calls"
_TEXTS = (
    "select count(*) from calls where answer is not null or digest != '' or error is not null",
    "select count(*) from documents where text != '' or winner_id is not null",
    "select count(*) from runs where instructions != '' or config like '%clarity%m1%'",
    "select count(*) from artifacts",
    "select count(*) from eval_results",
    "select count(*) from pairwise_comparisons",
    "select count(*) from elo_ratings",
)


def _store(project: Project) -> bytes:
    return b"".join(file.read_bytes() for file in (project.folder / ".acm").glob("acm.db*"))


def test_texts_are_gone_the_bill_stays_and_files_are_left_alone(tmp_path: Path) -> None:
    with simulator.running(latency_s=0.02) as provider:
        project = Project(tmp_path, configs.small(provider.url), first(1))
        ran = project.acm("run", "--json")
        run_id = ran.last["run_id"]
        copy = project.acm("rejudge", run_id, "--criteria", "clarity", "--json")
        bill, files, held = project.rows(_BILL), project.files("winners"), _store(project)
        listed_only = project.acm("delete", "--older-than", "0h")
        deleted = project.acm("delete", run_id, "--json")
        gone, left = [project.number(query) for query in _TEXTS], project.rows(_BILL)
        freed = _store(project)
        shown, listed = project.acm("show", run_id), project.acm("list")
        second = project.acm("delete", run_id)
        nothing = project.acm("delete", "--older-than", "0h", "--yes")
        wrong = [
            project.acm(*command)
            for command in (["export", run_id], ["resume", run_id], ["delete"])
        ]
        anew = project.acm("run", "--json", "--set", "skip=never")
        young = project.acm("delete", "--older-than", "30d", "--yes")
        with closing(Database(f"sqlite:///{project.folder}/.acm/acm.db")) as database:
            stored.end_run_earlier(database, anew.last["run_id"], timedelta(days=31))
        old = project.acm("delete", "--older-than", "30d", "--yes", "--json")
        left_of_old = [project.number(query) for query in _TEXTS]

    assert ran.code == copy.code == 0, copy.err
    assert (listed_only.code, listed_only.err) == (
        2,
        "acm: --yes deletes the texts of these 2 runs\n",
    )
    assert (deleted.code, deleted.last["also"]) == (0, [copy.last["run_id"]])
    assert gone == [0] * len(_TEXTS)
    assert left == bill
    assert _SOURCE in held
    assert _SOURCE not in freed
    assert "deleted: deleted on" in shown.out
    assert listed.out.count("deleted") == 2
    assert second.code == 0
    assert "files in your folders are not changed" in second.out
    assert project.files("winners") >= files > set()
    assert (nothing.code, nothing.err) == (0, "no run is that old\n")
    assert [one.code for one in wrong] == [2, 2, 2]
    assert "are gone: it was deleted on" in wrong[0].err
    assert "are gone: it was deleted on" in wrong[1].err
    assert anew.last["calls"]["cached"] == 0
    assert (young.code, young.err) == (0, "no run is that old\n")
    assert (old.code, old.last["run_id"]) == (0, anew.last["run_id"]), old.err
    assert left_of_old == [0] * len(_TEXTS)


def test_a_run_that_is_worked_on_is_refused_and_goes_on(tmp_path: Path) -> None:
    with (
        simulator.running(latency_s=0.02) as provider,
        intercepting_proxy.holding(provider.url) as held,
    ):
        project = Project(tmp_path, configs.small(held.url), first(1))
        with project.started("run", "--json") as command:
            wait_until(lambda: command.ended or project.number("select count(*) from calls"))
            run_id = project.rows("select run_id from runs")[0][0]
            refused = project.acm("delete", run_id)
            held.open()
            ended = command.end()

    assert refused.code == 2
    assert "is running: it has to end first; `acm cancel" in refused.err
    assert (ended.code, ended.last["state"]) == (0, "done")
