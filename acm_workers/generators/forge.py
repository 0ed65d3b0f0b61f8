"""Generator ``fpf`` with ``engine: external``: requests to FilePromptForge, and its answers.

It reads an array of runs on stdin, logs its progress on stderr, and writes one JSON array on
stdout at its end. A run is ``{"id", "provider", "model", "file_a", "file_b", "out", "overrides"}``,
a result ``{"id", "provider", "model", "path", "error"}``. ACM gives each process one run.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import prompts
from acm_workers.calls import evidence, refusals
from acm_workers.calls.evidence import MissingEvidence, PreviousAnswers
from acm_workers.errors import AnswerRefused, ChildFailed, EmptyAnswer, PermanentError
from acm_workers.generators import text
from acm_workers.generators.children.checkout import Checkout
from acm_workers.generators.text import Brief, GeneratedText
from acm_workers.processes import child
from acm_workers.processes.spec import ChildEnd
from schemas.calls import EvidenceSummary, Message, Request, Usage
from schemas.config.variant import RequiredEvidence, Variant

DEMANDED = RequiredEvidence(grounding="searched", reasoning="tokens")
"""Evidence that FilePromptForge requires of every answer, whatever its config."""

_INSTRUCTIONS, _DOCUMENT, _OUT, _LOGS = "instructions.md", "document.md", "answer.txt", "logs"
_MOST_BYTES = 32 * 1024 * 1024
_MOST_LINE = 64 * 1024
_SHORT = 600
"""Maximum length of a refusal, in characters; a longer text is a document."""

_NO_BATCH = "FPF batch stdin parse failed"
_LINE = re.compile(r"\[FPF (RUN_START|RUN_COMPLETE)\] (.*)")
_FIELD = re.compile(r"(\w+)=(.*?)(?= \w+=|$)")
_STEP = re.compile(r"\[FPF (API|DP)\]\[(\w+)\]")
_REPORT = "-validation-FAILURE-REPORT.json"
_STAMP = re.compile(r"\d{14}\d*")


class RejectedAnswers(NamedTuple):
    """Paid answers of a model that FilePromptForge did not accept.

    Attributes:
        raw: The model's answer, if it is known.
    """

    lacking: MissingEvidence
    raw: str | None
    why: str

    @property
    def hinted(self) -> MissingEvidence:
        """Return the evidence that the next instructions request; every kind if unknown."""
        unknown = self.lacking == MissingEvidence.UNKNOWN
        return MissingEvidence.BOTH if unknown else self.lacking


class ForgeBill(NamedTuple):
    """Cost and usage that FilePromptForge reports; unknown values are absent."""

    usage: Usage
    cost_usd: float | None


def request(variant: Variant, brief: Brief, previous: PreviousAnswers) -> Request:
    """Return the request of a run, with FilePromptForge's names of provider and model."""
    instructions = prompts.render(
        "external_instructions.md.j2",
        instructions=brief.instructions,
        guidelines=brief.guidelines,
        retry_hints=evidence.retry_hints(DEMANDED, previous),
    )
    return Request(
        provider=variant.provider,
        model=variant.model,
        messages=(
            Message(role="system", content=instructions),
            Message(role="user", content=prompts.block("SOURCE", brief.source)),
        ),
        max_tokens=variant.max_tokens,
        effort=variant.effort,
    )


def prepare(asked: Request, run_id: str, folder: Path) -> list[dict[str, Any]]:
    """Write the two files of a run, and return the input of FilePromptForge on stdin."""
    instructions, document = asked.messages
    (folder / _INSTRUCTIONS).write_text(instructions.content, "utf-8")
    (folder / _DOCUMENT).write_text(document.content, "utf-8")
    overrides = {"reasoning_effort": asked.effort, "max_completion_tokens": asked.max_tokens}
    return [
        {
            "id": run_id,
            "provider": asked.provider,
            "model": asked.model,
            "file_a": str(folder / _INSTRUCTIONS),
            "file_b": str(folder / _DOCUMENT),
            "out": str(folder / _OUT),
            "overrides": {name: value for name, value in overrides.items() if value is not None},
        }
    ]


def environment(run_id: str, folder: Path) -> dict[str, str]:
    """Return the environment variables that give each run its own log folder."""
    return {
        "FPF_LOG_DIR": str(folder / _LOGS),
        "FPF_RUN_GROUP_ID": run_id,
        "FPF_LOG_OUTPUT": "console",
        "PYTHONIOENCODING": "utf-8",
        "PYTHONUTF8": "1",
    }


class ForgeLogReader:
    """Reads the lines that FilePromptForge logs on stderr while it runs.

    Attributes:
        completed: The fields of the run's last ``RUN_COMPLETE`` line; None if there was none.
    """

    def __init__(self, run_id: str, tell: Callable[[dict[str, Any]], None]) -> None:
        self.completed: dict[str, str] | None = None
        self._run_id = run_id
        self._tell = tell
        self._rest = ""

    def add(self, stream: str, data: bytes) -> None:
        """Process a piece of the program's output."""
        if stream != "stderr":
            return
        *lines, rest = (self._rest + data.decode("utf-8", "replace")).split("\n")
        self._rest = rest[-_MOST_LINE:]
        for line in lines:
            self._read(line)

    def _read(self, line: str) -> None:
        step = _STEP.search(line)
        if step is not None:
            self._tell({"event": "progress", "step": f"{step[1]} {step[2].lower()}"})
        found = _LINE.search(line)
        fields = {} if found is None else dict(_FIELD.findall(found[2]))
        if found is None or fields.get("id") != self._run_id:
            return
        if found[1] == "RUN_COMPLETE":
            self.completed = fields
            ok = "succeeded" if fields.get("ok") == "true" else "failed"
            self._tell({"event": "progress", "step": ok, "detail": fields.get("elapsed", "")})
        else:
            attempt = f"attempt {fields.get('attempt', '1')}"
            self._tell({"event": "progress", "step": attempt, "detail": fields.get("kind", "")})


class ForgeEnd(NamedTuple):
    """The end of one process of FilePromptForge.

    Attributes:
        log: The lines that the process logged.
        folder: The folder in which the process ran.
    """

    run_id: str
    end: ChildEnd
    log: ForgeLogReader
    folder: Path
    checkout: Checkout

    def result(self) -> GeneratedText | RejectedAnswers:
        """Return the text that the process wrote, or the answers that it rejected.

        A text is accepted only if the array on stdout names its file, or the log does if the array
        is missing.

        Raises:
            EmptyAnswer: The text is empty.
            AnswerRefused: The model declined to write.
            ChildFailed: The process failed for another reason.
        """
        entry, report = self._entry(), self._failure_report()
        written = self._written(entry)
        if written is not None and not (report and _is_later(report.file, written)):
            return _text(written)
        if report is not None:
            return RejectedAnswers(report.lacking, report.raw, f"FilePromptForge: {report.error}")
        raise_unless_validation(self, entry)
        code = MissingEvidence(self.end.exit_code or MissingEvidence.UNKNOWN)
        what = " and ".join(code.kinds) or "something that its exit code does not name"
        return RejectedAnswers(code, None, f"FilePromptForge missed evidence of {what}")

    def bill(self) -> ForgeBill:
        """Return the cost and usage in FilePromptForge's records of this run."""
        records = [
            record
            for record in _records(self.folder / _LOGS)
            if record.get("run_group_id") == self.run_id or record.get("run_id") == self.run_id
        ]
        usages = [used for one in records if isinstance(used := one.get("usage"), dict)]
        costs = [_cost(one) for one in records]
        known = [cost for cost in costs if cost is not None]
        usage = Usage(
            input_tokens=_sum(usages, "prompt_tokens"),
            output_tokens=_sum(usages, "completion_tokens"),
        )
        return ForgeBill(usage, sum(known) if known and len(known) == len(costs) else None)

    def _entry(self) -> dict[str, Any] | None:
        """Return the run's own result in the array on stdout; None if there is none."""
        for line in reversed(self.end.stdout.text.splitlines()):
            if not line.lstrip().startswith("["):
                continue
            try:
                found = json.loads(line)
            except (ValueError, RecursionError):
                continue
            for entry in found if isinstance(found, list) else []:
                if isinstance(entry, dict) and entry.get("id") == self.run_id:
                    return entry
        return None

    def _written(self, entry: dict[str, Any] | None) -> Path | None:
        """Return the file that the process reports as written, if it is in the run's folder."""
        if entry is not None:
            named = None if entry.get("error") else entry.get("path")
        else:
            completed = self.log.completed or {}
            named = completed.get("path") if completed.get("ok") == "true" else None
        if not isinstance(named, str) or not named:
            return None
        path = (self.folder / named).resolve()
        if not path.is_relative_to(self.folder.resolve()) or not path.is_file():
            return None
        return path if path.stat().st_size <= _MOST_BYTES else None

    def _failure_report(self) -> "_Report | None":
        """Return the newest report of this run; the folder also contains reports of other runs."""
        places = (self.checkout.failure_reports, self.folder / _LOGS / "validation")
        files = [
            file for place in places for file in sorted(place.glob(f"*-{self.run_id}{_REPORT}"))
        ]
        reports = [_report(file, self.run_id) for file in files if file.is_file()]
        return next((one for one in reversed(reports) if one is not None), None)


def raise_unless_validation(ending: ForgeEnd, entry: dict[str, Any] | None) -> None:
    """Raise an error unless the exit code only reports missing evidence.

    Raises:
        ChildFailed: The process failed for another reason; this includes exit code 2 with a named
            error.
    """
    end, completed = ending.end, ending.log.completed or {}
    printed = end.stderr.text
    if _NO_BATCH in printed:
        raise ChildFailed("FilePromptForge did not understand its input: " + _last_line(printed))
    said = str((entry or {}).get("error") or completed.get("error") or "")[:1000]
    if said in ("None", "na"):
        said = ""
    if end.reason != "ended":
        raise ChildFailed(f"FilePromptForge: {child.describe(end)}")
    if end.exit_code in {1, 3, 4} or (end.exit_code == MissingEvidence.REASONING and not said):
        return
    if said:
        raise ChildFailed(f"FilePromptForge: {said}")
    if end.exit_code == 0:
        what = "it named a file that is not there" if entry or completed else "it gave no result"
        raise ChildFailed(f"FilePromptForge: {what}")
    about = _last_line(printed) or "it said nothing"
    raise ChildFailed(f"FilePromptForge: {child.describe(end)}: {about}")


def may_succeed(error: PermanentError, end: ChildEnd) -> bool:
    """Return whether another process may succeed after a process died without an answer."""
    died = end.reason == "lost" or end.signal is not None
    return isinstance(error, ChildFailed) and died and end.reason in ("ended", "lost")


class _Report(NamedTuple):
    file: Path
    lacking: MissingEvidence
    raw: str | None
    error: str


def _report(file: Path, run_id: str) -> _Report | None:
    """Return the contents of a failure report; None if it is of another run or unreadable."""
    if not _STAMP.fullmatch(file.name.removesuffix(f"-{run_id}{_REPORT}")):
        return None
    said = _object(file)
    context = said.get("run_context")
    if not isinstance(context, dict) or context.get("run_id") != run_id:
        return None
    missing, summary = said.get("missing"), said.get("validation_summary")
    summary = summary if isinstance(summary, dict) else {}
    named = missing if isinstance(missing, list) else []
    kinds = {
        kind
        for kind in ("grounding", "reasoning")
        if summary.get(f"{kind}_detected") is False or kind in named
    }
    lacking = next(one for one in MissingEvidence if set(one.kinds) == kinds)
    raw = said.get("raw_response")
    error = str(said.get("error") or "the answer has no evidence")[:1000]
    return _Report(file, lacking, raw if isinstance(raw, str) else None, error)


def _is_later(report: Path, written: Path) -> bool:
    """Return whether a report was written after the text, not about an attempt before it."""
    return report.stat().st_mtime_ns >= written.stat().st_mtime_ns


def _text(file: Path) -> GeneratedText:
    found = text.unwrapped(file.read_bytes().decode("utf-8-sig", "replace"))
    if not found:
        raise EmptyAnswer("FilePromptForge wrote an empty file")
    if len(found) <= _SHORT and refusals.declines(found):
        raise AnswerRefused("the model declined to write the document", raw=found)
    flags = ("unfinished",) if text.is_unfinished(found) else ()
    return GeneratedText(text=found, proof=EvidenceSummary(flags=flags))


def _records(folder: Path) -> Iterator[dict[str, Any]]:
    for file in sorted(folder.rglob("*.json")) if folder.is_dir() else []:
        if file.is_file() and not file.name.endswith(_REPORT):
            yield _object(file)


def _object(file: Path) -> dict[str, Any]:
    try:
        if file.stat().st_size > _MOST_BYTES:
            return {}
        found = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _cost(record: dict[str, Any]) -> float | None:
    """Return the cost in a record; None if the cost is 0 because a price is unknown."""
    about, total = record.get("cost"), record.get("total_cost_usd")
    about = about if isinstance(about, dict) else {}
    if isinstance(total, bool) or not isinstance(total, int | float) or not 0 <= total < 1e6:
        return None
    prices = [about.get(f"{side}_price_per_million_usd") for side in ("input", "output")]
    is_priced = all(isinstance(price, int | float) for price in prices) and not about.get("reason")
    return float(total) if total > 0 or is_priced else None


def _sum(usages: Sequence[dict[str, Any]], name: str) -> int | None:
    found = [one[name] for one in usages if isinstance(one.get(name), int) and one[name] >= 0]
    return sum(found) if found and len(found) == len(usages) else None


def _last_line(printed: str) -> str:
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""
