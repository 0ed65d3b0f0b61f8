"""Text of others on a terminal."""


def plain(text: str) -> str:
    """Return ``text`` without what would steer a terminal or turn the line around."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
