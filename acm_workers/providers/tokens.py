"""How long a text is, in tokens, without anybody's tokenizer."""


def estimate(text: str) -> int:
    """Return about how many tokens ``text`` has, at least 1, rather too many than too few.

    Fits English, JSON and code at 3.5 characters a token, and scripts such as Japanese at one.
    """
    narrow = len(text) if text.isascii() else len(text.encode("ascii", "ignore"))
    wide = len(text) - narrow
    # 1.1 * (narrow / 3.5 + wide), rounded up, in whole numbers.
    return max(-(-(22 * narrow + 77 * wide) // 70), 1)


def most(text: str) -> int:
    """Return how many tokens ``text`` has at the most: no tokenizer makes more than one a byte."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
