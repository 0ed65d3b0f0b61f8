"""No unit waits for what it does not need: other candidates, other documents."""

from collections.abc import Iterator

import pytest

from tests.support import configs, intercepting_proxy, simulator
from tests.support.project import Project, wait_until
from tests.support.texts import first

_SLOW, _FAST = "m1", "m2"
_DONE = "select document_id, finished_at from artifacts where model = ? and generator = 'fpf'"
_SCORED = """
    select artifacts.document_id, max(eval_results.finished_at)
    from eval_results join artifacts using (artifact_id)
    where artifacts.model = ? and artifacts.generator = 'fpf' and eval_results.state = 'done'
    group by 1
"""
_ENDED = "select count(*) from documents where state = 'done'"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """A finished run in which one provider writes one candidate at a time, and slowly.

    Its first is held until all others are scored, each of the next until a document has ended.
    """
    with (
        simulator.running(latency_s=0.02) as provider,
        intercepting_proxy.holding(provider.url) as held,
    ):
        providers = {
            "slow": configs.provider(held.url, max_in_flight=1),
            "alpha": configs.provider(provider.url),
        }
        changes = {"playoffs": {"enabled": False}}
        variants = configs.runs(slow=[_SLOW], alpha=[_FAST])
        config = configs.base(providers, runs=variants, **changes)
        project = Project(tmp_path_factory.mktemp("streaming"), config, first(3))
        with project.started("run", "--json") as command:
            wait_until(lambda: command.ended or len(project.rows(_SCORED, _FAST)) == 3)
            for ended in (1, 2):
                held.let_pass(1)
                wait_until(lambda: command.ended or project.number(_ENDED) == ended)  # noqa: B023
            held.let_pass(1)
            outcome = command.end()
        assert outcome.code == 0, outcome.err
        yield project


def test_a_candidate_is_scored_while_another_one_is_still_written(project: Project) -> None:
    written, scored = dict(project.rows(_DONE, _SLOW)), dict(project.rows(_SCORED, _FAST))

    assert len(written) == len(scored) == 3
    for document, finished_at in scored.items():
        assert finished_at < written[document]


def test_a_document_ends_while_others_wait_for_their_candidates(project: Project) -> None:
    ended = sorted(project.rows("select finished_at, document_id from documents"))
    last_written = max(finished_at for _, finished_at in project.rows(_DONE, _SLOW))

    assert ended[0][0] < last_written
    assert ended[1][0] < last_written
