"""Teams and budgets. The expected figures are computed by hand."""

from decimal import Decimal

import pytest
from world import Table, World, cost

ALL = ("10-01", "11-11")
TEAMS = [
    ("api_key_id", "k-search", "Search"),
    ("project_id", "p-ads", "Ads"),
    ("workspace_id", "w-lab", " Lab "),
    ("api_key_id", "k-both", "Search"),
    ("api_key_id", "k-both", "Ads"),
]
BUDGETS = [
    ("Search", "2025-11", "USD", "10"),
    ("Ads", "2025-11", "USD", "3.5"),
    ("", "2025-11", "USD", "30"),
    ("", "2025-12", "USD", "30"),
    ("Nobody", "2025-11", "USD", "0"),
    ("Lab", "2025-11", "EUR", "5"),
    (None, "2025-10", "USD", "1"),
    (None, "2025-10", "USD", "1.5"),
]


@pytest.fixture(scope="module")
def given(warehouse):
    """October and the first ten days of November, of two accounts."""
    table = Table()
    first, second = World(table, account="first"), World(table, account="second")
    first.put(cost("oct", "10-31", "8", x_ApiKeyId="k-search", x_CostStatus="final", InvoiceId="INV-1"))
    first.put(cost("key", "11-01", "2.5", x_ApiKeyId="k-search", x_ProjectId="p-ads", x_WorkspaceId="w-lab"))
    first.put(cost("project", "11-02", "4", x_ApiKeyId="k-other", x_ProjectId="p-ads", x_WorkspaceId="w-lab"))
    first.put(cost("workspace", "11-05", "1.25", x_WorkspaceId="w-lab"))
    first.put(cost("unclear", "11-05", "0.5", x_ApiKeyId="k-both"))
    first.put(cost("euro", "11-06", "2", x_ApiKeyId="k-search", BillingCurrency="EUR"))
    second.put(cost("other", "11-03", "3", x_ApiKeyId="k-search"))
    second.put(cost("tax", "11-09", "0.000000000000000001", ChargeCategory="Tax"))
    for world in (first, second):
        world.sync(ALL)
    warehouse.fill(table.tables)
    warehouse.give(teams=TEAMS, budgets=BUDGETS)
    warehouse.build()
    yield warehouse
    warehouse.give()


def test_the_key_comes_before_the_project_and_that_before_the_workspace(given):
    rows = given.all("select * from team_costs where billed_cost <> 0 and billing_currency = 'USD'")
    found = {(f"{row['month']:%m}", row["account"], row["team"], row["allocated_by"]): row["billed_cost"] for row in rows}
    assert found == {
        ("10", "first", "Search", "api_key_id"): 8,
        ("11", "first", "Search", "api_key_id"): Decimal("2.5"),
        ("11", "first", "Ads", "project_id"): 4,
        ("11", "first", "Lab", "workspace_id"): Decimal("1.25"),
        ("11", "first", None, None): Decimal("0.5"),
        ("11", "second", "Search", "api_key_id"): 3,
        ("11", "second", None, None): Decimal("0.000000000000000001"),
    }


def test_teams_together_are_all_costs_month_by_month(given):
    for name in ("billed_cost", "effective_cost", "to_date_cost", "forecast_cost", "previous_billed_cost", "previous_to_date_cost"):
        sums = f"select month, billing_currency, sum({name}) as amount from %s group by month, billing_currency order by 1, 2"
        assert given.all(sums % "team_costs") == given.all(sums % "monthly_costs"), name


def test_budgets_count_all_accounts_and_one_currency(given):
    rows = given.all("select * from budget_status where month = '2025-11-01'")
    found = {
        (row["team"], row["billing_currency"]): (row["billed_cost"], row["remaining"], row["share_spent"], row["is_over"])
        for row in rows
    }
    assert found == {
        ("Search", "USD"): (Decimal("5.5"), Decimal("4.5"), Decimal("0.55"), False),
        ("Ads", "USD"): (4, Decimal("-0.5"), Decimal("1.142857"), True),
        (None, "USD"): (
            Decimal("11.250000000000000001"), Decimal("18.749999999999999999"), Decimal("0.375"), False
        ),
        ("Nobody", "USD"): (0, 0, None, False),
        ("Lab", "EUR"): (0, 5, 0, False),
    }


def test_a_budget_is_compared_with_the_forecast_of_its_month(given):
    rows = {(f"{row['month']:%m}", row["team"], row["billing_currency"]): row for row in given.all("select * from budget_status")}
    [forecast] = given.all(
        "select sum(forecast_cost) as usd from monthly_costs where month = '2025-11-01' and billing_currency = 'USD'"
    )
    organization = rows["11", None, "USD"]
    assert organization["forecast_cost"] == forecast["usd"] > organization["billed_cost"]
    assert organization["is_forecast_over"] == (forecast["usd"] > 30)
    assert rows["11", "Search", "USD"]["is_forecast_over"]
    december = rows["12", None, "USD"]
    assert (december["billed_cost"], december["forecast_cost"], december["is_forecast_over"]) == (0, None, None)
    # Two rows that contradict each other are no budget.
    assert ("10", None, "USD") not in rows


def test_a_month_without_a_complete_day_has_no_forecast_to_compare(warehouse):
    world = World(Table())
    world.put(cost("oct", "10-31", "8", x_CostStatus="final", x_ApiKeyId="k-search"))
    world.put(cost("today", "11-10", "20", x_ApiKeyId="k-search"))
    world.sync(("10-01", "11-01"), ("11-10", "11-11"))
    warehouse.fill(world.table.tables)
    warehouse.give(teams=TEAMS, budgets=[("Search", "2025-11", "USD", "10"), ("", "2025-11", "USD", "30")])
    warehouse.build()
    # Between both days there are some that were not read, so that nobody knows whether the budget of all costs is exceeded.
    rows = warehouse.all("select team, billed_cost, forecast_cost, is_over, is_forecast_over from budget_status")
    found = {row["team"]: (row["billed_cost"], row["forecast_cost"], row["is_over"], row["is_forecast_over"]) for row in rows}
    assert found == {"Search": (20, None, True, None), None: (20, None, None, None)}
    warehouse.give()
