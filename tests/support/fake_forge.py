"""A program that speaks the protocol of FilePromptForge's batches, with its faults; and a checkout.

Run as a program it reads an array of runs on stdin, logs on stderr, writes each text to its file,
and at its end one array on stdout. Words in the name of a run's model make it fail in one of the
ways that the original has.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

SECRET = "fpf-key-0123456789"  # noqa: S105  of a test
COST_USD = 0.0125
USAGE = {"prompt_tokens": 1000, "completion_tokens": 200, "total_tokens": 1200}

CODES = {"ungrounded": 1, "thoughtless": 2, "neither": 3, "odd": 4}
"""Words in a model's name, and the exit codes of a batch whose only run misses evidence."""

_PROGRAM = '''"""Stands for FilePromptForge: takes --runs-stdin and --batch-output."""
import os, sys
os.execv({python!r}, [{python!r}, "-I", "-S", {support!r}, *sys.argv[1:], "--home", {home!r}])
'''


def install(folder: Path) -> Path:
    """Make what looks like a checkout of FilePromptForge, and runs this program; return it."""
    (folder / "providers").mkdir(parents=True)
    (folder / "fpf_config.yaml").write_text("provider: openai\n")
    (folder / ".env").write_text(f"OPENAI_API_KEY={SECRET}\n")
    program = _PROGRAM.format(python=sys.executable, support=__file__, home=str(folder))
    (folder / "fpf_main.py").write_text(program)
    return folder


def main() -> None:
    """Carry out the runs on stdin, as the options say."""
    parser = argparse.ArgumentParser()
    for name in ("--config", "--env", "--batch-output", "--home"):
        parser.add_argument(name)
    parser.add_argument("--runs-stdin", action="store_true")
    options = parser.parse_args()
    assert options.runs_stdin
    assert options.batch_output == "json"
    try:
        runs = json.load(sys.stdin)
        assert isinstance(runs, list), "not an array"
    except (ValueError, AssertionError) as error:
        _log(f"FPF batch stdin parse failed: {error}")
        sys.exit(2)
    _log("FPF concurrency: enabled=True, max_concurrency=24, qps=0.400")
    results, code = [], 0
    for run in runs:
        found = _Run(run, Path(options.home)).carry_out()
        results.append(found)
        code = code or (0 if found["error"] is None else 2)
    if any("garbage" in run["model"] for run in runs):
        sys.stdout.write("[not json\n{}\n[1, 2]\nDone [ok]\n")
    if not any("arrayless" in run["model"] for run in runs):
        sys.stdout.write(json.dumps(results) + "\n")
        if any("garbage" in run["model"] for run in runs):
            sys.stdout.write("bye\n")
    if any("arrayless" in run["model"] for run in runs):
        sys.exit(1)
    sys.exit(code)


class _Run:
    def __init__(self, run: dict[str, Any], home: Path) -> None:
        self._run, self._home, self._id, self._model = run, home, run["id"], run["model"]

    def carry_out(self) -> dict[str, Any]:
        run, model = self._run, self._model
        asked = Path(run["file_b"]).read_text() + "\n\n" + Path(run["file_a"]).read_text()
        self._count(asked)
        self._log("RUN_START", f"file_b={run['file_b']} out={run['out']} attempt=1/2")
        _log("[FPF API][REQ] POST /v1/responses")
        self._misbehave()
        for word, code in CODES.items():
            if word in model and ("stubborn" in model or "again" not in self._said()):
                self._miss_evidence(word, code)
        path = Path(run["out"])
        if "erring" in model:
            self._log("RUN_COMPLETE", "ok=false elapsed=0.01s status=na path= error=HTTP 400 no")
            return self._result(None, "HTTP 400 no such model")
        path.write_text("" if "hollow" in model else _text(model))
        if "elsewhere" in model:
            path = Path("/etc/hostname")
        if "reported" in model:
            self._report("grounding", self._id)
        if "strange" in model:
            self._report("grounding", "another-run")
        self._bill(priced="unpriced" not in model)
        self._log("RUN_COMPLETE", f"ok=true elapsed=0.01s status=na path={path} error=")
        if "foreign" in model:
            return {**self._result(str(path), None), "id": "fpf-1-1"}
        return self._result(str(path), None)

    def _misbehave(self) -> None:
        if "hanging" in self._model:
            subprocess.Popen(["/bin/sleep", "600"])
            time.sleep(600)
        if "dying" in self._model and ("always" in self._model or self._times() == 1):
            os.kill(os.getpid(), 9)
        if "mute" in self._model:
            sys.exit(0)
        if "leaking" in self._model:
            _log(f"[FPF DEBUG] headers: Bearer {SECRET}")
            sys.exit(5)

    def _miss_evidence(self, word: str, code: int) -> NoReturn:
        if "reporting" in self._model:
            self._report({1: "grounding", 2: "reasoning"}.get(code, "both"), self._id)
        self._report("grounding", "another-run")
        _log(f"[VALIDATION] {word}")
        sys.exit(code)  # without the array, as in a thread of the original

    def _result(self, path: str | None, error: str | None) -> dict[str, Any]:
        run = self._run
        known = {"id": self._id, "provider": run["provider"], "model": self._model}
        return {**known, "path": path, "error": error}

    def _report(self, kind: str, run_id: str) -> None:
        missing = ["grounding", "reasoning"] if kind == "both" else [kind]
        context = {"run_id": run_id, "provider": self._run["provider"], "model": self._model}
        summary = {f"{one}_detected": one not in missing for one in ("grounding", "reasoning")}
        about = {
            "run_context": context,
            "validation_summary": {**summary, "validation_passed": False},
            "error": f"missing {kind}",
            "missing": missing,
            "raw_response": "what the model said",
        }
        folder = self._home / "logs" / "validation"
        folder.mkdir(parents=True, exist_ok=True)
        stamp = datetime.now(UTC).strftime("%Y%m%d%H%M%S")
        name = f"{stamp}-{run_id}-validation-FAILURE-REPORT.json"
        (folder / name).write_text(json.dumps(about))

    def _bill(self, *, priced: bool) -> None:
        group = os.environ["FPF_RUN_GROUP_ID"]
        folder = Path(os.environ["FPF_LOG_DIR"]) / group
        folder.mkdir(parents=True)
        cost: dict[str, Any] = {"reason": "pricing_not_found", "total_cost_usd": 0.0}
        if priced:
            cost = {"input_price_per_million_usd": 2.5, "output_price_per_million_usd": 50.0}
        about = {
            "run_group_id": group,
            "run_id": self._id,
            "model": self._model,
            "usage": USAGE,
            "cost": cost,
            "total_cost_usd": COST_USD if priced else 0.0,
        }
        (folder / f"20260101T000000-{self._id[:8]}.json").write_text(json.dumps(about))

    def _count(self, asked: str) -> None:
        """Keep what was asked, so that a test sees how often and how."""
        folder = self._home / "asked"
        folder.mkdir(exist_ok=True)
        about = {"asked": asked, "run": self._run, "environment": dict(os.environ)}
        (folder / f"{self._model.replace('/', '_')}-{self._id}.json").write_text(json.dumps(about))

    def _times(self) -> int:
        return len(list((self._home / "asked").glob(f"{self._model}-*.json")))

    def _said(self) -> str:
        """Return the word ``again`` where the instructions tell of an earlier answer."""
        said = Path(self._run["file_a"]).read_text()
        return "again" if "could not be used" in said or "thinking was seen" in said else ""

    def _log(self, what: str, rest: str) -> None:
        run = self._run
        head = f"id={self._id} kind=rest provider={run['provider']} model={self._model}"
        _log(f"[FPF {what}] {head} {rest}")


def _text(model: str) -> str:
    return f"# A text by {model}\n\nBees keep warm by shivering in a ball all winter.\n"


def _log(line: str) -> None:
    stamp = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S,000")
    sys.stderr.write(f"{stamp} INFO filepromptforge: {line}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    main()
