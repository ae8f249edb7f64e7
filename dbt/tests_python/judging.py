"""Each scenario ends with this check: a proven day has the rows that the provider shows, to the last digit."""

from decimal import Decimal

from warehouses import Warehouse
from world import World

AMOUNT = {"costs": "billed_cost", "usage": "consumed_quantity"}


def rows_of(warehouse: Warehouse, world: World, view: str, order: str = "day") -> list[dict]:
    """The rows of a world's account. If the account has no label, rows without any known account belong to it too."""
    places = [world.address] + ([(None, None)] if world.account is None else [])
    rows = warehouse.all(f"select * from {view} order by {order}")
    return [row for row in rows if (row["base_url"], row["account"]) in places]


def current(warehouse: Warehouse, world: World, day: str | None = None) -> dict[str, Decimal]:
    rows = rows_of(warehouse, world, f"current_{world.dataset}")
    ids = [row["record_id"] for row in rows]
    assert len(ids) == len(set(ids)), "a record counts twice"
    return {
        row["record_id"]: row[AMOUNT[world.dataset]] for row in rows if day is None or f"{row['day']:%m-%d}" == day
    }


def statuses(warehouse: Warehouse, world: World) -> dict[str, tuple[str, str | None]]:
    rows = rows_of(warehouse, world, f"ai_billing__completeness_{world.dataset}")
    return {f"{row['day']:%m-%d}": (row["status"], row["why"]) for row in rows}


def never_silently_wrong(warehouse: Warehouse, world: World) -> dict[str, tuple[str, str | None]]:
    found = statuses(warehouse, world)
    shown: dict[str, dict] = {day: {} for day in found}
    for row in rows_of(warehouse, world, f"current_{world.dataset}"):
        day, record_id = f"{row['day']:%m-%d}", row["record_id"]
        assert record_id not in shown[day], f"{record_id} counts twice"
        assert row["day_status"] == found[day][0]
        shown[day][record_id] = row[AMOUNT[world.dataset]]
    for day, (status, why) in found.items():
        if status == "proven":
            assert shown[day] == world.truth(day), f"{day} is called proven and is wrong"
        assert (why is None) == (status == "proven")
    for day in {record["ChargePeriodStart"][5:10] for record in world.shown.values()}:
        assert day in found, f"{day} is not spoken of"
    return found


def settled(warehouse: Warehouse, world: World, table) -> dict[str, tuple[str, str | None]]:
    warehouse.fill(table.tables)
    warehouse.build()
    return never_silently_wrong(warehouse, world)


def reconciled(warehouse: Warehouse) -> None:
    rows = warehouse.all("select * from reconciliation where is_proven")
    assert all(row["difference"] == 0 and row["is_reconciled"] for row in rows)
