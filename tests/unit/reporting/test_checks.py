"""What reports and exports say of checks."""

import csv
import io
import json
from datetime import UTC, datetime
from importlib import resources

import jsonschema_rs

from acm_workers.reporting import report, results
from schemas.config.checks import Check
from schemas.units import Artifact, CheckResult
from tests.support import sample_records
from tests.support.markup import Markup

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
REASON = "<script>alert(1)</script> 9 words; at most 3"
RESULT = CheckResult(
    name="length", type="length", gate=True, weight=0.0, passed=True, score=1.0, reason="2 words"
)
UNKNOWN = RESULT.model_copy(
    update={"name": "mine", "gate": False, "weight": 0.5, "passed": None, "score": None,
            "reason": "the function failed"}
)  # fmt: skip
PLAIN = sample_records.small()
LOSER = next(
    one
    for one in PLAIN.artifacts
    if one.state == "done" and one.id not in {document.winner_id for document in PLAIN.documents}
)


def _checked(one: Artifact) -> Artifact:
    failed = {"passed": False, "score": 0.3, "reason": REASON} if one.id == LOSER.id else {}
    found = (RESULT.model_copy(update=failed), UNKNOWN)
    return one.model_copy(update={"checks": found if one.state == "done" else ()})


CHECKS = (
    Check(type="length", name="length", max=3),
    Check(type="function", name="mine", gate=False, weight=0.5, source="def check(text): 1"),
)
KNOWN = PLAIN.model_copy(
    update={
        "artifacts": tuple(map(_checked, PLAIN.artifacts)),
        "run": PLAIN.run.model_copy(
            update={"config": PLAIN.run.config.model_copy(update={"checks": CHECKS})}
        ),
    }
)
FILES = report.files(KNOWN, generated_at=NOW)


def table(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(FILES[name].decode())))


def test_every_check_of_every_candidate_is_a_row() -> None:
    rows = table("checks.csv")

    assert len(rows) == sum(len(one.checks) for one in KNOWN.artifacts)
    (failed,) = [row for row in rows if row["passed"] == "false"]
    assert (failed["artifact_id"], failed["check"], failed["gate"], failed["score"]) == (
        LOSER.id, "length", "true", "0.3"
    )  # fmt: skip
    assert {row["passed"] for row in rows if row["check"] == "mine"} == {""}
    assert [row["fails"] for row in table("rankings.csv") if row["artifact_id"] == LOSER.id] == [
        "length"
    ]


def test_results_have_the_checks_and_follow_the_published_schema() -> None:
    schema = json.loads((resources.files("schemas") / "results.schema.json").read_text("utf-8"))
    told = json.loads(FILES["results.json"])

    jsonschema_rs.validate(schema, told)
    found = [one for page in told["documents"] for one in page["candidates"]]
    (loser,) = [one["artifact"]["checks"] for one in found if one["artifact"]["id"] == LOSER.id]
    assert [(one["name"], one["passed"]) for one in loser] == [("length", False), ("mine", None)]
    about = results.winner_json(KNOWN, KNOWN.documents[0])
    assert [one["name"] for one in about["checks"]] == ["length", "mine"]


def test_the_report_shows_each_check_with_its_reason_and_who_cannot_win() -> None:
    page = FILES["index.html"].decode()
    shown = " ".join(Markup(page.replace("<", " <")).text.split())

    assert "<script>alert" not in page
    assert "cannot win length: <script>alert(1)</script> 9 words; at most 3" in shown
    assert "failed 0.30" in shown
    assert "no result the function failed" in shown
    assert "does not pass the checks: " in shown


def test_reports_of_runs_without_checks_say_nothing_of_them() -> None:
    plain = report.files(PLAIN, generated_at=NOW)

    assert "checks.csv" not in plain
    assert "A candidate that fails a gate" not in plain["index.html"].decode()
