"""The page of `source-ai-billing report`: the same raw rows give the same data from PostgreSQL as from a DuckDB file."""

import json
import os
import re
import subprocess

import pytest
from connector import NODE
from test_questions import MONTHS, ask, labels
from warehouses import COLUMNS, ROOT, DuckDB, Postgres
from world import Table, World, cost

SCHEMA = "Airbyte raw"
READER, PASSWORD = "reader", "pa55 & word/"


@pytest.fixture(scope="module")
def tables() -> dict[str, list[dict]]:
    """Days of two months, with a restated and a withdrawn cost, and a value to the last digit."""
    table = Table()
    costs, usages = World(table), World(table, dataset="usage")
    ask(costs, usages)
    costs.put(cost("digits", "11-02", "0.000000000000000001", **labels("m1", "k2")))
    for world in (costs, usages):
        world.sync(*MONTHS)
    costs.put(cost("c10-07", "10-07", "12.5", **labels("m1", "k1")))
    costs.withdraw("d10-09")
    costs.sync(*MONTHS)
    return table.tables


INPUTS = {
    "teams": [("project_id", "p1", "Search")],
    "budgets": [("Search", "2025-11", "USD", "500"), ("Legal", "2025-11", "USD", "3")],
}


@pytest.fixture(scope="module")
def page_of_duckdb(tables, tmp_path_factory) -> dict:
    """The page of a DuckDB file. Its columns have the connector's names and types; instants are text."""
    path = tmp_path_factory.mktemp("report") / "raw.duckdb"
    warehouse = DuckDB(path=str(path))
    warehouse.create_raw()
    warehouse.fill(tables)
    warehouse.give(**INPUTS)
    warehouse.close()
    return data_of(report("--database", str(path), folder=path.parent), path.parent)


@pytest.fixture(scope="module")
def server(postgres, tables):
    """A PostgreSQL as other destinations fill it: lower-case names, instants with a zone, control totals as jsonb, amounts as
    numbers. The role that reads it has a password."""
    warehouse = Postgres(postgres.port, SCHEMA, typed=True)
    warehouse.create_raw()
    warehouse.fill(tables)
    warehouse.give(**INPUTS)
    for table, columns in COLUMNS.items():
        for column in columns:
            if column != column.lower():
                warehouse.run(f'alter table {table} rename "{column}" to {column.lower()}')
    warehouse.run("alter table costs alter billedcost type numeric(38, 18) using billedcost::numeric")
    warehouse.run(f"drop role if exists {READER}; create role {READER} login password '{PASSWORD}'")
    # The settings of the reader's session must not change the page.
    warehouse.run(f"alter role {READER} set timezone to 'Asia/Kathmandu'; alter role {READER} set datestyle to 'SQL, DMY'")
    warehouse.run(f'grant usage on schema "{SCHEMA}" to {READER}; grant select on all tables in schema "{SCHEMA}" to {READER}')
    postgres.ask_for_password(READER)
    yield postgres
    warehouse.run(f'drop schema "{SCHEMA}" cascade; drop role {READER}')
    warehouse.close()


def report(*arguments: str, folder, **environment: str) -> subprocess.CompletedProcess:
    """Runs the command without the PostgreSQL variables of this process's environment."""
    own = {key: value for key, value in os.environ.items() if not key.startswith("PG") and key != "DATABASE_URL"}
    command = [str(NODE), "cli/main.ts", "report", "--out", str(folder / "report.html"), *arguments]
    return subprocess.run(command, cwd=ROOT, env={**own, **environment}, capture_output=True, text=True, timeout=120)


def data_of(ended: subprocess.CompletedProcess, folder) -> dict:
    assert ended.returncode == 0, ended.stderr
    [data] = re.findall(r'id="data">(.*?)</script>', (folder / "report.html").read_text(), re.DOTALL)
    return json.loads(data)


def test_the_page_is_that_of_duckdb(server, page_of_duckdb, tmp_path):
    address = f"postgresql://{READER}@127.0.0.1:{server.port}/postgres"
    ended = report("--database", address, "--schema", SCHEMA, folder=tmp_path, PGPASSWORD=PASSWORD)
    found = data_of(ended, tmp_path)
    assert found == page_of_duckdb
    [dollars] = [view for view in found["views"] if view["currency"] == "USD"]
    assert dollars["current"] == "631.000000000000000001"
    assert [team["team"] for team in dollars["teams"]] == ["Search", "Legal", "no team"]
    assert {status["status"] for status in found["ranges"]} >= {"proven"}
    assert '"Legal, 2025-11, USD, 3" (its team is in no row of teams)' in ended.stderr


def test_the_address_may_come_from_the_environment(server, page_of_duckdb, tmp_path):
    address = f"postgresql://{READER}:pa55%20%26%20word%2F@127.0.0.1:{server.port}/postgres"
    ended = report("--database", "postgresql://", "--schema", SCHEMA, folder=tmp_path, DATABASE_URL=address)
    assert data_of(ended, tmp_path) == page_of_duckdb


@pytest.mark.parametrize(
    ("password", "schema", "words"),
    [
        (PASSWORD, "public", 'The schema "public" of the PostgreSQL database has no table costs'),
        ("wrong-word", SCHEMA, "PostgreSQL cannot be read: password authentication failed"),
    ],
)
def test_a_failure_is_one_line_without_the_password(server, tmp_path, password, schema, words):
    address = f"postgresql://{READER}@127.0.0.1:{server.port}/postgres"
    ended = report("--database", address, "--schema", schema, folder=tmp_path, PGPASSWORD=password)
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (1, "", 1)
    assert words in ended.stderr and password not in ended.stderr
