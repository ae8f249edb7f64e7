"""Prices, savings by caching, and usage beside costs. The expected figures are computed by hand."""

from datetime import UTC, datetime, timedelta
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
    for upstream, cached, price in (("One", "1000000", "3"), ("Other", "3000000", "1")):
        for usage_type, tokens, amount in (("input_tokens", "1000000", price), ("cache_read_tokens", cached, "0.3")):
            typed.used(tokens, usage_type, "routed", x_UpstreamProvider=upstream)
            typed.charged(amount, usage_type, "routed", x_UpstreamProvider=upstream)
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


def test_kinds_of_tokens_are_never_mixed(built):
    """No cost of this provider names a kind: its costs have no price, and its quantities no cost."""
    rows = built.all(f"select * from unit_costs where base_url = '{UNTYPED}'")
    found = {(row["model_id"], row["project_id"], row["usage_type"], row["quantity"], row["effective_cost"], row["quantity_without_cost"])
             for row in rows}
    assert found == {
        ("g", "p1", "input_tokens", 600000, None, 600000),
        ("g", "p2", "output_tokens", 300000, None, 300000),
        ("g", "p2", "cache_read_tokens", 100000, None, 100000),
        ("g", None, "requests", 12, None, 12),
        ("g", "p1", None, None, Decimal("1.5"), None),
        ("g", "p2", None, None, Decimal("0.75"), None),
        ("later", None, "input_tokens", 5, None, 5),
        (None, None, None, None, Decimal("0.25"), None),
    }
    assert {row["effective_cost_per_million"] for row in rows} == {None}


def test_a_charge_without_a_kind_is_no_price(built):
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
    # 12 of 17 million cached tokens have a price. Of the others, standard: 6 - 2 x 0.30; batch: 1.5 - 1 x 0.15.
    assert row["priced_share"] == Decimal("0.705882")
    assert (row["uncached_tokens"], row["uncached_priced_tokens"], row["possible_saved_cost"]) == (3000000, 3000000, Decimal("6.75"))


def test_cache_savings_by_upstream_provider(built):
    """One: 3 - 0.30. Other: 3 x 1 - 0.30. With one price for both, 2, it would be 4 x 2 - 0.60."""
    [row] = built.all("select * from cache_savings where model_id = 'routed'")
    assert (row["saved_cost"], row["priced_share"]) == (Decimal("5.4"), 1)


def test_cache_savings_say_why_not(built):
    rows = built.all("select model_id, saved_cost, why_not from cache_savings where model_id not in ('m', 'routed')")
    assert {row["saved_cost"] for row in rows} == {None}
    assert {row["model_id"]: row["why_not"] for row in rows} == {
        "g": "costs name no usage type, so that nobody can tell the price of a cached token",
        "free": "no cost names the cached tokens of this model",
        "only-cached": "no input tokens of the same service tier, workload and upstream provider have a cost on a complete day of this "
        "month, so that there is no price to compare with",
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


def test_a_line_item_may_name_the_kind_of_token(warehouse):
    """As OpenAI does, in columns that the interface does not name."""
    table = Table()
    bill = Bill(table, UNTYPED, "Untyped")
    kinds = {"input_tokens": ("input", None, "3"), "cache_read_tokens": ("cached input", None, "0.3"), "output_tokens": ("output", "text", "9"),
             "output_audio_tokens": ("output", "audio", "40"), "x_input_image_tokens": ("input", "image", "5"),
             "x_cache_write_tokens": ("cache writes", None, "4")}
    for usage_type, (kind, modality, amount) in kinds.items():
        bill.used("2000000", usage_type, "g", ServiceName="OpenAI Completions")
        bill.charged(amount, None, "g", ServiceName="OpenAI API", x_ProviderColumns={"x_TokenKind": kind, "x_Modality": modality})
    bill.charged("1", None, "g", x_ProviderColumns={"x_TokenKind": "search", "x_Other": {"deep": [1]}})
    bill.sync()
    warehouse.fill(table.tables)
    warehouse.build()
    rows = warehouse.all("select * from unit_costs where effective_cost_per_million is not null")
    assert {row["usage_type"]: row["effective_cost_per_million"] for row in rows} == {
        usage_type: Decimal(amount) / 2 for usage_type, (_, _, amount) in kinds.items()}
    assert {(row["basis"], row["service_name"]) for row in rows} == {("priced_token_kind", None)}
    [alone] = warehouse.all("select effective_cost from unit_costs where usage_type is null")
    assert alone["effective_cost"] == 1
    [savings] = warehouse.all("select * from cache_savings")
    assert (savings["saved_cost"], savings["possible_saved_cost"], savings["priced_share"]) == (Decimal("2.7"), Decimal("2.7"), 1)


def test_cache_savings_leave_out_a_day_in_progress(warehouse):
    """3 dollars for a million input tokens, 0.3 for a million cached ones. Of the 6th the costs are read through noon."""
    table = Table()
    bill = Bill(table, TYPED, "Typed")
    for day, share in (("11-05", 1), ("11-06", 2)):
        bill.used("1000000", "input_tokens", "m", day=day)
        bill.charged(f"{Decimal(3) / share}", "input_tokens", "m", day=f"{day} 06:00", end=f"{day} 12:00")
        bill.used("2000000", "cache_read_tokens", "m", day=day)
        bill.charged(f"{Decimal('0.6') / share}", "cache_read_tokens", "m", day=f"{day} 06:00", end=f"{day} 12:00")
    bill.worlds["costs"].lag = timedelta(hours=12)
    for world in bill.worlds.values():
        world.now = datetime(2025, 11, 7, tzinfo=UTC)
        world.sync(("11-05", "11-07"))
    warehouse.fill(table.tables)
    warehouse.build()
    [row] = warehouse.all("select * from cache_savings")
    assert (row["cached_tokens"], row["priced_tokens"], row["priced_share"]) == (4000000, 2000000, Decimal("0.5"))
    assert (row["input_price"], row["cache_read_price"], row["saved_cost"]) == (3, Decimal("0.3"), Decimal("5.4"))


def test_a_cost_of_a_month_is_no_price_of_its_first_day(warehouse):
    """5 million tokens on each of ten days, 2 dollars a million on each, and a charge of the month on the first of them."""
    table = Table()
    bill = Bill(table, TYPED, "Typed")
    for day in range(1, 11):
        bill.used("5000000", "input_tokens", "m", day=f"11-{day:02}")
        bill.charged("10", "input_tokens", "m", day=f"11-{day:02}")
    bill.charged("290", "input_tokens", "m", day="11-01", ChargePeriodEnd="2025-12-01T00:00:00Z")
    bill.worlds["usage"].sync(("11-01", "11-11"))
    bill.worlds["costs"].sync(("11-01", "12-01"))
    warehouse.fill(table.tables)
    warehouse.build()
    rows = warehouse.all("select day, usage_type, effective_cost, effective_cost_per_million from unit_costs")
    assert {row["effective_cost_per_million"] for row in rows if row["usage_type"] == "input_tokens"} == {2}
    [lone] = [row for row in rows if row["usage_type"] is None]
    assert (f"{lone['day']:%m-%d}", lone["effective_cost"], lone["effective_cost_per_million"]) == ("11-01", 290, None)
    assert {row["effective_price"] for row in warehouse.all("select effective_price from prices")} == {2}


@pytest.fixture(scope="module")
def priced(warehouse):
    """Nine days of two kinds of tokens. Output is cut from 10 to 8.3 on the 4th; its list price, 12, stays. Input is corrected twice."""
    table = Table()
    bill = Bill(table, TYPED, "Typed")
    for day in range(1, 10):
        at = f"11-0{day}"
        millions = 1 + day % 3
        tokens = str(millions * 1000000)
        # A provider rounds to a cent, which moves a price by less than one percent.
        cut = Decimal("10") if day < 4 else Decimal("8.3")
        listed = {"x_ProviderColumns": {"ListCost": str(millions * 12)}}
        bill.used(tokens, "output_tokens", "m", day=at)
        bill.charged(str(cut * millions + (Decimal("0.01") if day == 2 else 0)), "output_tokens", "m", day=at, **listed)
        bill.used(tokens, "input_tokens", "m", day=at)
        # The 5th and the 6th were restated, and the 8th has a correction as a record of its own.
        bill.charged(str((4 if day in (5, 6) else 2) * millions), "input_tokens", "m", day=at)
        # Two days are too few to tell a new price.
        bill.used("1000000", "cache_read_tokens", "m", day=at)
        bill.charged("0.5" if day < 8 else "0.1", "cache_read_tokens", "m", day=at)
    bill.charged("-1", "input_tokens", "m", day="11-08", ChargeClass="Correction")
    bill.charged("-0.5", "input_tokens", "m", day="11-08", x_CorrectsRecordId="Typed-c1")
    # The same model in batch has a series of its own.
    for day in ("11-01", "11-05"):
        bill.used("1000000", "output_tokens", "m", day=day, x_ServiceTier="batch")
        bill.charged("5", "output_tokens", "m", day=day, x_ServiceTier="batch")
    for world in bill.worlds.values():
        world.sync(("11-01", "11-11"))
    warehouse.fill(table.tables)
    warehouse.build()
    return warehouse


def test_each_kind_has_its_list_and_effective_price_of_each_day(priced):
    rows = priced.all("select * from prices where service_tier is null order by day")
    of = {kind: [row for row in rows if row["usage_type"] == kind] for kind in ("output_tokens", "input_tokens")}
    assert [row["effective_price"] for row in of["output_tokens"]] == [
        Decimal(price) for price in ("10", "10.003333333333", "10", "8.3", "8.3", "8.3", "8.3", "8.3", "8.3")]
    assert {row["list_price"] for row in of["output_tokens"]} == {Decimal(12)}
    assert {row["list_price"] for row in of["input_tokens"]} == {None}
    # Corrections are in no price, but in the sums of unit_costs.
    assert [row["effective_price"] for row in of["input_tokens"]] == [2, 2, 2, 2, 4, 4, 2, 2, 2]
    [units] = priced.all("select effective_cost, correction_cost from unit_costs where usage_type = 'input_tokens' and day = date '2025-11-08'")
    assert (units["effective_cost"], units["correction_cost"]) == (Decimal("4.5"), Decimal("-1.5"))


def test_a_price_change_has_its_day_and_corrections_of_old_days_are_none(priced):
    changes = priced.all("select * from prices where is_effective_price_change or is_list_price_change")
    found = [(f"{row['day']:%m-%d}", row["usage_type"], row["effective_price_before"], row["effective_price"], row["is_list_price_change"])
             for row in changes]
    assert found == [("11-04", "output_tokens", 10, Decimal("8.3"), False)]


def test_commitments_tell_what_was_used_and_lost(warehouse):
    table = Table()
    bill = Bill(table, TYPED, "Typed")

    def of(status: str | None, quantity: str | None = None, unit: str = "Units", name: str = "cd-1") -> dict:
        said = {"CommitmentDiscountId": name, "CommitmentDiscountName": "One year", "CommitmentDiscountCategory": "Spend",
                "CommitmentDiscountType": "Provisioned", "CommitmentDiscountStatus": status,
                "CommitmentDiscountQuantity": quantity, "CommitmentDiscountUnit": unit}
        return {"x_ProviderColumns": {key: value for key, value in said.items() if value is not None}}

    bill.charged("3650", None, None, ChargeCategory="Purchase", EffectiveCost="0", **of(None))
    bill.charged("0", "input_tokens", "m", EffectiveCost="7.5", **of("Used", "75"))
    bill.charged("0", "output_tokens", "m", day="11-06", EffectiveCost="0.000000000000000001", **of("Used", "5"))
    bill.charged("0", None, None, EffectiveCost="2.5", **of("Unused", "20"))
    bill.charged("1", None, "m", **of(None, name="cd-2"))
    bill.charged("9", "input_tokens", "m")
    bill.sync()
    warehouse.fill(table.tables)
    warehouse.build()
    rows = {row["commitment_id"]: row for row in warehouse.all("select * from commitments")}
    assert rows.keys() == {"cd-1", "cd-2"}
    one, two = rows["cd-1"], rows["cd-2"]
    tiny = Decimal("0.000000000000000001")
    assert (one["purchased_cost"], one["committed_cost"], one["used_cost"], one["lost_cost"]) == (3650, 10 + tiny, Decimal("7.5") + tiny, Decimal("2.5"))
    assert (one["used_share"], one["used_quantity"], one["lost_quantity"], one["commitment_unit"]) == (Decimal("0.75"), 80, 20, "Units")
    assert (one["commitment_category"], one["commitment_type"], one["commitment_name"]) == ("Spend", "Provisioned", "One year")
    assert (two["purchased_cost"], two["committed_cost"], two["used_cost"], two["lost_cost"], two["used_share"]) == (0, None, None, None, None)


def test_a_day_of_which_one_dataset_says_nothing_is_incomplete(warehouse):
    table = Table()
    bill = Bill(table, TYPED, "Typed")
    bill.used("5", "input_tokens", "m")
    bill.worlds["usage"].sync(ALL)
    warehouse.fill(table.tables)
    warehouse.build()
    [row] = warehouse.all("select finding, day_status from usage_against_costs")
    assert row == {"finding": "usage without costs", "day_status": "incomplete"}
