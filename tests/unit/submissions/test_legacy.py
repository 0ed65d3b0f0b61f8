"""Records of the old evaluation system, as tolerant as they have to be read."""

import json
from datetime import UTC, datetime

import pytest

from acm_workers.submissions import legacy
from schemas.submissions import Submission, Version

NOW = datetime(2026, 3, 2, tzinfo=UTC)
DOCUMENT = """
id: 7
author: Ada
research_task_id: 1
title: Grid
content: |
  # ---
  def solve():
      return 1.0
tick: 5
"""


def test_a_queue_is_split_at_its_separators_and_not_within_code() -> None:
    text = f"---\n{DOCUMENT}--- \n{DOCUMENT}---\n\n---\nbroken: [\n"

    found = legacy.documents(text)

    assert len(found) == 3
    assert legacy.read_pending(found[1]).content.startswith("# ---\ndef solve")


def test_what_may_be_missing_is_missing_and_ids_are_numbers_or_texts() -> None:
    found = legacy.read_pending(DOCUMENT)

    assert (found.id, found.task_id, found.tick, found.tags) == ("7", "1", 5, ())
    assert legacy.read_pending("{id: x, task_id: t, author: a, content: c, tags: 'a, b'}") == (
        legacy.LegacySubmission(id="x", task_id="t", author="a", content="c", tags=("a", "b"))
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [("broken: [", "no YAML"), ("- 1", "no mapping"), ("id: 1", "lacks author, task_id, content")],
)
def test_what_is_no_submission_says_why(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        legacy.read_pending(text)


def test_an_old_evaluation_is_read_with_its_versions() -> None:
    text = """{"id": 3, "author": "Ada", "task_id": "1", "original_submission": {
        "content": "x = 1", "evaluation_result": {"status": "failed", "score": "n.a.",
        "error": "Execution timed out after 60 s"}},
        "versions": {"v3": {"content": "z = 1", "evaluation_result": {"status": "completed",
        "score": 2.5, "details": {"half": ["1.25", 1.25], "Message": "fine"},
        "sort_key": [2.5, -1]}},
        "v2": {"content": "y = 1", "evaluation_result": {"status": "failed",
        "score": -Infinity}}}, "notification": {"sent": true, "version_notified": "v3"}}"""

    found = legacy.read_evaluation(text)

    assert [(one.version, one.state, one.score) for one in found.versions] == [
        (1, "timed_out", None),
        (2, "failed", None),
        (3, "scored", 2.5),
    ]
    assert (found.versions[2].metrics, found.versions[2].sort_key) == ({"half": 1.25}, (2.5, -1.0))
    assert found.notified_version == 3


def test_what_is_written_is_read_back() -> None:
    submission = Submission(
        id=3, task_key="circles", author="ada", state="finished", notified_version=2, created_at=NOW
    )
    crash = Version(
        submission_id=3, version=1, content="x", state="failed", cause="crash", error="no",
        queued_at=NOW,
    )  # fmt: skip
    good = Version(
        submission_id=3, version=2, content="y", state="scored", score=2.5, metrics={"n": 3},
        queued_at=NOW,
    )  # fmt: skip

    text = json.dumps(legacy.write_evaluation(submission, [crash, good], None, "well done"))
    back = legacy.read_evaluation(text)

    assert [(one.state, one.score, one.content) for one in back.versions] == [
        ("failed", None, "x"),
        ("scored", 2.5, "y"),
    ]
    assert (back.submission.author, back.notified_version) == ("ada", 2)
    assert back.versions[1].metrics == {"n": 3}
