"""A judge that always names what it is shown first, and who wins all the same.

Nothing here is left to chance: where such a judge gives everybody the same, and everybody met
everybody, Bradley-Terry strengths are in the order of what the other judge gives.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from acm_workers.simulator.quality import read_quality
from tests.support import configs, simulator
from tests.support.project import Project
from tests.support.texts import first

_ALWAYS = 2.0
"""More than any two simulated texts differ by: such a judge always names the first."""
_ALIKE = 0.01
"""Texts that differ by less are a tie even to a judge who never errs."""
_DOCUMENTS = 3
_MODELS = ("m1", "m2", "m3", "m4", "m5")
"""An odd number: everybody has an even number of pairs, and can be first in half of them."""
_BOTH = ("fair", "tilted")


class _Verdict(NamedTuple):
    document: str
    judge: str
    a: str
    b: str
    winner: str


class _Ran(NamedTuple):
    """Facts about a run from the store.

    Attributes:
        candidates: Ids by document, in the order in which they were planned.
        winners: Id by document.
    """

    candidates: dict[str, list[str]]
    winners: dict[str, str]
    verdicts: list[_Verdict]

    def each(self, judge: str) -> Iterator[tuple[list[str], list[_Verdict]]]:
        """Return candidates and the judge's verdicts of each document."""
        for document, ids in self.candidates.items():
            about = [one for one in self.verdicts if one.document == document]
            yield ids, [one for one in about if one.judge == judge]


class _Runs(NamedTuple):
    """Runs over the same texts: an exact judge, alone or beside a biased one."""

    fair: _Ran
    random: _Ran
    none: _Ran
    quality: dict[str, float]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Runs]:
    exact = {"latency_s": 0.0, "judge_noise": 0.0}
    with (
        simulator.running(position_bias=0.0, **exact) as plain,
        simulator.running(position_bias=_ALWAYS, **exact) as tilted,
    ):
        config = configs.base(
            {
                "alpha": configs.provider(plain.url, *_MODELS, "j1", "fair"),
                "beta": configs.provider(tilted.url, "tilted"),
            },
            runs=configs.runs(alpha=_MODELS),
            ranking={"method": "bradley_terry"},
            playoffs={"enabled": False},
        )
        project = Project(tmp_path_factory.mktemp("biased"), config, first(_DOCUMENTS))
        fair = _run(project, config, "random", _BOTH[:1])
        random = _run(project, config, "random", _BOTH)
        none = _run(project, config, "none", _BOTH)
        texts = project.rows("select artifact_id, text from artifacts")
        yield _Runs(fair, random, none, {one: read_quality(text) or 0.0 for one, text in texts})


def _run(project: Project, config: dict[str, Any], order: str, judges: tuple[str, ...]) -> _Ran:
    known = {"fair": configs.judge("fair", name="fair"),
             "tilted": configs.judge("tilted", "beta", name="tilted")}  # fmt: skip
    pairwise = {"strategy": "round_robin", "position_swap": order}
    asked = pairwise | {"judges": [known[one] for one in judges]}
    project.configure(config | {"pairwise": asked})
    ran = project.acm("run", "--json")
    assert ran.code == 0, ran.err
    run_id = ran.last["run_id"]
    planned = "select document_id, artifact_id from artifacts where run_id = ? order by 2"
    candidates: dict[str, list[str]] = {}
    for document, one in project.rows(planned, run_id):
        candidates.setdefault(document, []).append(one)
    winners = "select document_id, winner_id from documents where run_id = ?"
    verdicts = """select document_id, judge, artifact_a_id, artifact_b_id, winner
        from pairwise_comparisons where run_id = ?"""
    return _Ran(
        candidates,
        dict(project.rows(winners, run_id)),
        [_Verdict(*row) for row in project.rows(verdicts, run_id)],
    )


@pytest.mark.parametrize("judge", _BOTH)
def test_random_order_shows_each_judge_every_candidate_first_as_often_as_second(
    runs: _Runs, judge: str
) -> None:
    for ids, verdicts in runs.random.each(judge):
        assert Counter(one.a for one in verdicts) == dict.fromkeys(ids, 2)
        assert Counter(one.b for one in verdicts) == dict.fromkeys(ids, 2)


def test_random_order_shows_a_pair_to_two_judges_in_both_orders(runs: _Runs) -> None:
    shown, swapped = _shown(runs.random, "fair"), _shown(runs.random, "tilted")

    assert len(shown) == _DOCUMENTS * 10
    assert swapped == {(b, a) for a, b in shown}


def test_random_order_lets_a_judge_who_names_the_first_give_all_the_same(runs: _Runs) -> None:
    for ids, verdicts in runs.random.each("tilted"):
        assert {one.winner for one in verdicts} == {"a"}
        assert Counter(one.a for one in verdicts) == dict.fromkeys(ids, 2)


def test_fixed_order_lets_a_judge_who_names_the_first_rank_by_place(runs: _Runs) -> None:
    for ids, verdicts in runs.none.each("tilted"):
        won = Counter(one.a for one in verdicts if one.winner == "a")
        assert [won[one] for one in ids] == [4, 3, 2, 1, 0]


def test_a_judge_who_names_the_first_changes_no_winner_with_random_order(runs: _Runs) -> None:
    for ran in (runs.fair, runs.random):
        for document, ids in ran.candidates.items():
            best = max(runs.quality[one] for one in ids)
            assert runs.quality[ran.winners[document]] >= best - _ALIKE


def _shown(ran: _Ran, judge: str) -> set[tuple[str, str]]:
    return {(one.a, one.b) for one in ran.verdicts if one.judge == judge}
