"""Counts of requests and answers, as ``GET /_stats`` shows them."""

from collections import Counter
from typing import Any, Final

from acm_workers.simulator.limits import SlidingWindow

_MOST_DIGESTS: Final = 500_000


class DigestCounts:
    """Counts of digests; the oldest are forgotten beyond half a million."""

    def __init__(self) -> None:
        self._counts: dict[bytes, int] = {}

    def add(self, digest: bytes) -> None:
        """Count ``digest`` once more."""
        self._counts[digest] = self.count(digest) + 1
        if len(self._counts) > _MOST_DIGESTS:
            del self._counts[next(iter(self._counts))]

    def count(self, digest: bytes) -> int:
        """Return the number of times that ``digest`` was added."""
        return self._counts.get(digest, 0)


class RequestStats:
    """Counts since the start."""

    def __init__(self) -> None:
        self._started = SlidingWindow()
        self._admitted_tokens = SlidingWindow()
        self._answered = DigestCounts()
        self._by_status: Counter[str] = Counter()
        self._by_model: Counter[str] = Counter()
        self._by_fault: Counter[str] = Counter()
        self._background = {"submitted": 0, "polls": 0, "cancels": 0}
        self._batches = {"submitted": 0, "requests": 0, "cancels": 0}
        self._requests = self._in_flight = self._in_flight_max = 0
        self._answered_twice = self._abandoned = 0
        self._input_tokens = self._output_tokens = self._billed = 0
        self._usd = 0.0

    def start(self, now: float) -> None:
        """Count a request at its arrival."""
        self._requests += 1
        self._in_flight += 1
        self._in_flight_max = max(self._in_flight_max, self._in_flight)
        self._started.add(now)

    def admit(self, now: float, tokens: int) -> None:
        """Count the tokens of a request that the limits admit."""
        self._admitted_tokens.add(now, tokens)

    def count_model(self, model: str) -> None:
        """Count the model of a request."""
        self._by_model[model] += 1

    def end(self) -> None:
        """Count a request at its end."""
        self._in_flight -= 1

    def sent(self, status: int | None) -> None:
        """Count an answer, or a connection without an answer if ``status`` is absent."""
        self._by_status["reset" if status is None else str(status)] += 1

    def count_fault(self, fault: str) -> None:
        """Count a request that got a fault of the catalogue."""
        self._by_fault[fault] += 1

    def answered(self, digest: bytes) -> None:
        """Count an answer with a good result."""
        self._answered_twice += self._answered.count(digest) > 0
        self._answered.add(digest)

    def billed(self, input_tokens: int, output_tokens: int, usd: float = 0.0) -> None:
        """Count the tokens and the cost of an answer, with or without a fault."""
        self._billed += 1
        self._usd += usd
        self._input_tokens += input_tokens
        self._output_tokens += output_tokens

    def abandoned(self) -> None:
        """Count a request whose client had left before the answer."""
        self._abandoned += 1

    def submitted(self) -> None:
        """Count a response that was begun in the background."""
        self._background["submitted"] += 1

    def polled(self) -> None:
        """Count a poll of a response."""
        self._background["polls"] += 1

    def cancelled(self) -> None:
        """Count a request to cancel a response."""
        self._background["cancels"] += 1

    def batch_submitted(self, requests: int) -> None:
        """Count a batch, given its number of requests."""
        self._batches["submitted"] += 1
        self._batches["requests"] += requests

    def batch_cancelled(self) -> None:
        """Count a request to cancel a batch."""
        self._batches["cancels"] += 1

    def snapshot(self) -> dict[str, Any]:
        """Return the counts as ``GET /_stats`` shows them."""
        return {
            "requests": self._requests,
            "by_status": dict(self._by_status),
            "by_model": dict(self._by_model),
            "faults": dict(self._by_fault),
            "background": dict(self._background),
            "batches": dict(self._batches),
            "in_flight": self._in_flight,
            "in_flight_max": self._in_flight_max,
            "max_in_60s": self._started.most,
            "max_tokens_in_60s": self._admitted_tokens.most,
            "answered_twice": self._answered_twice,
            "rate_limited": self._by_status["429"],
            "tokens": {"input": self._input_tokens, "output": self._output_tokens},
            "billed": {"answers": self._billed, "usd": round(self._usd, 9)},
            "abandoned": self._abandoned,
        }
