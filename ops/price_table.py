"""Regenerates the price table from genai-prices, and shows the difference."""

import difflib
import importlib
import re
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from importlib import metadata
from typing import Any

from acm_workers.providers.catalog import prices

_MARK = "# Made by ops/prices; changes below are lost."
_WANTED = {
    "openai": r"gpt-(4o|4\.1|5|6)|o[134]\b",
    "anthropic": r"claude-((haiku|sonnet|opus)-(4-[5-9]|[5-9])|fable|mythos)",
    "google": r"gemini-(2\.5|[3-9])",
}
_OTHER_WORK = re.compile(
    r"audio|codex|cyber|extended|ft-|image|live|realtime|rosalind|-search|transcribe|tts|:"
)
_DATED = re.compile(r"-20\d\d")
_KINDS = {
    "input": "input_mtok",
    "cached": "cache_read_mtok",
    "cache_write": "cache_write_mtok",
    "output": "output_mtok",
    "search": "web_searches_kcount",
}


def main() -> int:
    """Write the table and print the difference; return the exit code."""
    try:
        providers: Any = importlib.import_module("genai_prices.data").providers
    except ImportError:
        print("genai-prices is not installed here", file=sys.stderr)  # noqa: T201
        return 2
    old = prices.FILE.read_text(encoding="utf-8")
    today = datetime.now(UTC).date()
    head = old.partition(_MARK)[0] + _MARK
    source = f"genai-prices {metadata.version('genai-prices')}, read on {today}"
    new = "\n".join([head, f"{source}:", *_lines(providers, today), ""])
    prices.FILE.write_text(new, encoding="utf-8")
    changed = difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=0)
    print("\n".join(changed))  # noqa: T201
    return 0


def _lines(providers: Any, today: date) -> Iterator[str]:
    for name, pattern in _WANTED.items():
        (provider,) = (one for one in providers if one.id == name)
        for model in sorted(provider.models, key=lambda model: str(model.id)):
            if re.match(pattern, model.id) and not _OTHER_WORK.search(model.id):
                yield from _model(model, today)


def _model(model: Any, today: date) -> Iterator[str]:
    """Yield the lines of one model: today's price and announced prices."""
    conditional = model.prices if isinstance(model.prices, list) else [model]
    starts = [(_start(one), one.prices) for one in conditional]
    current = max(start for start, _ in starts if start <= today)
    # The first day of an undated price is unknown, and earlier calls are not priced again.
    month = today.replace(day=1)
    prices = sorted(
        ((month if start == date.min else start, price) for start, price in starts
         if start >= current), key=lambda one: one[0],
    )  # fmt: skip
    ends = [start for start, _ in prices[1:]] + [date.max]
    for (start, price), end in zip(prices, ends, strict=True):
        standard = {kind: getattr(price, key) for kind, key in _KINDS.items()}
        for values in _steps(model.id, standard):
            yield _line(model.id, start, (), values)
        known = date.min if price is prices[0][1] else start
        yield from _tiers(model, (start, end), known, standard)


def _tiers(
    model: Any, span: tuple[date, date], known: date, standard: dict[str, Any]
) -> Iterator[str]:
    """Yield the lines of the other service tiers while one standard price holds.

    Args:
        span: First day of the standard price, and of the next one.
        known: First day of the variants to use; earlier ones belong to an older standard price.
    """
    start, end = span
    variants = [
        (_tier(one.when), _start(one), one.prices)
        for one in model.price_variants or ()
        if known <= _start(one) < end
    ]
    for day in sorted({max(start, since) for tier, since, _ in variants if tier}):
        lines: dict[tuple[str, ...], list[str]] = {}
        for name in dict.fromkeys(tier for tier, _, _ in variants if tier):
            # The first variant with a price applies, or else the standard price.
            active = [prices for tier, since, prices in variants if tier == name and since <= day]
            if not active:
                continue
            values = {
                kind: next(
                    (found for one in active if (found := getattr(one, key)) is not None),
                    standard[kind],
                )
                for kind, key in _KINDS.items()
            }
            lines.setdefault(tuple(_steps(model.id, values)), []).append(name)
        for steps, names in lines.items():
            for given in steps:
                yield _line(model.id, day, names, given)


def _tier(when: dict[str, str]) -> str | None:
    """Return the service tier that a condition names; None for the standard one."""
    if len(when) != 1:
        return None
    ((_, name),) = when.items()
    return None if name in ("default", "standard") else name


def _steps(model: str, prices: dict[str, Any]) -> Iterator[str]:
    """Yield the prices of short requests, and of those above each step."""
    steps = {tier.start for price in prices.values() for tier in getattr(price, "tiers", ())}
    for above in sorted({0, *steps}):
        values = {kind: _value(price, above) for kind, price in prices.items()}
        given = [f"{kind}: {value:g}" for kind, value in values.items() if value is not None]
        # Google does not charge for search results, and bills searches of older models per answer.
        given += ["search_input: 0"] if model.startswith("gemini") else []
        given += ["search_per: answer"] if model.startswith("gemini-2") else []
        yield ", ".join([*([f"above: {above}"] if above else []), *given])


def _line(model: str, start: date, tiers: Sequence[str], values: str) -> str:
    named = f"tiers: [{', '.join(tiers)}], " if tiers else ""
    return f"- {{models: {_names(model)}, from: {start}, {named}{values}}}"


def _names(model: str) -> str:
    if _DATED.search(model):
        return f"[{model}]"
    return (
        f'[{model}, "{model}-[0-9]*"]'
        if model.startswith("gemini")
        else f'[{model}, "{model}-20*"]'
    )


def _start(conditional: Any) -> date:
    found: date = getattr(getattr(conditional, "constraint", None), "start_date", date.min)
    return found


def _value(price: Any, above: int) -> float | None:
    if price is None:
        return None
    reached = [tier.price for tier in getattr(price, "tiers", ()) if tier.start <= above]
    return float(reached[-1] if reached and above else getattr(price, "base", price))


if __name__ == "__main__":
    sys.exit(main())
