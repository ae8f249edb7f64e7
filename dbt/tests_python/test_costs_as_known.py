"""Costs as they were known on a day, by team, key, model, invoice and billing period. The expected figures are sums over the records that
the provider showed at the last sync of that day."""

import random
from collections import defaultdict
from datetime import date, timedelta
from decimal import Decimal

import pytest
from world import Table, World, at, cost

MONTHS = [("09-01", "10-01"), ("10-01", "11-01"), ("11-01", "12-01")]
TEAMS = [("project_id", "p1", "Search", "", "2025-10-15"), ("project_id", "p1", "Ads", "2025-10-16", ""), ("api_key_id", "k2", "Lab")]
KEYS = {
    "team": lambda record: owner(record),
    "api_key_id": lambda record: record.get("x_ApiKeyId"),
    "model_id": lambda record: record.get("x_ModelId"),
    "invoice_id": lambda record: record.get("InvoiceId"),
    "billing_period_start": lambda record: date.fromisoformat(record["BillingPeriodStart"][:10]),
}


def owner(record: dict) -> str | None:
    if record.get("x_ApiKeyId") == "k2":
        return "Lab"
    if record.get("x_ProjectId") == "p1":
        return "Search" if record["ChargePeriodStart"] < "2025-10-16" else "Ads"
    return None


def drawn_cost(drawn: random.Random, record_id: str, day: str) -> dict:
    record = cost(
        record_id, day, f"{drawn.randrange(-100, 1000)}.{drawn.randrange(10**18):018}", x_ProjectId=drawn.choice(["p1", "p2", None]),
        x_ApiKeyId=drawn.choice(["k1", "k2", None]), x_ModelId=drawn.choice(["m1", "m2"]),
        InvoiceId=drawn.choice(["INV-1", "INV-2", None]), BillingCurrency=drawn.choice(["USD", "EUR"]))
    if drawn.random() < 0.2:
        record |= {"BillingPeriodStart": "2025-11-01T00:00:00Z", "BillingPeriodEnd": "2025-12-01T00:00:00Z"}
    return {key: value for key, value in record.items() if value is not None}


@pytest.fixture(scope="module", params=[1, 2])
def lived(request, warehouse):
    """Two accounts for two weeks, up to three syncs a day: costs come late, change their amount or owner, or vanish."""
    drawn = random.Random(request.param)
    table = Table()
    worlds = [World(table, account=name) for name in ("first", "second")]
    known: dict[tuple, list[dict]] = {}
    for number, world in enumerate(worlds):
        for day in range(14):
            for hour in drawn.sample([1, 8, 15, 22], drawn.randint(0, 3)) if day else [12]:
                now = at(f"11-{day + 3:02} {hour:02}:00")
                if now <= world.now and day:
                    continue
                world.now = now
                for _ in range(drawn.randint(4, 12)):
                    record_id = f"c{number}-{drawn.randrange(40)}"
                    on = f"{drawn.choice(['09-30', '10-10', '10-15', '10-16', '11-01', '11-02'])}"
                    if record_id in world.shown and drawn.random() < 0.3:
                        world.withdraw(record_id)
                    else:
                        kept = world.shown.get(record_id)
                        world.put(drawn_cost(drawn, record_id, kept["ChargePeriodStart"][5:10] if kept else on))
                world.sync(*MONTHS)
                known[world.account, now.date()] = [dict(record) for record in world.shown.values()]
    warehouse.fill(table.tables)
    warehouse.give(teams=TEAMS)
    warehouse.build()
    yield warehouse, known
    warehouse.give()


@pytest.mark.parametrize("label", KEYS)
def test_one_line_of_sql_asks_for_the_costs_as_known_on_a_day(lived, label):
    warehouse, known = lived
    for number in range(16):
        day = date(2025, 11, 2) + timedelta(days=number)
        expected: dict[tuple, Decimal] = defaultdict(Decimal)
        for account in ("first", "second"):
            newest = max((on for name, on in known if name == account and on <= day), default=None)
            for record in known.get((account, newest), []):
                expected[account, KEYS[label](record), record["BillingCurrency"]] += Decimal(record["BilledCost"])
        rows = warehouse.all(
            f"select account, {label}, billing_currency, sum(billed_cost) as amount from costs_as_known "
            f"where date '{day}' between known_from and known_through group by account, {label}, billing_currency")
        found = {(row["account"], row[label], row["billing_currency"]): row["amount"] for row in rows if row["amount"]}
        assert found == {key: amount for key, amount in expected.items() if amount}, day


def test_a_deduplicated_table_says_which_history_it_has_lost(warehouse):
    world = World(Table(dedup=True), now=at("11-10 12:00"))
    world.put(cost("a", "11-03", "10"))
    world.put(cost("b", "11-04", "1"))
    world.sync(("11-01", "12-01"))
    world.now = at("11-12 12:00")
    world.put(cost("a", "11-03", "12"))
    world.sync(("11-01", "12-01"))
    warehouse.fill(world.table.tables)
    warehouse.build()

    def on(day: str) -> list[tuple]:
        rows = warehouse.all(f"select day, billed_cost, is_history_kept from costs_as_known where date '{day}' between known_from and known_through")
        return sorted((f"{row['day']:%m-%d}", row["billed_cost"], row["is_history_kept"]) for row in rows)

    assert on("2025-11-10") == [("11-03", None, False), ("11-04", 1, True)]
    assert on("2025-11-12") == [("11-03", 12, True), ("11-04", 1, True)]
