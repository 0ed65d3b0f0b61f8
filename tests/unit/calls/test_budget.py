"""The worst case of a request."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acm_workers.calls import budget
from acm_workers.providers import tokens
from acm_workers.providers.catalog import prices
from schemas.calls import Message, Request, Usage
from schemas.config.provider import Provider, TokenPrice
from tests.support import characters
from tests.support.stored import NOW

LOCAL: dict[str, Any] = {"dialect": "openai_chat", "base_url": "http://127.0.0.1:1/v1"}
PRICE = TokenPrice(input=1, cached=0.1, cache_write=1.25, output=4, search=10)
ALPHA = Provider(**LOCAL, prices={"m": PRICE, "free": TokenPrice(input=0, output=0)})


def request(text: str = "Write.", **changes: Any) -> Request:
    given = {"provider": "alpha", "model": "m", "messages": [Message(role="user", content=text)]}
    return Request.model_validate(given | changes)


def test_a_request_without_an_end_gets_one() -> None:
    plain = budget.bounded(request(), ALPHA, NOW)
    searching = budget.bounded(request(search=True, max_tokens=7), ALPHA, NOW)

    assert (plain.max_tokens, plain.max_searches) == (budget.ANSWER_TOKENS, None)
    assert (searching.max_tokens, searching.max_searches) == (7, 10)


def test_an_end_is_not_beyond_what_the_model_can_write() -> None:
    own = {"m": {"max_output": 900}}
    small = Provider.model_validate({**LOCAL, "prices": {"m": PRICE}, "capabilities": own})

    assert budget.bounded(request(), small, NOW).max_tokens == 900


def test_those_that_think_hard_or_long_get_more() -> None:
    slow = {"m": {"background": True}}
    given = {**LOCAL, "dialect": "openai", "prices": {"m": PRICE}, "capabilities": slow}
    research = Provider.model_validate(given)

    hard = budget.bounded(request(effort="high"), ALPHA, NOW)
    long = budget.bounded(request(search=True), research, NOW)

    assert hard.max_tokens == 2 * budget.ANSWER_TOKENS
    assert (long.max_tokens, long.max_searches) == (100_000, 40)


def test_a_server_that_costs_nothing_is_asked_as_always() -> None:
    free = request(model="free")

    assert budget.bounded(free, ALPHA, NOW) == free
    assert budget.most_usd(free, ALPHA, NOW) == 0.0


def test_an_unknown_price_makes_the_worst_case_unknown() -> None:
    assert budget.most_usd(request(model="nobody-knows"), ALPHA, NOW) is None


def test_searches_without_a_price_make_the_worst_case_unknown() -> None:
    plain = Provider(**LOCAL, prices={"m": TokenPrice(input=1, output=4)})

    assert budget.most_usd(request(), plain, NOW) is not None
    assert budget.most_usd(request(search=True), plain, NOW) is None


@settings(max_examples=15, deadline=None)
@given(st.text(characters.ANY), st.integers(1, 5000), st.integers(0, 5), st.data())
def test_no_answer_within_the_bounds_costs_more_than_the_worst_case(
    text: str, written: int, searches: int, data: st.DataObject
) -> None:
    asked = request(text, max_tokens=written, search=searches > 0, max_searches=searches or None)
    read = tokens.most(text) + searches * 15_000
    usage = Usage(
        input_tokens=read,
        output_tokens=data.draw(st.integers(0, written)),
        cached_tokens=data.draw(st.integers(0, read)),
        cache_write_tokens=data.draw(st.integers(0, read)),
        searches=data.draw(st.integers(0, searches)),
    )

    cost, _ = prices.cost(ALPHA, "m", usage, NOW)
    most = budget.most_usd(asked, ALPHA, NOW)

    assert cost is not None
    assert most is not None
    assert cost <= most


@pytest.mark.parametrize(("text", "most"), [("abc", 3), ("\u6587", 3), ("\U0001f600", 4)])
def test_no_text_has_more_tokens_than_bytes(text: str, most: int) -> None:
    assert tokens.most(text) == most
