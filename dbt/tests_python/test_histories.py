"""Random histories: whatever the provider, the connector and the destination do, no proven day is wrong."""

import random
from decimal import Decimal

import pytest
from judging import never_silently_wrong, reconciled, rows_of
from world import Table, World, cost

DAYS = [f"11-{day:02}" for day in range(1, 11)]


def change(world: World, chance: random.Random, owner: str | None = None) -> None:
    """Withdraws, moves or puts one of eight records. Those of an `owner` have ids of their own."""
    record_id = f"{owner or ''}r{chance.randrange(8)}"
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
        assert set(truth.items()) <= set(shown.items()), f"{world.account}: {day} lacks a row"
        assert set(shown.items()) <= known, f"{world.account}: {day} shows a row that was gone"
    return len(proven)


def on(day: str, snapshot: dict[str, dict]) -> dict[str, Decimal]:
    return {
        key: Decimal(record["BilledCost"])
        for key, record in snapshot.items()
        if record["ChargePeriodStart"].startswith(day)
    }


class History:
    """A provider with an account of its own in a table that many histories share, because a build takes longer than its rows."""

    def __init__(self, table: Table, seed: int, account: str | None):
        self.chance = random.Random(seed)
        self.world = World(table, account=account, selects=self.chance.choice(["start", "overlap"]))
        self.proven = 0

    def step(self) -> None:
        chance = self.chance
        for _ in range(chance.randrange(5)):
            change(self.world, chance, self.world.account)
        fate = chance.random()
        whole = [("11-01", "11-11")] if chance.random() < 0.3 else windows(chance)
        if fate < 0.1:
            self.world.sync(*whole, lose_manifest=True)
        elif fate < 0.2:
            self.world.sync(*whole, lose_rows=lambda _: chance.random() < 0.3)
        elif fate < 0.3:
            self.world.sync(*whole, moved=True)
        else:
            self.world.sync(*whole)


# A history whose account has no label has a database of its own: rows without a known account would belong to it, too.
ALONE, APPENDED, DEDUPLICATED = [0], [seed for seed in range(1, 24) if seed % 3 != 2], [seed for seed in range(24) if seed % 3 == 2]


@pytest.mark.parametrize("seeds", [ALONE, APPENDED, DEDUPLICATED], ids=["alone", "append", "dedup"])
def test_no_history_is_silently_wrong(warehouse, seeds):
    table = Table(dedup=seeds == DEDUPLICATED)
    histories = [History(table, seed, None if seeds == ALONE else f"seed {seed}") for seed in seeds]
    for _ in range(8):
        for history in histories:
            history.step()
        warehouse.fill(table.tables)
        warehouse.build()
        for history in histories:
            history.proven += as_the_deciding_reading_saw_it(warehouse, history.world)
    assert all(history.proven > 0 for history in histories)
    for history in histories:
        history.world.sync(("11-01", "11-11"))
    warehouse.fill(table.tables)
    warehouse.build()
    for history in histories:
        never_silently_wrong(warehouse, history.world)
    reconciled(warehouse)
