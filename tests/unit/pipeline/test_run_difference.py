"""Two runs over the same documents: how they are paired, what is said, and what is not."""

import math
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import pytest

from acm_workers.pipeline import config_changes, run_difference
from acm_workers.pipeline.run_difference import DecidedDocument, RunDocuments
from acm_workers.pipeline.snapshot import DocumentSnapshot
from schemas.calls import Call
from schemas.config.config import Config
from schemas.config.judging import Criterion
from schemas.run import Run
from schemas.run_difference import RunDifference, WinRate
from schemas.units import Document
from tests.support import judging_records
from tests.support.judging_records import START, artifact, evaluation

X = (Criterion(name="x", weight=1.0),)


def config(judge: str = "j", **changes: Any) -> Config:
    found = judging_records.config(method="combined", criteria=X)
    judges = (judging_records.judge().model_copy(update={"model": judge}),)
    return found.model_copy(update={"judges": judges} | changes)


def decided(
    path: str,
    scores: Sequence[float],
    *,
    source: str | None = None,
    text: str = "",
    won: bool = True,
) -> DecidedDocument:
    """Return a document whose candidates have scores; the first one won."""
    artifacts = [artifact(f"{path}-{number}") for number in range(len(scores))]
    document = Document(
        id=path, run_id="run", path=path, key="k", stage="finished", state="done",
        winner_id=artifacts[0].id if won else None, created_at=START,
    )  # fmt: skip
    units = [
        evaluation(one.id, score, scores={"x": score})
        for one, score in zip(artifacts, scores, strict=True)
    ]
    return DecidedDocument(
        path=path,
        digest=path if source is None else source,
        snapshot=DocumentSnapshot(document, artifacts, units, []),
        winner_text=text or None,
        p_best=0.9,
        calls=[call(path)],
    )


def call(document: str, **changes: Any) -> Call:
    values: dict[str, Any] = {
        "id": f"call-{document}", "run_id": "run", "document_id": document, "unit_id": "u",
        "unit_kind": "artifact", "stage": "main", "attempt": 1, "provider": "alpha", "model": "m",
        "digest": "d", "iteration": 1, "state": "done", "cost_usd": 0.25, "started_at": START,
        "owner": "o",
    }  # fmt: skip
    return Call.model_validate(values | changes)


def run(documents: Sequence[DecidedDocument], name: str = "A", **changes: Any) -> RunDocuments:
    values: dict[str, Any] = {
        "id": name, "key": name, "title": f"{name}.yaml", "state": "done", "config": config(),
        "instructions": "Write.", "guidelines": None, "created_at": START,
        "finished_at": START + timedelta(seconds=90),
    }  # fmt: skip
    return RunDocuments(Run.model_validate(values | changes), documents)


def scored(difference: float, number: int = 8, name: str = "A", **changes: Any) -> RunDocuments:
    """Return a run whose texts score so much more than 6, each document a little otherwise."""
    return run(
        [
            decided(f"{index}.md", [7 + difference + index % 3 / 10, 5 + difference])
            for index in range(number)
        ],
        name,
        **changes,
    )


def test_a_run_whose_texts_score_more_in_each_document_is_better() -> None:
    found = run_difference.difference(scored(0), scored(0.5, name="B"))

    winners, texts = found.measures
    assert found.conclusion == "better"
    assert (winners.name, texts.name) == ("winners", "all texts")
    assert texts.difference == pytest.approx(0.5)
    assert winners.difference == pytest.approx(0.5)
    assert winners.pairs == 8
    assert (winners.low or 0) > 0
    assert found.interval == 0.95


def test_the_same_runs_the_other_way_round_are_worse_by_as_much() -> None:
    found = run_difference.difference(scored(0.5), scored(0, name="B"))

    assert found.conclusion == "worse"
    assert found.measures[1].difference == pytest.approx(-0.5)


def test_equal_runs_show_no_difference() -> None:
    found = run_difference.difference(scored(0), scored(0, name="B"))

    assert found.conclusion == "no difference seen"
    assert found.measures[0].difference == pytest.approx(0)


def test_where_nothing_is_seen_it_is_said_which_difference_would_have_been() -> None:
    few = run_difference.difference(scored(0, 4), scored(0, 4, name="B"))
    many = run_difference.difference(scored(0, 40), scored(0, 40, name="B"))

    # Without noise a document counts with the least standard deviation, 0.27 of a scale of 9; for
    # 39 degrees of freedom t is 2.3313 and 0.8509.
    least = (2.3313 + 0.8509) * 0.27 / math.sqrt(40)
    assert many.measures[1].detectable == pytest.approx(least, abs=1e-4)
    assert f"a true difference of {least:.2f} for all texts would be found in 80 %" in many.reason
    assert (few.measures[1].detectable or 0) > 3 * least


def test_where_nothing_can_be_found_no_difference_is_promised() -> None:
    rate = WinRate(
        name="win rate", pairs=2, a=0.5, b=0.5, difference=0, low=-1, high=1, run_id="C",
        verdicts=4, ties=0,
    )  # fmt: skip

    found = run_difference.difference(
        scored(0), scored(0, name="B", config=config(judge="k")), rate
    )

    assert found.reason == "the intervals of the differences have 0 in them"


def test_one_document_says_nothing_of_others() -> None:
    found = run_difference.difference(scored(0, 1), scored(3, 1, name="B"))

    assert found.conclusion == "no difference seen"
    assert "one document" in found.reason
    assert found.measures[0].low is None


def test_scores_of_other_judges_are_not_compared_and_it_is_said_loudly() -> None:
    found = run_difference.difference(scored(0), scored(2, name="B", config=config(judge="k")))

    assert found.conclusion == "not comparable"
    assert found.measures == found.criteria == ()
    assert found.warnings[0].startswith("JUDGES DIFFER")
    assert {one.difference for one in found.documents} == {None}


def test_winners_that_were_judged_against_each_other_tell_what_scores_cannot() -> None:
    rate = WinRate(
        name="win rate", pairs=8, a=0.3, b=0.7, difference=0.2, low=0.1, high=0.3, run_id="C",
        verdicts=16, ties=2,
    )  # fmt: skip

    other_judges = scored(2, name="B", config=config(judge="k"))
    found = run_difference.difference(scored(0), other_judges, rate)

    assert found.conclusion == "better"
    assert "win rate" in found.reason


@pytest.mark.parametrize(
    "scores", [([], []), ([decided("a.md", [7], won=False)], [decided("a.md", [7])])]
)
def test_without_a_document_that_both_decided_nothing_is_comparable(
    scores: tuple[list[DecidedDocument], list[DecidedDocument]],
) -> None:
    found = run_difference.difference(run(scores[0]), run(scores[1], "B"))

    assert found.conclusion == "not comparable"
    assert "no document has a winner" in found.reason


def test_documents_without_scores_are_not_comparable() -> None:
    silent = decided("a.md", [7])
    silent = silent._replace(snapshot=silent.snapshot._replace(evaluations=[]))

    found = run_difference.difference(run([silent]), run([decided("a.md", [7])], "B"))

    assert (found.conclusion, found.reason) == (
        "not comparable", "no document has scores in both runs",
    )  # fmt: skip
    assert found.documents[0].a.score is None


def test_documents_are_paired_by_path_and_content_and_the_rest_is_named() -> None:
    a = [
        decided("same.md", [7]),
        decided("old-name.md", [7], source="moved"),
        decided("changed.md", [7], source="before"),
        decided("gone.md", [7]),
        decided("undecided.md", [7], won=False),
    ]
    b = [
        decided("same.md", [7]),
        decided("new-name.md", [7], source="moved"),
        decided("changed.md", [7], source="after"),
        decided("new.md", [7]),
        decided("undecided.md", [7]),
    ]

    found = run_difference.difference(run(a), run(b, "B"))

    assert [(one.a_path, one.path) for one in found.documents] == [
        ("old-name.md", "new-name.md"), ("same.md", "same.md"),
    ]  # fmt: skip
    assert found.only_a == ("gone.md",)
    assert found.only_b == ("new.md",)
    assert found.altered == ("changed.md",)
    assert found.undecided == ("undecided.md",)


def test_texts_without_a_source_are_paired_by_path_alone() -> None:
    a = [decided("x.md", [7], source=""), decided("y.md", [7], source="")]
    b = [decided("y.md", [7], source=""), decided("z.md", [7], source="")]

    found = run_difference.pair(a, b)

    assert [(one.path, other.path) for one, other in found.pairs] == [("y.md", "y.md")]
    assert (found.only_a, found.only_b) == (["x.md"], ["z.md"])


def test_each_document_tells_who_won_instead_and_by_which_criterion() -> None:
    other = decided("a.md", [8], text="new")
    other.snapshot.artifacts[0] = other.snapshot.artifacts[0].model_copy(update={"model": "n"})
    a = run([decided("a.md", [7], text="old"), decided("b.md", [7], text="t")])
    b = run([other, decided("b.md", [7], text="t")], "B")

    found = run_difference.difference(a, b)

    first, second = found.documents
    assert first.why == ("n #1 wins instead of m #1.", "By criterion: x +1.00.")
    assert first.criteria == {"x": 1.0}
    assert second.same_text
    assert second.difference == 0
    assert second.why == ("Both runs chose the same text, m #1.",)
    assert (found.criteria[0].name, found.criteria[0].difference) == ("x", 0.5)


def test_one_text_that_won_twice_is_as_good_as_itself_whatever_the_others_scored() -> None:
    a = run([decided("a.md", [8, 7.5, 7.9], text="t"), decided("b.md", [6], text="u")])
    b = run([decided("a.md", [8, 2, 1], text="t"), decided("b.md", [6], text="u")], "B")

    winners, texts = run_difference.difference(a, b).measures

    assert winners.difference == 0
    assert (texts.difference or 0) < 0


def test_winners_are_named_with_their_prompts() -> None:
    prompts = [
        config(runs=tuple(one.model_copy(update={"prompt": name}) for one in config().runs))
        for name in ("usual", "brief")
    ]
    a = run([decided("a.md", [7])], config=prompts[0])

    other = run_difference.difference(a, run([decided("a.md", [7])], "B", config=prompts[1]))
    same = run_difference.difference(a, run([decided("a.md", [7])], "B", config=prompts[0]))

    assert other.documents[0].why == ("m #1 (brief) wins instead of m #1 (usual).",)
    assert same.documents[0].why == ("Another text of alpha:m with usual wins.",)


def test_another_text_of_the_same_model_is_told_so() -> None:
    found = run_difference.difference(run([decided("a.md", [7])]), run([decided("a.md", [7])], "B"))

    assert found.documents[0].why == ("Another text of alpha:m wins.",)


def test_cost_is_that_of_the_compared_documents_and_time_that_of_the_run() -> None:
    a = [decided("a.md", [7]), decided("only.md", [7])]
    free = decided("a.md", [7])._replace(calls=[call("a", cached=True, cost_usd=0.0)])
    unknown = run([free], "B", finished_at=None)

    found = run_difference.difference(run(a), unknown)

    assert (found.a.usd, found.a.calls, found.a.cached, found.a.seconds) == (0.25, 1, 0, 90.0)
    assert (found.b.usd, found.b.calls, found.b.cached, found.b.seconds) == (0.0, 0, 1, None)
    assert (found.a.documents, found.b.documents) == (2, 1)


def test_what_limits_the_comparison_is_said() -> None:
    median = config().ranking.model_copy(update={"aggregation": "median"})
    a = scored(0, guidelines="Be brief.")
    b = run(
        [decided(f"{index}.md", [7]) for index in range(8)],
        "B",
        instructions="Write more.",
        state="paused",
        config=config(missing_score=5, ranking=median),
    )

    said = " ".join(run_difference.difference(a, b).warnings)

    for part in ("instructions differ", "guidelines differ", "B is paused", "missing_score",
                 "different numbers of candidates", "ranking.aggregation"):  # fmt: skip
        assert part in said


def test_scores_on_a_scale_of_their_own_are_left_out() -> None:
    combined = artifact("c", parents=("a.md-0",))
    document = decided("a.md", [7])
    document.snapshot.artifacts.append(combined)
    document.snapshot.evaluations.append(evaluation("c", 9.0, scores={"x": 9.0}))
    won = document.snapshot.document.model_copy(update={"winner_id": "c"})
    document = document._replace(snapshot=document.snapshot._replace(document=won))
    own = config().playoffs.model_copy(update={"criteria": X})

    found = run_difference.difference(
        run([document], config=config(playoffs=own)), run([decided("a.md", [7])], "B")
    )

    winners, texts = found.measures
    assert (winners.pairs, texts.pairs) == (0, 1)
    assert found.documents[0].a.expected is None


def changes(a: RunDocuments, b: RunDocuments) -> Mapping[str, tuple[str | None, str | None]]:
    return {one.key: (one.a, one.b) for one in config_changes.changes(a.run, b.run)}


def test_changes_of_a_config_are_named_by_key_and_long_texts_by_digest() -> None:
    long = config().judges[0].model_copy(update={"system_prompt": "Be strict. " * 20})
    a = run([], guidelines="Be brief.")
    b = run([], "B", instructions="Write more.", config=config(judges=(long,), seed=7))

    found = changes(a, b)

    assert found["seed"] == ("0", "7")
    assert found["instructions"][0] == "6 characters, 76050b686260"
    assert (found["instructions"][1] or "").startswith("11 characters, ")
    assert found["guidelines"][1] is None
    assert (found["judges[j].system_prompt"][1] or "").startswith("220 characters, ")


def test_an_entry_that_only_one_run_has_is_one_change_and_the_others_keep_their_names() -> None:
    first = config().runs[0]
    swift = first.model_copy(update={"model": "swift"})
    deep = first.model_copy(update={"model": "deep"})
    again = deep.model_copy(update={"iterations": 3})
    files = deep.model_copy(update={"type": "files", "prompt": "short"})
    a = run([], config=config(runs=(swift, deep, files)))
    b = run([], "B", config=config(runs=(deep, again)))

    assert changes(a, b) == {
        "runs[alpha:swift]": ("in the config", None),
        "runs[alpha:deep files short]": ("in the config", None),
        "runs[alpha:deep #2]": (None, "in the config"),
    }


def test_values_of_lists_are_named_by_their_places() -> None:
    first = config().runs[0].model_copy(update={"model": "m"})
    old, new = (first.model_copy(update={"json_schema": {"required": [one]}}) for one in "xy")

    found = changes(run([], config=config(runs=(old,))), run([], "B", config=config(runs=(new,))))

    assert found == {"runs[alpha:m].schema.required[1]": ("x", "y")}


def test_equal_configs_have_no_changes_wherever_their_folders_are() -> None:
    assert changes(run([]), run([], "B", config=config(output_folder="elsewhere"))) == {}


def test_judges_are_the_same_whatever_their_names_and_iterations() -> None:
    renamed = config().judges[0].model_copy(update={"name": "other", "iterations": 9})

    assert config_changes.same_scores(config(), config(judges=(renamed,)))
    assert not config_changes.same_scores(config(), config(judge="k"))
    assert not config_changes.same_scores(config(), config(criteria=(X[0], X[0])))


def test_a_difference_survives_being_written_and_read() -> None:
    found = run_difference.difference(scored(0), scored(0.5, name="B"))

    assert RunDifference.model_validate_json(found.model_dump_json()) == found
