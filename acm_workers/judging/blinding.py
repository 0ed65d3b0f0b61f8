"""Blinding: masks names and phrases in candidates that would reveal their author to people."""

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from schemas.config.config import Config

MASK = "\N{FULL BLOCK}\N{FULL BLOCK}\N{FULL BLOCK}\N{FULL BLOCK}"
"""Replaces each masked passage, regardless of its length."""

_MAKERS = (
    "openai", "open ai", "chatgpt", "gpt", "dall-e", "anthropic", "claude", "gemini", "gemma",
    "google deepmind", "deepmind", "google ai", "vertex ai", "meta ai", "llama", "mistral",
    "mistral ai", "mixtral", "ministral", "magistral", "codestral", "qwen", "qwq", "deepseek",
    "grok", "xai", "x.ai", "copilot", "cohere", "perplexity ai", "moonshot ai", "kimi",
    "openrouter", "ollama", "vllm", "lm studio", "llama.cpp", "hugging face", "huggingface",
    "microsoft phi", "nvidia nemotron", "nemotron", "ibm granite", "amazon nova", "amazon bedrock",
    "zhipu", "glm", "minimax", "ernie bot", "filepromptforge", "file prompt forge",
    "gpt researcher", "gptr", "deep research",
)  # fmt: skip
"""Well-known models and makers, which are masked in addition to those of the run."""

_GENERATORS = ("fpf", "gptr", "filepromptforge")
_TOO_COMMON = frozenset({"", "a", "an", "the", "judge", "model", "default", "local", "test"})
"""Names that are common words and are not masked."""

_VERSION = r"(?:[-\u2010-\u2015_ .:/@]?(?:v?\d[\w.\-]*|(?:mini|nano|micro|turbo|pro|ultra|flash|lite|opus|sonnet|haiku|instruct|chat|preview|latest|thinking|large|medium|small|xl)\b))*+"  # noqa: E501
_INVISIBLE = "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff"  # noqa: E501
_UNSEEN = re.compile(f"[{_INVISIBLE}]+")
_BETWEEN = r"[\s\-\u2010-\u2015_.:/@#*`~|]{0,3}"
"""Pattern of characters between two parts of a name."""

_AI = r"(?:a\.?i\.?|artificial intelligence|(?:large |small )?language model|llm|chat ?bot)"
_MODEL = rf"(?:{_AI}|(?:virtual |digital |writing )?assistant|model)"
_MADE = r"(?:trained|made|built|developed|created|designed|provided|offered|powered|hosted|run)"
_WROTE = r"(?:generated|written|drafted|produced|composed|authored|created|prepared)"
_REST = r"[^.!?;\n]*"
_SELF = re.compile(
    "|".join(
        (
            rf"\bas (?:an?|the|your) (?:[\w-]+ ){{0,3}}?{_AI}\b[^.!?;,\n]*",
            rf"\bas (?:an?|the|your) (?:[\w-]+ ){{0,3}}?{_MODEL}[ ,]+(?:that (?:was|is) |which (?:was|is) )?(?:{_MADE}|from|by)\b[^.!?;,\n]*",  # noqa: E501
            rf"\b(?:i am|i['\u2019]m|this is|we are) (?:[\w-]+,? ){{0,4}}?{_AI}\b{_REST}",
            rf"\b(?:i am|i['\u2019]m) (?:an?|the|your) (?:[\w-]+ ){{0,3}}?{_MODEL} (?:{_MADE}|from|by)\b{_REST}",  # noqa: E501
            rf"\b(?:i was|i have been|i['\u2019]ve been) {_MADE} (?:by|at|on)\b{_REST}",
            rf"\bmy (?:training data|knowledge cut-?off|(?:creators?|developers?|makers?) (?:is|are|at))\b{_REST}",  # noqa: E501
            rf"\b{_WROTE} (?:by|with|using|with the help of) (?:an? |the )?(?:[\w-]+ ){{0,3}}?{_MODEL}\b{_REST}",  # noqa: E501
        )
    ),
    re.IGNORECASE,
)


class BlindText(NamedTuple):
    """A text in which passages that reveal its author are masked.

    Attributes:
        masked: Number of masked passages by kind: names, and statements of a model about itself.
    """

    text: str
    masked: dict[str, int]


class Blinding:
    """Masks the names of a run in its candidates.

    Args:
        names: Names of models, providers, judges and files that reveal the author of a text.
    """

    def __init__(self, names: Iterable[str]) -> None:
        known = {name.strip() for name in names} | set(_MAKERS) | set(_GENERATORS)
        patterns = {_pattern(name) for name in known if name.casefold() not in _TOO_COMMON}
        longest_first = sorted(patterns - {""}, key=lambda one: (-len(one), one))
        joined = "|".join(longest_first)
        self._names = re.compile(rf"(?<![^\W_])(?:{joined}){_VERSION}(?![^\W_])", re.IGNORECASE)

    def __call__(self, text: str) -> BlindText:
        """Return a text in which each passage that could name its author is masked."""
        # Characters that nobody sees could part a name, or hold it.
        seen = _UNSEEN.sub("", text)
        counted: Counter[str] = Counter()
        if seen != text:
            counted["invisible characters"] += 1
        seen, number = _SELF.subn(MASK, seen)
        counted["self-identification"] += number
        seen, number = self._names.subn(MASK, seen)
        counted["names"] += number
        return BlindText(seen, {kind: many for kind, many in counted.items() if many})


def of_run(config: Config, names: Iterable[str]) -> Blinding:
    """Return the function that masks the names of a run.

    Args:
        config: Config of the run, whose providers, models and judges are masked.
        names: Names of the run's candidates and their files.
    """
    found = [*config.providers, *names]
    for judge in (*config.judges, *(config.pairwise.judges or ()), *(config.playoffs.judges or ())):
        found += [judge.name, judge.model]
    for variant in config.runs:
        found += [variant.provider, variant.model]
    for model in config.playoffs.models or ():
        found += [model.provider, model.model]
    return Blinding(found)


@lru_cache(maxsize=4096)
def _pattern(name: str) -> str:
    """Return a pattern that matches a name with any separators of its parts; empty without parts.

    The maker before a slash and the name behind it are names of their own.
    """
    pieces = [name, *name.split("/")] if "/" in name else [name]
    found = []
    for piece in pieces:
        parts = [re.escape(part) for part in re.findall(r"[^\W_]+", piece)]
        if parts and piece.casefold() not in _TOO_COMMON and (len(parts) > 1 or len(parts[0]) > 1):
            found.append(_BETWEEN.join(parts))
    return "|".join(found)
