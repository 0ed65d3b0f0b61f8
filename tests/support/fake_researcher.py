"""A small program that speaks with ACM as the child of GPT Researcher does, and its environment.

Run as a program it searches once, asks its model twice and reports; words in the name of its model
make it fail in one of several ways.
"""

import json
import os
import socket
import stat
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any, NoReturn


def install(folder: Path, command: str = f'"{sys.executable}" -I -S "{__file__}"') -> Path:
    """Make what looks like an environment of GPT Researcher; return it.

    Args:
        command: What its Python does; this program if absent.
    """
    from acm_workers.generators.children import installation

    found = installation.ResearcherInstallation(folder)
    found.python.parent.mkdir(parents=True)
    found.python.write_text(f"#!/bin/sh\nexec {command}\n")
    found.python.chmod(stat.S_IRWXU)
    found.tokenizers.mkdir()
    for name in installation.TOKENIZER_FILES:
        (found.tokenizers / name).touch()
    stamp = {"requirements": installation.requirements_digest()}
    (folder / installation.STAMP).write_text(json.dumps(stamp))
    return folder


def main() -> None:
    """Write a report."""
    request = json.load(sys.stdin)
    model = request["model"]
    sys.stdout.write(json.dumps(dict(os.environ)) + "\n")
    sys.stdout.write(f"arguments: {sys.orig_argv}, files: {_contents()}\n")
    sys.stdout.write(f"devices: {[name for _, name in socket.if_nameindex()]}\n")
    if "crash" in model:
        _ask(request, "Plan the report.")
        sys.stderr.write("Traceback\nValueError: no luck\n")
        sys.exit(1)
    sleeper = subprocess.Popen(["/bin/sleep", "600"]) if "slow" in model else None
    _tell("progress", step="searching", detail=f"{os.getpid()} {sleeper.pid if sleeper else ''}")
    found = _search(request["subject"])
    plan = _ask(request, "Plan the report. " + request["query"])
    _tell("heartbeat", calls=1, searches=1, peak_rss_bytes=25_000_000)
    _tell("progress", step="writing", detail="")
    text = _ask(request, f"{request['query']}\n\nPlan: {len(plan)} characters\n\nFound: {found}")
    if sleeper is not None:
        sleeper.kill()
    if "quiet" in model:
        sys.exit(0)
    Path("report.docx").write_bytes(b"PK office")
    sources = [{"url": page["url"], "title": page["title"]} for page in found]
    if "limited" in model:
        _end(4, "error", code="rate_limited", message="too many requests")
    _end(
        0,
        "result",
        text="" if "empty" in model else text,
        sources=[] if "groundless" in model else sources,
        context_chars=sum(len(page["raw_content"]) for page in found),
        files=["report.docx"],
        version="fake",
    )


def _contents() -> dict[str, str]:
    """Return what stands in the files that were made for this process."""
    folders = {Path.cwd(), Path(os.environ["HOME"]), Path(os.environ["TMPDIR"])}
    files = {file for folder in folders for file in folder.rglob("*") if file.is_file()}
    return {str(file): file.read_text(errors="replace") for file in sorted(files)}


def _search(query: str) -> Any:
    url = f"{os.environ['RETRIEVER_ENDPOINT']}&query={urllib.parse.quote(query)}"
    with urllib.request.urlopen(url, timeout=60) as answer:  # noqa: S310  our own
        return json.load(answer)


def _ask(request: dict[str, Any], text: str) -> str:
    body = {"model": request["model"], "messages": [{"role": "user", "content": text}]}
    headers = {
        "Authorization": f"Bearer {os.environ['OPENAI_API_KEY']}",
        "Content-Type": "application/json",
    }
    url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    asked = urllib.request.Request(url, json.dumps(body).encode(), headers)  # noqa: S310
    with urllib.request.urlopen(asked, timeout=600) as answer:  # noqa: S310
        said: str = json.load(answer)["choices"][0]["message"]["content"]
    return said


def _tell(event: str, **about: Any) -> None:
    line = json.dumps({"event": event, "at": time.time(), **about})
    os.write(int(os.environ["ACM_EVENTS_FD"]), line.encode() + b"\n")


def _end(exit_code: int, event: str, **about: Any) -> NoReturn:
    _tell(event, **about)
    sys.exit(exit_code)


if __name__ == "__main__":
    main()
