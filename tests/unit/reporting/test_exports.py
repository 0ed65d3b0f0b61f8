import csv
import hashlib
import io
import json
from datetime import UTC, datetime
from importlib import resources
from typing import Any
from xml.etree import ElementTree

import jsonschema_rs
import pytest

from acm_workers.reporting import report, results
from schemas.run import SkippedDocument
from tests.support import sample_records
from tests.support.records_builder import RecordsBuilder

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
SMALL = sample_records.small()
FILES = report.files(SMALL, generated_at=NOW)


def table(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(FILES[name].decode())))


def loaded(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FILES[name])
    return found


def test_the_same_material_gives_the_same_bytes() -> None:
    again = report.files(sample_records.small(), generated_at=NOW)

    assert again == FILES


def test_rankings_hold_every_candidate_with_its_numbers() -> None:
    rows = {row["artifact_id"]: row for row in table("rankings.csv")}

    assert len(rows) == len(SMALL.artifacts)
    for standings in SMALL.standings.values():
        for standing in standings:
            row = rows[standing.artifact_id]
            assert int(row["rank"]) == standing.rank
            assert float(row["rank_score"]) == standing.rank_score
            assert row["selected"] == str(standing.selected).lower()


def test_rankings_name_the_winner_of_each_document() -> None:
    winners = {row["artifact_id"] for row in table("rankings.csv") if row["winner"] == "true"}

    assert winners == {document.winner_id for document in SMALL.documents}


def test_a_file_name_that_is_a_formula_is_no_formula_in_a_table() -> None:
    paths = {row["path"] for row in table("rankings.csv")} | {
        row["doc_id"] for row in table("elo_summary.csv")
    }

    assert "'=cmd|' /C calc'!A0 <b>&.md" in paths
    assert not [path for path in paths if path.startswith(("=", "+", "-", "@"))]


def test_elo_summary_has_two_decimals_and_the_best_first() -> None:
    rows = [row for row in table("elo_summary.csv") if row["path"] == "notes/intro.md"]
    points = [float(row["elo"]) for row in rows]

    assert points == sorted(points, reverse=True)
    assert all(len(row["elo"].partition(".")[2]) == 2 for row in rows)


def test_results_give_no_total_where_a_part_of_it_is_unknown() -> None:
    cost = loaded("results.json")["cost"]

    assert cost["usd"] is None
    assert cost["known_usd"] > 0
    assert cost["uncertain_calls"] == 1


def test_results_count_cached_calls_beside_those_that_were_sent() -> None:
    calls = loaded("results.json")["calls"]

    assert calls == {"total": len(SMALL.calls) - 1, "failed": 2, "cached": 1, "uncertain": 1}


def test_results_hold_every_judgement_and_no_text() -> None:
    results = loaded("results.json")

    assert len(results["evaluations"]) == len(SMALL.evaluations)
    assert len(results["comparisons"]) == len(SMALL.comparisons)
    assert "the tracker" not in FILES["results.json"].decode()


def test_timeline_has_a_record_per_unit_in_utc() -> None:
    timeline = loaded("timeline_data.json")
    units = len(SMALL.artifacts) + len(SMALL.evaluations) + len(SMALL.comparisons)

    assert len(timeline["records"]) == units
    assert timeline["t0_iso"] == "2026-03-02T09:30:00.000Z"
    assert timeline["records"][0] | {"unit_id": "", "file_size": 0} == {
        "run_id": "fpf-1-1",
        "report_type": "FPF rest",
        "model": "small-1",
        "start_ts": "2026-03-02T09:30:00.000Z",
        "end_ts": "2026-03-02T09:30:08.000Z",
        "result": "success",
        "output_file": "notes/intro.fpf.1.md",
        "file_size": 0,
        "start_mmss": "00:00",
        "end_mmss": "00:08",
        "duration_mmss": "00:08",
        "duration_seconds": 8.0,
        "unit_id": "",
        "state": "done",
        "document": "notes/intro.md",
    }


def test_failed_units_are_failures_in_the_timeline() -> None:
    records = loaded("timeline_data.json")["records"]

    assert sum(record["result"] == "failure" for record in records) == 4


def test_meta_describes_every_file() -> None:
    described = loaded("meta.json")["files"]

    assert set(described) == set(FILES) - {"meta.json"}
    for name, about in described.items():
        assert about["bytes"] == len(FILES[name])
        assert about["sha256"] == hashlib.sha256(FILES[name]).hexdigest()


def test_meta_describes_a_file_of_each_kind_of_export() -> None:
    assert set(loaded("meta.json")["files"]) == {
        "index.html", "timeline_data.json", "rankings.csv", "results.json", "elo_summary.csv",
        "evaluations.csv", "comparisons.csv", "calls.csv", "junit.xml",
    }  # fmt: skip


def test_results_follow_the_published_schema_and_have_nothing_that_it_lacks() -> None:
    schema = json.loads((resources.files("schemas") / "results.schema.json").read_text("utf-8"))
    closed = _closed(schema)

    for known in (SMALL, sample_records.large(2, 12), RecordsBuilder().material()):
        jsonschema_rs.validate(
            closed, json.loads(json.dumps(report.values(known, generated_at=NOW)))
        )
    assert schema["$id"] == loaded("results.json")["schema"] == f"urn:acm:results:{results.FORMAT}"


def test_the_published_schema_refuses_other_content() -> None:
    schema = json.loads((resources.files("schemas") / "results.schema.json").read_text("utf-8"))
    wrong = loaded("results.json")
    wrong["documents"][0]["winner"]["p_best"] = 1.5

    assert not jsonschema_rs.is_valid(schema, wrong)


def _closed(schema: Any) -> Any:
    """Return a schema that allows no property that it does not describe."""
    if isinstance(schema, list):
        return [_closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: _closed(one) for name, one in schema.items()}
    return closed | {"additionalProperties": False} if "required" in schema else closed


def test_every_criterion_of_every_evaluation_is_a_row() -> None:
    rows = table("evaluations.csv")
    done = [unit for unit in SMALL.evaluations if unit.state == "done"]
    failed = [unit for unit in SMALL.evaluations if unit.state == "failed"]

    assert len(rows) == sum(len(unit.scores) for unit in done) + len(failed)
    scores = {(row["evaluation_id"], row["criterion"]): row["score"] for row in rows}
    assert all(
        float(scores[unit.id, name]) == score
        for unit in done
        for name, score in unit.scores.items()
    )
    assert [row["error"] for row in rows if row["state"] == "failed"] == [
        unit.error for unit in failed
    ]


def test_what_a_judge_said_of_the_whole_stands_with_each_score() -> None:
    said = SMALL.evaluations[0].model_copy(update={"summary": "Short and true.", "confidence": 0.8})
    known = SMALL.model_copy(update={"evaluations": (said, *SMALL.evaluations[1:])})

    made = report.files(known, generated_at=NOW)["evaluations.csv"].decode()
    found = [
        (row["summary"], row["confidence"])
        for row in csv.DictReader(io.StringIO(made))
        if row["evaluation_id"] == said.id
    ]

    assert found == [("Short and true.", "0.8")] * len(said.scores)


def test_the_file_of_a_winner_has_what_its_judges_said() -> None:
    document = SMALL.documents[0]
    units = [
        unit.model_copy(update={"summary": f"Said by {unit.judge}.", "confidence": 0.8})
        if unit.artifact_id == document.winner_id and unit.state == "done"
        else unit
        for unit in SMALL.evaluations
    ]
    said = [one for one in units if one.summary]

    told = results.winner_json(SMALL.model_copy(update={"evaluations": tuple(units)}), document)

    assert [(one["judge"], one["summary"]) for one in told["remarks"]] == [
        (one.judge, one.summary) for one in said
    ]
    assert told["remarks"][0] == {
        "judge": said[0].judge,
        "iteration": said[0].iteration,
        "overall": said[0].overall,
        "summary": said[0].summary,
        "confidence": 0.8,
    }


def test_comparisons_name_both_candidates_and_the_winner() -> None:
    names = {artifact.id: artifact.name for artifact in SMALL.artifacts}
    rows = {row["comparison_id"]: row for row in table("comparisons.csv")}

    assert len(rows) == len(SMALL.comparisons)
    for unit in SMALL.comparisons:
        row = rows[unit.id]
        assert (row["a"], row["b"]) == (names[unit.a_id], names[unit.b_id])
        assert row["winner_id"] == {"a": unit.a_id, "b": unit.b_id, "tie": ""}[unit.winner or ""]


def test_costs_of_calls_in_the_table_add_up_to_the_known_cost() -> None:
    rows = table("calls.csv")

    known = sum(float(row["cost_usd"]) for row in rows if row["cost_usd"])
    assert len(rows) == len(SMALL.calls)
    assert round(known, 9) == loaded("results.json")["cost"]["known_usd"]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d"])
def test_no_text_of_a_model_is_a_formula_in_any_table(start: str) -> None:
    bad = f"{start}HYPERLINK('http://evil.example')"
    units = tuple(
        unit.model_copy(update={"reason": bad, "error": bad}) for unit in SMALL.comparisons
    )
    calls = tuple(call.model_copy(update={"error": bad, "model": bad}) for call in SMALL.calls)
    made = report.files(
        SMALL.model_copy(update={"comparisons": units, "calls": calls}), generated_at=NOW
    )

    cells = [
        cell
        for name in ("comparisons.csv", "calls.csv")
        for row in csv.reader(io.StringIO(made[name].decode(), newline=""))
        for cell in row
    ]
    assert "'" + bad.replace("\r", "\n") in cells
    assert not [cell for cell in cells if cell.startswith(start) and not cell[1:].isdigit()]
    assert b"\r" not in made["calls.csv"]


def test_each_document_is_a_test_case_that_fails_without_a_winner() -> None:
    made = RecordsBuilder()
    won = made.document("won \x1b[31m\x00.md")
    made.evaluate(made.artifact(won, "text", 1), 8.0)
    made.rank(won)
    lost = made.document("lost <&>.md")
    made.artifact(lost, None, 1)
    made.documents[1] = lost.model_copy(
        update={"state": "failed", "reason": "All failed: \x08 <b>"}
    )
    skipped = (SkippedDocument(path="old.md", run_id="R0", document_id="D0"),)

    files = report.files(made.material(skipped=skipped), generated_at=NOW)
    suite = ElementTree.fromstring(files["junit.xml"])[0]  # noqa: S314  our own

    assert {name: suite.get(name) for name in ("tests", "failures", "skipped")} == {
        "tests": "3", "failures": "1", "skipped": "1",
    }  # fmt: skip
    names = [case.get("name") for case in suite]
    assert names == ["won \ufffd[31m\ufffd.md", "lost <&>.md", "old.md"]
    facts = {one.get("name"): one.get("value") for one in suite[0].iter("property")}
    assert facts["winner"] == "small-1 #1"
    failure = suite[1].find("failure")
    assert failure is not None
    assert failure.get("message") == "All failed: \ufffd <b>"
