"""Random histories: whatever the provider, the connector and the destination do, no proven day is wrong."""

import random
from decimal import Decimal

import pytest
from judging import reconciled, rows_of, settled
from world import Table, World, cost

DAYS = [f"11-{day:02}" for day in range(1, 11)]


def change(world: World, chance: random.Random) -> None:
    record_id = f"r{chance.randrange(8)}"
    if record_id in world.shown and chance.random() < 0.4:
        world.withdraw(record_id)
        if chance.random() < 0.5:
            world.put(cost(f"{record_id}-{chance.randrange(99)}", chance.choice(DAYS), f"{chance.randrange(100)}.5"))
        return
    day = chance.choice(DAYS)
    long = chance.random() < 0.25
    end = chance.choice([day, "11-30", "11-11"]) if long else None
    updated = chance.choice([None, "11-05", "11-06"])
    world.put(cost(record_id, day, f"{chance.randrange(100)}.25", end=end), updated=updated)


def windows(chance: random.Random) -> list[tuple[str, str]]:
    first = chance.randrange(9)
    cuts = sorted(chance.sample(range(first + 1, 10), k=min(chance.randrange(3), 9 - first)))
    edges = [*(DAYS[day] for day in [first, *cuts]), "11-11"]
    return list(zip(edges, edges[1:]))


def as_the_deciding_reading_saw_it(warehouse, world: World) -> int:
    """Checks that every proven day has the rows that the provider showed to the reading that proves it. Rows that are longer
    than a day may be those of a later reading. Returns the number of proven days."""
    current = rows_of(warehouse, world, "current_costs")
    proven = [row for row in rows_of(warehouse, world, "ai_billing__completeness_costs") if row["status"] == "proven"]
    for row in proven:
        day = row["day"].isoformat()
        shown = {each["record_id"]: each["billed_cost"] for each in current if each["day"] == row["day"]}
        later = [snapshot for reading, snapshot in world.snapshots.items() if reading >= row["reading_id"]]
        truth = on(day, later[0])
        known = {(key, value) for snapshot in later for key, value in on(day, snapshot).items()}
        assert set(truth.items()) <= set(shown.items()), f"{day} lacks a row"
        assert set(shown.items()) <= known, f"{day} shows a row that was gone"
    return len(proven)


def on(day: str, snapshot: dict[str, dict]) -> dict[str, Decimal]:
    return {
        key: Decimal(record["BilledCost"])
        for key, record in snapshot.items()
        if record["ChargePeriodStart"].startswith(day)
    }


@pytest.mark.parametrize("seed", range(24))
def test_no_history_is_silently_wrong(warehouse, seed):
    chance = random.Random(seed)
    world = World(Table(dedup=seed % 3 == 2), selects=chance.choice(["start", "overlap"]))
    proven = 0
    for _ in range(8):
        for _ in range(chance.randrange(5)):
            change(world, chance)
        fate = chance.random()
        whole = [("11-01", "11-11")] if chance.random() < 0.3 else windows(chance)
        if fate < 0.1:
            world.sync(*whole, lose_manifest=True)
        elif fate < 0.2:
            world.sync(*whole, lose_rows=lambda _: chance.random() < 0.3)
        elif fate < 0.3:
            world.sync(*whole, moved=True)
        else:
            world.sync(*whole)
        warehouse.fill(world.table.tables)
        warehouse.build()
        proven += as_the_deciding_reading_saw_it(warehouse, world)
    assert proven > 0
    world.sync(("11-01", "11-11"))
    settled(warehouse, world, world.table)
    reconciled(warehouse)
