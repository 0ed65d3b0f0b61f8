"""The paid services of a run: its providers, and the retriever of its reports; pure."""

from schemas.config.config import Config
from schemas.config.provider import Provider, TokenPrice
from schemas.config.research import RETRIEVER

_NOWHERE = "http://retriever.invalid"


def of(config: Config) -> dict[str, Provider]:
    """Return the paid services by name: providers, and the retriever if its searches are calls."""
    retriever = config.retriever
    if retriever is None or not retriever.is_booked or not config.child_kinds:
        return dict(config.providers)
    usd = retriever.price_usd
    price = TokenPrice(input=0.0, output=0.0, search=None if usd is None else 1000 * usd)
    search = Provider(
        dialect="openai_chat", base_url=_NOWHERE, prices={retriever.type: price}, max_in_flight=1024
    )
    return {**config.providers, RETRIEVER: search}
