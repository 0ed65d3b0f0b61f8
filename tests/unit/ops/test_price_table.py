"""How the price table is made from the data of genai-prices."""

from datetime import date
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from pydantic import TypeAdapter

from acm_workers.providers.catalog.prices import PriceEntry
from ops import price_table

TODAY = date(2026, 11, 21)
KEYS = tuple(price_table._KINDS.values())


def price(**given: Any) -> SimpleNamespace:
    return SimpleNamespace(**(dict.fromkeys(KEYS) | given))


def tiers(base: str, above: int, more: str) -> SimpleNamespace:
    return SimpleNamespace(
        base=Decimal(base), tiers=[SimpleNamespace(start=above, price=Decimal(more))]
    )


def conditional(found: SimpleNamespace, start: date | None = None) -> SimpleNamespace:
    constraint = None if start is None else SimpleNamespace(start_date=start)
    return SimpleNamespace(constraint=constraint, prices=found)


def variant(when: dict[str, str], found: Any, start: date | None = None) -> SimpleNamespace:
    return SimpleNamespace(when=when, **vars(conditional(found, start)))


def made(name: str, prices: Any, *variants: SimpleNamespace) -> list[PriceEntry]:
    model = SimpleNamespace(id=name, prices=prices, price_variants=variants or None)
    lines = price_table._model(model, TODAY)
    found = [{"source": "test", **entry} for entry in yaml.safe_load("\n".join(lines))]
    return TypeAdapter(list[PriceEntry]).validate_python(found)


@pytest.fixture
def luna() -> list[PriceEntry]:
    old = price(input_mtok=Decimal(1), output_mtok=Decimal(6))
    now = price(
        input_mtok=tiers("0.2", 272000, "0.4"),
        output_mtok=tiers("1.2", 272000, "1.8"),
        cache_read_mtok=Decimal("0.02"),
        web_searches_kcount=Decimal(10),
    )
    later = price(input_mtok=Decimal(2), output_mtok=Decimal(3))
    days = (None, date(2026, 7, 30), date(2027, 1, 1))
    return made("gpt-9", [conditional(*each) for each in zip((old, now, later), days, strict=True)])


def test_prices_of_today_and_later_are_kept_and_older_ones_are_not(luna: list[PriceEntry]) -> None:
    assert [(entry.valid_from, entry.above, entry.input, entry.output) for entry in luna] == [
        (date(2026, 7, 30), 0, 0.2, 1.2),
        (date(2026, 7, 30), 272000, 0.4, 1.8),
        (date(2027, 1, 1), 0, 2.0, 3.0),
    ]


def test_what_has_no_tiers_holds_for_long_requests_as_well(luna: list[PriceEntry]) -> None:
    assert [(entry.cached, entry.search) for entry in luna[:2]] == [(0.02, 10.0)] * 2
    assert luna[0].models == ("gpt-9", "gpt-9-20*")


def test_a_price_without_a_day_holds_from_this_month_on() -> None:
    (entry,) = made("gemini-2.9", price(input_mtok=Decimal(1), output_mtok=Decimal(2)))

    assert entry.valid_from == date(2026, 11, 1)
    assert entry.search_per == "answer"
    assert entry.search_input == 0


def test_tiers_have_lines_of_their_own_from_the_day_that_their_price_is_known() -> None:
    standard = price(
        input_mtok=tiers("2", 272000, "4"), output_mtok=Decimal(8), cache_read_mtok=Decimal("0.2")
    )
    half = price(input_mtok=tiers("1", 272000, "2"), output_mtok=Decimal(4))
    double = price(input_mtok=Decimal(4), output_mtok=Decimal(16))
    later = price(input_mtok=Decimal(5), output_mtok=Decimal(9))
    day, next_year = date(2026, 11, 12), date(2027, 1, 1)

    found = made(
        "gpt-9",
        [conditional(standard), conditional(later, next_year)],
        variant({"service_tier": "default"}, price()),
        variant({"service_tier": "flex"}, half, day),
        variant({"processing": "batch"}, half, day),
        variant({"service_tier": "priority"}, double, next_year),
    )

    assert [(one.tiers, one.valid_from, one.above, one.input, one.cached) for one in found] == [
        ((), date(2026, 11, 1), 0, 2, 0.2),
        ((), date(2026, 11, 1), 272000, 4, 0.2),
        (("flex", "batch"), day, 0, 1, 0.2),
        (("flex", "batch"), day, 272000, 2, 0.2),
        ((), next_year, 0, 5, None),
        (("priority",), next_year, 0, 4, None),
    ]
