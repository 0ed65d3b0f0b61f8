"""Delivers notices: to the log, a file, a webhook or a program."""

import hashlib
import hmac
import json
import os
import subprocess
import tempfile
import urllib.error
import urllib.request
from datetime import datetime
from pathlib import Path
from typing import Any

import structlog

from acm_workers.errors import PermanentError, TransientError
from acm_workers.submissions import notices
from schemas.submissions import NoticeTarget

log = structlog.get_logger()

_TIMEOUT_S = 30.0


def deliver(target: NoticeTarget, message_id: str, payload: dict[str, Any], now: datetime) -> None:
    """Deliver a notice; receivers can recognise duplicates by ``message_id``.

    Raises:
        TransientError: The receiver cannot be reached or fails.
        PermanentError: The notice can never be delivered to this target.
    """
    body = json.dumps({"id": message_id, **payload}, sort_keys=True)
    match target.channel:
        case "log":
            shown = notices.display_id(payload["submission_id"], payload["version"])
            log.info("notice", version=shown, author=payload["author"], text=payload["text"])
        case "file":
            _write(Path(target.path or ""), payload, message_id, body)
        case "webhook":
            _post(target, message_id, body.encode(), now)
        case "command":
            _call(target.command, body)


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """Return the signature of a webhook: HMAC-SHA256 over time and body, in hexadecimal."""
    return hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()


def _write(folder: Path, payload: dict[str, Any], message_id: str, body: str) -> None:
    """Write one file for each message; a second delivery writes the same file."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=folder, suffix=".part", delete=False) as file:
            file.write(body + "\n")
        os.replace(file.name, folder / f"{payload['submission_id']}.{message_id}.json")
    except OSError as error:
        raise TransientError(f"the notice cannot be written to {folder}: {error}") from error


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Refuse redirects, since the signed body is intended for the address in the task."""


def _post(target: NoticeTarget, message_id: str, body: bytes, now: datetime) -> None:
    url = target.url or ""
    if not url.startswith(("http://", "https://")):
        raise PermanentError(f"a webhook needs an address with http or https, not {url}")
    headers = {"Content-Type": "application/json", "ACM-Message-Id": message_id}
    if target.secret_env is not None:
        secret = os.environ.get(target.secret_env)
        if not secret:
            raise TransientError(f"{target.secret_env}, which signs webhooks, is not set here")
        timestamp = str(int(now.timestamp()))
        signed = signature(secret, timestamp, body)
        headers["ACM-Signature"] = f"t={timestamp},v1={signed}"
    request = urllib.request.Request(url, body, headers, method="POST")  # noqa: S310  checked above
    opener = urllib.request.build_opener(_NoRedirects)
    try:
        with opener.open(request, timeout=_TIMEOUT_S):
            return
    except urllib.error.HTTPError as error:
        error.close()
        raise TransientError(f"the webhook answered {error.code}", None, error.code) from error
    except (OSError, ValueError) as error:
        raise TransientError(f"the webhook cannot be reached: {error}") from error


def _call(command: tuple[str, ...], body: str) -> None:
    environment = {
        name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ
    }
    try:
        done = subprocess.run(  # noqa: S603  the task's own program
            command,
            input=body.encode(),
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=_TIMEOUT_S,
            start_new_session=True,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise TransientError(f"the program for notices failed: {error}") from error
    if done.returncode != 0:
        told = done.stderr.decode(errors="replace").strip()[-500:]
        raise TransientError(f"the program for notices ended with {done.returncode}: {told}")
