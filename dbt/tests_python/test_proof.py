"""Proofs that were wrong in earlier versions, and rows that stand: the same in append and in deduplicated tables."""

from copy import deepcopy
from datetime import timedelta

import pytest
from judging import current, reconciled, rows_of, settled, statuses
from world import World, at, cost, iso

ALL = ("11-01", "11-11")
FIRST, SECOND = ("11-01", "11-05"), ("11-05", "11-11")
PROVEN = ("proven", None)
OVERTAKEN = ("unproven", "a row that was found missing on another day may have moved to this one after it was read")
COMING = (
    "unproven",
    "a row that may be from outside the window of a reading is gone, or is still to be written: the next pass of the connector tells",
)
pytestmark = pytest.mark.together


def many(world: World, prefix: str = "r", number: int = 12) -> None:
    for index in range(number):
        world.put(cost(f"{prefix}{index}", "11-05", "100"))


def total(warehouse) -> int:
    [row] = warehouse.all("select sum(billed_cost) as billed from current_costs")
    return row["billed"]


@pytest.mark.parametrize("ids", ["a", "b"])
def test_two_accounts_without_a_label_are_unproven(warehouse, table, ids):
    """Two chains without a record in common are both shown. If they have the same ids, the newer chain is shown, until the chains
    take turns."""
    one, two = World(table), World(table)
    many(one, "a")
    many(two, ids)
    one.sync(ALL)
    assert settled(warehouse, one, table)["11-05"] == PROVEN
    two.now = one.now
    two.sync(ALL)
    if ids == "a":  # as after a clear
        assert settled(warehouse, two, table)["11-05"] == PROVEN
        one.now = two.now
        one.sync(ALL)
    warehouse.fill(table.tables)
    warehouse.build()
    rows = warehouse.all("select * from completeness")
    assert {row["status"] for row in rows} == {"unproven"}
    assert all("set account" in row["why"] for row in rows)
    assert total(warehouse) == (1200 if ids == "a" else 2400)
    assert {row["day_status"] for row in warehouse.all("select * from current_costs")} == {"unproven"}


@pytest.mark.parametrize("withdrawn", [False, True])
def test_a_cleared_stream_takes_over(warehouse, table, withdrawn):
    world = World(table)
    many(world)
    world.sync(ALL)
    if withdrawn:
        world.withdraw("r0")
    world.clear()
    world.sync(ALL)
    assert settled(warehouse, world, table)["11-05"] == PROVEN
    assert current(warehouse, world) == world.truth()


def test_rows_that_a_containing_window_alone_returns(warehouse, table):
    world = World(table, selects="containment", now=World(table).now + timedelta(days=22))
    for index in range(9):
        world.put(cost(f"long{index}", "11-05", "100", end="11-12"))
    many(world, "short", 9)
    world.sync(("11-01", "12-01"))
    assert settled(warehouse, world, table)["11-05"] == PROVEN
    world.sync(("11-01", "11-08"), ("11-08", "11-15"))
    found = settled(warehouse, world, table)
    assert found["11-05"] == ("unproven", "rows longer than a day or from outside a window are not judged yet")
    assert current(warehouse, world) == world.truth()
    world.sync(("11-01", "12-01"))
    assert settled(warehouse, world, table)["11-05"] == PROVEN
    assert current(warehouse, world) == world.truth()


def test_a_row_that_an_older_state_left_behind_its_later_version(warehouse, table):
    """R4: the clock of a sync was ahead. The platform kept its rows, and gave a state back that does not know their ids."""
    world = World(table)
    many(world)
    world.now += timedelta(hours=5)
    world.emit(world.begin(), *ALL)
    world.now -= timedelta(hours=4)
    world.put(cost("r0", "11-05", "999"))
    world.sync(ALL)
    assert settled(warehouse, world, table)["11-05"][0] == "unproven"
    world.now += timedelta(hours=4)
    world.sync(ALL)
    assert settled(warehouse, world, table)["11-05"][0] == "unproven"
    world.clear()
    world.sync(ALL)
    assert settled(warehouse, world, table)["11-05"] == PROVEN
    assert current(warehouse, world) == world.truth()


def test_rows_that_an_older_state_left_in_place_of_a_known_day(warehouse, table):
    """R4: the platform kept rows of a day that was written again, and gave a state back that knows the day as it was before.
    Meanwhile the provider has gone back to this content, so no sync writes the day."""
    world = World(table)
    many(world)
    world.sync(ALL)
    world.put(cost("r0", "11-05", "999"))
    world.emit(world.begin(), *ALL)
    world.shown = dict(world.snapshots[min(world.snapshots)])
    for _ in range(2):
        world.sync(ALL)
        assert settled(warehouse, world, table)["11-05"] == ("unproven", "rows of the reading are missing")
    world.clear()
    world.sync(ALL)
    assert settled(warehouse, world, table)["11-05"] == PROVEN
    assert current(warehouse, world) == world.truth()


THREE = ("11-01", "11-06"), ("11-06", "11-08"), ("11-08", "11-11")


def in_an_outage(world: World) -> None:
    shown = dict(world.shown)
    for index in range(3, 12):
        world.withdraw(f"r{index}")
    world.sync(*THREE)
    world.shown = shown


def while_the_listing_moves(world: World) -> None:
    world.put(cost("r0", "11-05", "7"))
    world.sync(*THREE, moved=True)


def before_a_row_moves(world: World) -> None:
    world.sync(*THREE, between=lambda: world.put(cost("moves", "11-05", "100")))


@pytest.mark.parametrize(
    ("read", "why"),
    [
        (in_an_outage, "the reading showed less than half of the rows: the earlier ones stand until a later reading shows the same"),
        (while_the_listing_moves, "the listing moved while it was read"),
        (before_a_row_moves, "a row that was found missing on another day may have moved to this one after it was read"),
    ],
    ids=["in an outage", "while the listing moves", "before a row moves"],
)
def test_a_report_that_an_older_state_left_decides_until_a_later_reading(warehouse, table, read, why):
    """R4: a report takes the proof from a day. The platform kept the report, and gave a state back that does not name the day as due.
    So the next syncs read other days only."""
    world = World(table)
    many(world)
    world.put(cost("moves", "11-07", "100"))
    world.sync(*THREE)
    assert settled(warehouse, world, table)["11-05"] == PROVEN
    older = deepcopy(world.known)
    read(world)
    world.known = older
    for _ in range(2):
        world.sync(("11-08", "11-11"))
        found = settled(warehouse, world, table)
        assert (found["11-05"], found["11-09"]) == (("unproven", why), PROVEN)
    world.sync(*THREE)
    assert settled(warehouse, world, table)["11-05"] == PROVEN
    assert current(warehouse, world) == world.truth()


@pytest.mark.parametrize("left", [0, 3])
def test_an_outage_that_answers_with_no_data(warehouse, table, left):
    world = World(table)
    many(world)
    world.sync(ALL)
    shown, few = dict(world.shown), dict(list(world.shown.items())[:left])
    world.shown = few
    world.sync(ALL)
    warehouse.fill(table.tables)
    warehouse.build()
    assert statuses(warehouse, world)["11-05"][0] == "unproven"
    assert "less than half" in statuses(warehouse, world)["11-05"][1]
    assert total(warehouse) == 1200
    world.shown = shown
    world.sync(ALL)
    assert settled(warehouse, world, table)["11-05"] == PROVEN
    assert current(warehouse, world) == world.truth()
    world.shown = few
    world.sync(ALL)
    world.sync(ALL)  # two readings agree
    assert settled(warehouse, world, table)["11-05"] == PROVEN
    assert current(warehouse, world) == world.truth()


def test_a_cost_that_moves_into_a_window_that_was_read_before(warehouse, table):
    world = World(table)
    world.put(cost("moves", "11-06", "100"))
    world.put(cost("stays", "11-02", "1"))
    world.sync(FIRST, SECOND)
    assert settled(warehouse, world, table)["11-02"] == PROVEN
    world.sync(FIRST, SECOND, between=lambda: world.put(cost("moves", "11-02", "100")))
    found = settled(warehouse, world, table)
    assert found["11-02"] == OVERTAKEN
    assert found["11-06"] == PROVEN
    world.sync(FIRST, SECOND)
    assert settled(warehouse, world, table)["11-02"] == PROVEN
    assert current(warehouse, world) == world.truth()


@pytest.mark.parametrize("is_reported", [True, False])
def test_a_row_moves_that_only_a_killed_process_has_written(warehouse, table, is_reported):
    """R10: no state knows the row, so only the models see that the day to which the row moved may lack it."""
    world = World(table)
    for name, day in (("moves", "11-06"), ("stays", "11-06"), ("stays too", "11-02")):
        world.put(cost(name, day, "100"))
    world.read(*SECOND, lose_manifest=not is_reported)
    world.known.clear()  # the process died before a STATE
    world.sync(FIRST, SECOND, between=lambda: world.put(cost("moves", "11-02", "100")))
    found = settled(warehouse, world, table)
    assert found["11-02"] == OVERTAKEN
    # The row may be one of another day's window if no report names its reading (P5).
    assert found["11-06"] == (PROVEN if is_reported else COMING)
    world.sync(FIRST, SECOND)
    found = settled(warehouse, world, table)
    assert {found["11-02"], found["11-06"]} == {PROVEN}
    assert current(warehouse, world) == world.truth()


def test_a_restated_row_is_no_replacement_of_one_that_moved(warehouse, table):
    """R10: a deduplicated table keeps only the new version of a restated row, which then looks like a new row with the same labels."""
    world = World(table)
    for name in ("moves", "changes"):
        world.put(cost(name, "11-06", "100"))
    world.put(cost("stays", "11-02", "1"))
    world.sync(FIRST, SECOND)

    def move() -> None:
        world.put(cost("moves", "11-02", "100"))
        world.put(cost("changes", "11-06", "120"))

    world.sync(FIRST, SECOND, between=move)
    found = settled(warehouse, world, table)
    assert found["11-02"] == OVERTAKEN
    assert found["11-06"] == PROVEN
    world.sync(FIRST, SECOND)
    assert settled(warehouse, world, table)["11-02"] == PROVEN
    assert current(warehouse, world) == world.truth()


def test_only_an_append_table_tells_that_a_restated_row_is_no_replacement_if_the_day_has_as_many_rows_as_before(warehouse, table):
    """README: a proof may differ between the two kinds of tables, until the next reading."""
    world = World(table)
    for name in ("goes", "changes"):
        world.put(cost(name, "11-06", "100"))
    world.put(cost("stays", "11-02", "1"))
    world.sync(FIRST, SECOND)
    world.withdraw("goes")
    world.put(cost("changes", "11-06", "120"))
    world.put(cost("comes", "11-06", "7", x_ModelId="another"))
    world.sync(FIRST, SECOND)
    found = settled(warehouse, world, table)
    assert (found["11-02"], found["11-06"]) == (PROVEN if table.dedup else OVERTAKEN, PROVEN)
    assert current(warehouse, world) == world.truth()
    world.sync(FIRST, SECOND)
    assert settled(warehouse, world, table)["11-02"] == PROVEN


def test_a_cost_that_moves_into_a_window_that_another_lane_still_reads(warehouse, table):
    """R10: the reading of the earlier window began before the move, and ends after the row was found missing."""
    world = World(table)
    world.put(cost("moves", "11-06", "100"))
    for day in ("11-02", "11-09"):
        world.put(cost(f"stays on {day}", day, "1"))
    first, second, third = THREE
    world.sync(*THREE)
    world.pass_began = world.now
    reading, began, listed = world.begin(), world.now, world.listing(at(first[0]), at(first[1]))
    world.put(cost("moves", "11-02", "100"))
    world.read(*second)
    world.read(*third)
    world.finish(reading, began, *first, listed, written=[])
    found = settled(warehouse, world, table)
    assert found["11-02"] == OVERTAKEN
    assert (found["11-06"], found["11-09"]) == (PROVEN, PROVEN)
    world.sync(*THREE)
    assert settled(warehouse, world, table)["11-02"] == PROVEN
    assert current(warehouse, world) == world.truth()


def test_a_cost_that_moves_while_its_old_day_is_still_read(warehouse, table):
    """R10: the reading of the new day began later than that of the old day, and shows the new day as it was before the move."""
    world = World(table)
    world.put(cost("moves", "11-06", "100"))
    for day in ("11-02", "11-06", "11-09"):
        world.put(cost(f"stays on {day}", day, "1"))
    first, second, third = THREE
    world.sync(*THREE)
    world.pass_began = world.now
    reading, began = world.begin(), world.now
    world.read(*first)
    world.put(cost("moves", "11-02", "100"))
    world.now += timedelta(seconds=1)
    listed = world.listing(*map(at, second))
    world.emit(reading, *second)
    world.finish(reading, began, *second, listed, written=[at("11-06")])
    world.read(*third)
    found = settled(warehouse, world, table)
    assert (found["11-02"], found["11-06"], found["11-09"]) == (OVERTAKEN, PROVEN, PROVEN)
    world.sync(*THREE)
    assert settled(warehouse, world, table)["11-02"] == PROVEN
    assert current(warehouse, world) == world.truth()


def fill_days(world: World) -> None:
    """12 costs on 11-06, and one on each other day that is looked at."""
    for index in range(12):
        world.put(cost(f"r{index}", "11-06", "100"))
    for day in ("11-02", "11-03", "11-07", "11-09"):
        world.put(cost(f"stays on {day}", day, "1"))


def most_move(world: World) -> None:
    for index in range(7):
        world.put(cost(f"r{index}", "11-02", "100"))


@pytest.mark.parametrize("is_same_pass", [True, False])
def test_most_costs_of_a_day_move_into_a_window_that_was_read_before(warehouse, table, is_same_pass):
    """R10: a reading that shows less than half of a day is not believed (R8), but the rows that it misses may have moved. So its report
    counts until the earlier days are read, also if a later pass has accepted the smaller day by then."""
    world = World(table)
    fill_days(world)
    world.sync(FIRST, SECOND)
    world.sync(FIRST, SECOND, between=lambda: most_move(world))
    found = settled(warehouse, world, table)
    assert (found["11-02"], found["11-03"]) == (OVERTAKEN, OVERTAKEN)
    assert "less than half" in found["11-06"][1]
    assert (found["11-07"], found["11-09"]) == (PROVEN, PROVEN)
    if not is_same_pass:
        world.sync(SECOND)
        found = settled(warehouse, world, table)
        assert (found["11-02"], found["11-03"], found["11-06"]) == (OVERTAKEN, OVERTAKEN, PROVEN)
    world.read(*FIRST)
    found = settled(warehouse, world, table)
    assert (found["11-02"], found["11-03"]) == (PROVEN, PROVEN)
    assert current(warehouse, world, "11-02") == world.truth("11-02")
    world.sync(FIRST, SECOND)
    assert settled(warehouse, world, table)["11-06"] == PROVEN
    assert current(warehouse, world) == world.truth()


def test_a_day_that_agrees_is_proven_by_a_reading_behind_a_day_that_shows_less_than_half(warehouse, table):
    """R10: the same sync reads the earlier days once more and writes nothing. The smaller day stays in doubt."""
    world = World(table)
    fill_days(world)
    world.sync(FIRST, SECOND)
    world.sync(FIRST, SECOND, between=lambda: most_move(world))
    written = len(table.costs)
    reading, began = world.begin(), world.now
    world.finish(reading, began, *FIRST, world.listing(*map(at, FIRST)), days=[at("11-03")], written=[], whole=False)
    found = settled(warehouse, world, table)
    assert (found["11-02"], found["11-03"], found["11-06"][0]) == (OVERTAKEN, PROVEN, "unproven")
    assert len(table.costs) == written


@pytest.mark.parametrize("is_same_pass", [True, False])
def test_a_day_that_shows_less_than_half_overtakes_only_readings_that_began_before(warehouse, table, is_same_pass):
    """R10: neither the other days of its own reading, nor days that are read afterwards, nor days of earlier passes. A later reading that
    shows all of its costs again proves no other day."""
    world = World(table)
    fill_days(world)
    world.sync(*THREE)
    shown = dict(world.shown)
    first, second, third = THREE
    world.pass_began = world.now
    world.read(*first)
    if not is_same_pass:
        world.now += timedelta(hours=1)
        world.pass_began = world.now
    for index in range(7):
        world.withdraw(f"r{index}")
    reading, began, listed = world.begin(), world.now, world.listing(*map(at, second))
    world.now += timedelta(minutes=1)
    world.finish(reading, began, *second, listed, written=[])
    world.read(*third)
    earlier = OVERTAKEN if is_same_pass else PROVEN
    found = settled(warehouse, world, table)
    assert (found["11-02"], found["11-06"][0], found["11-07"], found["11-09"]) == (earlier, "unproven", PROVEN, PROVEN)
    world.shown = shown
    world.read(*second)
    found = settled(warehouse, world, table)
    assert (found["11-02"], found["11-06"], found["11-07"], found["11-09"]) == (earlier, PROVEN, PROVEN, PROVEN)
    world.sync(*THREE)
    assert settled(warehouse, world, table)["11-02"] == PROVEN
    assert current(warehouse, world) == world.truth()


@pytest.mark.parametrize("is_most", [False, True])
def test_a_cost_that_moves_while_the_clock_of_the_provider_is_put_back(warehouse, table, is_most):
    """R10: the pass goes on in another process. By its instants the day was read after the loss; by the ids of readings (R4) before."""
    world = World(table)
    fill_days(world)
    world.sync(FIRST, SECOND)
    world.pass_began = world.now
    world.read(*FIRST)
    world.put_clock_back(timedelta(hours=1))
    if is_most:
        most_move(world)
    else:
        world.put(cost("r0", "11-02", "100"))
    world.read(*SECOND)
    found = settled(warehouse, world, table)
    assert (found["11-02"], found["11-03"], found["11-07"], found["11-09"]) == (OVERTAKEN, OVERTAKEN, PROVEN, PROVEN)
    world.read(*FIRST)
    assert settled(warehouse, world, table)["11-02"] == PROVEN
    world.sync(FIRST, SECOND)
    assert settled(warehouse, world, table)["11-06"] == PROVEN
    assert current(warehouse, world) == world.truth()


def test_a_day_that_a_later_process_reads_on_a_clock_that_was_put_back_is_proven(warehouse, table):
    """R10: by the instants alone, this reading began before the one that found the loss had ended."""
    world = World(table)
    fill_days(world)
    world.sync(FIRST, SECOND)
    world.pass_began = world.now
    world.withdraw("r0")
    world.read(*SECOND)
    world.put_clock_back(timedelta(hours=1))
    world.read(*FIRST)
    assert settled(warehouse, world, table)["11-02"] == PROVEN
    assert current(warehouse, world) == world.truth()


def test_a_cost_that_goes_after_the_day_that_goes_on_was_read(warehouse, table):
    """R10: the day that goes on is incomplete as before; no reading could prove it."""
    world = World(table, lag=timedelta(hours=2))
    for name, day in (("goes", "11-06"), ("stays", "11-06"), ("today", "11-10")):
        world.put(cost(name, day, "1"))
    world.sync(("11-05", "11-08"), ("11-08", "11-11"))
    world.withdraw("goes")
    world.sync(("11-08", "11-11"), ("11-05", "11-08"))
    found = settled(warehouse, world, table)
    assert found["11-10"] == ("incomplete", "no reading covers the whole day")
    assert found["11-09"][0] == "unproven"


class Posting(World):
    """A provider that shows a cost in the window of the day of its posting."""

    def listing(self, start, end):
        posted = {record_id: at(record.get("x_Posted") or record["ChargePeriodStart"][5:10]) for record_id, record in self.shown.items()}
        return [dict(record) for record_id, record in self.shown.items() if start <= posted[record_id] < end]


def posting(table) -> World:
    world = Posting(table)
    world.put(cost("stays", "11-02", "1"))
    world.put(cost("posted", "11-02", "100", x_Posted="11-06"))
    world.sync(FIRST, SECOND)
    world.sync(FIRST, SECOND)
    return world


def test_a_cost_that_only_another_window_shows_stands_when_its_day_is_read_once_more(warehouse, table):
    """R10: a second reading that writes nothing judges no strays."""
    world = posting(table)
    reading, began = world.begin(), world.now
    listed = world.listing(at(FIRST[0]), at(FIRST[1]))
    world.finish(reading, began, *FIRST, listed, written=[], whole=False)
    assert settled(warehouse, world, table)["11-02"] == PROVEN
    assert current(warehouse, world) == world.truth()


def list_again(world: World) -> None:
    """A second reading, which writes nothing, lists the strays of its window."""
    reading, began = world.begin(), world.now
    window = at(SECOND[0]), at(SECOND[1])
    world.list_strays(reading, began, window, world.listing(*window), moved=False, resumed=False, whole=False)


@pytest.mark.parametrize("is_same_pass", [True, False])
def test_a_cost_that_its_window_lists_again_after_its_day_was_read(warehouse, table, is_same_pass):
    """R10: the second reading of the window brings the row back."""
    world = posting(table)
    world.sync(SECOND)
    if is_same_pass:
        world.read(*FIRST)
    else:
        world.sync(FIRST)
    list_again(world)
    assert settled(warehouse, world, table)["11-02"] == PROVEN
    assert current(warehouse, world) == world.truth()


@pytest.mark.parametrize("later", [0, 20])
def test_a_cost_that_goes_between_the_window_that_shows_it_and_its_own(warehouse, table, later):
    """R10: the pass may go on hours later. Until it reads the other window again, it cannot tell whether the cost is still there."""
    world = posting(table)
    world.sync(SECOND)
    world.withdraw("posted")
    world.now += timedelta(hours=later)
    world.read(*FIRST)
    assert settled(warehouse, world, table)["11-02"] != PROVEN
    world.sync(SECOND, FIRST)
    found = settled(warehouse, world, table)
    assert found["11-02"] == COMING
    assert current(warehouse, world) == world.truth()
    world.sync(SECOND)
    assert settled(warehouse, world, table)["11-02"] == PROVEN
    assert current(warehouse, world) == world.truth()


def test_a_cost_that_goes_before_its_day_is_written_again(warehouse, table):
    """R10: a reading that writes rows judges strays, also if it is the second one of its window."""
    world = posting(table)
    world.sync(SECOND)
    world.withdraw("posted")
    world.put(cost("new", "11-02", "100"))
    world.read(*FIRST, paged=True)
    assert settled(warehouse, world, table)["11-02"] != PROVEN
    assert "posted" not in current(warehouse, world)


def given_up(table) -> World:
    """A charge from outside is withdrawn. A process whose state is lost then reads the charge's window, and dies."""
    world = posting(table)
    world.sync(FIRST, SECOND)
    world.withdraw("posted")
    world.pass_began = world.now
    world.read(*SECOND)
    world.now += timedelta(hours=1)
    return world


NEXT = {
    "without the window": ([(FIRST, {})], COMING),
    "with a part of the window": ([(FIRST, {}), (("11-05", "11-10"), {})], COMING),
    "without the strays of the window": ([(SECOND, {"whole": False})], COMING),
    "with a listing that moves": ([(SECOND, {"moved": True})], COMING),
    "with a listing that moves, twice": ([(SECOND, {"moved": True})] * 2, PROVEN),
    "with a resumed reading": ([(SECOND, {"resumed": True})], COMING),
    "with a window that began again": ([(SECOND, {"incomplete": ["11-06"]})], PROVEN),
    "with the window, of which a second reading writes a day": ([(SECOND, {"paged": True})], PROVEN),
    "with the window": ([(SECOND, {})], PROVEN),
}


@pytest.mark.parametrize("reads", NEXT)
def test_a_pass_that_was_given_up_behind_the_window_of_a_charge_that_is_gone(warehouse, table, reads):
    """P5: the charge may come again, unless passes have ended that have read the window."""
    world = given_up(table)
    windows, verdict = NEXT[reads]
    if "a day" in reads or "again" in reads:
        world.put(cost("new", "11-06", "5"))
    world.tells = lambda: False
    world.pass_began = world.now
    for window, fate in windows:
        world.read(*window, **fate)
    assert settled(warehouse, world, table)["11-02"] == COMING
    world.tells = lambda: True
    world.now += timedelta(hours=1)
    world.sync(FIRST)
    assert settled(warehouse, world, table)["11-02"] == verdict
    world.sync(FIRST, SECOND)
    world.sync(FIRST)
    assert settled(warehouse, world, table)["11-02"] == PROVEN


def test_a_reading_that_lists_strays_only_is_closed_by_readings_of_the_days_of_its_window(warehouse, table):
    """P5: its process dies behind the report that takes a stray for gone. No later pass reads the day behind the window of this reading."""
    window, behind = ("11-05", "11-10"), ("11-10", "11-15")
    world = Posting(table)
    world.put(cost("stays", "11-02", "1"))
    world.put(cost("posted", "11-02", "100", x_Posted="11-06"))
    world.sync(FIRST, window, behind)
    [(writer, _)] = world.strays.values()
    world.withdraw("posted")
    world.pass_began = world.now
    reading = world.begin()
    gone = {"rows_reading_id": writer, "rows": 0, "confirmed": True, "shrunk": False}
    world.report(reading, world.now, (at(window[0]), at(window[1])), at("11-02"), [], gone, inside=False)
    world.strays.clear()
    world.now += timedelta(hours=1)
    world.tells = lambda: False
    world.sync(FIRST)
    assert settled(warehouse, world, table)["11-02"] == COMING
    world.sync(FIRST, window)
    world.tells = lambda: True
    world.sync(FIRST)
    assert settled(warehouse, world, table)["11-02"] == PROVEN


def test_a_charge_that_was_gone_before_the_upgrade(warehouse, table):
    """P5: reports of earlier versions do not tell whether passes have ended."""
    world = posting(table)
    world.tells = lambda: None
    world.sync(FIRST, SECOND)
    world.withdraw("posted")
    world.sync(FIRST, SECOND)
    assert settled(warehouse, world, table)["11-02"] == COMING
    for tells, verdict in ((False, COMING), (True, PROVEN)):
        world.tells = lambda tells=tells: tells
        world.sync(FIRST)
        assert settled(warehouse, world, table)["11-02"] == verdict


@pytest.mark.parametrize("is_withdrawn, again", [(True, [SECOND]), (True, [FIRST]), (True, [FIRST, SECOND]), (False, [SECOND]), (False, [FIRST, SECOND])])
def test_a_cost_from_outside_whose_reading_died_before_its_report(warehouse, table, is_withdrawn, again):
    """P5: the report of another day tells the window of that reading. No state knows the cost, so a later reading judges it."""
    world = Posting(table)
    world.put(cost("stays", "11-02", "1"))
    world.sync(FIRST, SECOND)
    world.put(cost("reported", "11-02", "100", x_Posted="11-06"))
    world.put(cost("unreported", "11-03", "100", x_Posted="11-06"))
    world.sync(SECOND)
    table.export_windows[:] = [row for row in table.export_windows if row["inside_window"] or row["day"].day == 2]
    world.strays.clear()
    if is_withdrawn:
        world.withdraw("unreported")
    world.sync(*again)
    shown = settled(warehouse, world, table)
    assert ("unreported" in current(warehouse, world)) is not is_withdrawn
    # Only the window of the cost can tell whether it is gone, and to which day of the same pass it may have moved.
    if is_withdrawn and FIRST in again:
        assert shown["11-03"][0] == "unproven"
    for _ in range(2):
        world.sync(FIRST, SECOND)
    assert settled(warehouse, world, table)["11-03"] == PROVEN


@pytest.mark.parametrize("fate", ["moved", "resumed"])
def test_a_cost_from_outside_that_an_uncertain_reading_does_not_show(warehouse, table, fate):
    """R10: the connector cannot tell then whether the cost is missing, so it would not read the other days again."""
    world = World(table)
    world.put(cost("early", "10-30", "100"))
    for day in ("11-02", "11-06"):
        world.put(cost(f"stays on {day}", day, "1"))
    first, second, _ = THREE
    early = world.shown["early"]
    world.sync(first, second)
    world.write_strays((at(second[0]), at(second[1])), [early])
    world.withdraw("early")
    world.pass_began = world.now
    world.read(*first)
    world.read(*second, **{fate: True})
    assert settled(warehouse, world, table)["11-02"] == PROVEN
    assert "early" in current(warehouse, world)
    world.sync(first, second)
    assert settled(warehouse, world, table)["11-02"][0] == "unproven"
    assert "early" not in current(warehouse, world)


def test_a_cost_that_a_moving_listing_misses_before_a_later_pass_proves_it(warehouse, table):
    """R10: the later pass fails before it reads the day that is due."""
    world = World(table)
    world.put(cost("moves", "11-09", "100"))
    for day in ("11-02", "11-06", "11-09"):
        world.put(cost(f"stays on {day}", day, "1"))
    first, second, third = THREE
    world.sync(*THREE)
    world.pass_began = world.now
    world.read(*first)
    world.put(cost("moves", "11-02", "100"))
    world.read(*third, moved=True)
    world.read(*second)
    world.now += timedelta(hours=1)
    world.pass_began = world.now
    world.known.pop(at("11-09"))  # the connector forgets a day that has lost rows while its listing moved (R8)
    world.read(*third)
    found = settled(warehouse, world, table)
    assert "moves" not in current(warehouse, world)
    assert found["11-02"] == OVERTAKEN
    assert (found["11-06"], found["11-09"]) == (PROVEN, PROVEN)
    world.sync(*THREE)
    assert settled(warehouse, world, table)["11-02"] == PROVEN
    assert current(warehouse, world) == world.truth()


def test_a_cost_that_moves_while_another_one_takes_its_place(warehouse, table):
    """R10: the number of rows of the old day stays, so the connector does not read the earlier day again at once."""
    world = World(table)
    world.put(cost("moves", "11-06", "100"))
    world.put(cost("stays", "11-02", "1"))
    world.sync(FIRST, SECOND)

    def move() -> None:
        world.put(cost("moves", "11-02", "100"))
        world.put(cost("new", "11-06", "7", x_ModelId="other"))

    world.sync(FIRST, SECOND, between=move)
    assert settled(warehouse, world, table)["11-02"][0] == "unproven"
    world.sync(FIRST, SECOND)
    assert settled(warehouse, world, table)["11-02"] == PROVEN
    assert current(warehouse, world) == world.truth()


def test_a_cost_that_moves_away_from_a_day_that_is_not_read(warehouse, table):
    """R10: the sum is right, and the old day is proven again once it is read."""
    world = World(table)
    for name in ("moves", "stays"):
        world.put(cost(name, "11-02", "100"))
    world.sync(FIRST, SECOND)
    world.put(cost("moves", "11-06", "100"))
    world.sync(SECOND)
    assert settled(warehouse, world, table)["11-02"][0] == "unproven"
    assert current(warehouse, world) == world.truth()
    world.sync(FIRST, SECOND)
    assert settled(warehouse, world, table)["11-02"] == PROVEN
    assert current(warehouse, world) == world.truth()


def test_a_long_cost_that_is_restated_between_its_day_and_a_later_window(warehouse, table):
    """R10: the later window returns the new version as a stray, which takes the place of the day's row."""
    world = World(table, selects="overlap")
    world.put(cost("long", "11-04", "100", end="11-07"))
    world.put(cost("stays", "11-04", "1"))
    world.sync(FIRST, SECOND, between=lambda: world.put(cost("long", "11-04", "200", end="11-07")))
    assert settled(warehouse, world, table)["11-04"][0] == "unproven"
    assert current(warehouse, world) == world.truth()
    world.sync(FIRST, SECOND)
    assert settled(warehouse, world, table)["11-04"] == PROVEN
    assert current(warehouse, world) == world.truth()


def test_a_row_that_was_issued_anew_has_not_moved(warehouse, table):
    world = World(table)
    world.put(cost("old", "11-06", "100"))
    world.put(cost("stays", "11-02", "1"))
    world.sync(FIRST, SECOND)
    world.withdraw("old")
    world.put(cost("new", "11-06", "101", x_CostStatus="final"))
    world.sync(FIRST, SECOND)
    found = settled(warehouse, world, table)
    assert (found["11-02"], found["11-06"]) == (PROVEN, PROVEN)


def test_an_amount_that_came_as_a_number_leaves_no_totals(warehouse, table):
    world = World(table)
    many(world)
    world.sync(ALL, numbers=True)
    found = settled(warehouse, world, table)
    assert found["11-05"] == ("unproven", "the reading has no control totals: an amount is no exact decimal")
    assert total(warehouse) == 1200


def test_rows_that_do_not_add_up_to_their_totals(warehouse, table):
    world = World(table)
    many(world)
    world.sync(ALL)
    table.costs[3] = {**table.costs[3], "BilledCost": "100.000000000000000001"}
    warehouse.fill(table.tables)
    warehouse.build()
    assert statuses(warehouse, world)["11-05"][1] == "the rows do not add up to the control totals of the reading"
    [row] = warehouse.all("select * from reconciliation where not is_reconciled")
    assert (row["measure"], row["is_proven"]) == ("billed", False)


def test_a_proof_grows_old(warehouse, table):
    world = World(table)
    world.put(cost("old", "11-02", "1"))
    world.sync(FIRST, SECOND)
    world.now += timedelta(days=40)
    world.sync(SECOND)
    settled(warehouse, world, table)
    rows = {f"{row['day']:%m-%d}": row for row in rows_of(warehouse, world, "ai_billing__completeness_costs")}
    assert (rows["11-02"]["status"], rows["11-02"]["is_stale"], rows["11-02"]["proof_age_days"]) == ("proven", True, 40)
    assert (rows["11-05"]["is_stale"], rows["11-05"]["proof_age_days"]) == (False, 0)
    assert iso(rows["11-02"]["read_at"]) < iso(rows["11-05"]["read_at"])


def test_two_readings_of_a_moving_listing_that_agree(warehouse, table):
    world = World(table)
    many(world)
    world.sync(ALL, moved=True)
    assert settled(warehouse, world, table)["11-05"] == ("unproven", "the listing moved while it was read")
    written = len(table.costs)
    world.sync(ALL, moved=True)
    assert settled(warehouse, world, table)["11-05"] == PROVEN
    assert len(table.costs) == written
    reconciled(warehouse)


@pytest.mark.parametrize("paged", [False, True])
def test_only_days_that_changed_are_written(warehouse, table, paged):
    world = World(table)
    many(world)
    world.put(cost("other", "11-06", "1"))
    world.sync(ALL)
    written = len(table.costs)
    world.sync(ALL, paged=paged)
    assert len(table.costs) == written
    world.put(cost("other", "11-06", "2"))
    world.sync(ALL, paged=paged)
    assert len(table.costs) == written + 1
    found = settled(warehouse, world, table)
    assert (found["11-05"], found["11-06"]) == (PROVEN, PROVEN)
    assert current(warehouse, world) == world.truth()


def test_a_sync_that_is_cut_short_while_it_writes_a_day_anew(warehouse, table):
    world = World(table)
    many(world)
    world.sync(ALL)
    for index in range(12):
        world.put(cost(f"r{index}", "11-05", "101"))
    world.emit(world.begin(), *ALL, records=world.listing(*(day for day in [min(world.known), max(world.known)]))[:5])
    world.known.clear()
    found = settled(warehouse, world, table)
    assert found["11-05"] == ("unproven", "rows of the reading are missing")
    assert total(warehouse) == 1205
    world.sync(ALL)
    assert settled(warehouse, world, table)["11-05"] == PROVEN
    assert current(warehouse, world) == world.truth()


def test_tables_of_version_0_1_0_and_the_sync_after_the_upgrade(warehouse, table):
    world = World(table, legacy=True)
    many(world)
    world.put(cost("plan", "11-01", "20", end="12-01"))
    world.sync(ALL)
    world.withdraw("r0")
    world.put(cost("r1", "11-05", "7"))
    world.sync(ALL)
    assert settled(warehouse, world, table)["11-05"] == PROVEN
    assert current(warehouse, world) == world.truth()
    world.legacy = False
    world.withdraw("r2")
    world.sync(SECOND)
    found = settled(warehouse, world, table)
    assert (found["11-02"], found["11-05"]) == (PROVEN, PROVEN)
    assert current(warehouse, world) == world.truth()
    world.sync(ALL)
    assert settled(warehouse, world, table)["11-01"] == PROVEN
    assert current(warehouse, world) == world.truth()


def test_a_removed_row_says_when_it_was_first_missing_and_what_replaced_it(warehouse, table):
    world = World(table)
    labels = {"x_ModelId": "m", "x_ProjectId": "p", "x_WorkspaceId": "w", "x_ApiKeyId": "k", "InvoiceId": "INV-1"}
    for record_id in ("reissued", "gone", "stays"):
        world.put(cost(record_id, "11-05", "1.5", **{**labels, "x_ModelId": record_id}))
    world.sync(ALL)
    world.withdraw("gone")
    world.withdraw("reissued")
    world.put(cost("reissued-final", "11-05", "1.6", **{**labels, "x_ModelId": "reissued"}))
    first = world.now
    world.sync(ALL)
    for amount in ("2", "3"):
        world.put(cost("stays", "11-05", amount, **{**labels, "x_ModelId": "stays"}))
        world.sync(ALL)
    settled(warehouse, world, table)
    rows = {row["record_id"]: row for row in warehouse.all("select * from removed_rows")}
    assert set(rows) == {"reissued", "gone"}
    assert all(first < row["found_missing_at"].replace(tzinfo=first.tzinfo) < first + timedelta(minutes=1) for row in rows.values())
    assert rows["reissued"]["replaced_by_record_id"] == "reissued-final"
    assert rows["gone"]["replaced_by_record_id"] is None
    gone = rows["gone"]
    assert [gone[name] for name in ("model_id", "project_id", "workspace_id", "api_key_id", "invoice_id")] == ["gone", "p", "w", "k", "INV-1"]
    if not table.dedup:
        change = warehouse.all("select * from restatements order by seen_at")[0]
        assert (change["model_id"], change["project_id"], change["invoice_id"]) == ("stays", "p", "INV-1")
