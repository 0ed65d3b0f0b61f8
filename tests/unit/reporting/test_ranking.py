"""What a report says of the ranking, and of what combining brought."""

import csv
import io
import json
from datetime import UTC, datetime
from functools import cache
from itertools import combinations
from typing import Any

import pytest

from acm_workers.reporting import report, results, verdict
from schemas.config.config import Config
from schemas.config.judging import Criterion, Judge, Pairwise
from schemas.config.ranking import Playoffs, RankingMethod, RankingOptions
from schemas.run import RunRecords
from tests.support import records_builder
from tests.support.markup import Markup
from tests.support.records_builder import RecordsBuilder

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


def material(**changed: Any) -> RunRecords:
    """Return a document of three candidates and a combined one; the third is the best of them."""
    made = RecordsBuilder()
    made.config = made.config.model_copy(update=changed)
    document = made.document("a.md")
    ids = [made.artifact(document, "text " * 9, number) for number in (1, 2, 3)]
    qualities = dict(zip(ids, (5.0, 6.5, 8.0), strict=True))
    mix = made.artifact(
        document,
        "both",
        1,
        generator="combine",
        parents=(ids[2], ids[1]),
        created_at=records_builder.at(500),
    )
    qualities[mix] = 8.8
    for one, quality in qualities.items():
        made.evaluate(one, quality)
    for pair in combinations(qualities, 2):
        made.compare(document, pair, qualities[pair[0]] - qualities[pair[1]])
    made.rank(document)
    return made.material()


def files(known: RunRecords) -> dict[str, bytes]:
    return report.files(known, generated_at=NOW)


def text(made: dict[str, bytes]) -> str:
    page = made["index.html"].decode()
    return " ".join(Markup(page.replace("<", " <")).text.split())


@cache
def by(method: RankingMethod) -> RunRecords:
    return material(ranking=RankingOptions(method=method))


@pytest.mark.parametrize(
    ("method", "said"),
    [
        ("posterior", "Ordered by P(best), the probability of being the best one"),
        ("combined", "Ordered by rank score, made of Elo and overall score."),
        ("elo", "Ordered by Elo."),
        ("score", "Ordered by overall score."),
        ("bradley_terry", "Ordered by the strength by verdicts alone (Bradley-Terry)."),
    ],
)
def test_ranking_says_what_it_goes_by_and_gives_p_best_under_every_method(
    method: RankingMethod, said: str
) -> None:
    made = files(by(method))
    shown = text(made)

    assert said in shown
    assert "P(best)" in shown.partition("Read this first")[0]
    for row in csv.DictReader(io.StringIO(made["rankings.csv"].decode())):
        assert 0 <= float(row["p_best"]) <= 1
        assert float(row["strength_low"]) < float(row["strength"]) < float(row["strength_high"])


@pytest.mark.parametrize(
    ("strategy", "method"), [("adaptive", "posterior"), ("round_robin", "combined")]
)
def test_auto_says_what_it_came_to(strategy: str, method: str) -> None:
    made = files(material(pairwise=Pairwise.model_validate({"strategy": strategy})))

    results = json.loads(made["results.json"])

    assert results["documents"][0]["method"] == method
    assert "(auto)" in text(made)


def test_why_comparing_ended_stands_with_the_result() -> None:
    known = material(pairwise=Pairwise(strategy="round_robin"))

    assert "Every pair was compared" in (known.documents[0].reason or "")
    assert known.documents[0].reason is not None
    assert known.documents[0].reason in text(files(known))


@pytest.mark.parametrize("method", ["posterior", "combined", "elo", "score", "bradley_terry"])
def test_winner_file_has_p_best_and_strength_under_every_method(method: RankingMethod) -> None:
    known = by(method)
    document = known.documents[0]
    standing = next(
        one for one in known.standings[document.id] if one.artifact_id == document.winner_id
    )

    told = results.winner_json(known, document)

    assert standing.posterior is not None
    assert told["p_best"] == standing.p_best
    assert told["strength"] == standing.posterior.model_dump()


def test_combined_candidate_is_flagged_and_compared_with_its_best_parent() -> None:
    known = material()
    (fusion,) = known.fusions[known.documents[0].id]

    made = files(known)
    told = json.loads(made["results.json"])["documents"][0]["fusions"][0]
    shown = text(made)

    assert fusion.lift is not None
    assert told["verdict"] == verdict.fusion_verdict(fusion.better)
    assert told["lift_low"] < told["lift"] < told["lift_high"]
    made_from = "from large-2 #3 and small-1 #2"
    row = f"small-1 combined #1 {made_from} large-2 #3 {told['verdict']}"
    assert row in shown
    assert f"+{fusion.lift:.2f}" in shown.partition(row)[2][:60]
    assert "small-1 combined #1 ★ combined" in shown


@pytest.mark.parametrize(
    ("better", "said"),
    [
        (1.0, "better"), (0.95, "better"), (0.94, "probably better"), (0.75, "probably better"),
        (0.5, "about the same"), (0.25, "about the same"), (0.2, "probably worse"),
        (0.01, "worse"), (0.0, "worse"),
    ],
)  # fmt: skip
def test_what_combining_brought_is_said_in_words(better: float, said: str) -> None:
    assert verdict.fusion_verdict(better) == said


def own_criteria(known: Config) -> Playoffs:
    coherence = Criterion(name="coherence <b>", weight=1.0, max=100)
    judge = Judge(name="late", provider="alpha", model="m")
    return known.playoffs.model_copy(update={"criteria": (coherence,), "judges": (judge,)})


def test_scores_on_a_scale_of_their_own_are_shown_apart_and_never_as_a_lift() -> None:
    made = material(playoffs=own_criteria(records_builder.config()))
    mix = next(artifact for artifact in made.artifacts if artifact.combined)
    theirs = next(one for one in made.evaluations if one.artifact_id == mix.id)
    scored = theirs.model_copy(
        update={"judge": "late", "scores": {"coherence <b>": 84.0}, "overall": 84.0}
    )
    known = made.model_copy(update={"evaluations": (*made.evaluations, scored)})

    shown = text(files(known))
    apart = shown.partition("Criteria of combined candidates")[2]

    assert "coherence <b> weight 1 1 to 100" in apart
    assert "small-1 combined #1 combined 84.00 84.00 1" in apart
    assert "these scores are not comparable with those above" in apart
    assert "84.00 own scale" in shown
    assert made.fusions[made.documents[0].id][0].lift is None


def test_scores_that_were_filled_in_are_marked_in_every_table() -> None:
    made = material()
    filled = made.evaluations[0].model_copy(update={"filled": ("clarity",)})
    known = made.model_copy(update={"evaluations": (filled, *made.evaluations[1:])})

    written = files(known)
    shown = text(written)
    rows = list(csv.DictReader(io.StringIO(written["rankings.csv"].decode())))

    assert "1 filled" in shown.partition("Criteria")[0]
    assert shown.count("1 with filled scores") == 3  # ranking, criteria, judge
    assert {row["artifact_id"]: row["filled"] for row in rows}[filled.artifact_id] == "1"


def test_a_ranking_without_a_top_n_has_no_such_column() -> None:
    shown = text(files(material(ranking=RankingOptions(top_n=None))))

    assert "Top 3" not in shown
    assert "The top candidates" not in shown
