"""GPT Researcher as a child process: standard (``gptr``), deep (``dr``), multi-agent (``ma``).

It is executed as a file by the Python of an environment that ``acm setup gptr`` builds and that
does not contain ACM. It reads one JSON object on stdin and writes events, one JSON object a line,
to the descriptor whose number is in ``ACM_EVENTS_FD``.

Request: ``kind``, ``query``, ``model``; further ``subject`` (search terms in place of a long
query), ``guidelines`` (list), ``embedding`` (model; without one all sources are read in full),
``words``, ``sub_queries``, ``breadth``, ``depth``, ``sections``, ``follow_guidelines``,
``max_calls``, ``call_timeout_s``, ``timeout_s``. Environment: ``OPENAI_BASE_URL`` and
``OPENAI_API_KEY`` of the gateway, ``RETRIEVER_ENDPOINT``, ``TIKTOKEN_CACHE_DIR``.

Events: ``start``, ``progress`` (``step``, ``detail``), ``heartbeat``, and finally ``result``
(``text``, ``sources``, ``context_chars``, ``files``) or ``error`` (``code``, ``message``); each of
them with ``calls`` and, at the end, ``usage``. Exit codes, by ``code``: see ``_EXIT_CODES``.

GPT Researcher 0.15.1 reports some failures as success, and repeats requests that cannot succeed.
``_replace_parts`` replaces these parts.
"""

import asyncio
import faulthandler
import importlib
import importlib.metadata
import importlib.util
import json
import os
import resource
import signal
import sys
import threading
import time
import traceback
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any, NoReturn

_EXIT_CODES = {
    "result": 0,
    "bug": 1,
    "bad_request": 2,
    "missing_setting": 3,
    "unsupported_provider": 3,
    "missing_package": 3,
    "auth": 4,
    "model_not_found": 4,
    "rate_limited": 4,
    "provider": 4,
    "empty_report": 5,
    "ungrounded": 5,
    "incomplete": 5,
    "timeout": 6,
    "too_many_calls": 7,
    "too_many_steps": 7,
}
_CODES_BY_STATUS = {401: "auth", 403: "auth", 404: "model_not_found", 429: "rate_limited"}
_MOST_FAILURES = 4
"""Maximum number of consecutive failed calls; the gateway has already retried each of them."""

_HEARTBEAT_S = 5.0
_SEARCH_WITHIN_S = 180.0
_LEAST_REPORT = 100
_MOST_RESULTS = 10
"""Maximum number of search results; with more, GPT Researcher embeds short sources as well."""

_LEAST_SOURCE = 101
"""Minimum length of a source, in characters; GPT Researcher fetches the page of a shorter one."""

_LONGEST_SEARCH = 400
_LONGEST_EMBEDDED = 20_000
"""Maximum length of an embedded text, in characters; embedding models accept about 8,000 tokens."""

_QUIET_STEPS = ("added_source_url", "scraping_", "fetching_query_content", "selected_images")
_NEEDED = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "RETRIEVER_ENDPOINT", "TIKTOKEN_CACHE_DIR")
_MODELS = ("SMART_LLM", "STRATEGIC_LLM", "FAST_LLM")
_LOCAL = ("127.0.0.1", "localhost", "::1")
_AGENT = "🔎 Research Agent"
_ROLE = (
    "You are a careful research assistant. You write critical, well structured and objective"
    " reports that rest on the given sources and name them."
)


class StopRun(BaseException):
    """Ends the run; no ``except Exception`` of GPT Researcher catches it."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code, self.message = code, message


class Child:
    """One run: its request, its calls and sources so far, and the channel for its events."""

    def __init__(self, channel: int) -> None:
        self.request: dict[str, Any] = {}
        self.calls = 0
        self.searches = 0
        self.failures = 0
        self.last_error = ""
        self.sources: dict[str, dict[str, Any]] = {}
        self.context_chars = 0
        self.usage: Any = None
        self._channel = channel
        self._lock = threading.RLock()
        self._ended = False

    def tell(self, event: str, **about: Any) -> None:
        """Write an event."""
        data = json.dumps({"event": event, **about}).encode() + b"\n"
        with self._lock:
            while data and not self._ended:
                data = data[os.write(self._channel, data) :]

    def end(self, code: str, **about: Any) -> NoReturn:
        """Write the last event, and end this process without waiting for its threads."""
        usage = getattr(self.usage, "usage_metadata", None) or {}
        event = "result" if code == "result" else "error"
        more = {} if event == "result" else {"code": code}
        with self._lock:
            self.tell(
                event,
                **more,
                **about,
                calls=self.calls,
                searches=self.searches,
                usage={model: dict(used) for model, used in usage.items()},
                version=_version(),
            )
            self._ended = True
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(_EXIT_CODES[code])

    def stop(self, code: str, message: str) -> NoReturn:
        """End with an error."""
        self.end(code, message=message[:2000])

    def count_call(self) -> None:
        """Count a call to a model; end this process if there were too many calls."""
        self.calls += 1
        most = self.request.get("max_calls")
        if most is not None and self.calls > most:
            self.stop("too_many_calls", f"it made {most} calls and was not done")

    def count_failure(self, error: BaseException | str) -> None:
        """Count a failed call; end this process if further calls are pointless."""
        self.failures += 1
        self.last_error = str(error) or type(error).__name__
        status = getattr(error, "status_code", None)
        code = _CODES_BY_STATUS.get(status or 0, "provider")
        headers = getattr(getattr(error, "response", None), "headers", {})
        is_final = headers.get("x-should-retry") == "false" or code in ("auth", "model_not_found")
        if is_final or self.failures >= _MOST_FAILURES:
            self.stop(code, f"{self.failures} calls in a row failed, the last: {self.last_error}")


def main() -> NoReturn:
    """Read the request, write the report, and exit."""
    child = Child(int(os.environ["ACM_EVENTS_FD"]))
    signal.signal(signal.SIGTERM, lambda *_: child.stop("timeout", "it was told to end"))
    # What hangs is told first, also where Python's own handler cannot run.
    faulthandler.register(signal.SIGTERM, chain=True)
    try:
        child.request = _read_request()
        _prepare_environment(child.request)
    except StopRun as stop:
        child.stop(stop.code, stop.message)
    child.tell("start", kind=child.request["kind"], version=_version())
    threading.Thread(target=_beat, args=(child,), daemon=True).start()
    sys.addaudithook(_refuse_strangers)
    asyncio.run(_run(child))
    child.stop("bug", "it ended without a report")


async def _run(child: Child) -> None:
    """Write the report, and end this process within the event loop.

    To leave the loop is to wait for its threads, which may hang in a search.
    """
    try:
        await _write(child)
    except StopRun as stop:
        child.stop(stop.code, stop.message)
    except ImportError as error:
        child.stop("missing_package", str(error))
    except BaseException as error:  # the parent must learn of every end
        code = "too_many_steps" if type(error).__name__ == "GraphRecursionError" else "bug"
        message = f"{type(error).__name__}: {error}"
        if child.failures:
            message += f"; the last call failed: {child.last_error}"
        traceback.print_exc()
        child.stop(code, message)


def _read_request() -> dict[str, Any]:
    try:
        request = json.load(sys.stdin)
    except ValueError as error:
        raise StopRun("bad_request", f"the request is no JSON: {error}") from error
    if not isinstance(request, dict) or request.get("kind") not in ("gptr", "dr", "ma"):
        raise StopRun("bad_request", "the request has no kind, which is gptr, dr or ma")
    for name in ("query", "model"):
        if not isinstance(request.get(name), str) or not request[name].strip():
            raise StopRun("bad_request", f"the request has no {name}")
    return request


def _prepare_environment(request: dict[str, Any]) -> None:
    """Set what GPT Researcher reads from the environment when it is imported."""
    missing = [name for name in _NEEDED if not os.environ.get(name)]
    if missing:
        raise StopRun("missing_setting", f"{', '.join(missing)} must be set")
    settings = {
        **_models(request),
        "RETRIEVER": "custom",
        "TOTAL_WORDS": request.get("words"),
        "MAX_ITERATIONS": request.get("sub_queries"),
        "DEEP_RESEARCH_BREADTH": request.get("breadth"),
        "DEEP_RESEARCH_DEPTH": request.get("depth"),
        "SMART_TOKEN_LIMIT": 16_000,
        "CURATE_SOURCES": "false",
        # The agents' review would else go on for some 10,000 steps if nothing satisfies it.
        "LANGGRAPH_DEFAULT_RECURSION_LIMIT": 25,
        "LANGSMITH_TRACING": "false",
        "LANGCHAIN_TRACING_V2": "false",
        "SCARF_NO_ANALYTICS": "true",
        "DO_NOT_TRACK": "true",
        # As strings: many compatible servers refuse the token numbers of "openai:".
        "EMBEDDING": f"custom:{request.get('embedding') or 'none'}",
        "EMBEDDING_KWARGS": json.dumps({"max_retries": 0, "request_timeout": 900}),
        "COMPRESSION_THRESHOLD": None if request.get("embedding") else 1_000_000_000,
    }
    os.environ.update({name: str(value) for name, value in settings.items() if value is not None})


def _models(request: dict[str, Any]) -> dict[str, str]:
    """Return the settings that name models; GPT Researcher would only end with a traceback."""
    own = f"openai:{request['model']}"
    models = {name: os.environ.get(name, own) for name in _MODELS}
    for name, model in models.items():
        if not model.startswith("openai:"):
            raise StopRun(
                "unsupported_provider", f"{name} is {model}: the gateway speaks openai only"
            )
    return models


async def _write(child: Child) -> NoReturn:
    _replace_parts(child)
    callbacks = importlib.import_module("langchain_core.callbacks")
    writer = _write_with_agents if child.request["kind"] == "ma" else _write_alone
    with callbacks.get_usage_metadata_callback() as child.usage:
        text, more = await writer(child)
    sources = list(child.sources.values())
    if not text or len(text.strip()) < _LEAST_REPORT:
        raise StopRun("empty_report", f"the report has {len(text or '')} characters")
    if not sources or not child.context_chars:
        _refuse_ungrounded(child)
    child.end("result", text=text, sources=sources, context_chars=child.context_chars, **more)


async def _write_alone(child: Child) -> tuple[str, dict[str, Any]]:
    """Write a standard or a deep report."""
    is_deep = child.request["kind"] == "dr"
    # A deep report is else written by an agent whose role is literally "None".
    chosen = {"agent": _AGENT, "role": _ROLE} if is_deep else {}
    researcher = importlib.import_module("gpt_researcher").GPTResearcher(
        query=child.request["query"],
        report_type="deep" if is_deep else "research_report",
        report_source="web",
        websocket=_Listener(child),
        **chosen,
    )
    await researcher.conduct_research()
    child.context_chars = _size(researcher.get_research_context())
    if not child.context_chars:  # the report would be paid for and thrown away
        _refuse_ungrounded(child)
    return await researcher.write_report(), {"files": [], "agent": researcher.agent}


def _refuse_ungrounded(child: Child) -> NoReturn:
    about = f"; the last call failed: {child.last_error}" if child.last_error else ""
    raise StopRun(
        "ungrounded",
        f"the report rests on nothing: {child.searches} searches found {len(child.sources)}"
        f" sources, and {child.context_chars} characters of them were read{about}",
    )


async def _write_with_agents(child: Child) -> tuple[str, dict[str, Any]]:
    """Have the agents write a report."""
    request = child.request
    agents = importlib.import_module("multi_agents.agents")
    actions = importlib.import_module("gpt_researcher.actions.utils")
    enums = importlib.import_module("gpt_researcher.utils.enum")
    task = {
        "query": request["query"],
        "model": request["model"],
        "max_sections": request.get("sections") or 3,
        "publish_formats": {"markdown": False, "pdf": False, "docx": True},
        "include_human_feedback": False,
        "follow_guidelines": bool(request.get("follow_guidelines")),
        "guidelines": request.get("guidelines") or [],
        "verbose": True,
        "source": "web",
    }
    editor = agents.ChiefEditorAgent(
        task, _Listener(child), actions.stream_output, enums.Tone.Objective, {}
    )
    # Its own folder is named after the query, and cannot be found again if that has a space there.
    editor.output_dir = "outputs"
    outcome = await editor.run_research_task(task_id=1)
    failed = [
        str(topic)
        for section in outcome.get("research_data") or []
        for topic, text in (section.items() if isinstance(section, dict) else ())
        if not text or text == "None"
    ]
    if failed:
        about = f"; the last call failed: {child.last_error}" if child.failures else ""
        raise StopRun("incomplete", f"sections failed: {', '.join(failed)}{about}")
    found = sorted(str(path) for path in Path("outputs").rglob("*.docx"))
    return outcome.get("report") or "", {"files": found, "sections": outcome.get("sections")}


class _Listener:
    """Receives the messages that GPT Researcher sends as if to a web socket."""

    def __init__(self, child: Child) -> None:
        self._child = child

    async def send_json(self, message: dict[str, Any]) -> None:
        """Pass on the steps of the work."""
        step = str(message.get("content"))
        if message.get("type") == "logs" and not step.startswith(_QUIET_STEPS):
            detail = str(message.get("output") or "").strip()[:300]
            self._child.tell("progress", step=step, detail=detail, calls=self._child.calls)


def _replace_parts(child: Child) -> None:
    """Import GPT Researcher, and replace functions that fail silently, hang or misbehave."""
    base: Any = importlib.import_module("gpt_researcher.llm_provider.generic.base")
    provider = base.GenericLLMProvider
    from_provider, answer = provider.from_provider.__func__, provider.get_chat_response

    def limited(cls: Any, name: str, /, **options: Any) -> Any:
        options.setdefault("request_timeout", child.request.get("call_timeout_s", 900))
        options["max_retries"] = 0  # the gateway retries
        options["stream_usage"] = True
        return from_provider(cls, name, **options)

    async def counted(self: Any, *args: Any, **options: Any) -> Any:
        child.count_call()
        try:
            text = await answer(self, *args, **options)
        except Exception as error:
            child.count_failure(error)
            raise
        if not text:
            child.count_failure("an empty answer")
        else:
            child.failures = 0
        return text

    def check_package(package: str) -> None:
        if importlib.util.find_spec(package) is None:
            child.stop("missing_package", f"{package} is not installed")

    base._check_pkg = check_package  # it would install packages from the internet
    provider.from_provider = classmethod(limited)
    provider.get_chat_response = counted
    custom = importlib.import_module("gpt_researcher.retrievers.custom.custom")
    custom.CustomRetriever.search = lambda self, max_results=5: _search(child, self.query)
    scraper = importlib.import_module("gpt_researcher.scraper.scraper")
    scraper.Scraper.extract_data_from_url = _not_fetched  # pages come with the search
    _embed_short_texts(child)
    if child.request["kind"] == "ma":
        _count_contexts(child)


async def _not_fetched(self: Any, link: str, session: Any) -> dict[str, Any]:
    return {"url": link, "raw_content": None, "image_urls": [], "title": ""}


def _embed_short_texts(child: Child) -> None:
    embeddings = importlib.import_module("openai.resources.embeddings").Embeddings
    create = embeddings.create

    def shortened(self: Any, *, input: Any, **options: Any) -> Any:
        texts = [input] if isinstance(input, str) else list(input)
        cut = [text[:_LONGEST_EMBEDDED] if isinstance(text, str) else text for text in texts]
        child.count_call()
        try:
            return create(self, input=cut, **options)
        except Exception as error:
            child.count_failure(error)
            raise

    embeddings.create = shortened


def _count_contexts(child: Child) -> None:
    """Add up the context that the research agents read."""
    researcher = importlib.import_module("gpt_researcher").GPTResearcher
    conduct = researcher.conduct_research

    async def counted(self: Any, *args: Any, **options: Any) -> Any:
        context = await conduct(self, *args, **options)
        child.context_chars += _size(context)
        return context

    researcher.conduct_research = counted


def _search(child: Child, query: str) -> list[dict[str, Any]]:
    """Query the retriever; return no results if it fails, which the report's sources show."""
    child.searches += 1
    if len(query) > _LONGEST_SEARCH:
        query = child.request.get("subject") or query
    address, _, fixed = os.environ["RETRIEVER_ENDPOINT"].partition("?")
    asked = urllib.parse.urlencode({"query": query[:_LONGEST_SEARCH]})
    request = urllib.request.Request(  # noqa: S310  the address is the worker's own
        f"{address}?{fixed}&{asked}" if fixed else f"{address}?{asked}",
        headers={"Authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"},
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=_SEARCH_WITHIN_S) as response:
            results = json.load(response)
    except (OSError, ValueError) as error:
        sys.stderr.write(f"a search failed: {error}\n")
        child.tell("progress", step="search_failed", detail=str(error)[:300])
        return []
    found = [_with_address(result) for result in results if result.get("raw_content")]
    for result in found[:_MOST_RESULTS]:
        about = {"url": result["url"], "title": result.get("title")}
        child.sources.setdefault(result["url"], about)
    return found[:_MOST_RESULTS]


def _with_address(result: dict[str, Any]) -> dict[str, Any]:
    """Return a result whose text begins with its source, which would otherwise be lost."""
    head = f"Source: {result['url']}\nTitle: {result.get('title') or result['url']}\n\n"
    return {**result, "raw_content": (head + result["raw_content"]).ljust(_LEAST_SOURCE)}


def _refuse_strangers(event: str, arguments: tuple[Any, ...]) -> None:
    """Refuse connections to other machines and the start of other programs, as an audit hook."""
    if event == "socket.connect":
        host = arguments[1][0] if isinstance(arguments[1], tuple) else None
    elif event == "socket.getaddrinfo":
        host = arguments[0]
    elif event in ("subprocess.Popen", "os.system", "os.posix_spawn", "os.exec"):
        raise PermissionError(f"{event} is not allowed here")
    else:
        return
    host = host.decode() if isinstance(host, bytes) else host
    if host is not None and host not in _LOCAL:
        raise PermissionError(f"connections to {host} are not allowed here")


def _beat(child: Child) -> None:
    """Send heartbeats, and end this process when its time is over.

    This function runs in its own thread, because parts of GPT Researcher block the event loop.
    """
    most_s = child.request.get("timeout_s") or float("inf")
    end_at = time.monotonic() + most_s
    while True:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        child.tell("heartbeat", calls=child.calls, searches=child.searches, peak_rss_bytes=peak)
        left_s = end_at - time.monotonic()
        if left_s <= 0:
            faulthandler.dump_traceback()
            child.stop("timeout", f"it took more than {most_s:g} s")
        time.sleep(min(_HEARTBEAT_S, left_s))


def _size(context: Any) -> int:
    if isinstance(context, list | tuple):
        return sum(_size(part) for part in context)
    return len(str(context or "").strip())


def _version() -> str | None:
    try:
        return importlib.metadata.version("gpt-researcher")
    except importlib.metadata.PackageNotFoundError:
        return None


if __name__ == "__main__":
    main()
