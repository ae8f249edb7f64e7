"""Prices, savings by caching, and usage beside costs. The expected figures are computed by hand."""

from decimal import Decimal

import pytest
from world import Table, World, cost, usage

ALL = ("11-01", "11-10")
TYPED, UNTYPED = "https://typed.example.com", "https://untyped.example.com"


class Bill:
    """A provider's two datasets at one address, and a short way to fill them."""

    def __init__(self, table: Table, base_url: str, provider: str):
        self.provider = provider
        self.base_url = base_url
        self.worlds = {name: World(table, dataset=name, base_url=base_url) for name in ("usage", "costs")}

    def used(self, quantity: str, usage_type: str, model: str | None, day: str = "11-05", **more) -> None:
        labels = {"x_ModelId": model, "x_UsageType": usage_type, "ServiceProviderName": self.provider, **more}
        world = self.worlds["usage"]
        world.put(usage(f"{self.provider}-u{len(world.shown)}", day, quantity, **labels))

    def charged(self, amount: str, usage_type: str | None, model: str | None, day: str = "11-05", **more) -> None:
        labels = {"x_ModelId": model, "x_UsageType": usage_type, "ServiceProviderName": self.provider, **more}
        world = self.worlds["costs"]
        world.put(cost(f"{self.provider}-c{len(world.shown)}", day, amount, **labels))

    def sync(self) -> None:
        for world in self.worlds.values():
            world.sync(ALL)


@pytest.fixture(scope="module")
def built(warehouse):
    table = Table()
    typed, untyped = Bill(table, TYPED, "Typed"), Bill(table, UNTYPED, "Untyped")
    for tier, tokens, price in (("standard", "2000000", "6"), ("batch", "1000000", "1.5")):
        typed.used(tokens, "input_tokens", "m", x_ServiceTier=tier)
        typed.charged(price, "input_tokens", "m", x_ServiceTier=tier)
    for tier, tokens, price in (("standard", "10000000", "3"), ("batch", "2000000", "0.3"), ("priority", "5000000", "9")):
        typed.used(tokens, "cache_read_tokens", "m", x_ServiceTier=tier)
        typed.charged(price, "cache_read_tokens", "m", x_ServiceTier=tier)
    typed.used("1000000", "cache_write_5m_tokens", "m", x_ServiceTier="standard")
    typed.charged("3.75", "cache_write_5m_tokens", "m", x_ServiceTier="standard")
    # A charge without a usage type is no price of tokens, if other charges of the month name their usage type.
    typed.used("400000", "output_tokens", "searcher")
    typed.charged("0.8", None, "searcher")
    typed.used("70", "cache_read_tokens", "free")
    typed.used("10", "cache_read_tokens", "only-cached", x_ServiceTier="standard")
    typed.charged("1", "cache_read_tokens", "only-cached", x_ServiceTier="standard")

    untyped.used("600000", "input_tokens", "g", x_ProjectId="p1", x_WorkloadType="batch")
    untyped.used("0.3", "output_tokens", "g", x_ProjectId="p2", ConsumedUnit="1000000 Tokens")
    untyped.used("100000", "cache_read_tokens", "g", x_ProjectId="p2")
    untyped.used("12", "requests", "g", ConsumedUnit="Requests")
    untyped.charged("1.5", None, "g", x_ProjectId="p1")
    untyped.charged("0.75", None, "g", x_ProjectId="p2")
    untyped.charged("0.25", None, None)
    untyped.charged("4", None, "g", ChargeCategory="Tax")
    untyped.used("5", "input_tokens", "later", day="11-06")
    for bill in (typed, untyped):
        bill.sync()
    warehouse.fill(table.tables)
    warehouse.build()
    return warehouse


def test_costs_without_usage_types_are_blended(built):
    rows = built.all(f"select * from unit_costs where base_url = '{UNTYPED}' and basis = 'blended'")
    assert len(rows) == 1
    [row] = rows
    assert (row["model_id"], row["unit"], row["usage_type"], row["project_id"]) == ("g", "Tokens", None, None)
    assert (row["quantity"], row["effective_cost"]) == (1000000, Decimal("2.25"))
    assert (row["effective_cost_per_million"], row["quantity_without_cost"]) == (Decimal("2.25"), None)
    assert (row["service_provider_name"], row["day_status"]) == ("Untyped", "proven")


def test_the_other_rows_of_such_a_provider_stay(built):
    rows = built.all(f"select * from unit_costs where base_url = '{UNTYPED}' and basis <> 'blended'")
    found = {(row["model_id"], row["usage_type"], row["quantity"], row["effective_cost"], row["quantity_without_cost"]) for row in rows}
    assert found == {
        ("g", "requests", 12, None, 12),
        ("later", "input_tokens", 5, None, 5),
        (None, None, None, Decimal("0.25"), None),
    }


def test_a_provider_that_names_usage_types_is_never_blended(built):
    rows = built.all(f"select * from unit_costs where base_url = '{TYPED}'")
    assert {row["basis"] for row in rows} == {"priced_usage_type"}
    searcher = {row["usage_type"]: row for row in rows if row["model_id"] == "searcher"}
    assert searcher["output_tokens"]["quantity_without_cost"] == 400000
    assert searcher[None]["effective_cost"] == Decimal("0.8") and searcher[None]["effective_cost_per_million"] is None


def test_no_cost_is_lost_or_doubled(built):
    [units] = built.all("select sum(effective_cost) as cost from unit_costs")
    [costs] = built.all("select sum(effective_cost) as cost from current_costs where charge_category = 'Usage'")
    assert units == costs


def test_cache_savings_by_service_tier(built):
    """standard: 10 x 3.00 - 3.00; batch: 2 x 1.50 - 0.30; priority has no input tokens to compare with."""
    [row] = built.all(f"select * from cache_savings where base_url = '{TYPED}' and model_id = 'm'")
    assert (row["cached_tokens"], row["priced_tokens"]) == (17000000, 12000000)
    assert (row["saved_cost"], row["write_surcharge"]) == (Decimal("29.7"), Decimal("0.75"))
    assert (row["input_price"], row["cache_read_price"]) == (Decimal("2.75"), Decimal("0.275"))
    assert (row["billing_currency"], row["why_not"], f"{row['month']:%Y-%m-%d}") == ("USD", None, "2025-11-01")


def test_cache_savings_say_why_not(built):
    rows = built.all("select model_id, saved_cost, why_not from cache_savings where model_id <> 'm'")
    assert {row["saved_cost"] for row in rows} == {None}
    assert {row["model_id"]: row["why_not"] for row in rows} == {
        "g": "costs name no usage type, so that nobody can tell the price of a cached token",
        "free": "no cost names the cached tokens of this model",
        "only-cached": "no input tokens of the same service tier have a cost in this month, so that there is no price to compare with",
    }


def test_usage_stands_beside_costs(built):
    rows = built.all(f"select * from usage_against_costs where base_url = '{UNTYPED}' order by day, model_id")
    found = [(row["model_id"], row["tokens"], row["requests"], row["billed_cost"], row["finding"]) for row in rows]
    assert sorted(found, key=str) == sorted(
        [
            ("g", 1000000, 12, Decimal("2.25"), "both"),
            (None, None, None, Decimal("0.25"), "costs without usage"),
            ("later", 5, None, None, "usage without costs"),
        ],
        key=str,
    )
    assert {row["day_status"] for row in rows} == {"proven"}


def test_a_day_of_which_one_dataset_says_nothing_is_incomplete(warehouse):
    table = Table()
    bill = Bill(table, TYPED, "Typed")
    bill.used("5", "input_tokens", "m")
    bill.worlds["usage"].sync(ALL)
    warehouse.fill(table.tables)
    warehouse.build()
    [row] = warehouse.all("select finding, day_status from usage_against_costs")
    assert row == {"finding": "usage without costs", "day_status": "incomplete"}
