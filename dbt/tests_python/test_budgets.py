"""Budgets of teams, projects, models and providers, of months and fiscal years. The expected figures are calculated here, from the
records that the provider shows."""

import random
from collections import defaultdict
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal

import pytest
from world import Table, World, at, cost

MONTHS = [("09-01", "10-01"), ("10-01", "11-01"), ("11-01", "11-11")]
COLUMNS = {"project_id": "x_ProjectId", "model_id": "x_ModelId", "service_provider_name": "ServiceProviderName"}
LABELS = [*COLUMNS.values(), "x_ApiKeyId", "BillingCurrency"]
TEAMS = [("project_id", "p1", "Search", "", "2025-10-15"), ("project_id", "p1", "Ads", "2025-10-16", ""), ("project_id", "p2", "Ads")]
# label, value, period, currency, amount
BUDGETS = [
    ("all", None, "2025-11", "USD", "1000"),
    ("all", None, "FY2026", "USD", "40000.5"),
    ("all", None, "FY2025", "EUR", "1"),
    ("team", "Ads", "2025-11", "USD", "500"),
    ("team", "Ads", "FY2026", "USD", "500.000000000000000001"),
    ("project_id", "p1", "2025-10", "USD", "10"),
    ("project_id", "p1", "FY2026", "USD", "100000"),
    ("model_id", "m1", "2025-11", "EUR", "3"),
    ("service_provider_name", "Example", "FY2026", "USD", "9"),
    ("service_provider_name", "Other", "2025-11", "USD", "9"),
    ("model_id", "m1", "2025-12", "USD", "4"),
    ("all", None, "FY2027", "USD", "4"),
]


def row_of(label, value, period, currency, amount) -> tuple:
    own = {"team": None, **dict.fromkeys(COLUMNS), label: value}
    return own["team"], period, currency, amount, own["project_id"], own["model_id"], own["service_provider_name"]


def month_of(record: dict) -> int:
    return int(record["ChargePeriodStart"][:4]) * 12 + int(record["ChargePeriodStart"][5:7]) - 1


RUNNING = 2025 * 12 + 10
FIRST_READ = 2025 * 12 + 8


def months_of(period: str, start: int) -> range:
    if not period.startswith("FY"):
        year, month = map(int, period.split("-"))
        return range(year * 12 + month - 1, year * 12 + month)
    first = (int(period[2:]) - (start > 1)) * 12 + start - 1
    return range(first, first + 12)


def owner(record: dict) -> str | None:
    if record.get("x_ProjectId") == "p1":
        return "Search" if record["ChargePeriodStart"] < "2025-10-16" else "Ads"
    return "Ads" if record.get("x_ProjectId") == "p2" else None


def belongs(record: dict, label: str, value: str | None) -> bool:
    return label == "all" or (owner(record) if label == "team" else record.get(COLUMNS[label])) == value


def weights(records: list[dict]) -> tuple[int, int]:
    """The weights of all days of November, and of its nine complete days, of one account and currency."""
    costs: dict[date, Decimal] = defaultdict(Decimal)
    for record in records:
        costs[date.fromisoformat(record["ChargePeriodStart"][:10])] += Decimal(record["BilledCost"])
    known = [day for day in (date(2025, 11, 9) - timedelta(days=age) for age in range(56)) if day >= min(costs)]
    sums: dict[int, list[Decimal]] = defaultdict(list)
    for day in known:
        sums[day.weekday()].append(costs.get(day, Decimal(0)))
    means = {weekday: max(Decimal(0), sum(amounts) / len(amounts)) for weekday, amounts in sums.items()}
    largest = max(means.values())
    share = {weekday: (mean / largest).quantize(Decimal("1e-6"), ROUND_HALF_UP) for weekday, mean in means.items()}
    parts = {weekday: int((10_000 * part).quantize(Decimal(1), ROUND_HALF_UP)) for weekday, part in share.items()}
    november = [parts[date(2025, 11, number).weekday()] for number in range(1, 31)]
    return sum(november), sum(november[:9])


def forecast_of_november(records: list[dict], label: str, value: str | None) -> Decimal:
    """For each combination of labels, the nine complete days are carried on by weekdays. The days to come belong to the team of
    November 30."""
    by_account = {name: weights([record for record in records if record["account"] == name]) for name in ("first", "second")}
    sums: dict[tuple, list[Decimal]] = defaultdict(lambda: [Decimal(0), Decimal(0)])
    total = Decimal(0)
    for record in records:
        if month_of(record) == RUNNING:
            amount = Decimal(record["BilledCost"])
            group = sums[record["account"], *(record.get(name) for name in LABELS), owner(record)]
            group[0] += amount if record["ChargePeriodStart"] < "2025-11-10" else 0
            group[1] += amount
            if belongs(record, label, value):
                total += amount
    for (account, project, model, provider, *_), (complete, known) in sums.items():
        of_month, of_complete = by_account[account]
        at_the_end = {"x_ProjectId": project, "x_ModelId": model, "ServiceProviderName": provider, "ChargePeriodStart": "2025-11-30"}
        if belongs(at_the_end, label, value):
            total += (complete * of_month / of_complete).quantize(Decimal("1e-18"), ROUND_HALF_UP) - known
    return total


@pytest.fixture(scope="module")
def given(warehouse):
    drawn = random.Random(5)
    table = Table()
    worlds = [World(table, account=name) for name in ("first", "second")]
    for world in worlds:
        for number in range(150):
            day = date(2025, 9, 1) + timedelta(days=number % 71)
            record = cost(
                f"c{number}", f"{day:%m-%d}", f"{drawn.randrange(-300, 900)}.{drawn.randrange(10**6)}",
                x_ProjectId=drawn.choice(["p1", "p2", "p4", None]), x_ModelId=drawn.choice(["m1", "m2", None]),
                x_ApiKeyId=drawn.choice(["k1", "k2"]), BillingCurrency=drawn.choice(["USD", "USD", "EUR"]),
                ServiceProviderName=drawn.choice(["Example", "Other"]))
            world.put({key: value for key, value in record.items() if value is not None})
        world.sync(*MONTHS)
    warehouse.fill(table.tables)
    yield warehouse, [dict(record, account=world.account) for world in worlds for record in world.shown.values()]
    warehouse.give()


@pytest.mark.parametrize("start", [10, 1, 4])
def test_a_budget_counts_the_costs_of_its_owner_and_period(given, start):
    warehouse, records = given
    of_year = [] if start == 1 else [(str(start),)]
    warehouse.give(teams=TEAMS, budgets=[row_of(*budget) for budget in BUDGETS], fiscal_year_start=of_year)
    warehouse.build()
    expected = {}
    for label, value, period, currency, amount in BUDGETS:
        own = [record for record in records if record["BillingCurrency"] == currency]
        months = months_of(period, start)
        by_month: dict[int, Decimal] = defaultdict(Decimal)
        for record in own:
            if month_of(record) in months and belongs(record, label, value):
                by_month[month_of(record)] += Decimal(record["BilledCost"])
        forecast = None
        if months[0] <= RUNNING:
            of_november = forecast_of_november(own, label, value) if RUNNING in months else Decimal(0)
            past = sum((cost_ for month, cost_ in by_month.items() if month < RUNNING), Decimal(0))
            forecast = past + of_november * (1 + max(0, months[-1] - RUNNING))
        spent = sum(by_month.values(), Decimal(0))
        # Nothing was read before September. So nobody knows what an owner with costs spent before.
        is_read = months[0] >= FIRST_READ or not any(belongs(record, label, value) for record in records)
        forecast = forecast if is_read else None
        expected[label, value, period, currency] = (
            Decimal(amount), spent, Decimal(amount) - spent if is_read else None, forecast,
            spent > Decimal(amount) if is_read or spent > Decimal(amount) else None,
            None if forecast is None else forecast > Decimal(amount), None if is_read else date(2025, 9, 1))
    rows = warehouse.all("select * from budget_status")
    found = {}
    for row in rows:
        period = f"FY{row['fiscal_year']}" if row["fiscal_year"] else f"{row['month']:%Y-%m}"
        months = months_of(period, start)
        assert (row["first_month"].year * 12 + row["first_month"].month - 1, row["last_month"].year * 12 + row["last_month"].month - 1) == (
            months[0], months[-1])
        assert row["team"] == (row["value"] if row["label"] == "team" else None)
        found[row["label"], row["value"], period, row["billing_currency"]] = tuple(
            row[name] for name in ("budget", "billed_cost", "remaining", "forecast_cost", "is_over", "is_forecast_over", "known_from"))
    assert found == expected


def test_a_budget_is_not_known_before_the_end_of_a_gap_that_began_in_its_period(warehouse):
    """No sync read October 20 to December 4 before they left the provider's retention."""
    table = Table()
    world = World(table, now=at("12-20 12:00"))
    for number in range(96):
        day = date(2025, 9, 16) + timedelta(days=number)
        world.put(cost(f"c{number}", f"{day:%m-%d}", "10"))
    world.sync(("09-16", "10-20"), ("12-05", "12-21"))
    warehouse.fill(table.tables)
    months = ["2025-08", "2025-09", "2025-10", "2025-11", "2025-12", "FY2025"]
    warehouse.give(budgets=[(None, month, "USD", "1000") for month in months])
    warehouse.build()
    rows = warehouse.all("select first_month, billed_cost, known_from, remaining, is_over, forecast_cost from budget_status where fiscal_year is null")
    first, second = date(2025, 9, 16), date(2025, 12, 5)
    spent = {8: (0, first), 9: (150, first), 10: (190, second), 11: (0, second), 12: (160, second)}
    assert {row["first_month"].month: tuple(row[name] for name in list(row)[1:]) for row in rows} == {
        month: (amount, known_from, None, None, None) for month, (amount, known_from) in spent.items()}
    [of_year] = warehouse.all("select known_from, remaining from budget_status where fiscal_year = 2025")
    assert (of_year["known_from"], of_year["remaining"]) == (second, None)
    warehouse.give()


def test_a_budget_of_two_owners_is_refused(warehouse):
    warehouse.fill(Table().tables)
    warehouse.give(budgets=[
        ("Ads", "2025-11", "USD", "1", "p1"), (None, "FY25", "USD", "-1"), (None, "FY2025", "USD", "1"), (None, "FY2025", "USD", "1", "", "m1"),
        (None, "FY2025", "USD", "2", "", "m1")])
    warehouse.build()
    rows = warehouse.all("select given, why from invalid_inputs")
    assert sorted((row["given"], row["why"]) for row in rows) == sorted([
        ("Ads, 2025-11, USD, 1, p1", "it names more than one of team, project_id, model_id and service_provider_name"),
        (", FY25, USD, -1", "month is not written as YYYY-MM, or as FY and a year; budget is negative"),
        (", FY2025, USD, 1, m1", "another row contradicts it"),
        (", FY2025, USD, 2, m1", "another row contradicts it"),
    ])
    assert [row["label"] for row in warehouse.all("select label from budget_status")] == ["all"]
    warehouse.give()
