"""What GPT Researcher is asked, and what becomes of what it answers."""

from pathlib import Path
from typing import Any

import pytest

from acm_workers.errors import ChildFailed, EmptyAnswer, EvidenceMissing, PermanentError
from acm_workers.generators import researcher
from acm_workers.generators.researcher import ServiceAddresses
from acm_workers.generators.text import Brief
from acm_workers.processes.spec import CapturedOutput, ChildEnd
from schemas.calls import EvidenceSummary
from schemas.config.research import Research
from schemas.config.variant import Variant

VARIANT = Variant(
    type="dr",
    provider="alpha",
    model="m1",
    research=Research(words=500, breadth=2, depth=1, max_calls=9, timeout_seconds=60),
)
TEXT = "# Tides\n\n" + "The moon draws the water of the sea. " * 10
RESULT: dict[str, Any] = {
    "event": "result",
    "text": TEXT,
    "sources": [{"url": "file:a.md", "title": "A"}, {"url": "file:a.md"}, {"url": "file:b.md"}],
    "context_chars": 900,
}


def ended(result: dict[str, Any] | None, code: int | None = 0, **changes: Any) -> ChildEnd:
    nothing = CapturedOutput(size=0, head="", tail="")
    values: dict[str, Any] = {
        "reason": "ended", "exit_code": code, "signal": None, "result": result, "events": 1,
        "unreadable": 0, "stdout": nothing, "stderr": nothing, "wall_s": 3.0, "cpu_s": 1.0,
        "peak_rss_bytes": 1, "killed": 0,
    }  # fmt: skip
    return ChildEnd(**values | changes)


def error(code: str, message: str = "") -> dict[str, Any]:
    return {"event": "error", "code": code, "message": message}


def test_the_request_holds_task_subject_and_options() -> None:
    found = researcher.request(VARIANT, Brief("Report.", "Be brief.\n\nCite.", "Text\n# Tides\n"))

    assert found["query"].startswith("Report.")
    assert "# Tides" in found["query"]
    assert found["subject"] == "Tides"
    assert found["guidelines"] == ["Be brief.", "Cite."]
    assert (found["kind"], found["words"], found["depth"], found["max_calls"]) == ("dr", 500, 1, 9)


def test_the_child_gets_addresses_of_this_machine_and_no_key() -> None:
    addresses = ServiceAddresses(
        "http://127.0.0.1:1/v1", "token", "http://127.0.0.1:1/search?token=t"
    )

    found = researcher.environment(VARIANT, addresses)

    assert found["OPENAI_API_KEY"] == "token"
    assert {found[name] for name in ("SMART_LLM", "STRATEGIC_LLM", "FAST_LLM")} == {"openai:m1"}


def test_a_report_has_its_text_its_sources_once_and_its_files(tmp_path: Path) -> None:
    (tmp_path / "report.docx").write_bytes(b"PK")
    (tmp_path / "report.exe").write_bytes(b"MZ")
    secret = tmp_path.parent / "secret.pdf"
    secret.write_bytes(b"%PDF")
    files = ["report.docx", "report.exe", f"../{secret.name}", "missing.pdf"]

    found = researcher.report(ended(RESULT | {"files": files}), tmp_path, 5)

    assert found.generated.text == TEXT.strip()
    assert found.generated.proof == EvidenceSummary(grounding="sourced", searches=5, sources=2)
    assert [(file.extension, file.data) for file in found.files] == [("docx", b"PK")]


@pytest.mark.parametrize(
    ("end", "kind", "words", "next_try"),
    [
        (ended(RESULT | {"text": " "}), EmptyAnswer, "no report", "anew"),
        (ended(RESULT | {"sources": []}), EvidenceMissing, "no source", "anew"),
        (ended(RESULT | {"context_chars": 0}), EvidenceMissing, "0 characters", "anew"),
        (ended(RESULT | {"text": "x" * 600_000}), ChildFailed, "longer than 512 kB", None),
        (ended(error("empty_report"), 5), EmptyAnswer, "no report", "anew"),
        (ended(error("ungrounded"), 5), EvidenceMissing, "no source", "anew"),
        (ended(error("auth", "refused"), 4), ChildFailed, "exit code 4: refused", None),
        (ended(error("rate_limited"), 4), ChildFailed, "exit code 4", "go_on"),
        (ended(error("bug", "oops"), 1), ChildFailed, "exit code 1: oops", "anew"),
        (ended(error("timeout"), 6), ChildFailed, "exit code 6", "go_on"),
        (ended(error("too_many_calls"), 7), ChildFailed, "exit code 7", None),
        (ended(error("bad_request"), 2), ChildFailed, "exit code 2", None),
        (ended(error("missing_package"), 3), ChildFailed, "exit code 3", None),
        (ended(None), ChildFailed, "exit code 0: it said nothing", None),
        (ended(RESULT, 1), ChildFailed, "exit code 1", "anew"),
        (ended(None, None, signal=9), ChildFailed, "SIGKILL", None),
        (ended(None, None, reason="deadline"), ChildFailed, "within its time (3 s)", "go_on"),
        (ended(None, None, reason="silent"), ChildFailed, "no sign of life", "go_on"),
        (ended(None, None, reason="memory"), ChildFailed, "more memory", None),
    ],
)
def test_a_failure_has_its_reason_and_what_may_be_tried(
    end: ChildEnd, kind: type[PermanentError], words: str, next_try: str | None, tmp_path: Path
) -> None:
    with pytest.raises(kind, match=words.replace("(", r"\(").replace(")", r"\)")) as caught:
        researcher.report(end, tmp_path, 1)

    assert researcher.next_try(caught.value, end) == next_try


def test_the_last_line_that_was_printed_tells_what_went_wrong(tmp_path: Path) -> None:
    printed = CapturedOutput(size=9, head="Traceback\nKeyError: 'x'\n\n", tail="")

    with pytest.raises(ChildFailed, match="exit code 1: KeyError: 'x'"):
        researcher.report(ended(None, 1, stderr=printed), tmp_path, 0)
