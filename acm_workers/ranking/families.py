"""Families of models: which models share a maker and a way of writing."""

import re

_FAMILIES = {
    "gpt": {"gpt", "chatgpt"},
    "claude": {"claude"},
    "gemini": {"gemini", "gemma"},
    "llama": {"llama"},
    "mistral": {"mistral", "mixtral", "ministral", "magistral", "codestral"},
    "qwen": {"qwen", "qwq"},
    "deepseek": {"deepseek"},
    "grok": {"grok"},
}
_BY_WORD = {word: family for family, words in _FAMILIES.items() for word in words}
_REASONING_GPT = re.compile(r"o\d")


def family(model: str) -> str:
    """Return the family of a model by its name, whoever serves it.

    The first word of the name that is a well-known family, such as ``claude`` in
    ``anthropic/claude-4``; else the first word of its last part, ``small`` in ``maker/small-2``.
    """
    name = model.lower()
    last = name.rsplit("/", 1)[-1]
    if _REASONING_GPT.match(last):
        return "gpt"
    words: list[str] = re.findall(r"[a-z]+", name)
    known = next((_BY_WORD[word] for word in words if word in _BY_WORD), None)
    if known is not None:
        return known
    return next(iter(re.findall(r"[a-z]+", last)), last)
