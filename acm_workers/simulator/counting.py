"""How many tokens a text makes."""

from typing import Final

CHARS_PER_TOKEN: Final = 4


def tokens(chars: int) -> int:
    """Estimate how many tokens ``chars`` characters make."""
    return -(-chars // CHARS_PER_TOKEN)
