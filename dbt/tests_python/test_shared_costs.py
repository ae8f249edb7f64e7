"""Shared costs. The expected figures are calculated here, from the records that the provider shows and the rules in words of Python."""

import random
from collections import defaultdict
from datetime import date, timedelta
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal

import pytest
from world import Table, World, cost

MONTHS = [("09-01", "10-01"), ("10-01", "11-01"), ("11-01", "11-11")]
TEAMS = [("project_id", f"p-{team}", team) for team in ("Ads", "Lab", "Platform", "Search")]
SHARED = [
    ("1", "charge_category", "Tax", "by spend", None, None),
    ("2", "charge_category", "Credit", "percent", "Search", "33.3333333333"),
    ("2", "charge_category", "Credit", "percent", "Ads", "66.6666666667"),
    ("3", "charge_category", "Purchase", "amount", "Search", "100", "USD"),
    ("3", "charge_category", "Purchase", "amount", "Ads", "50.5", "USD"),
    ("10", "team", "Platform", "evenly", None, None, None, None, "2025-10-20"),
    ("11", "team", "Platform", "evenly", "Ads", None, None, "2025-10-21", None),
    ("11", "team", "Platform", "evenly", "Lab", None, None, "2025-10-21", None),
    ("11", "team", "Platform", "evenly", "Others", None, None, "2025-10-21", None),
    ("20", "unowned", None, "by spend", "Lab", None),
    ("20", "unowned", None, "by spend", "Search", None),
]
MEASURES = {"billed": "BilledCost", "effective": "EffectiveCost"}
PLACES = Decimal("1e-18")


def owner(record: dict) -> str | None:
    project = record.get("x_ProjectId")
    return project[2:] if project and project != "p-nobody" else None


def rule_of(record: dict) -> int | None:
    day = record["ChargePeriodStart"][:10]
    if record["ChargeCategory"] != "Usage":
        return {"Tax": 1, "Credit": 2, "Purchase": 3}.get(record["ChargeCategory"])
    if owner(record) == "Platform":
        return 10 if day <= "2025-10-20" else 11
    return 20 if owner(record) is None else None


def expected_of(records: list[dict], measure: str) -> tuple[dict, dict]:
    """Own and shared costs of each month, account, team and currency."""
    own, shared = defaultdict(Decimal), defaultdict(Decimal)
    pools: dict[tuple, Decimal] = defaultdict(Decimal)
    for record in records:
        place = record["ChargePeriodStart"][:7], record["account"], owner(record), record["BillingCurrency"]
        rule = rule_of(record)
        if rule is None:
            own[place] += Decimal(record[MEASURES[measure]])
        else:
            pools[rule, *place] += Decimal(record[MEASURES[measure]])
    spent: dict[tuple, dict[str, Decimal]] = defaultdict(lambda: defaultdict(Decimal))
    for (month, _, team, currency), amount in own.items():
        if team:
            spent[month, currency][team] += amount
    largest: dict[tuple, tuple] = {}
    for key in sorted(pools, key=lambda key: (-abs(pools[key]), key[2], key[3] or "")):
        if pools[key]:
            largest.setdefault((key[0], key[1], key[4]), key)
    for key, amount in pools.items():
        rule, month, account, team, currency = key
        weights = weights_of(rule, spent[month, currency], currency)
        if rule == 3:
            parts = weights if largest.get((rule, month, currency)) == key else {}
        else:
            whole = sum(weights.values(), Decimal(0))
            parts = {bearer: part_of(rule, amount, weight, whole, len(weights)) for bearer, weight in weights.items()} if amount else {}
            if parts:
                first = min(weights, key=lambda bearer: (-weights[bearer], bearer))
                parts[first] += amount - sum(parts.values())
        for bearer, part in parts.items():
            shared[month, account, bearer, currency] += part
        own[month, account, team, currency] += amount - sum(parts.values(), Decimal(0))
    return own, shared


def weights_of(rule: int, spent: dict[str, Decimal], currency: str) -> dict[str, Decimal]:
    positive = {team: amount for team, amount in spent.items() if amount > 0}
    if rule == 1:
        return positive
    if rule == 2:
        return {"Search": Decimal("33.3333333333"), "Ads": Decimal("66.6666666667")}
    if rule == 3:
        return {"Search": Decimal(100), "Ads": Decimal("50.5")} if currency == "USD" else {}
    if rule == 10:
        return dict.fromkeys(spent, Decimal(1))
    if rule == 11:
        return dict.fromkeys(["Ads", "Lab", "Others"], Decimal(1))
    return {team: amount for team, amount in positive.items() if team in ("Lab", "Search")}


def part_of(rule: int, amount: Decimal, weight: Decimal, whole: Decimal, teams: int) -> Decimal:
    if rule in (10, 11):
        return (amount / teams).quantize(PLACES, ROUND_HALF_UP)
    share = weight / 100 if rule == 2 else (weight / whole).quantize(Decimal("1e-12"), ROUND_DOWN)
    return (amount * share).quantize(PLACES, ROUND_HALF_UP)


@pytest.fixture(scope="module")
def given(warehouse):
    drawn = random.Random(6)
    table = Table()
    worlds = [World(table, account=name) for name in ("first", "second")]
    for world in worlds:
        for number in range(240):
            day = date(2025, 9, 1) + timedelta(days=number % 71)
            billed = Decimal(drawn.randrange(-30 * 10**18, 300 * 10**18)) / 10**18
            category = drawn.choice(["Usage"] * 8 + ["Tax", "Credit", "Purchase"])
            record = cost(
                f"c{number}", f"{day:%m-%d}", f"{billed:f}", ChargeCategory=category,
                EffectiveCost="0" if category == "Purchase" else f"{billed * drawn.choice([1, 2]):f}",
                x_ProjectId=drawn.choice([*(row[1] for row in TEAMS), "p-nobody", None]),
                BillingCurrency=drawn.choice(["USD", "USD", "EUR"]))
            world.put({key: value for key, value in record.items() if value is not None})
        world.sync(*MONTHS)
    # In September no team spends pounds, so that nobody bears the tax in pounds.
    worlds[0].put(cost("pounds", "09-02", "7.5", ChargeCategory="Tax", BillingCurrency="GBP"))
    worlds[0].sync(*MONTHS)
    warehouse.fill(table.tables)
    warehouse.give(teams=TEAMS, shared=SHARED)
    warehouse.build()
    yield warehouse, [dict(record, account=world.account) for world in worlds for record in world.shown.values()]
    warehouse.give()


def shown(rows: list[dict], name: str) -> dict[tuple, Decimal]:
    found: dict[tuple, Decimal] = defaultdict(Decimal)
    for row in rows:
        found[f"{row['month']:%Y-%m}", row["account"], row["team"], row["billing_currency"]] += row[name]
    return {key: amount for key, amount in found.items() if amount}


def test_each_team_has_its_own_and_its_shared_costs(given):
    warehouse, records = given
    assert warehouse.all("select * from invalid_inputs") == []
    rows = warehouse.all("select * from showback")
    for measure in MEASURES:
        own, shared = expected_of(records, measure)
        assert shown(rows, f"own_{measure}_cost") == {key: amount for key, amount in own.items() if amount}, measure
        assert shown(rows, f"shared_{measure}_cost") == {key: amount for key, amount in shared.items() if amount}, measure
        assert all(row[f"{measure}_cost"] == row[f"own_{measure}_cost"] + row[f"shared_{measure}_cost"] for row in rows)


def test_the_parts_of_all_rules_add_up_to_all_costs(given):
    warehouse, records = given
    rows = warehouse.all("select * from showback")
    for measure, column in MEASURES.items():
        for account in ("first", "second"):
            for currency in ("USD", "EUR", "GBP"):
                for month in ("2025-09", "2025-10", "2025-11"):
                    wanted = sum(
                        (Decimal(record[column]) for record in records
                         if (record["account"], record["BillingCurrency"]) == (account, currency)
                         and record["ChargePeriodStart"].startswith(month)), Decimal(0))
                    found = sum(
                        (row[f"{measure}_cost"] for row in rows
                         if (row["account"], row["billing_currency"], f"{row['month']:%Y-%m}") == (account, currency, month)), Decimal(0))
                    assert found == wanted


def test_what_a_rule_does_not_spread_says_why(given):
    warehouse, _ = given
    rows = warehouse.all("select * from shared_costs where billing_currency = 'GBP'")
    assert [(row["rule_number"], row["team"], row["is_spread"], row["billed_cost"], row["why_not"]) for row in rows] == [
        (1, None, False, Decimal("7.5"), "no team of the rule has own costs above 0 in this month and currency")]
    rows = warehouse.all("select * from shared_costs where rule_number = 3 and billing_currency = 'EUR'")
    assert rows and {row["why_not"] for row in rows} == {"the fixed amounts of the rule leave it over"}


def test_an_amount_is_spread_to_the_last_digit(warehouse):
    world = World(Table())
    world.put(cost("tax", "10-01", "0.000000000000000010", ChargeCategory="Tax"))
    for team in ("Ads", "Lab", "Search"):
        world.put(cost(team, "10-01", "1", x_ProjectId=f"p-{team}"))
    world.sync(*MONTHS)
    warehouse.fill(world.table.tables)
    warehouse.give(teams=TEAMS, shared=[("7", "charge_category", "Tax", "evenly")])
    warehouse.build()
    rows = warehouse.all("select team, shared_billed_cost from showback")
    assert {row["team"]: row["shared_billed_cost"] for row in rows} == {
        "Ads": Decimal("0.000000000000000004"), "Lab": Decimal("0.000000000000000003"), "Search": Decimal("0.000000000000000003")}
    # Without rules every cost is own.
    warehouse.give(teams=TEAMS)
    warehouse.build()
    rows = warehouse.all("select team, own_billed_cost, shared_billed_cost from showback")
    assert {row["team"]: (row["own_billed_cost"], row["shared_billed_cost"]) for row in rows} == {
        None: (Decimal("0.00000000000000001"), 0), "Ads": (1, 0), "Lab": (1, 0), "Search": (1, 0)}
    warehouse.give()


def test_every_fault_of_the_rules_is_named_and_such_a_rule_is_not_used(warehouse):
    world = World(Table())
    world.put(cost("tax", "10-01", "6", ChargeCategory="Tax"))
    world.put(cost("Ads", "10-01", "1", x_ProjectId="p-Ads"))
    world.sync(*MONTHS)
    warehouse.fill(world.table.tables)
    warehouse.give(teams=TEAMS, shared=[
        ("1", "charge_category", "Tax", "percent", "Ads", "50"),
        ("1", "charge_category", "Tax", "percent", "Lab", "40"),
        ("2", "charge_category", "Tax", "evenly", "Ads", None),
        ("2", "charge_category", "Tax", "evenly", "Ads", None),
        ("3", "charge_category", "Credit", "evenly", None, "1", "USD"),
        ("3", "charge_category", "Tax", "evenly", "Ads", None),
        ("zero", "color", None, "half", None, None, None, "2025-13-01", None),
        ("4", "unowned", "x", "amount", None, "many", None, "2025-02-01", "2025-01-01"),
        ("5", "charge_category", "Tax", "percent", "Ads", "100.5"),
    ])
    warehouse.build()
    rows = warehouse.all("select given, why from invalid_inputs where input = 'shared'")
    differ = "the rows of this rule differ in label, value, method, valid_from or valid_to"
    assert sorted((row["given"], row["why"]) for row in rows) == sorted([
        ("1, charge_category, Tax, percent, Ads, 50", "the percentages of this rule do not add up to 100"),
        ("1, charge_category, Tax, percent, Lab, 40", "the percentages of this rule do not add up to 100"),
        *[("2, charge_category, Tax, evenly, Ads, ", "another row of this rule names this team")] * 2,
        ("3, charge_category, Credit, evenly, , 1, USD",
         f"part is only for percent and amount; billing_currency is only for amount; {differ}; "
         "an empty team stands for all teams, so it is the only row of its rule"),
        ("3, charge_category, Tax, evenly, Ads, ", differ),
        ("zero, color, , half, , , 2025-13-01",
         "rule is not a whole number from 1 to 9999; label is none of charge_category, service_provider_name, account, project_id, "
         "workspace_id, api_key_id, model_id, team, unowned; value is missing; method is none of evenly, by spend, percent, amount; "
         "valid_from is not written as YYYY-MM-DD"),
        ("4, unowned, x, amount, , many, 2025-02-01, 2025-01-01",
         "unowned has no value; team is missing; part is not a decimal that fits; billing_currency is missing; "
         "valid_to is before valid_from"),
        ("5, charge_category, Tax, percent, Ads, 100.5",
         "part is not a percentage up to 100 with at most 10 digits behind the point; the percentages of this rule do not add up to 100"),
    ])
    assert warehouse.all("select * from shared_costs") == []
    warehouse.give()
