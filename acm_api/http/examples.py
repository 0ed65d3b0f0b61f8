"""Examples of requests and answers in the OpenAPI document, by name of the schema."""

from collections.abc import Mapping
from typing import Any

from pydantic.config import JsonDict

RUN_ID = "01JDZ3Y6M2N8Q4R7S9T1V5W0XA"
_DOCUMENT_ID = "01JDZ3Y6M5C7E9G1J3L5N7P9RB"
_ARTIFACT_ID = "01JDZ3Z0A2B4C6D8E0F2G4H6JC"
_EVALUATION_ID = "01JDZ4R9S1T3V5W7X9Y0Z2A4BD"
_BEGIN, _END = "2026-11-02T09:30:00Z", "2026-11-02T09:41:12Z"
_DIGEST = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

_TEXTS: JsonDict = {
    "config": {
        "runs": [
            {"type": "fpf", "provider": "openai", "model": "gpt-5.6-sol"},
            {"type": "fpf", "provider": "anthropic", "model": "claude-sonnet-5"},
        ],
        "judges": [{"provider": "openai", "model": "gpt-5.6-sol", "iterations": 2}],
        "budget_usd": 5,
    },
    "instructions": "Write a summary of one page.",
    "documents": {"heat-pumps.md": "# Heat pumps\n\nNotes on noise and cost."},
}
_EXPECTED: JsonDict = {"calls": 13, "usd": 0.42, "most_calls": 112, "most_usd": 4.1}
_PROOF: JsonDict = {
    "grounding": "none", "reasoning": "tokens", "searches": 0, "sources": 0, "flags": [],
}  # fmt: skip
_DOCUMENT: JsonDict = {
    "id": _DOCUMENT_ID,
    "run_id": RUN_ID,
    "path": "heat-pumps.md",
    "stage": "finished",
    "state": "done",
    "reason": "Rank 1 of 3 by scores and comparisons.",
    "winner_id": _ARTIFACT_ID,
    "settled": False,
    "created_at": _BEGIN,
    "finished_at": _END,
}
_SUBMISSION: JsonDict = {
    "id": 1, "task_key": "circles", "author": "ada", "title": "By rows", "state": "finished",
    "round": 1, "notified_version": 1, "created_at": _BEGIN, "finished_at": _END,
}  # fmt: skip
_VERSION: JsonDict = {
    "submission_id": 1, "version": 1, "round": 1, "source": "author", "content": "",
    "state": "scored", "epoch": 1, "attempts": 1, "score": 2.5,
    "queued_at": _BEGIN, "started_at": _BEGIN, "finished_at": _END,
}  # fmt: skip

REQUESTS: Mapping[str, JsonDict] = {
    "RunTexts": _TEXTS,
    "NewRun": {**_TEXTS, "title": "Heat pumps"},
    "Resume": {"failed": True, "budget_usd": 10},
    "NewCrossJudging": {"documents": 20, "budget_usd": 1},
    "NewEvaluation": {
        "mode": "full",
        "config": {
            "judges": [{"provider": "anthropic", "model": "claude-sonnet-5"}],
            "iterations": 2,
            "criteria": ["accuracy", "clarity"],
        },
        "artifacts": [_ARTIFACT_ID],
    },
    "VoteAnswer": {"choice": "left"},
    "TextDigests": {"digests": [_DIGEST]},
    "NewCode": {
        "task": "circles",
        "code": "def solve():\n    return 1.0\n",
        "author": "ada",
        "title": "By rows",
    },
    "NewSlots": {
        "pool": "gpu", "names": ["0", "1"], "host": "box", "variable": "CUDA_VISIBLE_DEVICES",
    },
}  # fmt: skip

ANSWERS: Mapping[str, JsonDict] = {
    "StartedRun": {"run_id": RUN_ID, "resumed": True, "skipped": [], "plan": None},
    "ResumedRun": {"run_id": RUN_ID, "units": 4},
    "ChangedRun": {"run_id": RUN_ID, "state": "running", "reason": None, "cancel_requested": True},
    "ListedRun": {
        "id": RUN_ID,
        "title": "Heat pumps",
        "state": "done",
        "reason": None,
        "cancel_requested": False,
        "rejudged_from": None,
        "budget_usd": 5,
        "expected": _EXPECTED,
        "created_at": _BEGIN,
        "finished_at": _END,
    },
    "RunResult": {
        "run_id": RUN_ID,
        "state": "done",
        "reason": None,
        "documents": [
            {
                "path": "heat-pumps.md",
                "state": "done",
                "reason": "Rank 1 of 3 by scores and comparisons.",
                "winner": {
                    "artifact_id": _ARTIFACT_ID,
                    "file": None,
                    "generator": "combine",
                    "number": 1,
                    "model": "gpt-5.6-sol",
                    "overall": 8.0,
                    "elo": 1531.3,
                    "rank_score": 6.4,
                    "p_best": 0.76,
                    "proof": _PROOF,
                },
                "artifacts": 3,
                "evaluations": 4,
                "comparisons": 6,
                "missing": 0,
                "filled": 0,
            }
        ],
        "failures": [],
        "paused": [],
        "calls": {"total": 13, "failed": 0, "cached": 0, "uncertain": 0},
        "usd": 0.38,
        "uncertain_usd": 0,
        "expected": _EXPECTED,
    },
    "RunStatus": {
        "run_id": RUN_ID,
        "state": "running",
        "phase": "pairwise",
        "percent": 54,
        "reason": None,
        "units": {"artifact": {"done": 2}, "evaluation": {"done": 2}, "comparison": {"planned": 2}},
        "documents": {"compare": 1},
        "calls": {
            "sent": 7, "failed": 0, "cached": 0, "uncertain": 0, "in_flight": 1, "cost_usd": 0.2,
            "unpriced": 0, "uncertain_usd": 0,
        },
        "waits": [{"provider": "openai", "reason": "requests", "units": 1, "until": None}],
        "failures": [],
        "children": [],
        "paused": [],
        "expected": _EXPECTED,
    },
    "StartedEvaluation": {
        "eval_task_id": _EVALUATION_ID,
        "status": "pending",
        "artifacts_count": 3,
        "estimated_duration_seconds": 60,
        "message": "Evaluation started",
    },
    "EvaluationStatus": {
        "eval_task_id": _EVALUATION_ID,
        "status": "running",
        "phase": "pairwise",
        "progress": {
            "single_doc_complete": True, "artifacts_evaluated": 3, "pairs_total": 6,
            "pairs_compared": 2, "percent": 60,
        },
        "started_at": _BEGIN,
        "estimated_completion": _END,
    },
    "EvaluationResults": {
        "run_id": RUN_ID,
        "eval_task_id": _EVALUATION_ID,
        "status": "completed",
        "rankings": [
            {
                "rank": 1, "artifact_id": _ARTIFACT_ID, "document_id": _DOCUMENT_ID,
                "document": "heat-pumps.md", "generator": "combine", "model": "gpt-5.6-sol",
                "overall_score": 8.0, "elo_rating": 1531.3, "p_best": 0.76,
                "criteria_scores": {"accuracy": 8.0, "clarity": 8.0},
            }
        ],
        "scores": None,
        "comparisons": None,
        "summary": {
            "artifacts_evaluated": 3, "judges_used": 1, "iterations_per_judge": 2,
            "pairwise_comparisons": 6, "top_score": 8.0, "mean_score": 7.7, "score_std_dev": 0.6,
        },
        "completed_at": _END,
    },
    "CancelledEvaluation": {
        "eval_task_id": _EVALUATION_ID,
        "status": "cancelling",
        "message": "Cancellation requested, saving partial results",
    },
    "ListedReports": {
        "reports": [
            {
                "report_id": _EVALUATION_ID, "type": "eval", "format": "html",
                "storage_path": f"runs/{RUN_ID}/reports/{_EVALUATION_ID}/eval_report.html",
                "created_at": _END,
            }
        ]
    },
    "Document": {**_DOCUMENT, "key": _DIGEST},
    "ShownDocument": {**_DOCUMENT, "text": "# Heat pumps", "standings": [], "fusions": []},
    "Artifact": {
        "id": _ARTIFACT_ID,
        "run_id": RUN_ID,
        "document_id": _DOCUMENT_ID,
        "generator": "fpf",
        "variant": 1,
        "iteration": 1,
        "number": 1,
        "provider": "openai",
        "model": "gpt-5.6-sol",
        "lane": "generate.openai",
        "state": "done",
        "proof": _PROOF,
        "attempts": 1,
        "created_at": _BEGIN,
        "finished_at": _END,
    },
    "Call": {
        "id": "01JDZ3Z1K3M5N7P9Q1R3S5T7VE",
        "run_id": RUN_ID,
        "document_id": _DOCUMENT_ID,
        "unit_id": _ARTIFACT_ID,
        "unit_kind": "artifact",
        "stage": "main",
        "attempt": 1,
        "provider": "openai",
        "model": "gpt-5.6-sol",
        "digest": _DIGEST,
        "iteration": 1,
        "state": "done",
        "status": 200,
        "finish_reason": "stop",
        "usage": {"input_tokens": 165, "output_tokens": 729},
        "cost_usd": 0.0081,
        "started_at": _BEGIN,
        "ended_at": _END,
        "owner": "box:827",
    },
    "Transcript": {
        "messages": [{"role": "user", "content": "Write a summary of one page."}],
        "answer": "# Heat pumps",
    },
    "LogLine": {
        "id": 1, "at": _BEGIN, "level": "info", "event": "run_started", "document_id": None,
        "data": {},
    },
    "ShownProvider": {
        "name": "openai", "dialect": "openai", "base_url": "https://api.openai.com/v1",
        "key_env": "OPENAI_API_KEY", "key_is_set": True, "waiting": {"requests": 1}, "paused": None,
    },
    "ListedTask": {
        "key": "circles", "title": "Circles", "description": "Pack circles.", "mode": "function",
        "function": "solve", "direction": "max", "scored_by": "function", "wall_s": 60,
    },
    "CreatedSubmission": {"number": 1},
    "ListedSubmission": {"submission": _SUBMISSION, "version": _VERSION},
    "ShownSubmission": {
        "submission": _SUBMISSION, "versions": [_VERSION], "sessions": [], "notices": [],
    },
    "ListedSlot": {
        "id": "gpu:0@box", "pool": "gpu", "name": "0", "host": "box",
        "variable": "CUDA_VISIBLE_DEVICES", "drained": False, "held": True,
    },
    "AuditedAction": {"at": _BEGIN, "actor": "ada", "action": "evaluate", "target": _EVALUATION_ID},
}  # fmt: skip


def add(schemas: dict[str, Any]) -> None:
    """Add the examples to the schemas of an OpenAPI document.

    Examples of schemas that the document does not have are skipped: a server without runs has only
    the schemas of problems.
    """
    for name, example in {**REQUESTS, **ANSWERS}.items():
        if name in schemas:
            schemas[name]["examples"] = [example]
