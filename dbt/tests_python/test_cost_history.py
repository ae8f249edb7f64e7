"""Changes of costs after a day was complete, and months as they looked on a day in the past. All figures are computed by hand."""

import random
from datetime import date, timedelta
from decimal import Decimal
from functools import cache

import pytest
from compile import parsed_of, prefix_of, run_dbt
from warehouses import OTHER_SETTINGS, views_of
from world import Table, World, at, cost

NOVEMBER = ("11-01", "12-01")
LABELS = {"x_ModelId": "m1", "x_ApiKeyId": "k1"}


def shown(warehouse, table) -> None:
    warehouse.fill(table.tables)
    warehouse.build()


def changes(warehouse) -> list[tuple]:
    rows = warehouse.all("select * from cost_changes order by found_at, record_id, amount_change")
    assert all(row["amount_change"] == row["amount"] - row["amount_before"] and row["dataset"] == "costs" for row in rows)
    return [(f"{row['found_at']:%m-%d}", row["kind"], row["record_id"], row["amount_before"], row["amount"]) for row in rows]


def as_of(warehouse, month: str = "11") -> dict[str, Decimal | None]:
    rows = warehouse.all(f"select * from monthly_costs_as_of where month = date '2025-{month}-01' order by as_of_day")
    assert all(row["is_history_kept"] == (row["billed_cost"] is not None) for row in rows)
    return {f"{row['as_of_day']:%m-%d}": row["billed_cost"] for row in rows}


def a_week_of_changes(table: Table) -> World:
    """24 dollars on the 10th, 29 on the 12th, 24.50 on the 14th, 24 on the 16th."""
    world = World(table)
    for record_id, on, amount in (("a", "11-03", "10"), ("b", "11-03", "5"), ("c", "11-04", "7"), ("d", "11-05", "2")):
        world.put(cost(record_id, on, amount, **LABELS))
    world.sync(NOVEMBER)
    world.now = at("11-12 12:00")
    world.put(cost("a", "11-03", "12", **LABELS))
    world.put(cost("e", "11-04", "3", x_ModelId="m2"))
    world.sync(NOVEMBER)
    world.now = at("11-14 12:00")
    world.withdraw("b")
    world.withdraw("c")
    world.put(cost("c-final", "11-04", "7.5", x_CostStatus="final", InvoiceId="INV-1", **LABELS))
    world.sync(NOVEMBER)
    world.now = at("11-16 12:00")
    world.put(cost("f", "11-05", "-0.5", x_CorrectsRecordId="d", **LABELS))
    world.sync(NOVEMBER)
    return world


def test_every_kind_of_change(warehouse):
    table = Table()
    a_week_of_changes(table)
    shown(warehouse, table)
    assert changes(warehouse) == [
        ("11-12", "restated", "a", 10, 12),
        ("11-12", "late", "e", 0, 3),
        ("11-14", "removed", "b", 5, 0),
        ("11-14", "reissued", "c", 7, Decimal("7.5")),
        ("11-16", "corrected", "f", 2, Decimal("1.5")),
    ]
    [reissued] = warehouse.all("select * from cost_changes where kind = 'reissued'")
    assert (reissued["replaced_by_record_id"], reissued["model_id"], reissued["api_key_id"]) == ("c-final", "m1", "k1")
    [corrected] = warehouse.all("select * from cost_changes where kind = 'corrected'")
    assert (corrected["corrects_record_id"], corrected["day"], corrected["month"]) == ("d", date(2025, 11, 5), date(2025, 11, 1))


def test_a_deduplicated_table_knows_what_is_gone_and_what_corrects(warehouse):
    table = Table(dedup=True)
    a_week_of_changes(table)
    shown(warehouse, table)
    assert changes(warehouse) == [
        ("11-14", "removed", "b", 5, 0),
        ("11-14", "reissued", "c", 7, Decimal("7.5")),
        ("11-16", "corrected", "f", 2, Decimal("1.5")),
    ]


def test_a_month_as_of_a_day_in_the_past(warehouse):
    table = Table()
    a_week_of_changes(table)
    shown(warehouse, table)
    assert as_of(warehouse) == {
        "11-10": 24, "11-11": 24, "11-12": 29, "11-13": 29, "11-14": Decimal("24.5"), "11-15": Decimal("24.5"), "11-16": 24}


def test_a_deduplicated_table_says_that_it_keeps_no_history(warehouse):
    table = Table(dedup=True)
    a_week_of_changes(table)
    shown(warehouse, table)
    found = as_of(warehouse)
    assert list(found) == [f"11-{number}" for number in range(10, 17)]
    assert found.pop("11-16") == 24
    assert set(found.values()) == {None}


def test_a_day_in_progress_has_no_changes(warehouse, table):
    world = World(table)
    for now, amount in (("11-10 06:00", "1"), ("11-10 18:00", "2"), ("11-11 12:00", "3")):
        world.now = at(now)
        world.put(cost("a", "11-10", amount))
        if "old" in world.shown:
            world.withdraw("old")
        else:
            world.put(cost("old", "11-10", "1", x_ModelId="m1"))
        world.sync(NOVEMBER)
    shown(warehouse, table)
    assert changes(warehouse) == []
    world.withdraw("old")
    world.now = at("11-12 12:00")
    world.put(cost("a", "11-10", "4"))
    world.sync(NOVEMBER)
    shown(warehouse, table)
    removed = ("11-12", "removed", "old", 1, 0)
    assert changes(warehouse) == ([removed] if table.dedup else [("11-12", "restated", "a", 3, 4), removed])


def test_a_cost_on_a_day_that_was_known_to_be_empty_is_late(warehouse, table):
    world = World(table)
    world.put(cost("a", "11-03", "10"))
    world.sync(NOVEMBER)
    world.now = at("11-12 12:00")
    world.put(cost("g", "11-08", "4"))
    world.sync(NOVEMBER)
    shown(warehouse, table)
    assert changes(warehouse) == [("11-12", "late", "g", 0, 4)]


def test_a_cost_that_moves_leaves_one_owner_and_comes_to_the_other(warehouse):
    table = Table()
    world = World(table)
    world.put(cost("a", "10-31", "10", x_ProjectId="p1"))
    world.put(cost("b", "11-03", "5", x_ProjectId="p1"))
    world.put(cost("c", "11-03", "1", x_CostStatus="provisional"))
    windows = [("10-01", "11-01"), NOVEMBER]
    world.sync(*windows)
    world.now = at("11-12 12:00")
    world.put(cost("a", "11-02", "10", x_ProjectId="p1"))
    world.put(cost("b", "11-03", "6", x_ProjectId="p2"))
    world.put(cost("c", "11-03", "1", x_CostStatus="final", InvoiceId="INV-1"))
    world.sync(*windows)
    shown(warehouse, table)
    rows = warehouse.all("select * from cost_changes order by record_id, amount_change")
    assert [(row["kind"], row["record_id"], f"{row['day']:%m-%d}", row["project_id"], row["amount_change"]) for row in rows] == [
        ("restated", "a", "10-31", "p1", -10), ("restated", "a", "11-02", "p1", 10),
        ("restated", "b", "11-03", "p1", -5), ("restated", "b", "11-03", "p2", 6)]
    assert as_of(warehouse, "10") == {"11-10": 10, "11-11": 10, "11-12": 0}
    assert as_of(warehouse) == {"11-10": 6, "11-11": 6, "11-12": 17}


def test_corrections_of_one_record_follow_each_other(warehouse):
    table = Table()
    world = World(table)
    world.put(cost("a", "11-03", "100"))
    world.sync(NOVEMBER)
    world.now = at("11-12 12:00")
    world.put(cost("b", "11-03", "-100", x_CorrectsRecordId="a"))
    world.put(cost("c", "11-03", "95", x_CorrectsRecordId="a"))
    world.put(cost("x", "11-04", "-1", x_CorrectsRecordId="nobody"))
    world.sync(NOVEMBER)
    shown(warehouse, table)
    assert changes(warehouse) == [
        ("11-12", "corrected", "b", 100, 0), ("11-12", "corrected", "c", 0, 95), ("11-12", "corrected", "x", 0, -1)]


def test_a_correction_that_came_with_the_first_reading_of_a_day_changed_nothing_that_was_shown(warehouse):
    table = Table()
    world = World(table)
    world.put(cost("a", "11-03", "100"))
    world.put(cost("b", "11-03", "-10", x_CorrectsRecordId="a"))
    world.put(cost("c", "11-05", "-1", x_CorrectsRecordId="a"))
    world.sync(NOVEMBER)
    world.now = at("11-12 12:00")
    world.put(cost("d", "11-11", "-5", x_CorrectsRecordId="a"))
    world.sync(NOVEMBER)
    shown(warehouse, table)
    assert changes(warehouse) == [("11-12", "corrected", "d", 89, 84)]


def test_a_correction_is_told_with_the_amount_that_its_original_had_then(warehouse):
    table = Table()
    world = World(table)
    world.put(cost("a", "11-03", "100"))
    world.sync(NOVEMBER)
    world.now = at("11-12 12:00")
    world.put(cost("b", "11-04", "-10", x_CorrectsRecordId="a"))
    world.sync(NOVEMBER)
    world.now = at("11-14 12:00")
    world.put(cost("a", "11-03", "200"))
    world.sync(NOVEMBER)
    shown(warehouse, table)
    assert changes(warehouse) == [("11-12", "corrected", "b", 100, 90), ("11-14", "restated", "a", 100, 200)]


def test_a_record_that_corrects_and_replaces_another_one_is_a_single_change(warehouse, table):
    world = World(table)
    world.put(cost("a", "11-03", "100"))
    world.sync(NOVEMBER)
    world.now = at("11-12 12:00")
    world.withdraw("a")
    world.put(cost("b", "11-03", "95", x_CorrectsRecordId="a"))
    world.sync(NOVEMBER)
    shown(warehouse, table)
    assert changes(warehouse) == [("11-12", "reissued", "a", 100, 95)]


def test_a_row_that_comes_back_was_gone_in_between(warehouse):
    table = Table()
    world = World(table)
    world.put(cost("a", "11-03", "10"))
    world.put(cost("b", "11-03", "1"))
    world.sync(NOVEMBER)
    world.now = at("11-12 12:00")
    world.withdraw("a")
    world.sync(NOVEMBER)
    world.now = at("11-14 12:00")
    world.put(cost("a", "11-03", "10"))
    world.sync(NOVEMBER)
    shown(warehouse, table)
    assert as_of(warehouse) == {"11-10": 11, "11-11": 11, "11-12": 1, "11-13": 1, "11-14": 11}


def test_an_outage_changes_nothing_until_it_is_confirmed(warehouse):
    table = Table()
    world = World(table)
    for number in range(10):
        world.put(cost(f"c{number}", "11-03", "1"))
    world.sync(NOVEMBER)
    for number in range(7):
        world.withdraw(f"c{number}")
    for now in ("11-12 12:00", "11-13 12:00"):
        world.now = at(now)
        world.sync(NOVEMBER)
    shown(warehouse, table)
    assert as_of(warehouse) == {"11-10": 10, "11-11": 10, "11-12": 10, "11-13": 3}
    assert {row[:2] for row in changes(warehouse)} == {("11-13", "removed")}


@pytest.mark.parametrize("seed", range(4))
def test_as_of_shows_what_each_sync_saw_and_changes_explain_the_difference(warehouse, seed):
    chance = random.Random(seed)
    table = Table()
    world = World(table)
    world.now = at("11-20 12:00")
    numbers = iter(range(1000))
    seen = {}
    for step in range(8):
        for _ in range(chance.randint(1, 6)):
            held = sorted(world.shown)
            if held and chance.random() < 0.3:
                world.withdraw(chance.choice(held))
            else:
                record_id = chance.choice(held) if held and chance.random() < 0.5 else f"r{next(numbers)}"
                on, amount = f"11-{chance.randint(1, 6):02}", f"{chance.randint(0, 50)}.25"
                world.put(cost(record_id, on, amount, x_ModelId=f"m{chance.randint(1, 2)}"))
        world.sync(NOVEMBER)
        seen[f"{world.now:%m-%d}"] = sum(world.truth().values())
        world.now += timedelta(days=(step + seed) % 3)
    shown(warehouse, table)
    found = as_of(warehouse)
    assert {day: found[day] for day in seen} == seen
    first, *_, last = sorted(seen)
    [moved] = warehouse.all(f"select sum(amount_change) as amount from cost_changes where cast(found_at as date) > date '2025-{first}'")
    assert moved["amount"] == seen[last] - seen[first]


@cache
def inline(target: str, code: str) -> str:
    """The SQL of a piece of a user's own model."""
    [result] = run_dbt(target, {}, "compile", "--inline", code, parsed=parsed_of(target)).results
    return result.node.compiled_code.replace(prefix_of(target), "")


def test_the_macro_of_any_day_shows_the_records_of_then(warehouse, table):
    a_week_of_changes(table)
    shown(warehouse, table)
    rows = warehouse.all(inline(warehouse.name, "{{ ai_billing.costs_as_of('2025-11-13') }}"))
    found = {row["record_id"]: (row["billed_cost"], row["is_history_kept"]) for row in rows}
    if table.dedup:  # the sync of the 16th wrote the 5th again; b and c still stand
        assert found == {"b": (5, False), "c": (7, False)}
    else:
        assert found == {"a": (12, True), "b": (5, True), "c": (7, True), "d": (2, True), "e": (3, True)}


def test_the_macro_of_any_two_periods_compares_them(warehouse):
    table = Table()
    a_week_of_changes(table)
    shown(warehouse, table)
    code = "{{ ai_billing.cost_movers_between('2025-11-03', '2025-11-04', '2025-11-04', '2025-11-06') }}"
    rows = warehouse.all(f"select * from ({inline(warehouse.name, code)}) as movers where label = 'model_id' order by change")
    assert [(row["value"], row["billed_cost"], row["previous_billed_cost"], row["comparison"]) for row in rows] == [
        ("m2", 0, 3, "between"), ("m1", 12, 9, "between")]  # m1: the 3rd; 7.50 on the 4th, 2 less 0.50 on the 5th


def test_where_corrections_replace_a_month_forgets_the_original_when_it_is_corrected(warehouse):
    """The variable ai_billing_corrections is `replacing`."""
    table = Table()
    world = World(table)
    world.put(cost("a", "11-03", "100"))
    world.sync(NOVEMBER)
    world.now = at("11-12 12:00")
    world.put(cost("b", "11-03", "95", x_CorrectsRecordId="a"))
    world.sync(NOVEMBER)
    warehouse.fill(table.tables)
    warehouse.build(text=views_of(warehouse.name, **OTHER_SETTINGS))
    assert changes(warehouse) == [("11-12", "corrected", "b", 100, 95)]
    assert as_of(warehouse) == {"11-10": 100, "11-11": 100, "11-12": 95}
