"""Known ways in which an export loses or doubles money, on both databases, in append and in dedup mode.

`settled` fails wherever a day that calls itself proven differs from what the provider shows.
"""

from datetime import timedelta
from itertools import product

import pytest
from judging import current, never_silently_wrong, reconciled, settled, statuses
from world import Table, World, at, cost, usage

ALL = ("11-01", "11-11")
PROVEN = ("proven", None)
pytestmark = pytest.mark.together


def three_costs(world: World, ids: str = "") -> None:
    for number in (1, 2, 3):
        world.put(cost(f"{ids}c{number}", "11-05", f"{number}.10"))
    world.put(cost(f"{ids}other", "11-06", "7"))


@pytest.mark.alone
def test_nothing_yet(warehouse):
    warehouse.fill(Table().tables)
    warehouse.build_all()
    assert warehouse.all("select * from current_costs") == []
    assert warehouse.all("select * from completeness") == []


@pytest.mark.alone
def test_without_a_manifest_nothing_is_proven(warehouse, table):
    world = World(table)
    three_costs(world)
    world.sync(ALL, lose_manifest=True)
    found = settled(warehouse, world, table)
    assert found["11-05"] == ("incomplete", "no complete reading of the day has been reported")


def test_a_withdrawn_row_is_gone(warehouse, table):
    world = World(table)
    three_costs(world)
    world.sync(ALL)
    world.withdraw("c2")
    world.sync(ALL)
    assert settled(warehouse, world, table)["11-05"] == PROVEN
    assert current(warehouse, world) == world.truth()
    reconciled(warehouse)
    removed = warehouse.all("select * from removed_rows")
    assert [(row["record_id"], str(row["billed_cost"])[:4]) for row in removed] == [("c2", "2.10")]
    assert removed[0]["last_seen_at"] < removed[0]["found_missing_at"]


def test_the_last_row_of_a_day_may_be_withdrawn(warehouse, table):
    world = World(table)
    world.put(cost("only", "11-05", "1"))
    world.sync(ALL)
    world.withdraw("only")
    world.sync(ALL)
    assert settled(warehouse, world, table)["11-05"] == PROVEN
    assert current(warehouse, world) == {}


def test_a_row_issued_anew_under_another_id_counts_once(warehouse, table):
    world = World(table)
    three_costs(world)
    world.sync(ALL)
    world.withdraw("c3")
    world.put(cost("c3-final", "11-05", "3.15", x_CostStatus="final", InvoiceId="INV-1"))
    world.sync(("11-05", "11-11"))
    assert settled(warehouse, world, table)["11-05"] == PROVEN
    assert current(warehouse, world) == world.truth()


def test_the_day_in_progress_issued_anew_three_times(warehouse, table):
    world = World(table, lag=timedelta(hours=2))
    for version in (1, 2, 3):
        world.put(cost(f"today-{version}", "11-10", f"{version}"))
        world.sync(("11-08", "11-11"))
        found = settled(warehouse, world, table)
        assert found["11-10"] == ("incomplete", "no reading covers the whole day")
        assert current(warehouse, world) == world.truth()
        world.withdraw(f"today-{version}")
    world.put(cost("final", "11-10", "4"))
    world.now = at("11-11 12:00")
    world.sync(("11-08", "11-12"))
    assert settled(warehouse, world, table)["11-10"] == PROVEN
    assert current(warehouse, world) == world.truth()


def test_a_row_moved_to_another_day_counts_once(warehouse, table):
    world = World(table)
    three_costs(world)
    world.sync(ALL)
    world.put(cost("c1", "11-07", "1.10"))
    world.sync(ALL)
    assert settled(warehouse, world, table)["11-05"] == PROVEN
    assert current(warehouse, world) == world.truth()


def test_a_row_moved_to_a_day_that_is_read_again_alone(warehouse, table):
    world = World(table)
    three_costs(world)
    world.sync(ALL)
    world.put(cost("c1", "11-07", "1.10"))
    world.sync(("11-07", "11-11"))
    found = settled(warehouse, world, table)
    assert found["11-07"] == PROVEN
    assert found["11-05"][0] == "unproven"
    assert current(warehouse, world) == world.truth()


def test_updated_at_going_backward(warehouse, table):
    world = World(table)
    world.put(cost("c", "11-05", "10"), updated="11-09")
    world.sync(ALL)
    world.put(cost("c", "11-05", "12"), updated="11-08")
    world.sync(ALL)
    found = settled(warehouse, world, table)
    assert found["11-05"] == PROVEN
    assert current(warehouse, world) == world.truth()
    if not table.dedup:
        [change] = warehouse.all("select * from restatements")
        assert change["went_back"] and change["billed_cost_change"] == 2


def test_updated_at_standing_still(warehouse, table):
    world = World(table)
    world.put(cost("c", "11-05", "10"), updated="11-09")
    world.sync(ALL)
    world.put(cost("c", "11-05", "12"), updated="11-09")
    world.sync(ALL)
    assert settled(warehouse, world, table)["11-05"] == PROVEN
    assert current(warehouse, world) == world.truth()


def test_a_listing_that_moved_proves_no_absence(warehouse, table):
    world = World(table)
    three_costs(world)
    world.sync(ALL)
    skipped = world.shown.pop("c2")  # the listing moved, so an offset cursor skips this row
    world.sync(ALL, moved=True)
    world.shown["c2"] = skipped
    found = settled(warehouse, world, table)
    assert found["11-05"] == ("unproven", "the listing moved while it was read")
    assert current(warehouse, world) == world.truth()
    world.sync(ALL)
    assert settled(warehouse, world, table)["11-05"] == PROVEN


def test_a_manifest_without_its_rows(warehouse, table):
    world = World(table)
    three_costs(world)
    world.sync(ALL)
    world.put(cost("c1", "11-05", "1.20"))
    world.put(cost("late", "11-05", "5"))
    world.sync(ALL, lose_rows=lambda record: record["x_RecordId"] in ("c1", "late"))
    found = settled(warehouse, world, table)
    assert found["11-05"] == ("unproven", "rows of the reading are missing")
    assert found["11-06"] == PROVEN
    assert set(current(warehouse, world)) == {"c1", "c2", "c3", "other"}
    world.sync(ALL)  # the connector does not know that the destination lost these rows
    assert settled(warehouse, world, table)["11-05"][0] == "unproven"
    world.clear()
    world.sync(ALL)
    assert settled(warehouse, world, table)["11-05"] == PROVEN
    assert current(warehouse, world) == world.truth()


def test_a_manifest_without_any_row_empties_no_day(warehouse, table):
    world = World(table)
    three_costs(world)
    world.sync(ALL)
    world.put(cost("c1", "11-05", "1.20"))
    world.sync(ALL, lose_rows=lambda _: True)
    assert settled(warehouse, world, table)["11-05"][0] == "unproven"
    assert set(current(warehouse, world)) == set(world.truth())


def test_rows_without_their_manifest(warehouse, table):
    world = World(table)
    three_costs(world)
    world.sync(ALL)
    world.put(cost("c1", "11-05", "1.20"))
    world.sync(ALL, lose_manifest=True)
    found = settled(warehouse, world, table)
    assert found["11-05"][0] == "unproven"
    assert current(warehouse, world) == world.truth()
    assert found["11-06"] == PROVEN  # no row of this day was written again
    world.withdraw("c1")
    world.sync(ALL)
    # The models do not know the window of the row: the next pass tells that it is not still to be written (P5).
    assert settled(warehouse, world, table)["11-05"][0] == "unproven"
    world.sync(ALL)
    assert settled(warehouse, world, table)["11-05"] == PROVEN
    assert current(warehouse, world) == world.truth()


def test_pages_written_twice_after_a_kill(warehouse, table):
    world = World(table)
    three_costs(world)
    reading, began = world.begin(), world.now
    world.emit(reading, *ALL)
    world.now += timedelta(minutes=1)
    world.finish(reading, began, *ALL, world.emit(reading, *ALL), resumed=True)
    assert settled(warehouse, world, table)["11-05"] == PROVEN
    assert current(warehouse, world) == world.truth()


def test_a_reading_that_reports_twice(warehouse, table):
    world = World(table)
    three_costs(world)
    reading, began = world.begin(), world.now
    records = world.emit(reading, *ALL)
    world.finish(reading, began, *ALL, records)
    world.now += timedelta(minutes=1)
    world.finish(reading, began, *ALL, records, resumed=True)
    assert settled(warehouse, world, table)["11-05"] == PROVEN


@pytest.mark.parametrize("change", ["withdrawn", "restated", "issued anew"])
def test_a_window_restarted_after_an_expired_cursor(warehouse, table, change):
    world = World(table)
    three_costs(world)
    reading, began = world.begin(), world.now
    first = world.listing(*map(at, ALL))
    world.emit(reading, *ALL, records=first[:2])
    world.now += timedelta(minutes=20)
    if change == "restated":
        world.put(cost("c1", "11-05", "1.20"))
    else:
        world.withdraw("c1")
    if change == "issued anew":
        world.put(cost("c1-final", "11-05", "1.20"))
    again = [record for record in world.listing(*map(at, ALL))]
    world.emit(reading, *ALL, records=[record for record in again if record not in first[:2]])
    world.finish(reading, began, *ALL, again, incomplete=["11-05"])
    found = settled(warehouse, world, table)
    assert found["11-06"] == PROVEN
    assert found["11-05"] == ("unproven", "the reading was interrupted: the next sync reads the day again")
    world.sync(ALL)
    assert settled(warehouse, world, table)["11-05"] == PROVEN
    assert current(warehouse, world) == world.truth()


LONG = {
    "subscription": cost("plan", "11-01", "20", end="12-01", ChargeCategory="Purchase"),
    "tax": cost("tax", "11-08", "3.30", end="11-08", ChargeCategory="Tax"),
    "tax at the start of the month": cost("tax", "11-01", "3.30", end="11-01", ChargeCategory="Tax"),
    "credit": cost("credit", "11-02", "-5", end="11-09", ChargeCategory="Credit"),
}


def test_rows_that_lie_in_no_single_day(warehouse, table):
    """A provider shows such a row in one window and then in another one, and withdraws it in the end. Each row of each kind of
    provider is in an account of its own; all accounts are in one database, because a build takes longer than their rows."""
    rows: dict[str, dict] = {}
    worlds: list[World] = []
    for selects, kind in product(["start", "overlap", "containment"], LONG):
        world = World(table, selects=selects, account=f"{kind}, {selects}", now=at("12-02 12:00"))
        three_costs(world, ids=world.account)
        rows[world.account] = {**LONG[kind], "x_RecordId": f"{world.account} long"}
        world.put(rows[world.account])
        worlds.append(world)

    def judged(*windows: tuple[str, str]) -> dict[str, tuple]:
        """After one more sync of each account: the status of the row's day, and whether the account has the provider's rows."""
        for world in worlds:
            world.sync(*windows)
        warehouse.fill(table.tables)
        warehouse.build()
        found = {world.account: never_silently_wrong(warehouse, world) for world in worlds}
        return {
            world.account: (found[world.account][rows[world.account]["ChargePeriodStart"][5:10]], current(warehouse, world) == world.truth())
            for world in worlds
        }

    month = ("11-01", "12-01")
    everywhere = dict.fromkeys(rows, (PROVEN, True))
    assert judged(month) == everywhere
    for windows in [[("11-04", "11-07"), ("11-07", "11-12")], [("11-01", "11-03")], [month]]:
        found = judged(*windows)
        assert [account for account, (_, right) in found.items() if not right] == [], windows
    for world in worlds:
        world.put({**rows[world.account], "BilledCost": "21"})
    judged(("11-01", "11-08"), ("11-08", "11-20"))
    assert judged(month) == everywhere
    for world in worlds:
        world.withdraw(f"{world.account} long")
    found = judged(("11-01", "11-05"), ("11-05", "11-20"))
    assert [account for account, (status, right) in found.items() if not right and status[0] != "unproven"] == []
    assert judged(month) == everywhere


@pytest.mark.parametrize("selects", ["start", "overlap"])
def test_a_long_row_of_a_sync_without_reports_goes(warehouse, table, selects):
    """R10: no report names the window of the row. A later window that has shown it judges the row."""
    world = World(table, selects=selects, now=at("12-02 12:00"))
    three_costs(world)
    world.put(LONG["credit"])
    world.sync(("11-01", "12-01"), lose_manifest=True)
    world.sync(("11-01", "11-05"))
    assert settled(warehouse, world, table)["11-02"] == PROVEN
    world.withdraw("credit")
    world.sync(("11-01", "11-05"))
    world.sync(("11-01", "11-05"))
    assert settled(warehouse, world, table)["11-02"] == PROVEN
    assert current(warehouse, world) == world.truth()


def test_a_long_row_that_another_window_of_the_sync_emitted_stays(warehouse, table):
    """Several windows return the row; in each sync only one of them emits it."""
    world = World(table, selects="overlap", now=at("12-02 12:00"))
    world.put(LONG["subscription"])
    world.sync(("11-08", "11-15"), ("11-01", "11-08"))
    assert current_after(warehouse, world, table) == world.truth()
    world.sync(("11-01", "11-08"), ("11-08", "11-15"))
    assert current_after(warehouse, world, table) == world.truth()


def current_after(warehouse, world, table):
    settled(warehouse, world, table)
    return current(warehouse, world)


def test_the_retention_edge_wipes_nothing(warehouse, table):
    """The provider leaves out rows before the retention floor, without an error."""
    world = World(table, retention_days=9)
    three_costs(world)
    world.sync(ALL)
    assert settled(warehouse, world, table)["11-05"] == PROVEN
    truth = world.truth()
    world.now = at("11-13 18:00")
    for record_id in ("c1", "c2", "c3"):
        world.withdraw(record_id)  # these rows leave retention during the reading
    world.sync(("11-05", "11-14"))
    warehouse.fill(table.tables)
    warehouse.build()
    assert current(warehouse, world) == truth
    assert statuses(warehouse, world)["11-05"] == PROVEN  # the last reading that saw the whole day proves it


def test_a_restatement_at_the_retention_edge(warehouse, table):
    world = World(table, retention_days=9)
    three_costs(world)
    world.sync(ALL)
    world.now = at("11-13 18:00")
    world.put(cost("c1", "11-05", "1.20"))
    world.sync(("11-05", "11-14"))
    assert settled(warehouse, world, table)["11-05"][0] == "unproven"
    assert current(warehouse, world) == world.truth()


def test_available_through_that_goes_back(warehouse, table):
    world = World(table)
    three_costs(world)
    world.sync(ALL)
    world.lag = timedelta(days=6)
    world.put(cost("c1", "11-05", "1.20"))
    world.sync(ALL)
    found = settled(warehouse, world, table)
    assert found["11-05"][0] == "unproven"
    assert current(warehouse, world) == world.truth()


@pytest.mark.alone
@pytest.mark.parametrize("legacy", [False, True])
def test_two_accounts_in_one_table(warehouse, legacy):
    table = Table()
    one, two = World(table, account="one", legacy=legacy), World(table, account="two", legacy=legacy)
    elsewhere = World(table, account="one", base_url="https://other.example.com", legacy=legacy)
    for world in (one, two, elsewhere):
        three_costs(world)  # ids are unique in an account only
        world.sync(ALL)
    two.withdraw("c2")
    one.put(cost("c1", "11-05", "9"))
    for world in (two, one):
        world.sync(ALL)
    for world in (one, two, elsewhere):
        assert settled(warehouse, world, table)["11-05"] == PROVEN
        assert current(warehouse, world) == world.truth()
    one.withdraw("c3")
    one.put(cost("c4", "11-05", "4"))
    one.sync(ALL, lose_manifest=True)
    assert settled(warehouse, two, table)["11-05"] == PROVEN
    assert settled(warehouse, elsewhere, table)["11-05"] == PROVEN
    nobodys = warehouse.all("select day_status from current_costs where base_url is null")
    if legacy:  # rows of 0.1.0 name no chain, and three accounts have these ids
        assert {row["day_status"] for row in nobodys} == {"incomplete"}
    else:
        assert nobodys == [] and statuses(warehouse, one)["11-05"][0] == "unproven"
    for world in (one, two, elsewhere):  # once each account has been read again, no row is without an account
        world.now = max(one.now, two.now, elsewhere.now)
        world.sync(ALL)
    assert settled(warehouse, one, table)["11-05"] == PROVEN
    assert current(warehouse, one) == one.truth()
    assert warehouse.all("select * from current_costs where base_url is null") == []


@pytest.mark.parametrize("cleared", [True, False])
def test_granularity_changed_after_a_clear(warehouse, table, cleared):
    """`cleared`: whether the destination also emptied the table of usage. The reports of old readings stay in both cases."""
    world = World(table, dataset="usage")
    for day in ("11-03", "11-05"):
        for hour in range(24):
            world.put(usage(f"{day}-{hour}", f"{day} {hour:02}:00", "10", hours=1))
    world.sync(ALL)
    assert settled(warehouse, world, table)["11-05"] == PROVEN
    if cleared:
        table.usage.clear()
        assert settled(warehouse, world, table)["11-05"] == ("unproven", "rows of the reading are missing")
    world.shown.clear()
    for day in ("11-03", "11-05"):
        world.put(usage(day, day, "240"))
    world.sync(("11-04", "11-11"), lose_rows=lambda _: True)
    assert settled_of(warehouse, world, table, "11-05")[0] == "unproven"
    world.sync(("11-04", "11-11"))
    found = settled_of(warehouse, world, table, "11-05")
    assert found == PROVEN
    assert current(warehouse, world, "11-05") == world.truth("11-05")
    old = sum(current(warehouse, world, "11-03").values())
    assert old == (0 if cleared else 240)


def settled_of(warehouse, world, table, day):
    """The status of one day. `settled` does not fit: days that no sync reads any more have rows of the old granularity."""
    warehouse.fill(table.tables)
    warehouse.build()
    return statuses(warehouse, world)[day]


def test_hours_of_a_day_in_progress(warehouse, table):
    """Version 0.1.0 read hours like this: a resumed sync went on in the middle of a day."""
    world = World(table, dataset="usage", now=at("11-10 10:30"), legacy=True)
    for hour in range(11):
        world.put(usage(f"h{hour}", f"11-10 {hour:02}:00", "1", hours=1))
    world.sync(("11-09", "11-10 11:00"))
    settled(warehouse, world, table)
    world.withdraw("h3")
    world.now = at("11-10 14:30")
    world.sync(("11-10 11:00", "11-10 15:00"))  # the first hours were read by a reading that was resumed
    found = settled(warehouse, world, table)
    assert found["11-10"][0] == "incomplete"
    assert len(current(warehouse, world)) == 11
    world.sync(("11-09", "11-10 15:00"))
    settled(warehouse, world, table)
    assert current(warehouse, world) == world.truth()
