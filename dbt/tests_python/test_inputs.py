"""Inputs of the user, conversion and invoices. The expected figures are computed by hand."""

from decimal import Decimal

import pytest
from warehouses import OTHER_SETTINGS, views_of
from world import Table, World, cost

ALL = ("10-01", "11-11")
TEAMS = [
    ("api_key_id", "k-search", "Search"),
    ("api_key_id", "k-both", "Search"),
    ("api_key_id", "k-both", "Ads"),
    ("model_id", "m", "Ads"),
    ("project_id", "", "Ads"),
]
BUDGETS = [
    ("Search", "2025-11", "USD", "10"),
    ("Lab", "2025-11", "USD", "1,000"),
    ("Lab", "2025-13", "USD", "1"),
    ("Lab", "2025-12", "USD", "-1"),
    (None, "2025-10", "USD", "1"),
    (None, "2025-10", "USD", "1.5"),
]
RATES = [
    ("USD", "EUR", "2025-01-01", "0.9"),
    ("USD", "EUR", "2025-11-05", "0.857142857142"),
    ("GBP", "EUR", "2025-11-06", "1.2"),
    ("EUR", "USD", "2025-01-01", "1.1"),
    ("USD", "EUR", "2025-02-30", "0.8"),
    ("USD", "EUR", "2025-02-01", "0.1234567890123"),
    ("EUR", "EUR", "2025-02-01", "1"),
    ("CHF", "EUR", "2025-02-01", "0"),
]
TOTALS = [
    ("Example", "INV-1", "USD", "3.15"),
    ("Example", "INV-2", "USD", "100.000000000000000001"),
    ("Example", "INV-gone", "USD", "7.10"),
    ("Example", "INV-text", "USD", "about 5"),
    ("Example", "INV-3", "EUR", "4"),
]


@pytest.fixture(scope="module")
def given(warehouse):
    """October and the first ten days of November."""
    world = World(Table())
    world.put(cost("oct", "10-31", "8", x_CostStatus="final"))
    world.put(cost("first", "11-01", "2.5"))
    world.put(cost("model", "11-01", "3", x_ModelId="m"))
    world.put(cost("before", "11-04", "4"))
    world.put(cost("after", "11-05", "1.25"))
    world.put(cost("digits", "11-09", "0.000000000000000001", ChargeCategory="Tax"))
    world.put(cost("large", "11-09", "123456789012.345678901234567891"))
    world.put(cost("euro", "11-06", "2", BillingCurrency="EUR"))
    world.put(cost("pound", "11-05", "1", BillingCurrency="GBP"))
    world.put(cost("pounds", "11-07", "-1.5", BillingCurrency="GBP"))
    world.sync(ALL)
    warehouse.fill(world.table.tables)
    warehouse.give(teams=TEAMS, budgets=BUDGETS, exchange_rates=RATES)
    warehouse.build_all()
    yield warehouse
    warehouse.give()


def test_rows_that_cannot_be_used_are_listed(given):
    rows = given.all("select * from invalid_inputs")
    rate = "rate is not a decimal above 0 with at most 6 digits in front of the point and 12 behind it"
    assert sorted((row["input"], row["given"], row["why"]) for row in rows) == sorted([
        ("teams", "api_key_id, k-both, Search", "another row contradicts it"),
        ("teams", "api_key_id, k-both, Ads", "another row contradicts it"),
        ("teams", "model_id, m, Ads", "label is none of api_key_id, project_id, workspace_id"),
        ("teams", "project_id, , Ads", "value is missing"),
        ("budgets", "Lab, 2025-11, USD, 1,000", "budget is not a decimal that fits"),
        ("budgets", "Lab, 2025-13, USD, 1", "month is not written as YYYY-MM, or as FY and a year"),
        ("budgets", "Lab, 2025-12, USD, -1", "budget is negative"),
        ("budgets", ", 2025-10, USD, 1", "another row contradicts it"),
        ("budgets", ", 2025-10, USD, 1.5", "another row contradicts it"),
        ("exchange_rates", "USD, EUR, 2025-02-30, 0.8", "valid_from is not written as YYYY-MM-DD"),
        ("exchange_rates", "USD, EUR, 2025-02-01, 0.1234567890123", rate),
        ("exchange_rates", "EUR, EUR, 2025-02-01, 1", "both currencies are the same"),
        ("exchange_rates", "CHF, EUR, 2025-02-01, 0", rate),
    ])


def test_only_budgets_that_can_be_used_have_a_status(given):
    rows = given.all("select team, month, budget from budget_status")
    assert [(row["team"], f"{row['month']:%Y-%m}", row["budget"]) for row in rows] == [("Search", "2025-11", 10)]


def test_nothing_is_converted_unless_it_is_asked_for(given):
    assert given.all("select * from converted_costs") == []


def test_costs_are_converted_at_the_rate_of_their_day(given):
    given.build_all(text=views_of(given.name, **OTHER_SETTINGS))
    rows = given.all("select * from converted_costs")
    assert {row["reporting_currency"] for row in rows} == {"EUR"}
    found = {
        (f"{row['day']:%m-%d}", row["billing_currency"], row["billed_cost"]): (
            row["exchange_rate"], row["converted_billed_cost"], row["is_converted"]
        )
        for row in rows
    }
    newer = Decimal("0.857142857142")
    missing = "no exchange rate for this currency on this day"
    assert found == {
        ("10-31", "USD", 8): (Decimal("0.9"), Decimal("7.2"), True),
        ("11-01", "USD", Decimal("2.5")): (Decimal("0.9"), Decimal("2.25"), True),
        ("11-01", "USD", 3): (Decimal("0.9"), Decimal("2.7"), True),
        ("11-04", "USD", 4): (Decimal("0.9"), Decimal("3.6"), True),
        ("11-05", "USD", Decimal("1.25")): (newer, Decimal("1.0714285714275"), True),
        ("11-09", "USD", Decimal("0.000000000000000001")): (newer, Decimal("0.000000000000000001"), True),
        ("11-09", "USD", Decimal("123456789012.345678901234567891")): (
            newer, Decimal("105820104867.619047524761904753"), True
        ),
        ("11-06", "EUR", 2): (1, 2, False),
        ("11-05", "GBP", 1): (None, None, False),
        ("11-07", "GBP", Decimal("-1.5")): (Decimal("1.2"), Decimal("-1.8"), True),
    }
    assert {(row["billing_currency"], row["why_not"]) for row in rows if row["why_not"]} == {("GBP", missing)}


def test_the_currency_may_stand_in_a_table(given):
    """The plain views and `sync` read it from there. Two codes contradict each other, and another text counts as none."""
    tables = {"exchange_rates": RATES, "teams": TEAMS, "budgets": BUDGETS}
    for codes, currency in (([("EUR",)], {"EUR"}), ([("EUR",), ("USD",)], set()), ([("Euro",)], set()), ([(None,)], set())):
        given.give(**tables, reporting_currency=codes)
        given.build()
        assert {row["reporting_currency"] for row in given.all("select * from converted_costs")} == currency
    given.give(**tables, reporting_currency=[("EUR",)])
    given.build()
    rows = given.all("select * from converted_costs")
    originals = given.all("select billing_currency, sum(billed_cost) as billed from current_costs group by billing_currency")
    kept = {row["billing_currency"]: sum(each["billed_cost"] for each in rows if each["billing_currency"] == row["billing_currency"])
            for row in originals}
    assert kept == {row["billing_currency"]: row["billed"] for row in originals}
    [missing] = given.all("select * from costs_without_rate")
    assert (missing["billing_currency"], missing["reporting_currency"], missing["billed_cost"], missing["days"]) == ("GBP", "EUR", 1, 1)
    assert (f"{missing['month']:%Y-%m}", f"{missing['first_day']:%m-%d}", f"{missing['last_day']:%m-%d}") == ("2025-11", "11-05", "11-05")
    assert missing["why_not"] == "no exchange rate for this currency on this day"


def test_halves_of_the_last_digit_are_rounded_away_from_zero(warehouse):
    world = World(Table())
    amounts = {"1.700000000000000005": "0.170000000000000001", "-1.700000000000000005": "-0.170000000000000001",
               "0.300000000000000005": "0.030000000000000001", "2.000000000000000004": "0.2"}
    for number, amount in enumerate(amounts):
        world.put(cost(f"c{number}", f"11-0{number + 1}", amount))
    world.sync(ALL)
    warehouse.fill(world.table.tables)
    warehouse.give(exchange_rates=[("USD", "EUR", "2025-01-01", "0.1")], reporting_currency=[("EUR",)])
    warehouse.build()
    rows = warehouse.all("select billed_cost, converted_billed_cost from converted_costs")
    assert {row["billed_cost"]: row["converted_billed_cost"] for row in rows} == {
        Decimal(amount): Decimal(converted) for amount, converted in amounts.items()}
    warehouse.give()


def test_an_invoice_is_compared_over_all_accounts(warehouse):
    table = Table()
    first, second, strange = World(table, account="a"), World(table, account="b"), World(table, account="c")
    final = {"x_CostStatus": "final"}
    first.put(cost("a1", "10-01", "3.10", InvoiceId="INV-1", **final))
    second.put(cost("b1", "10-01", "0.05", InvoiceId="INV-1", **final))
    first.put(cost("a2", "10-02", "100", InvoiceId="INV-2", **final))
    first.put(cost("a3", "10-02", "1", InvoiceId="INV-unknown", **final))
    first.put(cost("a4", "10-03", "2", **final))
    first.put(cost("a5", "10-04", "5"))
    second.put(cost("b2", "10-04", "7", **final))
    first.put(cost("a6", "10-04", "4", InvoiceId="INV-3", **final))
    strange.put(cost("c1", "10-04", "6", InvoiceIssuerName="Nobody gave totals", **final))
    for world in (first, second, strange):
        world.sync(ALL)
    warehouse.fill(table.tables)
    warehouse.give(invoice_totals=TOTALS)
    warehouse.build_all()
    rows = warehouse.all("select * from billed_by_invoice")
    found = {
        (row["account"], row["invoice_id"], row["cost_status"], row["billing_currency"]): (row["variance"], row["finding"])
        for row in rows
    }
    assert found == {
        ("a", "INV-1", "final", "USD"): (0, None),
        ("b", "INV-1", "final", "USD"): (0, None),
        ("a", "INV-2", "final", "USD"): (Decimal("-0.000000000000000001"), "total differs"),
        ("a", "INV-unknown", "final", "USD"): (None, "costs without invoice"),
        ("a", None, "final", "USD"): (None, None),
        ("a", None, "provisional", "USD"): (None, None),
        ("b", None, "final", "USD"): (None, "costs without invoice"),
        ("a", "INV-3", "final", "USD"): (None, "costs without invoice"),
        (None, "INV-3", None, "EUR"): (-4, "invoice without costs"),
        (None, "INV-gone", None, "USD"): (Decimal("-7.1"), "invoice without costs"),
        ("c", None, "final", "USD"): (None, None),
    }
    assert {row["invoice_billed_cost"] for row in rows if row["invoice_id"] == "INV-1"} == {Decimal("3.15")}
    assert {row["records"] for row in rows if row["finding"] == "invoice without costs"} == {0}
    [listed] = warehouse.all("select * from invalid_inputs")
    assert (listed["given"], listed["why"]) == ("Example, INV-text, USD, about 5", "billed_total is not a decimal that fits")
    warehouse.give()


def test_an_invoice_matches_in_the_smallest_unit_of_its_currency(warehouse):
    """The provider rounds the total, or each line. 0.105 and 0.205 are 0.31 as a total, and 0.11 + 0.21 = 0.32 line by line."""
    world = World(Table())
    final = {"x_CostStatus": "final"}

    def put(record: str, amount: str, invoice: str, **more) -> None:
        world.put(cost(record, "10-01", amount, InvoiceId=invoice, **{**final, **more}))

    put("big", "39285.3325774297", "BIG")
    put("one", "0.105", "LINES")
    put("two", "0.205", "LINES")
    put("sum1", "0.105", "SUM")
    put("sum2", "0.205", "SUM")
    put("yen", "100.5", "YEN", BillingCurrency="JPY")
    put("dinar", "1.2345", "DINAR", BillingCurrency="KWD")
    put("credit", "-0.005", "CREDIT")
    put("off", "10", "OFF")
    put("not-yet", "3", "NOT-YET", x_CostStatus="provisional")
    put("gone", "4", "GONE")
    world.sync(ALL)
    warehouse.fill(world.table.tables)
    totals = [("BIG", "USD", "39285.33"), ("LINES", "USD", "0.32"), ("SUM", "USD", "0.31"), ("YEN", "JPY", "101"), ("DINAR", "KWD", "1.235"),
              ("CREDIT", "USD", "-0.01"), ("OFF", "USD", "10.01")]
    warehouse.give(invoice_totals=[("Example", *total) for total in totals])
    warehouse.build()
    rows = warehouse.all("select * from billed_by_invoice")
    assert {row["invoice_id"]: (row["matched_by"], row["invoice_state"], row["finding"]) for row in rows} == {
        "BIG": ("total", "matched", None),
        "LINES": ("lines", "matched", None),
        "SUM": ("exact", "matched", None),
        "YEN": ("total", "matched", None),
        "DINAR": ("total", "matched", None),
        "CREDIT": ("total", "matched", None),
        "OFF": (None, "different", "total differs"),
        "NOT-YET": (None, "open", None),
        "GONE": (None, "missing", "costs without invoice"),
    }
    warehouse.give()


def test_an_invoice_is_open_until_the_billing_period_of_all_its_accounts_was_read(warehouse):
    """Two accounts share an issuer and an invoice. Neither final costs nor the other account make it due before the period ends.
    Costs without an invoice are open together: a3 waits for a6, which is provisional."""
    table = Table()
    first, second = World(table, account="a"), World(table, account="b")
    final = {"x_CostStatus": "final"}
    first.put(cost("a1", "10-05", "0.105", InvoiceId="OCT", **final))
    second.put(cost("b1", "10-06", "0.205", InvoiceId="OCT", **final))
    first.put(cost("a2", "10-07", "1", InvoiceId="OCT-2", **final))
    second.put(cost("b2", "10-08", "2", InvoiceId="OCT-2", **final))
    first.put(cost("a3", "10-09", "3", **final))
    second.put(cost("b3", "10-09", "4", **final))
    first.put(cost("a4", "11-02", "5", **final))
    first.put(cost("a5", "11-02", "6", InvoiceId="NOV", **final))
    first.put(cost("a6", "10-02", "7", x_CostStatus="provisional"))
    first.put(cost("a7", "10-02", "8", InvoiceIssuerName="Nobody gave totals", **final))
    first.sync(ALL)
    second.sync(("10-01", "10-31"))
    warehouse.fill(table.tables)
    warehouse.give(invoice_totals=[("Example", "OCT", "USD", "0.32")])

    def states() -> dict:
        warehouse.build()
        keys = ("account", "invoice_id", "billed_cost")
        return {tuple(row[key] for key in keys): (row["matched_by"], row["invoice_state"], row["finding"])
                for row in warehouse.all("select * from billed_by_invoice")}

    same = {
        ("a", "OCT", Decimal("0.105")): ("lines", "matched", None),
        ("b", "OCT", Decimal("0.205")): ("lines", "matched", None),
        ("a", None, 3): (None, "open", None),
        ("a", None, 5): (None, "open", None),
        ("a", "NOV", 6): (None, "open", None),
        ("a", None, 7): (None, "open", None),
        ("a", None, 8): (None, None, None),
    }
    opened, missing = (None, "open", None), (None, "missing", "costs without invoice")
    shared = [("a", "OCT-2", 1), ("b", "OCT-2", 2), ("b", None, 4)]
    assert states() == {**same, **dict.fromkeys(shared, opened)}
    second.sync(("10-31", "11-02"))
    warehouse.fill(table.tables)
    assert states() == {**same, **dict.fromkeys(shared, missing)}
    warehouse.give()


def test_a_budget_in_the_reporting_currency_counts_costs_of_all_currencies(warehouse):
    """Euros as they are, dollars at the rate of their day, pounds not at all: they have no rate."""
    world = World(Table())
    final = {"x_CostStatus": "final"}
    world.put(cost("oct-usd", "10-30", "100", x_ProjectId="p-1", **final))
    world.put(cost("oct-eur", "10-31", "7", BillingCurrency="EUR", x_ProjectId="p-2", **final))
    world.put(cost("nov-usd", "11-02", "50", x_ProjectId="p-1", x_ModelId="m"))
    world.put(cost("nov-usd-2", "11-06", "10", x_ProjectId="p-2"))
    world.put(cost("nov-eur", "11-03", "3", BillingCurrency="EUR", x_ProjectId="p-1"))
    world.put(cost("pound", "11-03", "9", BillingCurrency="GBP", x_ProjectId="p-1"))
    world.sync(("10-01", "11-01"), ("11-01", "11-11"))
    warehouse.fill(world.table.tables)
    months, rates = ("2025-10", "2025-11"), [("USD", "EUR", "2025-01-01", "0.9"), ("USD", "EUR", "2025-11-05", "0.8")]
    budgets = [(who, month, "EUR", "60") for who in ("", "Search") for month in months]
    budgets += [("", "2025-11", "EUR", "40", "p-1"), ("", "2025-11", "EUR", "45", "", "m"), ("", "2025-11", "USD", "59")]
    given = {"teams": [("project_id", "p-1", "Search")], "budgets": budgets, "exchange_rates": rates}
    warehouse.give(**given, reporting_currency=[("EUR",)])
    warehouse.build()

    def found(column: str) -> dict:
        rows = warehouse.all("select * from budget_status")
        return {(f"{row['first_month']:%m}", row["value"], row["billing_currency"]): row[column] for row in rows}

    assert found("billed_cost") == {
        ("10", None, "EUR"): 97, ("10", "Search", "EUR"): 90,
        ("11", None, "EUR"): 56, ("11", "Search", "EUR"): 48, ("11", "p-1", "EUR"): 48, ("11", "m", "EUR"): 45, ("11", None, "USD"): 60,
    }
    # Weekdays since the first dollars: Thursday 110 / 2, Sunday 50 / 2, so 10,000 and 4,545 parts; all of November weighs 62,725, its nine
    # complete days 19,090. Euros came on a Friday and a Monday: 4 of each in November, 1 of each so far. Days to come count at the
    # newest rate.
    dollars_ahead, euros_ahead = Decimal(62725 - 19090) / 19090, 3
    forecasts = found("forecast_cost")
    close = Decimal("0.000000000000001")
    for key, (billed, dollars, euros) in {None: (56, 60, 3), "Search": (48, 50, 3), "m": (45, 50, 0)}.items():
        assert abs(forecasts["11", key, "EUR"] - (billed + dollars * dollars_ahead * Decimal("0.8") + euros * euros_ahead)) < close
    assert (forecasts["10", None, "EUR"], forecasts["10", "Search", "EUR"]) == (97, 90)
    assert {currency: found("is_converted")[month, value, currency] for month, value, currency in found("is_converted")} == {"EUR": True, "USD": False}

    warehouse.give(**given)
    warehouse.build()
    own = found("billed_cost")
    assert (own["11", None, "EUR"], own["11", "m", "EUR"], own["11", None, "USD"]) == (3, 0, 60)
    warehouse.give()
