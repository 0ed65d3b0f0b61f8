from datetime import UTC, datetime, timedelta, timezone

import pytest

from acm_workers.providers.catalog import prices
from schemas.calls import Usage
from schemas.config.provider import Provider, TokenPrice

AT = datetime(2026, 11, 20, tzinfo=UTC)
PLAIN = Provider(dialect="openai", base_url="https://api.openai.com/v1", key_env="K")
MILLION = 1_000_000


def usage(
    read: int | None, written: int | None, cached: int | None = None, kept: int | None = None
) -> Usage:
    return Usage(
        input_tokens=read, output_tokens=written, cached_tokens=cached, cache_write_tokens=kept
    )


def test_simulated_model_costs_one_and_four_dollars_a_million() -> None:
    cost_usd, label = prices.cost(PLAIN, "sim-good", usage(MILLION, MILLION), AT)

    assert cost_usd == pytest.approx(5.0)
    assert label == "sim-* from 2020-01-01"


def test_cached_and_kept_tokens_have_their_own_price() -> None:
    cost_usd, _ = prices.cost(
        PLAIN, "gpt-6-luna", usage(200_000, 0, cached=100_000, kept=50_000), AT
    )

    assert cost_usd == pytest.approx(0.005 + 0.001 + 0.00625)


def test_more_cached_than_read_is_never_less_than_nothing() -> None:
    cost_usd, _ = prices.cost(PLAIN, "sim-a", usage(10, 0, cached=99, kept=99), AT)

    assert cost_usd == pytest.approx(10 / MILLION)


def test_long_requests_cost_more_where_the_table_says_so() -> None:
    short, _ = prices.cost(PLAIN, "gpt-6-astra", usage(272_000, 0), AT)
    long, label = prices.cost(PLAIN, "gpt-6-astra", usage(272_001, 0), AT)

    assert short == pytest.approx(2.72)
    assert long == pytest.approx(5.44002)
    assert label == "gpt-6-astra above 272000 from 2026-11-01"


def test_price_is_that_of_the_day() -> None:
    counted = usage(MILLION, 0)
    late = datetime(2026, 11, 30, 23, 59, tzinfo=UTC)
    west = (late + timedelta(minutes=1)).astimezone(timezone(timedelta(hours=-8)))

    assert prices.cost(PLAIN, "gemini-4-argon", counted, late)[0] == pytest.approx(2.0)
    assert prices.cost(PLAIN, "gemini-4-argon", counted, west)[0] == pytest.approx(4.0)


@pytest.mark.parametrize(
    ("model", "at"),
    [
        ("nobody-knows", AT),
        ("gpt-6-luna-lite", AT),
        ("gpt-6-luna", datetime(2026, 1, 1, tzinfo=UTC)),
    ],
)
def test_unknown_price_is_none(model: str, at: datetime) -> None:
    assert prices.cost(PLAIN, model, usage(1, 1), at) == (None, None)
    assert prices.known(PLAIN, model, at) is None


def test_dated_name_of_a_model_has_its_price() -> None:
    assert prices.known(PLAIN, "gpt-6-luna-2026-08-01", AT) is not None


@pytest.mark.parametrize("counted", [usage(None, 1), usage(1, None), Usage()])
def test_missing_counts_make_the_cost_unknown(counted: Usage) -> None:
    assert prices.cost(PLAIN, "sim-a", counted, AT)[0] is None


def test_price_in_the_config_wins() -> None:
    own = PLAIN.model_copy(update={"prices": {"sim-a": TokenPrice(input=10, output=0)}})

    assert prices.cost(own, "sim-a", usage(MILLION, MILLION), AT) == (10.0, "config")
    assert prices.known(own, "sim-a", AT) == TokenPrice(input=10, output=0, search=10)
    assert prices.cost(own, "sim-b", usage(MILLION, 0), AT)[0] == 1.0


def test_cost_of_nothing_is_zero_and_known() -> None:
    assert prices.cost(PLAIN, "sim-a", usage(0, 0), AT)[0] == 0.0


def test_every_entry_of_the_table_can_be_read() -> None:
    assert len(prices.table()) > 80
    assert all(entry.source for entry in prices.table())


def test_searches_cost_their_fee_each() -> None:
    counted = Usage(input_tokens=1000, output_tokens=0, searches=3)

    assert prices.cost(PLAIN, "sim-a", counted, AT)[0] == pytest.approx(0.001 + 0.03)


def test_searches_of_older_gemini_models_cost_one_fee_an_answer() -> None:
    counted = [Usage(input_tokens=0, output_tokens=0, searches=number) for number in (0, 1, 7)]

    found = [prices.cost(PLAIN, "gemini-2.5-flash", usage, AT)[0] for usage in counted]

    assert found == [0.0, 0.035, 0.035]


def test_searches_of_unknown_price_or_number_make_the_cost_unknown() -> None:
    own = PLAIN.model_copy(update={"prices": {"mine": TokenPrice(input=1, output=1)}})
    searched = Usage(input_tokens=1, output_tokens=1, searches=2)
    uncounted = usage(1, 1)

    assert prices.cost(own, "mine", searched, AT) == (None, "config")
    assert prices.cost(PLAIN, "sim-a", uncounted, AT, searching=True)[0] is None
    assert prices.cost(PLAIN, "sim-a", uncounted, AT)[0] is not None


def test_own_price_of_tokens_leaves_the_listed_price_of_searches() -> None:
    luna = {"gpt-6-luna": TokenPrice(input=0, output=0)}
    free = {"gpt-6-luna": TokenPrice(input=0, output=0, search=0)}
    counted = Usage(input_tokens=1, output_tokens=1, searches=5)

    listed = PLAIN.model_copy(update={"prices": luna})
    own = PLAIN.model_copy(update={"prices": free})

    assert prices.cost(listed, "gpt-6-luna", counted, AT)[0] == pytest.approx(0.05)
    assert prices.cost(own, "gpt-6-luna", counted, AT)[0] == 0.0


def test_worst_case_is_that_of_the_dearer_day() -> None:
    eve = datetime(2026, 11, 30, 12, tzinfo=UTC)
    most = prices.CallBound(MILLION // 10, 0)

    assert prices.at_most(PLAIN, "gemini-4-argon", most, AT) == pytest.approx(0.36)
    assert prices.at_most(PLAIN, "gemini-4-argon", most, eve) == pytest.approx(0.4)


def test_worst_case_writes_all_of_the_input_to_the_cache_in_the_dearest_tier() -> None:
    most = prices.CallBound(100_000, 1000, 2)

    found = prices.at_most(PLAIN, "gpt-6-luna", most, AT)

    assert found == pytest.approx(0.025 + 0.001 + 0.02)


def test_a_name_that_is_listed_wins_over_a_pattern() -> None:
    old, newer = (prices.known(PLAIN, f"gpt-4o-2024-{day}", AT) for day in ("05-13", "08-06"))

    assert old is not None
    assert newer is not None
    assert (old.input, newer.input) == (5.0, 2.5)


def test_every_price_of_a_tier_belongs_to_a_standard_price() -> None:
    standard = {(one.models, one.above, one.valid_from) for one in prices.table() if not one.tiers}

    lost = [
        (one.label(), one.tiers)
        for one in prices.table()
        if one.tiers
        and not any(
            (one.models, one.above) == (models, above) and since <= one.valid_from
            for models, above, since in standard
        )
    ]

    assert lost == []


def test_price_of_a_tier_ends_with_the_standard_price_that_it_belongs_to() -> None:
    flex = Usage(input_tokens=MILLION // 10, output_tokens=0, service_tier="flex")
    after = datetime(2026, 12, 1, tzinfo=UTC)

    assert prices.cost(PLAIN, "gemini-4-argon", flex, AT)[0] == pytest.approx(0.1)
    assert prices.cost(PLAIN, "gemini-4-argon", flex, after) == (None, None)
