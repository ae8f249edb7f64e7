"""Texts become exact values, or `invalid_rows` lists them. Days are in UTC, whatever the zone of the session."""

from decimal import Decimal

import pytest
from judging import never_silently_wrong, settled, statuses
from world import Table, World, cost, usage

FITS = ["0", "-0", "-0.00", "1.5", "1234567890123.123456789012345678", "0.000000000000000001", "1.50000000000000000000000",
        # At and beyond the widths that DuckDB reads as 64 bits.
        "-9999999999999", "99999999.9999999999", "100000000.0000000001", "-0.00000000001", "999.999999999999999",
        "1000.000000000000001", "-999.9999999999999999"]
NEVER = ["+1", "1e-7", ".5", "1.", "01", " 1", "1,000", "NaN", "1\n", "", "Infinity"]
ONLY_NUMERIC = ["0.0000000000000000001", "1" * 400 + "." + "2" * 400]
# Amounts that DECIMAL(38,18) holds, or nearly, but sums of them do not; and some that it never held.
LARGE = ["1" + "0" * 13, "9" + "0" * 19, "-9" + "0" * 19, "99999999999999999999.999999999999999999", "1" + "0" * 37, "-1" + "0" * 99]
INSTANTS = {
    "2025-11-05T00:00:00Z": "2025-11-05 00:00:00",
    "2025-11-05t00:00:00z": "2025-11-05 00:00:00",
    "2025-11-05T00:00:00+00:00": "2025-11-05 00:00:00",
    "2025-11-05T23:59:59.9999999Z": "2025-11-05 23:59:59.999999",
    "2025-11-05T00:00:00.5-00:00": "2025-11-05 00:00:00.500000",
    "2025-11-05T01:30:00+01:30": "2025-11-05 00:00:00",
    "2025-11-04 19:00:00-05": "2025-11-05 00:00:00",
    "2025-11-05 00:00:00": "2025-11-05 00:00:00",
    "2024-02-29T00:00:00Z": "2024-02-29 00:00:00",
}
NO_INSTANTS = ["2025-11-05T00:00:00", "2025-11-05", "2025-02-29T00:00:00Z", "2025-11-31T00:00:00Z", "2025-11-05T24:00:00Z",
               "2025-11-05T00:00:60Z", "soon", ""]


def build(warehouse, records: list[dict], dataset: str = "costs") -> World:
    world = World(Table(), dataset=dataset)
    rows = [{**record, "x_ReadingId": "r", "_airbyte_extracted_at": world.now} for record in records]
    rows = [{"x_RecordUpdatedAt": "2025-11-05T00:00:00Z", **row} for row in rows]
    setattr(world.table, dataset, rows)
    warehouse.fill(world.table.tables)
    warehouse.build_all()
    return world


def test_decimals_are_exact_or_listed(warehouse):
    numeric = warehouse.name == "postgres"
    fits = FITS + (ONLY_NUMERIC + LARGE if numeric else [])
    bad = NEVER + ([] if numeric else ONLY_NUMERIC)
    build(warehouse, [cost(f"{n:03}", "11-05", text) for n, text in enumerate(fits + bad)])
    rows = warehouse.all("select record_id, billed_cost from current_costs order by record_id")
    assert [row["billed_cost"] for row in rows] == [Decimal(text) for text in fits]
    listed = warehouse.all("select * from invalid_rows where column_name = 'BilledCost' order by record_id")
    assert [row["value"] for row in listed] == bad
    assert {row["reason"] for row in listed} == {"not a decimal that fits"}


def test_instants_are_utc_or_listed(warehouse):
    good = [{**cost(f"g{n}", "11-05", "1"), "ChargePeriodStart": text} for n, text in enumerate(INSTANTS)]
    bad = [{**cost(f"b{n}", "11-05", "1"), "ChargePeriodStart": text} for n, text in enumerate(NO_INSTANTS)]
    build(warehouse, good + bad)
    rows = warehouse.all("select record_id, charge_period_start, day from current_costs")
    assert {row["record_id"]: str(row["charge_period_start"]) for row in rows} == {
        f"g{n}": value for n, value in enumerate(INSTANTS.values())
    }
    assert all(str(row["charge_period_start"]).startswith(str(row["day"])) for row in rows)
    listed = warehouse.all("select * from invalid_rows")
    assert {(row["record_id"], row["reason"]) for row in listed} == {
        (f"b{n}", "not an instant with a zone") for n in range(len(NO_INSTANTS))
    }


def test_a_value_that_is_missing_is_listed(warehouse):
    build(warehouse, [{**cost("c", "11-05", "1"), "EffectiveCost": None}])
    assert warehouse.all("select * from current_costs") == []
    [row] = warehouse.all("select * from invalid_rows")
    assert (row["column_name"], row["reason"]) == ("EffectiveCost", "missing")


UNUSABLE = "values of rows cannot be used in sums, see invalid_rows"


@pytest.mark.parametrize("billed", ["1e-7", "NaN"])
def test_a_day_with_a_row_that_cannot_be_cast_is_not_proven(warehouse, billed):
    world = World(Table())
    world.put(cost("good", "11-05", "1"))
    world.put(cost("bad", "11-05", "2", PricingCurrencyBilledCost=billed))
    world.sync(("11-01", "11-10"))
    settled(warehouse, world, world.table)
    assert statuses(warehouse, world)["11-05"] == ("unproven", UNUSABLE)


def test_amounts_that_no_sum_holds_are_named_until_they_are_corrected(warehouse):
    """Two rows of each account and their control total are too large. No model fails; PostgreSQL sums them, the others name them."""
    table = Table()
    kinds = {"costs": cost, "usage": usage}
    worlds = {
        (amount, dataset): World(table, dataset=dataset, base_url=f"https://{number}.example.com")
        for number, amount in enumerate(LARGE) for dataset in kinds
    }
    for (amount, dataset), world in worlds.items():
        row = kinds[dataset]
        world.put(row("small", "11-04", "5", x_ModelId="m"))
        for record_id in ("one", "two"):
            world.put(row(record_id, "11-05", amount, x_ModelId="m"))
        world.sync(("11-01", "11-10"))
    warehouse.fill(table.tables)
    warehouse.build_all()
    sums = {"costs": "select base_url, sum(billed_cost) as total from daily_costs group by base_url",
            "usage": "select base_url, sum(consumed_quantity) as total from current_usage group by base_url"}

    def totals(dataset: str) -> dict[str, Decimal]:
        return {row["base_url"]: row["total"] for row in warehouse.all(sums[dataset])}

    listed = warehouse.all("select base_url, dataset, record_id, column_name, value, reason, billing_currency from invalid_rows")
    if warehouse.name == "postgres":
        assert listed == []
        for dataset in kinds:
            assert totals(dataset) == {worlds[amount, dataset].base_url: 5 + 2 * Decimal(amount) for amount in LARGE}
    else:
        columns = {"costs": ["BilledCost", "EffectiveCost"], "usage": ["ConsumedQuantity"]}
        by_place = ("base_url", "dataset", "record_id", "column_name")
        assert sorted(listed, key=lambda row: [row[name] for name in by_place]) == [
            {"base_url": worlds[amount, dataset].base_url, "dataset": dataset, "record_id": record_id, "column_name": column,
             "value": amount, "reason": "too large to be summed", "billing_currency": "USD" if dataset == "costs" else None}
            for amount in LARGE for dataset in columns for record_id in ("one", "two") for column in columns[dataset]
        ]
        for dataset in kinds:
            assert totals(dataset) == {worlds[amount, dataset].base_url: 5 for amount in LARGE}
        for world in worlds.values():
            found = statuses(warehouse, world)
            assert (found["11-04"][0], found["11-05"]) == ("proven", ("unproven", UNUSABLE))

    for (_, dataset), world in worlds.items():
        world.put(kinds[dataset]("one", "11-05", "1", x_ModelId="m"))
        world.withdraw("two")
        world.sync(("11-01", "11-10"))
    warehouse.fill(table.tables)
    warehouse.build_all()
    assert warehouse.all("select * from invalid_rows") == []
    for (_, dataset), world in worlds.items():
        assert totals(dataset)[world.base_url] == 6
        assert never_silently_wrong(warehouse, world)["11-05"][0] == "proven"


def test_no_model_fails_on_many_amounts_at_the_limit(warehouse):
    """A thousand of the largest values that a row may have, on days of five weeks and in units of a thousand."""
    table = Table()
    spend, tokens = World(table), World(table, dataset="usage")
    for number in range(1000):
        day = f"1{number % 2}-{1 + number % 28:02}"
        labels = {"x_ModelId": f"m{number % 3}", "x_UsageType": ("input_tokens", "cache_read_tokens")[number % 2]}
        spend.put(cost(f"c{number}", day, "9999999999999.999999999999999999", **labels))
        tokens.put(usage(f"u{number}", day, "9999999999.999999999999999999", ConsumedUnit="1000 Tokens", **labels))
    tokens.put(usage("no", "11-05", "10000000001", ConsumedUnit="1000 Tokens"))
    for number in range(20):
        labels = {"x_ModelId": "priced", "x_UsageType": "cache_read_tokens" if number else "input_tokens"}
        day = f"11-{1 + number // 3:02}"
        spend.put(cost(f"p{number}", day, "1", **labels))
        tokens.put(usage(f"p{number}", day, "9999999999", ConsumedUnit="1000 Tokens", **labels))
    # The price of a million is 5 * 10^19, which is just a decimal, and 10^37, which is none.
    for model, quantity in (("steep", "0.2"), ("tiny", "0.000000000000000001")):
        for number in range(8):
            day, labels = f"11-{1 + number:02}", {"x_ModelId": model, "x_UsageType": "input_tokens"}
            spend.put(cost(f"{model}{number}", day, "9999999999999", **labels, x_ProviderColumns={"ListCost": "9999999999999"}))
            tokens.put(usage(f"{model}{number}", day, quantity, **labels))
    for world in (spend, tokens):
        world.sync(("10-01", "12-01"))
    settled(warehouse, spend, table)
    warehouse.build_all()
    prices = warehouse.all("select distinct model_id, effective_cost_per_million as price from unit_costs where model_id in ('steep', 'tiny')")
    found = {row["model_id"]: row["price"] for row in prices}
    assert found["steep"] == Decimal("49999999999995000000")
    assert (found["tiny"] is None) is (warehouse.name != "postgres")
    assert warehouse.all("select sum(billed_cost) as total from daily_costs")[0]["total"] == 20 + 16 * 9999999999999 + 1000 * Decimal("9999999999999.999999999999999999")
    [savings] = warehouse.all("select saved_cost, why_not from cache_savings where model_id = 'priced'")
    if warehouse.name == "postgres":
        assert abs(savings["saved_cost"]) < Decimal("0.000001") and savings["why_not"] is None
    else:
        assert savings == {"saved_cost": None, "why_not": "the number of tokens is too large to be multiplied exactly"}
    listed = warehouse.all("select record_id, reason from invalid_rows")
    assert listed == ([] if warehouse.name == "postgres" else [{"record_id": "no", "reason": "too large to be summed"}])


def test_unit_costs_divide_exactly(warehouse):
    """Costs and quantities are added up before they are divided, and units are scaled. Usage without a cost has a row too."""
    world = World(Table())
    spend = World(world.table, dataset="costs")
    tokens = World(world.table, dataset="usage")
    for number in (1, 2):
        spend.put(cost(f"c{number}", "11-05", "1", x_UsageType="input_tokens", x_ModelId="m", x_ProjectId=f"p{number}"))
        tokens.put(usage(f"u{number}", "11-05", "1.5", x_ModelId="m", ConsumedUnit="1000 Tokens", x_ApiKeyId=f"k{number}"))
    tokens.put(usage("free", "11-05", "7", x_ModelId="other"))
    spend.put(cost("credit", "11-05", "-2", x_UsageType="input_tokens", x_ModelId="credited"))
    tokens.put(usage("credited", "11-05", "3000000", x_ModelId="credited"))
    for each in (spend, tokens):
        each.sync(("11-01", "11-10"))
    warehouse.fill(world.table.tables)
    warehouse.build_all()
    rows = {row["model_id"]: row for row in warehouse.all("select * from unit_costs")}
    assert len(rows) == 3
    assert (rows["m"]["quantity"], rows["m"]["effective_cost"], rows["m"]["unit"]) == (3000, 2, "Tokens")
    assert rows["m"]["effective_cost_per_million"] == Decimal("666.666666666666")
    assert rows["credited"]["effective_cost_per_million"] == Decimal("-0.666666666666")
    assert rows["other"]["quantity_without_cost"] == 7
    assert rows["m"]["project_id"] is None and rows["m"]["day_status"] == "proven"
    daily = warehouse.all("select sum(billed_cost) as billed, sum(effective_cost) as effective from daily_costs")
    assert daily == [{"billed": 0, "effective": 0}]


def test_restatements_say_what_changed(warehouse):
    world = World(Table())
    for record_id in ("amount", "status", "moved", "name", "same"):
        world.put(cost(record_id, "11-05", "1.10"))
    world.sync(("11-01", "11-10"))
    world.put(cost("amount", "11-05", "1.15", x_CostStatus="final"))
    world.put(cost("status", "11-05", "1.10", x_CostStatus="final"))
    world.put(cost("moved", "11-06", "1.10"))
    world.put(cost("name", "11-05", "1.10", x_ModelId="renamed"))
    world.sync(("11-01", "11-10"))
    settled(warehouse, world, world.table)
    rows = {row["record_id"]: row for row in warehouse.all("select * from restatements")}
    assert {record_id: row["what"] for record_id, row in rows.items()} == {
        "amount": "amount", "status": "status", "moved": "moved", "name": "other"
    }
    assert rows["amount"]["billed_cost_change"] == Decimal("0.05")
    assert (rows["status"]["cost_status_before"], rows["status"]["cost_status"]) == ("provisional", "final")


def test_focus_columns(warehouse):
    build(warehouse, [cost("c", "11-05", "1", ChargeClass="Refund", PricingCurrency="EUR", PricingCurrencyBilledCost="0.9")])
    [row] = warehouse.all("select * from focus_cost_and_usage")
    assert row["ServiceSubcategory"] == "Other (AI and Machine Learning)" and row["x_IsServiceSubcategoryFilled"]
    assert (row["ChargeClass"], row["x_OtherChargeClass"]) == (None, "Refund")
    assert row["x_PricingCurrencyBilledCost"] == Decimal("0.9")
