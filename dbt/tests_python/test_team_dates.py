"""Teams with dates. The expected figures are calculated here, from the records that the provider shows."""

import random
from collections import defaultdict
from datetime import date, timedelta
from decimal import Decimal

import pytest
from world import Table, World, at, cost

MONTHS = [("09-01", "10-01"), ("10-01", "11-01"), ("11-01", "11-11")]
LABELS = {"api_key_id": "x_ApiKeyId", "project_id": "x_ProjectId", "workspace_id": "x_WorkspaceId"}
# p1 moves on October 16; p2 has a gap in October; p3 is claimed by two teams for three days; k1 was Search's for one week only.
TEAMS = [
    ("project_id", "p1", "Search", None, "2025-10-15"),
    ("project_id", "p1", "Ads", "2025-10-16", None),
    ("project_id", "p2", "Search", "2025-09-01", "2025-10-03"),
    ("project_id", "p2", "Ads", "2025-10-08", "2025-11-04"),
    ("project_id", "p3", "Search", None, "2025-10-22"),
    ("project_id", "p3", "Lab", "2025-10-20", ""),
    ("api_key_id", "k1", "Search", "2025-11-02", "2025-11-05"),
    ("workspace_id", "w1", "Lab"),
]


def claimed(label: str, value: str | None, day: date) -> set[str]:
    return {
        row[2] for row in TEAMS
        if row[:2] == (label, value)
        and (not row[3:4] or not row[3] or date.fromisoformat(row[3]) <= day)
        and (not row[4:5] or not row[4] or day <= date.fromisoformat(row[4]))
    }


def owner(record: dict) -> str | None:
    day = date.fromisoformat(record["ChargePeriodStart"][:10])
    for label, column in LABELS.items():
        teams = claimed(label, record.get(column), day)
        if len(teams) == 1:
            return teams.pop()
    return None


@pytest.fixture(scope="module")
def given(warehouse):
    drawn = random.Random(29)
    table = Table()
    worlds = [World(table, account=name) for name in ("first", "second")]
    for world in worlds:
        for number in range(220):
            day = date(2025, 9, 1) + timedelta(days=drawn.randrange(71))
            record = cost(
                f"c{number}", f"{day:%m-%d}", f"{drawn.randrange(-300, 3000)}.{drawn.randrange(10**18):018}",
                x_ProjectId=drawn.choice(["p1", "p2", "p3", "p4", None]), x_ApiKeyId=drawn.choice(["k1", "k2", None]),
                x_WorkspaceId=drawn.choice(["w1", None]), BillingCurrency=drawn.choice(["USD", "USD", "EUR"]))
            world.put({key: value for key, value in record.items() if value is not None})
        world.sync(*MONTHS)
    warehouse.fill(table.tables)
    warehouse.give(teams=TEAMS)
    warehouse.build()
    yield warehouse, [dict(record, account=world.account) for world in worlds for record in world.shown.values()]
    warehouse.give()


def summed(records, key) -> dict[tuple, Decimal]:
    sums: dict[tuple, Decimal] = defaultdict(Decimal)
    for record in records:
        sums[key(record)] += Decimal(record["BilledCost"])
    return {key: amount for key, amount in sums.items() if amount}


def test_a_team_has_the_costs_of_its_days(given):
    warehouse, records = given
    rows = warehouse.all("""
        select month, account, team, billing_currency, sum(billed_cost) as billed_cost, sum(effective_cost) as effective_cost
        from team_costs group by month, account, team, billing_currency""")
    expected = summed(records, lambda record: (
        record["ChargePeriodStart"][:7], record["account"], owner(record), record["BillingCurrency"]))
    for name in ("billed_cost", "effective_cost"):
        found = {(f"{row['month']:%Y-%m}", row["account"], row["team"], row["billing_currency"]): row[name] for row in rows if row[name]}
        assert found == expected


def test_comparisons_and_forecasts_of_teams_are_those_of_all_costs(given):
    warehouse, records = given
    for name in ("to_date_cost", "forecast_cost", "previous_billed_cost", "previous_to_date_cost"):
        sums = f"select month, account, billing_currency, sum({name}) as amount from %s group by 1, 2, 3 order by 1, 2, 3"
        assert warehouse.all(sums % "team_costs") == warehouse.all(sums % "monthly_costs"), name
    rows = warehouse.all("""
        select team, account, billing_currency, sum(previous_billed_cost) as previous from team_costs
        where month = '2025-11-01' group by team, account, billing_currency""")
    found = {(row["account"], row["team"], row["billing_currency"]): row["previous"] for row in rows if row["previous"]}
    october = [record for record in records if record["ChargePeriodStart"].startswith("2025-10")]
    assert found == summed(october, lambda record: (record["account"], owner(record), record["BillingCurrency"]))


def test_overlaps_gaps_and_costs_outside_are_findings(given):
    warehouse, records = given
    expected: dict[tuple, Decimal] = {}

    def find(finding: str, label: str, value: str, first: date, last: date, teams=(None, None)) -> None:
        hit = [
            record for record in records
            if record.get(LABELS[label]) == value and owner(record) is None
            and first <= date.fromisoformat(record["ChargePeriodStart"][:10]) <= last
        ]
        days = [date.fromisoformat(record["ChargePeriodStart"][:10]) for record in hit]
        for currency in {record["BillingCurrency"] for record in hit} or {None}:
            own = [day for day, record in zip(days, hit) if record["BillingCurrency"] == currency]
            shown = (first, last) if finding != "outside" else (min(own, default=None), max(own, default=None))
            amount = sum((Decimal(record["BilledCost"]) for record in hit if record["BillingCurrency"] == currency), Decimal(0))
            if finding != "outside" or own:
                expected[finding, label, value, *shown, *teams, currency] = amount

    find("gap", "project_id", "p2", date(2025, 10, 4), date(2025, 10, 7))
    find("overlap", "project_id", "p3", date(2025, 10, 20), date(2025, 10, 22), ("Lab", "Search"))
    find("outside", "project_id", "p2", date(2025, 11, 5), date(2025, 12, 31))
    find("outside", "api_key_id", "k1", date(2025, 1, 1), date(2025, 11, 1))
    find("outside", "api_key_id", "k1", date(2025, 11, 6), date(2025, 12, 31))
    rows = warehouse.all("select * from team_map_findings")
    assert {
        tuple(row[name] for name in
              ("finding", "label", "value", "first_day", "last_day", "team", "other_team", "billing_currency")): row["billed_cost"]
        for row in rows
    } == expected
    assert len(expected) == len(rows) > 5


def test_what_is_still_to_come_belongs_to_the_team_of_the_end_of_the_month(warehouse):
    world = World(Table())
    for day in range(1, 10):
        world.put(cost(f"c{day}", f"11-0{day}", "10", x_ProjectId="p"))
    world.sync(("11-01", "11-10"))
    warehouse.fill(world.table.tables)
    warehouse.give(teams=[("project_id", "p", "Old", None, "2025-11-03"), ("project_id", "p", "New", "2025-11-04", None)])
    warehouse.build()
    rows = warehouse.all("select team, billed_cost, forecast_cost from team_costs")
    assert {row["team"]: (row["billed_cost"], row["forecast_cost"]) for row in rows} == {"Old": (30, 30), "New": (60, 270)}
    # A move in the future changes only the forecast.
    warehouse.give(teams=[("project_id", "p", "Old", None, "2025-11-20"), ("project_id", "p", "New", "2025-11-21", None)])
    warehouse.build()
    rows = warehouse.all("select team, billed_cost, forecast_cost from team_costs")
    assert {row["team"]: (row["billed_cost"], row["forecast_cost"]) for row in rows} == {"Old": (90, 90), "New": (0, 210)}
    warehouse.give()


def test_moving_a_project_today_changes_no_earlier_month(warehouse):
    world = World(Table())
    for number, day in enumerate(["08-31", "09-30", "10-31", "11-01"]):
        world.put(cost(f"c{number}", day, f"{number + 1}", x_ProjectId="p"))
    world.sync(("08-01", "12-01"))
    warehouse.fill(world.table.tables)
    found = []
    for teams in ([("project_id", "p", "Old")],
                  [("project_id", "p", "Old", "", "2025-10-31"), ("project_id", "p", "New", "2025-11-01", "")]):
        warehouse.give(teams=teams)
        warehouse.build()
        rows = warehouse.all("select month, team, billed_cost from team_costs where billed_cost <> 0 order by month")
        found.append([(f"{row['month']:%m}", row["team"], row["billed_cost"]) for row in rows])
        assert warehouse.all("select * from team_map_findings") == []
    before, after = found
    assert before == [("08", "Old", 1), ("09", "Old", 2), ("10", "Old", 3), ("11", "Old", 4)]
    assert after == [*before[:3], ("11", "New", 4)]
    warehouse.give()


def test_every_fault_of_a_row_is_named(warehouse):
    warehouse.fill(Table().tables)
    warehouse.give(teams=[
        ("project_id", "p", "Ads", "2025-02-30", None),
        ("color", "p", None, "2025-03-01", "2025-02-01"),
        ("project_id", "p", "Ads", "", "soon"),
        ("project_id", "q", "Ads"),
        ("project_id", "q", "Lab"),
        ("project_id", "q", "Lab", "2025-01-01", None),
    ])
    warehouse.build()
    rows = warehouse.all("select given, why from invalid_inputs")
    assert sorted((row["given"], row["why"]) for row in rows) == sorted([
        ("project_id, p, Ads, 2025-02-30", "valid_from is not written as YYYY-MM-DD"),
        ("color, p, , 2025-03-01, 2025-02-01",
         "label is none of api_key_id, project_id, workspace_id; team is missing; valid_to is before valid_from"),
        ("project_id, p, Ads, soon", "valid_to is not written as YYYY-MM-DD"),
        ("project_id, q, Ads", "another row contradicts it"),
        ("project_id, q, Lab", "another row contradicts it"),
    ])
    warehouse.give()


def test_a_book_keeps_the_teams_of_its_days(warehouse):
    world = World(Table(), now=at("11-03 12:00"))
    final = {"x_CostStatus": "final", "x_ProjectId": "p"}
    world.put(cost("old", "10-10", "3", **final))
    world.put(cost("new", "10-20", "5", **final))
    world.sync(("10-01", "11-01"))
    warehouse.fill(world.table.tables)
    warehouse.create_books()
    warehouse.give(teams=[("project_id", "p", "Search", "", "2025-10-15"), ("project_id", "p", "Ads", "2025-10-16", "")])
    assert warehouse.close_book("month", "2025-10", "2025-11-04 12:00:00") == []
    # Late costs of both halves of the month come after the map has changed.
    world.now = at("11-05 12:00")
    world.put(cost("late-old", "10-11", "0.5", **final))
    world.put(cost("late-new", "10-21", "0.25", **final))
    world.sync(("10-01", "11-01"))
    warehouse.fill(world.table.tables)
    warehouse.give(teams=[("project_id", "p", "Lab")])
    warehouse.build()
    rows = warehouse.all("select record_id, team, amount from adjustments where is_pending")
    assert {row["record_id"]: (row["team"], row["amount"]) for row in rows} == {
        "late-old": ("Search", Decimal("0.5")), "late-new": ("Ads", Decimal("0.25"))}
    lines = warehouse.all("select team, amount from close_lines")
    assert {row["team"]: row["amount"] for row in lines} == {"Search": 3, "Ads": 5}
    warehouse.give()
    warehouse.create_books()
