"""Client of a server that runs `acm api`, for programs without access to its store."""

import hashlib
import json
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from http.client import HTTPException
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import quote, urlencode, urlsplit

from acm_api.library import AnyConfig
from acm_api.ranked_results import Results
from acm_api.run_events import OnEvent
from acm_workers.errors import (
    AcmError,
    Conflict,
    NotAllowed,
    NotFound,
    QuotaSpent,
    RequestError,
    StoreFailed,
)
from schemas.events import RunEvent
from schemas.explained import Explanation
from schemas.leaderboard import Leaderboard, Period
from schemas.plan import RunPlan
from schemas.rejudged import RejudgedResult
from schemas.run import DeletedRun, RunResult
from schemas.run_difference import CrossJudgingPlan, RunDifference
from schemas.votes import Ballot, CastVote, Choice, VotingResult

_ERRORS: dict[int, type[AcmError]] = {
    401: NotAllowed,
    403: NotAllowed,
    404: NotFound,
    409: Conflict,
    429: QuotaSpent,
}
_TIMEOUT_S = 60.0
_PATIENCE_S = 300.0
_PATIENCE_AT_FIRST_S = 5.0
_LONGEST_PAUSE_S = 10.0
_MOST_AT_ONCE = 1_000_000
"""Maximum length of the documents in one request, in characters; further ones are uploaded."""


class _RunBody(NamedTuple):
    """The body of a request that starts or plans a run."""

    config: dict[str, Any]
    instructions: str
    guidelines: str | None
    documents: dict[str, str]
    title: str


class Client:
    """A client of a server, with methods like the functions of ``acm_api``.

    Lost connections are retried for a few minutes, and the first connection for a few seconds.
    Requests that create something carry an idempotency key and are therefore executed only once.
    Events continue after the last received event.

    Args:
        url: URL of the server, such as ``https://acm.example.org``.
        key: API key from ``acm keys add``; not needed for a single-user server on this machine.
    """

    def __init__(self, url: str, key: str | None = None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise RequestError(
                f"{url} is not the address of a server, such as http://127.0.0.1:8080"
            )
        self._url = url.rstrip("/") + "/api/v1"
        self._reached = False
        self._headers = {"Accept": "application/json"}
        if key is not None:
            self._headers["Authorization"] = f"Bearer {key}"
        # A server on this machine is reached without the proxy of the environment.
        local = parts.hostname in ("127.0.0.1", "localhost", "::1")
        handlers = [urllib.request.ProxyHandler({})] if local else []
        self._opener = urllib.request.build_opener(*handlers)

    def plan(
        self,
        config: AnyConfig,
        *,
        documents: Mapping[str, str] | None = None,
        instructions: str | None = None,
        guidelines: str | None = None,
        only: Sequence[str] = (),
    ) -> RunPlan:
        """Return the expected calls and cost of a run; see ``acm_api.plan``."""
        texts = _texts(config, documents, instructions, guidelines, only)
        body = self._uploaded(texts)
        del body["title"]
        return RunPlan.model_validate(self._json("POST", "/plans", body))

    def start(
        self,
        config: AnyConfig,
        *,
        documents: Mapping[str, str] | None = None,
        instructions: str | None = None,
        guidelines: str | None = None,
        only: Sequence[str] = (),
    ) -> str:
        """Start a run and return its id; for finished work, the id of the earlier run."""
        texts = _texts(config, documents, instructions, guidelines, only)
        started = self._json("POST", "/runs", self._uploaded(texts), once=True)
        if started["run_id"] is None:
            return str(max(one["run_id"] for one in started["skipped"]))
        return str(started["run_id"])

    def run(
        self,
        config: AnyConfig,
        *,
        documents: Mapping[str, str] | None = None,
        instructions: str | None = None,
        guidelines: str | None = None,
        only: Sequence[str] = (),
        on_event: OnEvent | None = None,
    ) -> Results:
        """Start a run, follow it to its end and return its results; see ``acm_api.run``.

        An interrupt only stops following; the server continues the run.
        """
        run_id = self.start(
            config,
            documents=documents,
            instructions=instructions,
            guidelines=guidelines,
            only=only,
        )
        self.follow(run_id, on_event)
        return self.results(run_id)

    def follow(self, run_id: str, on_event: OnEvent | None = None, after: int = 0) -> None:
        """Follow a run to its end across lost connections, reporting each stored event once."""
        last, failing_since, pause_s = after, None, 0.5
        while True:
            try:
                for event in self._events(run_id, last):
                    failing_since, pause_s = None, 0.5
                    if event is None:
                        return
                    last = event.id or last
                    if on_event is not None:
                        on_event(event)
            except StoreFailed:
                failing_since = failing_since or time.monotonic()
                if time.monotonic() - failing_since > _PATIENCE_S:
                    raise
            time.sleep(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)

    def results(self, run_id: str) -> Results:
        """Return the results of a run, or its state so far."""
        return Results.model_validate(self._json("GET", f"/runs/{quote(run_id)}/ranking"))

    def show(self, run_id: str) -> RunResult:
        """Return the winners, calls and cost of a run; for a rejudging run, the changes as well."""
        found = self._json("GET", f"/runs/{quote(run_id, safe='')}")
        return (RejudgedResult if "changes" in found else RunResult).model_validate(found)

    def explain(self, run_id: str, document: str | None = None) -> Explanation:
        """Explain why the winner of a document won; see ``acm_api.explain``."""
        named = "" if document is None else f"?document={quote(document, safe='')}"
        found = self._json("GET", f"/runs/{quote(run_id)}/explanation{named}")
        return Explanation.model_validate(found)

    def rejudge(
        self,
        run_id: str,
        *,
        judges: Sequence[str | Mapping[str, Any]] | None = None,
        criteria: Sequence[str | Mapping[str, Any]] | None = None,
        budget_usd: float | None = None,
    ) -> str:
        """Start or resume a run that judges the candidates of a run again, and return its id.

        Args:
            run_id: Id of the run, or a unique prefix of the id.
            judges: Judges as in a config, names of the run's judges, or ``provider:model``.
            criteria: Criteria as in a config, or names of criteria.
            budget_usd: Maximum cost; default: that of the run.
        """
        config = {"judges": judges, "criteria": criteria, "budget_usd": budget_usd}
        body, path = {"mode": None, "config": config}, f"/runs/{quote(run_id)}/evaluate"
        return str(self._json("POST", path, body, once=True)["eval_task_id"])

    def runs(self) -> Iterator[dict[str, Any]]:
        """Yield all runs, the newest first."""
        cursor = ""
        while True:
            page = self._json("GET", f"/runs?limit=100{cursor}")
            yield from page["items"]
            if page["next"] is None:
                return
            cursor = f"&cursor={quote(page['next'])}"

    def latest(self) -> str:
        """Return the id of the latest run that is not deleted.

        Raises:
            acm_workers.errors.NotFound: There is no such run.
        """
        found = next((one["id"] for one in self.runs() if one["state"] != "deleted"), None)
        if found is None:
            raise NotFound("there are no runs on the server yet; start one with `acm run CONFIG`")
        return str(found)

    def status(self, run_id: str) -> dict[str, Any]:
        """Return the progress of a run: units, calls, waits, failures by cause."""
        found: dict[str, Any] = self._json("GET", f"/runs/{quote(run_id)}/status")
        return found

    def cancel(self, run_id: str) -> None:
        """Cancel a run; see ``acm cancel``."""
        self._json("POST", f"/runs/{quote(run_id)}/cancel")

    def pause(self, run_id: str) -> None:
        """Pause a run; see ``acm pause``."""
        self._json("POST", f"/runs/{quote(run_id)}/pause")

    def resume(self, run_id: str, *, failed: bool = False, budget_usd: float | None = None) -> None:
        """Resume a run; see ``acm resume``."""
        body = {"failed": failed, "budget_usd": budget_usd}
        self._json("POST", f"/runs/{quote(run_id)}/resume", body)

    def settle(self, run_id: str) -> None:
        """Decide a run now from the results so far; see ``acm settle``."""
        self._json("POST", f"/runs/{quote(run_id)}/settle")

    def delete(self, run_id: str) -> DeletedRun:
        """Delete the texts of a run; see ``acm_api.delete``."""
        return DeletedRun.model_validate(self._json("DELETE", f"/runs/{quote(run_id)}"))

    def compare(
        self,
        run_a: str,
        run_b: str,
        *,
        cross_judge: int | None = None,
        budget_usd: float | None = None,
        on_event: OnEvent | None = None,
    ) -> RunDifference:
        """Return the difference between two runs; see ``acm_api.compare``."""
        if cross_judge is not None:
            judging = self.cross_judge(run_a, run_b, cross_judge, budget_usd=budget_usd)
            self.follow(judging, on_event)
        return RunDifference.model_validate(self._json("GET", _difference(run_a, run_b)))

    def plan_cross_judging(self, run_a: str, run_b: str, documents: int) -> CrossJudgingPlan:
        """Return the cost of comparing winners; see ``acm_api.plan_cross_judging``."""
        path = f"{_difference(run_a, run_b)}/cross-judging?documents={documents}"
        return CrossJudgingPlan.model_validate(self._json("GET", path))

    def cross_judge(
        self, run_a: str, run_b: str, documents: int, *, budget_usd: float | None = None
    ) -> str:
        """Start a run whose judges compare winners of two runs, and return its id.

        Winners that were compared before are not compared again.
        """
        body = {"documents": documents, "budget_usd": budget_usd}
        path = f"{_difference(run_a, run_b)}/cross-judging"
        return str(self._json("POST", path, body, once=True)["run_id"])

    def leaderboard(
        self,
        *,
        by: Period = "all",
        since: date | None = None,
        until: date | None = None,
        title: str | None = None,
    ) -> Leaderboard:
        """Return the results of each model over all runs; see ``acm_api.leaderboard``."""
        asked = {"by": by, "since": since, "until": until, "title": title}
        given = {name: str(one) for name, one in asked.items() if one is not None}
        return Leaderboard.model_validate(self._json("GET", f"/leaderboard?{urlencode(given)}"))

    def next_vote(self, run_id: str, *, voter: str | None = None) -> Ballot | None:
        """Return two texts to choose from; see ``acm_api.next_vote``.

        Args:
            run_id: Id of the run, or a unique prefix of the id.
            voter: Name of the voter on a server without login; otherwise the user of the key votes.
        """
        path = f"/runs/{quote(run_id)}/votes/next{_voter(voter)}"
        found = self._json("POST", path)["ballot"]
        return None if found is None else Ballot.model_validate(found)

    def cast_vote(
        self, run_id: str, vote_id: str, choice: Choice, *, voter: str | None = None
    ) -> CastVote:
        """Save the choice of a person for a pair; see ``acm_api.cast_vote``."""
        path = f"/runs/{quote(run_id)}/votes/{quote(vote_id)}{_voter(voter)}"
        return CastVote.model_validate(self._json("POST", path, {"choice": choice}))

    def undo_vote(self, run_id: str, *, voter: str | None = None) -> CastVote:
        """Undo the last vote of a person; see ``acm_api.undo_vote``."""
        path = f"/runs/{quote(run_id)}/votes/undo{_voter(voter)}"
        return CastVote.model_validate(self._json("POST", path))

    def votes(self, run_id: str) -> VotingResult:
        """Return the results of the votes on a run; see ``acm_api.votes``."""
        return VotingResult.model_validate(self._json("GET", f"/runs/{quote(run_id)}/votes"))

    def files(self, run_id: str) -> bytes:
        """Return an archive (zip) of all files of a run."""
        return self._bytes("GET", f"/runs/{quote(run_id)}/files.zip")

    def submit_code(  # noqa: PLR0913  each is an option of a submission
        self,
        task: str,
        code: str,
        *,
        author: str,
        title: str = "",
        tags: Sequence[str] = (),
        abstract: str = "",
        tick: int | None = None,
        no_debugger: bool = False,
    ) -> int:
        """Submit code for a task; return the number of the submission."""
        body = {
            "task": task, "code": code, "author": author, "title": title, "tags": list(tags),
            "abstract": abstract, "tick": tick, "no_debugger": no_debugger,
        }  # fmt: skip
        return int(self._json("POST", "/submissions", body, once=True)["number"])

    def submission(self, number: int) -> dict[str, Any]:
        """Return a submission with its versions, debuggers and notices."""
        found: dict[str, Any] = self._json("GET", f"/submissions/{number}")
        return found

    def submissions(self, task: str | None = None) -> Iterator[dict[str, Any]]:
        """Yield all submissions, or those for a task, the newest first."""
        wanted = "" if task is None else f"&task={quote(task, safe='')}"
        cursor = ""
        while True:
            page = self._json("GET", f"/submissions?limit=100{wanted}{cursor}")
            yield from page["items"]
            if page["next"] is None:
                return
            cursor = f"&cursor={quote(page['next'])}"

    def top_submissions(self, task: str, limit: int = 10) -> list[dict[str, Any]]:
        """Return the best submissions of a task, the best first."""
        path = f"/submission-tasks/{quote(task, safe='')}/top?limit={limit}"
        best: list[dict[str, Any]] = self._json("GET", path)
        return best

    def submission_log(self, number: int, version: int) -> str:
        """Return head and tail of a version's output so far."""
        return self._bytes("GET", f"/submissions/{number}/versions/{version}/log").decode()

    def change_submission(
        self, number: int, change: Literal["cancel", "void", "restart", "resend"]
    ) -> str:
        """Cancel, void or restart a submission, or send its notice again; return its state."""
        state: str = self._json("POST", f"/submissions/{number}/{change}")["state"]
        return state

    def _uploaded(self, texts: _RunBody) -> dict[str, Any]:
        """Return the body of a request, after uploading long documents that the server lacks.

        An interrupted upload continues where it stopped.
        """
        body = texts._asdict()
        if sum(map(len, texts.documents.values())) <= _MOST_AT_ONCE:
            return body
        sources = {name: text.encode() for name, text in texts.documents.items()}
        digests = {name: hashlib.sha256(source).hexdigest() for name, source in sources.items()}
        by_digest = {digests[name]: source for name, source in sources.items()}
        missing = self._json("POST", "/uploads/missing", {"digests": sorted(by_digest)})
        for digest in missing["digests"]:
            self._bytes("PUT", f"/uploads/{digest}", by_digest[digest])
        return body | {"documents": {}, "uploads": digests}

    def _json(self, method: str, path: str, body: Any = None, *, once: bool = False) -> Any:
        return json.loads(self._bytes(method, path, body, once=once))

    def _bytes(self, method: str, path: str, body: Any = None, *, once: bool = False) -> bytes:
        headers = dict(self._headers)
        if once:
            headers["Idempotency-Key"] = str(uuid.uuid4())
        repeatable = once or method != "POST" or path in ("/plans", "/uploads/missing")
        # An address that never answered is more likely wrong than away for a while.
        patience_s = _PATIENCE_S if self._reached else _PATIENCE_AT_FIRST_S
        until = time.monotonic() + (patience_s if repeatable else 0)
        pause_s = 0.5
        while True:
            try:
                with self._open(method, path, body, headers) as answer:
                    content = bytes(answer.read())
                    self._reached = True
                    return content
            except (OSError, HTTPException, StoreFailed) as error:
                lost = error
            if time.monotonic() > until:
                raise self._unreachable(lost) from lost
            time.sleep(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)

    def _open(self, method: str, path: str, body: Any, headers: dict[str, str]) -> Any:
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        content = "text/plain; charset=utf-8" if data is body else "application/json"
        given = headers if data is None else headers | {"Content-Type": content}
        request = urllib.request.Request(  # noqa: S310  the scheme was checked
            self._url + path, data=data, headers=given, method=method
        )
        try:
            return self._opener.open(request, timeout=_TIMEOUT_S)
        except urllib.error.HTTPError as error:
            with error:
                raise _error(error) from error

    def _events(self, run_id: str, after: int) -> Iterator[RunEvent | None]:
        """Yield the events of one connection; None at the end of the run.

        Raises:
            StoreFailed: The connection was lost.
        """
        path = f"/runs/{quote(run_id)}/events?after={after}"
        headers = self._headers | {"Accept": "text/event-stream"}
        try:
            with self._open("GET", path, None, headers) as stream:
                kind = ""
                for line in stream:
                    name, _, value = line.decode().rstrip("\r\n").partition(": ")
                    if name == "event":
                        kind = value
                    elif name == "data":
                        yield None if kind == "end" else RunEvent.model_validate_json(value)
        except (OSError, HTTPException) as error:
            raise self._unreachable(error) from error

    def _unreachable(self, error: Exception) -> StoreFailed:
        if isinstance(error, StoreFailed):
            return error
        reason = getattr(error, "reason", None) or error
        return StoreFailed(f"the server {self._url} does not answer: {reason}")


def _difference(run_a: str, run_b: str) -> str:
    return f"/runs/{quote(run_a)}/difference/{quote(run_b)}"


def _voter(name: str | None) -> str:
    return "" if name is None else f"?voter={quote(name, safe='')}"


def _error(answer: urllib.error.HTTPError) -> AcmError:
    """Return the error for a problem response."""
    try:
        problem = json.loads(answer.read())
        message, parts = str(problem["detail"]), problem.get("errors") or []
    except (ValueError, KeyError, TypeError):
        message, parts = f"the server answered {answer.code} {answer.reason}", []
    if answer.code >= 500:
        return StoreFailed(message)
    kind = _ERRORS.get(answer.code, RequestError)
    if not parts or not issubclass(kind, RequestError):
        return kind(message)
    first, *more = (kind(str(one["message"]), one.get("where")) for one in parts)
    first.more = tuple(more)
    return first


def _texts(
    config: AnyConfig,
    documents: Mapping[str, str] | None,
    instructions: str | None,
    guidelines: str | None,
    only: Sequence[str],
) -> _RunBody:
    """Return the body of a request; a config file and its folders are read on this machine."""
    if isinstance(config, Mapping):
        if documents is None or instructions is None:
            raise RequestError("a config of values needs the arguments documents and instructions")
        return _RunBody(dict(config), instructions, guidelines, dict(documents), "texts")
    from acm_api.config import loading, run_files
    from acm_api.files import inputs

    path = Path(config)
    loaded = loading.load(path, keys="workers")
    values = loaded.config.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    for name in (*run_files.FOLDERS, "instructions_file", "guidelines_file"):
        values.pop(name, None)
    found = {one.path: one.text for one in inputs.of_config(loaded.config, only)}
    return _RunBody(values, loaded.instructions, loaded.guidelines, found, path.name)
