"""``python -m acm_workers.simulator``: serve a simulated provider."""

import argparse
import errno
import os
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from acm_workers.simulator import server
from acm_workers.simulator.faults import registry
from acm_workers.simulator.faults.registry import UnknownFault
from acm_workers.simulator.settings import SimulatorSettings

_OPTIONS = (
    ("--port", "port", int, "port to listen on; 0 takes a free one (8077)"),
    ("--latency", "latency_s", float, "mean seconds from request to answer (0.5)"),
    ("--jitter", "jitter_s", float, "seconds that latency strays to either side (0)"),
    (
        "--background-latency",
        "background_latency_s",
        float,
        "seconds that a background response or a batch takes (5)",
    ),
    ("--rpm", "rpm", int, "requests allowed in any 60 s"),
    ("--tpm", "tpm", int, "tokens allowed in any 60 s"),
    ("--fault-rate", "fault_rate", float, "share of requests that get a fault by chance, 0 to 1"),
    (
        "--stall",
        "stall_s",
        float,
        "seconds that T3 keeps silent and T16 is late; T4 drips twenty bytes in them (20)",
    ),
    ("--tls-cert", "tls_cert", Path, "certificate (PEM) to serve HTTPS with"),
    ("--tls-key", "tls_key", Path, "its key (PEM)"),
    ("--seed", "seed", int, "settles skills, texts, verdicts and faults (0)"),
    ("--log", "log_file", Path, "file that gets one JSON line per request, without texts"),
    ("--judge-noise", "judge_noise", float, "standard deviation of what judges see (0.05)"),
    ("--position-bias", "position_bias", float, "added to the candidate shown first (0.02)"),
    ("--skill-spread", "skill_spread", float, "how far models' skills may be apart (0.6)"),
)

_KINDS = {int: "N", float: "X", Path: "FILE"}
_EPILOG = """\
where to ask:
  POST /v1/chat/completions    OpenAI-compatible; OpenRouter's additions where they are asked for
  POST /v1/embeddings          of texts and of token arrays
  POST /v1/responses           OpenAI; with background: GET /v1/responses/ID, POST .../ID/cancel
  POST /v1/files, /v1/batches  batches of responses, at half price; cancel and list too
  POST /v1/messages            Anthropic, versions 2023-06-01 and 2026-10-21; /v1/messages/batches
  POST /v1beta/models/MODEL:generateContent    Google; /v1 as well; :batchGenerateContent
  GET  /v1/models              in the form of whoever asks
  GET  /_stats                 what it saw: requests by status, model and fault, most in flight,
                               most in any 60 s, identical requests answered twice, tokens,
                               background responses submitted and polled, what was billed in USD
Chats and responses are streamed where "stream" asks for it.
Any key is accepted but "invalid".

model names:
  Any name is a model. It writes plausible text and hides a quality in it, which judges see with
  some noise. "think" in a name makes it think unasked. What follows an @ is no part of it:
    m1@L0          answers at once; m1@L2.5 after 2.5 s (background: takes so long)
    m1@E20         streams 20 events a second, each with a comment that says when it was sent
    m1@500         always answers HTTP 500
    m1@C7          meets fault C7 (below); m1@C7@G12@L0 all of these
    m1@n2          another model that is like m1, as is m1@20260401: these ask for nothing
  Anything else is refused with HTTP 404.

faults, by --faults NUMBER,... for all models or by @NUMBER in the name of one:
  C7, C07          once for each distinct request, which is answered normally after that
  C7*              always
  C7x3             for the first three requests to a model
  C9.null          variant "null"; C9*.null always. Without a name it is the first of the list
  T5.poll          met by the polls of a background response, not by its submission
  Requests are told apart by what they say and by X-Client-Request-Id. A request that says
  something else about the same material (a larger budget, a parameter less, a repair turn) counts
  as the client's reaction and is answered normally. A request that cannot meet a fault passes it
  by: C7 needs scores as JSON, O4 a temperature. --list-faults shows all of them.

examples:
  acm simulate --port 8077 --latency 0.5 --rpm 600
  acm simulate --port 8077 --latency 0 --faults 'O1,C7,T17*.date'
"""


def main(arguments: list[str] | None = None) -> int:
    """Serve until a signal arrives, and return the exit code."""
    parser = _parser()
    given = vars(parser.parse_args(arguments))
    exit_with_stdin = given.pop("exit_with_stdin")
    if given.pop("list_faults"):
        sys.stdout.write(_catalogue())
        return 0
    settings = _settings(parser, given)

    if exit_with_stdin:
        threading.Thread(target=_end_with_stdin, daemon=True).start()

    def ready(port: int) -> None:
        scheme = "http" if settings.tls_cert is None else "https"
        sys.stdout.write(f"simulator listening on {scheme}://127.0.0.1:{port}\n")
        sys.stdout.flush()

    try:
        server.serve(settings, ready)
    except OSError as error:
        sys.stderr.write(f"simulator: {_why(error, settings)}\n")
        return 1
    return 0


def _why(error: OSError, settings: SimulatorSettings) -> str:
    if error.errno != errno.EADDRINUSE:
        return str(error)
    place = f"port {settings.port} of {settings.host}"
    return f"{place} is taken; --port N names another, 0 any free one"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="acm simulate",
        description="Serve a simulated provider on this machine: a real HTTP server that speaks\n"
        "every dialect, without models. It never uses anything a real one would not receive.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for flag, field, kind, words in _OPTIONS:
        parser.add_argument(
            flag,
            dest=field,
            type=kind,
            default=argparse.SUPPRESS,
            help=words,
            metavar=_KINDS[kind],
        )
    parser.add_argument(
        "--faults",
        type=lambda text: tuple(text.split(",")),
        default=argparse.SUPPRESS,
        help="faults of the catalogue that all models meet",
        metavar="NUMBER,...",
    )
    parser.add_argument(
        "--repeatable", action="store_true", help="answer the same to a request that is repeated"
    )
    parser.add_argument("--list-faults", action="store_true", help="print the catalogue and end")
    parser.add_argument(
        "--exit-with-stdin", action="store_true", help="end when standard input is closed"
    )
    return parser


def _settings(parser: argparse.ArgumentParser, given: dict[str, Any]) -> SimulatorSettings:
    try:
        settings = SimulatorSettings(**given)
        registry.parse_requests(settings.faults)
    except ValidationError as error:
        parser.error(
            "; ".join(_located_message(each["loc"], each["msg"]) for each in error.errors())
        )
    except UnknownFault as error:
        parser.error(str(error))
    return settings


def _located_message(where: Sequence[int | str], message: str) -> str:
    return f"{where[0]}: {message}" if where else message


def _catalogue() -> str:
    lines: list[str] = []
    for entry in registry.catalogue():
        where = ", ".join(entry.dialects) or "no HTTP server can do this"
        lines.append(f"{entry.number:<4} {entry.title}")
        lines.append(f"     in: {where}")
        if entry.needs:
            lines.append(f"     needs: {entry.needs}")
        if entry.variants:
            lines.append(f"     variants: {', '.join(entry.variants)}")
    return "\n".join(lines) + "\n"


def _end_with_stdin() -> None:
    """Wait until the parent process has ended, for whatever reason, and exit."""
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main())
