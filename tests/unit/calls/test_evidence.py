"""What answers fail to prove, and what is done about it."""

import pytest
from structlog.testing import capture_logs

from acm_workers.calls import evidence
from acm_workers.calls.evidence import MissingEvidence, PreviousAnswers
from schemas.calls import Effort, Evidence, EvidenceSummary, Grounding, Reasoning, Source
from schemas.config.variant import RequiredEvidence


@pytest.mark.parametrize(
    ("found", "required", "expected"),
    [
        (("none", "none"), ("none", "none"), None),
        (("searched", "none"), ("searched", "none"), None),
        (("cited", "summary"), ("searched", "tokens"), None),
        (("none", "summary"), ("searched", "tokens"), MissingEvidence.GROUNDING),
        (("searched", "tokens"), ("sourced", "tokens"), MissingEvidence.GROUNDING),
        (("sourced", "tokens"), ("cited", "none"), MissingEvidence.GROUNDING),
        (("cited", "none"), ("cited", "tokens"), MissingEvidence.REASONING),
        (("cited", "tokens"), ("none", "summary"), MissingEvidence.REASONING),
        (("none", "none"), ("searched", "tokens"), MissingEvidence.BOTH),
    ],
)
def test_lack_is_what_was_required_and_not_found(
    found: tuple[Grounding, Reasoning],
    required: tuple[Grounding, Reasoning],
    expected: MissingEvidence | None,
) -> None:
    proves = Evidence(grounding=found[0], reasoning=found[1])
    require = RequiredEvidence(grounding=required[0], reasoning=required[1])

    assert evidence.missing(proves, require) == expected


def test_lacks_have_the_exit_codes_of_the_first_version() -> None:
    assert [(lack.value, lack.kinds) for lack in MissingEvidence] == [
        (1, ("grounding",)),
        (2, ("reasoning",)),
        (3, ("grounding", "reasoning")),
        (4, ()),
    ]


def test_failed_attempt_is_logged_as_a_failure_report_without_texts() -> None:
    proves = Evidence(reasoning="tokens", queries=("secret query",), summary="secret thought")

    with capture_logs() as logs:
        evidence.log_missing(
            "m1", proves, RequiredEvidence(grounding="cited"), MissingEvidence.GROUNDING
        )

    assert logs == [
        {
            "event": "evidence missing",
            "log_level": "warning",
            "run_context": {"model": "m1"},
            "validation_summary": {
                "grounding_detected": False,
                "reasoning_detected": True,
                "validation_passed": False,
            },
            "missing": ["grounding"],
            "code": 1,
            "error": "grounding is none, cited is required",
        }
    ]


@pytest.mark.parametrize(
    ("effort", "expected"),
    [(None, "medium"), ("low", "medium"), ("medium", "high"), ("high", "high")],
)
def test_thinking_that_is_not_seen_is_asked_for_with_more_effort(
    effort: Effort | None, expected: Effort
) -> None:
    assert evidence.higher_effort(effort) == expected


def test_proof_counts_what_evidence_lists() -> None:
    proves = Evidence(
        grounding="sourced", queries=("a", "b"), sources=(Source(url="https://x"),), summary="s"
    )

    assert evidence.proof(proves, ["garbled"]) == EvidenceSummary(
        grounding="sourced", searches=2, sources=1, flags=("garbled",)
    )


def test_what_an_answer_must_prove_is_said_again_after_another_failure() -> None:
    require = RequiredEvidence(grounding="searched")
    before = (
        PreviousAnswers()
        .and_unproven(2, MissingEvidence.GROUNDING, 1)
        .and_unusable(3, "it holds no text", "Write.")
    )

    text = evidence.retry_hints(require, before)

    assert text is not None
    assert "Use the search tool this time" in text
    assert "This is attempt 3." in text
    assert evidence.retry_hints(RequiredEvidence(), PreviousAnswers()) is None
