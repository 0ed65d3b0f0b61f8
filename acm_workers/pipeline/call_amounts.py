"""Amounts of calls: the likely ones, and the most that they can be."""

from typing import Literal, NamedTuple


class AmountRange(NamedTuple):
    """A likely number, and the most; the latter is absent if there is no bound."""

    likely: float
    most: float | None


class CallEstimate(NamedTuple):
    """The calls of one unit to one model.

    Attributes:
        calls: Their number.
        prompt: Tokens of a prompt without the source and the candidates.
        source: The part of ``SourceTokens`` that is in the prompt, if any.
        texts: Number of candidates in the prompt.
        answer: Tokens of an answer, thinking included.
        searches: Searches of one answer.
        search_tokens: Input tokens that one of them brings.
        seconds: Likely time of one call.
        unit_s: Likely time of the unit, where a child process makes the calls.
        external: They are processes of FilePromptForge, of which nothing but the number is known.
        batched: They are sent in batches, if none is repeated.
    """

    provider: str
    model: str
    calls: AmountRange
    prompt: AmountRange
    source: Literal["written_from", "judged_by"] | None
    texts: int
    answer: AmountRange
    searches: AmountRange
    search_tokens: AmountRange
    seconds: float
    unit_s: float | None = None
    external: bool = False
    batched: bool = False


class Amounts(NamedTuple):
    """The amounts of a number of calls; unknown ones are absent."""

    calls: float | None
    input_tokens: float | None
    output_tokens: float | None
    searches: float | None
    usd: float | None

    def times(self, number: float) -> "Amounts":
        """Return the amounts of ``number`` times as many calls."""
        return Amounts(*(None if one is None else one * number for one in self))

    def plus(self, other: "Amounts") -> "Amounts":
        """Return the sums."""
        pairs = zip(self, other, strict=True)
        return Amounts(*(None if a is None or b is None else a + b for a, b in pairs))

    def highest(self, other: "Amounts") -> "Amounts":
        """Return the higher one of each amount."""
        pairs = zip(self, other, strict=True)
        return Amounts(*(None if a is None or b is None else max(a, b) for a, b in pairs))


NOTHING = Amounts(0, 0, 0, 0, 0.0)
