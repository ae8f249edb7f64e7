"""Writes the reports of companies about which a true page is hard to write: companies.py FOLDER. The script
`integration_tests/report/pictures.sh` takes pictures of them. The amounts are invented, and the same in each run."""

import random
import sys
import tempfile
from pathlib import Path

from test_page import account, read
from test_report import report
from warehouses import DuckDB
from world import DAY, Table, World, at, cost

MODELS = ["atlas-large", "atlas-small", "nova-2", "orca"]
KEYS = ["checkout", "search-index", "support-bot", "ci", "notebooks"]


def spend(world: World, start: str, end: str, usual: float, projects: list[str], seed: int) -> None:
    """Costs by model, key and project on each day, `end` exclusive. A weekend costs a third of a working day."""
    drawn = random.Random(seed)
    day = at(start)
    while day < at(end):
        for number in range(4 * len(projects)):
            amount = usual / len(projects) * drawn.uniform(0.7, 1.3) * (0.33 if day.weekday() > 4 else 1)
            labels = {
                "x_ModelId": MODELS[number % 4],
                "x_ApiKeyId": KEYS[number % 5],
                "x_ProjectId": projects[number // 4],
            }
            on = f"{day:%m-%d}"
            world.put(cost(f"{world.account}-{number}-{on}", on, f"{amount:.4f}", **labels))
        day += DAY


def three_accounts(table: Table) -> dict:
    """One account is a day ahead, and one stopped to answer twelve days ago."""
    for seed, (name, through) in enumerate([("anthropic", "11-18"), ("openai", "11-17"), ("openrouter", "11-05")]):
        world = account(table, name, through)
        spend(world, "08-01", "11-20", 100 * (seed + 1), ["web", "data"], seed)
        read(world, "08-01")
    return {}


def first_month(table: Table) -> dict:
    """The first sync began on November 4, and nothing before it is known."""
    world = account(table, "main", "11-17")
    spend(world, "10-01", "11-19", 150, ["web", "data"], 1)
    read(world, "11-04")
    return {"budgets": [("", "2025-11", "USD", "15000")]}


def large_credit(table: Table) -> dict:
    """A credit is larger than the costs of the month."""
    world = account(table, "main", "11-17")
    spend(world, "08-01", "11-19", 60, ["web", "data"], 2)
    world.put(cost("credit", "11-10", "-6000", x_ModelId=None, ChargeCategory="Credit", ChargeDescription="Credit"))
    world.put(cost("tax", "11-11", "312.75", x_ModelId=None, ChargeCategory="Tax", ChargeDescription="VAT"))
    read(world, "08-01")
    return {}


def forty_teams(table: Table) -> dict:
    """Each team has a budget, and nine spend more than it allows."""
    world = account(table, "main", "11-17")
    names = [f"team-{number:02}" for number in range(40)]
    for number, name in enumerate(names):
        drawn = random.Random(number)
        day = at("09-01")
        while day < at("11-19"):
            on, amount = f"{day:%m-%d}", (2 if number < 9 else 1) * drawn.uniform(30, 40)
            world.put(cost(f"{name}-{on}", on, f"{amount:.4f}", x_ModelId=MODELS[number % 4], x_ProjectId=name))
            day += DAY
    read(world, "09-01")
    return {
        "teams": [("project_id", name, f"Team {name[-2:]}") for name in names],
        "budgets": [(f"Team {name[-2:]}", "2025-11", "USD", "1500") for name in names],
    }


def stopped_account(table: Table) -> dict:
    """One of two accounts has had no cost since August."""
    running, stopped = account(table, "running", "11-17"), account(table, "stopped", "11-17")
    spend(running, "08-01", "11-19", 80, ["web"], 3)
    spend(stopped, "08-01", "08-20", 90, ["old"], 4)
    for world in (running, stopped):
        read(world, "08-01")
    return {}


COMPANIES = [three_accounts, first_month, large_credit, forty_teams, stopped_account]


def main(folder: Path) -> None:
    for company in COMPANIES:
        table = Table()
        inputs = company(table)
        with tempfile.TemporaryDirectory() as place:
            path = Path(place, "raw.duckdb")
            warehouse = DuckDB(path=str(path))
            warehouse.create_raw()
            warehouse.fill(table.tables)
            warehouse.give(**inputs)
            warehouse.close()
            ended = report("--database", str(path), folder=Path(place))
            assert ended.returncode == 0, ended.stderr
            Path(place, "report.html").rename(folder / f"{company.__name__}.html")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
