import csv
import hashlib
import io
import json
from datetime import UTC, datetime
from typing import Any

from acm_workers.reporting import report
from tests.support import sample_records

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
