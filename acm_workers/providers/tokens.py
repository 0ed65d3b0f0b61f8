"""Token counts of texts, estimated without a tokenizer."""


def estimate(text: str) -> int:
    """Estimate the tokens of ``text``, at least 1; the estimate tends to be too high.

    Assumes 3.5 ASCII characters or one other character per token.
    """
    narrow = len(text) if text.isascii() else len(text.encode("ascii", "ignore"))
    wide = len(text) - narrow
    # 1.1 * (narrow / 3.5 + wide), rounded up, in integers.
    return max(-(-(22 * narrow + 77 * wide) // 70), 1)


def likely(text: str) -> float:
    """Return the likely tokens of ``text``: 4 ASCII characters or one other character each."""
    narrow = len(text) if text.isascii() else len(text.encode("ascii", "ignore"))
    return narrow / 4 + len(text) - narrow


def most(text: str) -> int:
    """Return an upper bound for the tokens of ``text``: no tokenizer yields more than its bytes."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
