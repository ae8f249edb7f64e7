"""Random histories: after every build the incremental steps have the rows of a full build, whatever happened in between."""

import os
import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta

import pytest
from dbt_project import Project
from test_dbt import multiset
from test_histories import DAYS, change, windows
from warehouses import DuckDB, Postgres
from world import Table, World, at, cost, usage

# A history takes longer than most files of tests. Each of the four is played on one database; if SEEDS is `all`, on both. Each
# database has an appended table and a deduplicated one (the even and the odd seeds).
ONCE = [("duckdb", 0), ("postgres", 1), ("postgres", 2), ("duckdb", 3)]
PLAYED = [(kind, seed) for kind in ("duckdb", "postgres") for seed in range(4)] if os.environ.get("SEEDS") == "all" else ONCE
INCREMENTAL = [f"ai_billing__{step}_{dataset}" for step in ("rows", "placed", "judged") for dataset in ("usage", "costs")]
LAST = [f"+ai_billing__judged_{dataset}" for dataset in ("usage", "costs")]


@dataclass
class Destination(Table):
    """Rows and reports wait here, and arrive in the order in which they were written: some before each build."""

    waiting: list[tuple[str, dict]] = field(default_factory=list)

    def append(self, dataset: str, row: dict) -> None:
        self.waiting.append((dataset, row))

    def receive(self, number: int) -> None:
        for dataset, row in self.waiting[:number]:
            super().append(dataset, row)
        del self.waiting[:number]


class Incremental:
    """The package on one database, and the same raw tables on another one, where each build makes all rows again."""

    def __init__(self, project: Project):
        self.project, self.warehouse = project, project.database()
        self.whole = DuckDB() if project.kind == "duckdb" else Postgres(project.port, "whole")
        self.whole.create_raw()

    def fill(self, tables: dict[str, list[dict]]) -> None:
        for each in (self.warehouse, self.whole):
            each.fill(tables)

    def run(self, *words: str) -> None:
        self.warehouse = self.project.run(self.warehouse, "run", "--no-write-json", *words)

    def rows(self, names: Iterable[str]) -> dict[str, list[str]]:
        return {name: multiset(self.warehouse, name) for name in names}

    def close(self) -> None:
        self.warehouse.close()
        self.whole.close()


@pytest.fixture
def project(request, tmp_path):
    port = request.getfixturevalue("postgres").port if request.param == "postgres" else 0
    made = Incremental(Project(request.param, tmp_path, port=port))
    yield made
    made.close()


def accounts(destination: Destination, chance: random.Random) -> list[World]:
    """One or three addresses, each with usage and costs. An address has one account, two with labels, or two without a label,
    which share a table by mistake."""
    worlds = []
    for number in range(chance.choice([1, 3])):
        labels = chance.choice([[None], ["a", "b"], [None, None], [None, "a"]])
        selects = chance.choice(["start", "overlap"])
        address = f"https://{number}.example.com"
        worlds += [World(destination, account=label, base_url=address, selects=selects) for label in labels]
        worlds[-1].legacy = chance.random() < 0.2
        worlds.append(World(destination, dataset="usage", account=labels[-1], base_url=address))
    for world in worlds:
        for _ in range(12):
            provide(world, chance)
        world.sync(("11-01", "11-11"))
    return worlds


def provide(world: World, chance: random.Random) -> None:
    if world.dataset == "costs":
        change(world, chance)
    else:
        day = chance.choice(DAYS)
        world.put(usage(f"u{chance.randrange(8)}", day, f"{chance.randrange(100)}.5"))


def sync(world: World, chance: random.Random) -> None:
    for _ in range(chance.randrange(5)):
        provide(world, chance)
    if world.shown and chance.random() < 0.5:
        world.withdraw(chance.choice(sorted(world.shown)))
    if chance.random() < 0.07:
        world.clear()
    fate = chance.choice([{}, {}, {}, {"moved": True}, {"lose_manifest": True}, {"lose_rows": lambda _: chance.random() < 0.3}])
    world.sync(*([("11-01", "11-11")] if chance.random() < 0.3 else windows(chance)), **fate)


# Events at the destination.


def lose_rows(destination: Destination, chance: random.Random) -> None:
    destination.costs = [row for row in destination.costs if chance.random() < 0.8]


def lose_a_reading(destination: Destination, chance: random.Random) -> None:
    readings = sorted({row["x_ReadingId"] for row in destination.costs})
    if readings:
        lost = chance.choice(readings)
        destination.costs = [row for row in destination.costs if row["x_ReadingId"] != lost]


def lose_reports(destination: Destination, chance: random.Random) -> None:
    """A user deletes the reports of an old chain."""
    chains = sorted({row.get("chain", "") for row in destination.export_windows})
    if chains:
        lost = chance.choice(chains)
        destination.export_windows = [row for row in destination.export_windows if row.get("chain", "") != lost]


def lose_a_record(destination: Destination, _: random.Random) -> None:
    """The newest record loses its rows of all readings."""
    lost = [row["x_RecordId"] for row in destination.costs if row["x_RecordId"] is not None][-1:]
    destination.costs = [row for row in destination.costs if row["x_RecordId"] not in lost]


def emit_again(destination: Destination, chance: random.Random) -> None:
    """After a kill the connector emits a page once more."""
    for row in destination.costs[:]:
        if chance.random() < 0.2:
            later = row["_airbyte_extracted_at"] + timedelta(minutes=1)
            destination.costs.append({**row, "_airbyte_extracted_at": later})


def prune(destination: Destination, _: random.Random) -> None:
    destination.costs = Table(True, [], destination.costs).tables["costs"]


def clear(destination: Destination, _: random.Random) -> None:
    destination.usage, destination.costs, destination.export_windows = [], [], []


def change_mode(destination: Destination, _: random.Random) -> None:
    destination.dedup = not destination.dedup


def strange_rows(destination: Destination, chance: random.Random) -> None:
    """Rows with an unknown reading id, without a record id, or with values that cannot be cast."""
    row = cost(f"r{chance.randrange(8)}", chance.choice(DAYS), "7")
    stamps = {"x_RecordUpdatedAt": "2025-11-05T00:00:00Z", "_airbyte_extracted_at": at("11-10 12:00")}
    for number, more in enumerate([{}, {"x_RecordId": None}, {"BilledCost": "1e3"}, {"ChargePeriodStart": None}]):
        reading = chance.choice(["", "r", f"00000000{number}zzzzz", *(old["x_ReadingId"] for old in destination.costs[-1:])])
        destination.costs.append({**row, **stamps, "x_ReadingId": reading, **more})


def edit_rows(destination: Destination, chance: random.Random) -> None:
    """A user edits amounts: neither the number of rows nor their instants change."""
    destination.costs = [{**row, "BilledCost": "3.25"} if chance.random() < 0.2 else row for row in destination.costs]


OFTEN = [lose_rows, lose_a_reading, lose_reports, emit_again, prune, change_mode, strange_rows, edit_rows]
EVENTS = [*OFTEN, *OFTEN, clear]
# Each history has these events at a build, so that few histories are enough. All other events are drawn.
ALWAYS = {1: [lose_rows], 2: [lose_a_record], 4: [edit_rows]}


def as_other_code_left_them(warehouse) -> None:
    """Marks rows of the incremental steps as if an older version of the package, or other variables, had made them."""
    for name in INCREMENTAL:
        warehouse.run(f"update {name} set code_hash = 'other', day = null where record_id < 'r4'")


def without_hashes(warehouse, name: str) -> list[str]:
    """The rows of a model without the hashes that only an incremental build needs."""
    columns = ", ".join(f'"{column}"' for column in warehouse.columns(name) if column not in ("code_hash", "reading_hash"))
    return multiset(warehouse, f"(select {columns} from {name}) as rows_")


@pytest.mark.parametrize(("project", "seed"), PLAYED, indirect=["project"])
def test_an_incremental_build_is_a_full_build(project, seed):
    chance = random.Random(seed)
    destination = Destination(dedup=chance.random() < 0.3)
    worlds = accounts(destination, chance)
    for build in range(6):
        for _ in range(chance.randrange(2 * len(worlds))):
            sync(chance.choice(worlds), chance)
        arrived = len(destination.waiting)
        destination.receive(arrived if chance.random() < 0.7 else chance.randrange(arrived + 1))
        for event in [*ALWAYS.get(build, []), *chance.sample(EVENTS, k=chance.choice([0, 1, 1, 2]))]:
            event(destination, chance)
        project.fill(destination.tables)
        if build == 3:
            as_other_code_left_them(project.warehouse)
        project.run("--select", *LAST)
        project.whole.build()
        for name in INCREMENTAL:
            assert without_hashes(project.warehouse, name) == without_hashes(project.whole, name), name
    if seed == 0:
        project.run()
        found = project.rows(project.whole.models())
        project.run("--full-refresh")
    else:  # no other model is incremental
        found = project.rows(INCREMENTAL)
        project.run("--full-refresh", "--select", *LAST)
    for name, rows in project.rows(found).items():
        assert found[name] == rows, name
