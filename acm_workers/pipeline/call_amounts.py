"""Amounts of calls: likely values and upper bounds."""

from typing import Literal, NamedTuple


class AmountRange(NamedTuple):
    """A likely number and its upper bound, which is absent if there is no bound."""

    likely: float
    most: float | None


class CallEstimate(NamedTuple):
    """The calls of one unit to one model.

    Attributes:
        calls: Number of calls.
        prompt: Tokens of a prompt without the source and the candidates.
        source: The part of ``SourceTokens`` that is in the prompt, if any.
        texts: Number of candidates in the prompt.
        answer: Tokens of an answer, including thinking.
        searches: Searches of one answer.
        search_tokens: Input tokens that one search adds.
        seconds: Likely time of one call.
        unit_s: Likely time of the unit if a child process makes the calls.
        external: The calls are processes of FilePromptForge, of which only the number is known.
        batched: The calls are sent in batches, unless they are repeated.
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


class CallAmounts(NamedTuple):
    """The amounts of a number of calls; unknown amounts are absent."""

    calls: float | None
    input_tokens: float | None
    output_tokens: float | None
    searches: float | None
    usd: float | None

    def times(self, number: float) -> "CallAmounts":
        """Return the amounts multiplied by ``number``."""
        return CallAmounts(*(None if one is None else one * number for one in self))

    def plus(self, other: "CallAmounts") -> "CallAmounts":
        """Return the sums."""
        pairs = zip(self, other, strict=True)
        return CallAmounts(*(None if a is None or b is None else a + b for a, b in pairs))

    def highest(self, other: "CallAmounts") -> "CallAmounts":
        """Return the higher value of each amount."""
        pairs = zip(self, other, strict=True)
        return CallAmounts(*(None if a is None or b is None else max(a, b) for a, b in pairs))


NOTHING = CallAmounts(0, 0, 0, 0, 0.0)
