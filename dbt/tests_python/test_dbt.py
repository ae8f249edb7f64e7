"""The package as a project uses it: `dbt deps`, `dbt build` with all its tests, and the same figures as the plain views."""

import csv
import json
from decimal import Decimal
from functools import cache
from pathlib import Path
from unittest.mock import patch

import pytest
from compile import CREATE, files_of
from compile import INPUTS as COLUMNS_OF_INPUTS
from dbt_project import FILE, Project
from judging import never_silently_wrong, reconciled
from warehouses import PACKAGE, SQL, DuckDB, Postgres, nodes
from world import Table, World, at, cost, usage

ALL = ("11-01", "11-11")

PROJECT = """\
name: customer
version: 1.0.0
profile: ai_billing
vars:
  ai_billing_teams: teams
  ai_billing_budgets: budgets
  ai_billing_exchange_rates: exchange_rates
  ai_billing_invoice_totals: invoice_totals
  ai_billing_shared: shared
  ai_billing_fiscal_year_start: 4
seeds:
  customer:
    +column_types: {budget: "TEXT", rate: "TEXT", invoice_id: "TEXT", billed_total: "TEXT", part: "TEXT"}
"""
# Seeds of the project, and rows of the tables that the plain views read.
INPUTS = {
    "teams": [("project_id", "p1", "Search", "2025-01-01", "2026-12-31")],
    "budgets": [("Search", "2025-11", "USD", "50"), ("", "2025-11", "USD", "100.5")],
    "exchange_rates": [("USD", "EUR", "2025-01-01", "0.9")],
    "invoice_totals": [("Example", "INV-1", "USD", "3.15"), ("Example", "INV-2", "USD", "100.000000000000000001")],
    "shared": [("1", "charge_category", "Purchase", "percent", "Ads", "33.3"), ("1", "charge_category", "Purchase", "percent", "Search", "66.7")],
}


def worlds() -> tuple[Table, list[World]]:
    """One table of several accounts; each account shows another kind of trouble."""
    table = Table()
    made = []

    def world(account: str, **more) -> World:
        made.append(World(table, account=account, **more))
        return made[-1]

    withdrawn = world("withdrawn")
    for number in range(20):
        withdrawn.put(cost(f"c{number}", f"11-{number % 9 + 1:02}", f"{number}.000000000000000001", x_ModelId=f"m{number % 3}"))
    withdrawn.sync(ALL)
    withdrawn.withdraw("c3")
    withdrawn.put(cost("c4", "11-06", "4.5", x_ModelId="m1"))
    withdrawn.sync(ALL)

    invoiced = world("invoiced")
    invoiced.put(cost("a", "11-05", "3.10"))
    invoiced.sync(ALL)
    invoiced.withdraw("a")
    invoiced.put(cost("a-final", "11-05", "3.15", x_CostStatus="final", InvoiceId="INV-1"))
    invoiced.put(cost("b", "11-05", "99.5", x_CostStatus="final", InvoiceId="INV-2"))
    invoiced.put(cost("plan", "11-01", "20", end="12-01", ChargeCategory="Purchase", EffectiveCost="0"))
    invoiced.sync(ALL)

    lossy = world("lossy")
    lossy.put(cost("x", "11-05", "1"))
    lossy.put(cost("y", "11-06", "2"))
    lossy.sync(ALL, lose_rows=lambda record: record["x_RecordId"] == "x")

    tokens = world("invoiced", dataset="usage")
    for day in ("11-05", "11-06"):
        tokens.put(usage(f"u{day}", day, "1500000"))
    tokens.sync(ALL)
    return table, made


TEXT = {"duckdb": "varchar", "postgres": "text", "spark": "string"}


def customer(kind: str, folder: Path, inputs: dict[str, list[tuple]] = INPUTS) -> Path:
    """Makes the folder of a user's project for a kind of database."""
    (folder / "dbt_project.yml").write_text(PROJECT.replace("TEXT", TEXT[kind]))
    (folder / "packages.yml").write_text(f"packages:\n  - local: {PACKAGE}\n")
    (folder / "seeds").mkdir()
    for name, rows in inputs.items():
        width = max(len(row) for row in rows)
        with (folder / "seeds" / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([COLUMNS_OF_INPUTS[name][:width], *((*row, *[None] * (width - len(row))) for row in rows)])
    Project(kind, folder, root=folder).invoke("deps")
    return folder


@pytest.fixture(scope="module")
def customers(tmp_path_factory):
    """Makes the project for each kind of database once."""
    return cache(lambda kind: customer(kind, tmp_path_factory.mktemp(kind)))


def port_of(kind: str, request) -> int:
    return request.getfixturevalue("postgres").port if kind == "postgres" else 0


@pytest.fixture(scope="module", params=["duckdb", "postgres"])
def built(request, customers, tmp_path_factory):
    """A database after `dbt build` in a project of its own, and the same raw tables under the plain views. Spark: test_spark.py."""
    kind, port = request.param, port_of(request.param, request)
    project = Project(kind, tmp_path_factory.mktemp("built"), port=port, root=customers(kind))
    table, made = worlds()
    plain = Postgres(port, "plain") if kind == "postgres" else DuckDB()
    plain.create_raw()
    warehouse = project.database(typed=True)
    for each in (warehouse, plain):
        each.fill(table.tables)
    plain.give(**INPUTS)
    plain.plain_views()
    warehouse = project.run(warehouse, "build")
    yield warehouse, plain, made, project.folder / "target"
    warehouse.close()
    plain.close()


def results_of(target: Path) -> tuple[dict[tuple[str, str], int], list[str]]:
    """The results of a build: how many nodes of each kind have each status, and the tests that warn."""
    counts: dict[tuple, int] = {}
    warned = []
    for result in json.loads((target / "run_results.json").read_text())["results"]:
        kind, _, name = result["unique_id"].split(".")[:3]
        key = kind, result["status"]
        counts[key] = counts.get(key, 0) + 1
        if result["status"] == "warn":
            warned.append(name)
    return counts, warned


BUILT = {("model", "success"), ("test", "pass"), ("test", "warn"), ("seed", "success"), ("exposure", "no-op")}


def test_every_model_is_built_and_every_test_of_the_package_holds(built):
    counts, warned = results_of(built[3])
    assert warned == ["unproven_days"], "the account that lost rows"
    assert set(counts) == BUILT
    assert counts["test", "pass"] > 50


def test_no_day_is_silently_wrong(built):
    warehouse, _, made, *_ = built
    expected = {"lossy": "unproven"}
    for world in made:
        found = never_silently_wrong(warehouse, world)
        assert found["11-05"][0] == expected.get(world.account, "proven")
    reconciled(warehouse)


def test_plain_views_show_the_same(built):
    warehouse, plain, *_ = built
    names = [name for name in plain.models() if not name.startswith("ai_billing__")]
    for name in names:
        assert multiset(warehouse, name) == multiset(plain, name), name


@pytest.mark.parametrize("kind", ["duckdb", "postgres"])
def test_plain_views_over_views_show_the_same(request, kind):
    """The file from its beginning to current_costs: DuckDB would take half a minute for all of it."""
    views, tables = (Postgres(port_of(kind, request), name) if kind == "postgres" else DuckDB() for name in ("views", "tables"))
    rows = worlds()[0].tables
    for each in (views, tables):
        each.create_raw()
        each.fill(rows)
    tables.build()
    file = (SQL / f"{kind}.sql").read_text()
    views.run(file[: file.index(" view current_usage as")].rpartition("create")[0])
    for name in ("completeness", "current_costs"):
        assert multiset(views, name) == multiset(tables, name) != [], name
    views.close()
    tables.close()


def multiset(warehouse, name: str) -> list[str]:
    rows = warehouse.all(f"select * from {name}")
    return sorted(repr([comparable(row[column]) for column in sorted(row)]) for row in rows)


def comparable(value):
    """Some databases write zeros at the end of a decimal, others do not."""
    return f"{value:f}".rstrip("0").rstrip(".") if isinstance(value, Decimal) and value % 1 else value


def test_invoices_are_compared_exactly(built):
    rows = built[0].all("select * from billed_by_invoice where invoice_id is not null order by invoice_id")
    assert [(row["invoice_id"], row["billed_cost"], row["variance"]) for row in rows] == [
        ("INV-1", Decimal("3.15"), 0),
        ("INV-2", Decimal("99.5"), Decimal("-0.500000000000000001")),
    ]


def test_every_model_and_column_is_documented(built):
    warehouse, _, _, target = built
    manifest = json.loads((target / "manifest.json").read_text())
    for node in manifest["nodes"].values():
        if node["resource_type"] != "model":
            continue
        assert node["description"], node["name"]
        if node["name"].startswith("ai_billing__"):
            continue  # No user may rely on the columns of internal models.
        columns = warehouse.columns(node["name"])
        documented = {name for name, column in node["columns"].items() if column["description"]}
        assert set(columns) == documented, node["name"]


@pytest.fixture(scope="module")
def project(customers, tmp_path_factory):
    """A project on a DuckDB without rows."""
    made = Project("duckdb", tmp_path_factory.mktemp("empty"), root=customers("duckdb"))
    made.database().close()
    return made


@pytest.mark.parametrize("days, status", [(0, "pass"), (2, "warn"), (8, "error")])
def test_sources_are_fresh_if_a_sync_has_written_reports(project, days, status):
    warehouse = DuckDB(path=str(project.folder / FILE))
    warehouse.run("delete from export_windows")
    warehouse.run(f"insert into export_windows (_airbyte_extracted_at) select current_timestamp - interval {days} day")
    warehouse.close()
    try:
        project.dbt("source", "freshness")
    except AssertionError:
        assert status == "error"
    [found] = json.loads((project.folder / "target" / "sources.json").read_text())["results"]
    assert (found["unique_id"], found["status"]) == ("source.ai_billing.ai_billing.export_windows", status)


def test_a_destination_may_write_column_names_in_upper_case(postgres, tmp_path):
    project = Project("postgres", tmp_path, port=postgres.port)
    warehouse = project.database()
    warehouse.run('alter table export_windows rename column "_airbyte_extracted_at" to "_AIRBYTE_EXTRACTED_AT"')
    warehouse.run('insert into export_windows ("_AIRBYTE_EXTRACTED_AT") select current_timestamp')
    project.invoke("source", "freshness", "--vars", "{ai_billing_column_case: upper}")
    warehouse.close()


@pytest.mark.parametrize("count", [1, 1000, 1001, 2500])
def test_a_long_book_has_a_digest_on_redshift(postgres, tmp_path, count):
    """There a list has at most 65,535 bytes. A book that fits has the digest of the other databases."""
    project = Project("postgres", tmp_path, port=postgres.port)
    warehouse = project.database()
    lines = f"(select 'b' as close_id, encode(sha256(cast(cast(n as text) as bytea)), 'hex') as line_digest from generate_series(1, {count}) as n)"
    digests = []
    for macro in ("digests_of", "redshift__digests_of"):
        [found] = project.dbt("compile", "--inline", '{{ ai_billing.' + macro + '("' + lines + '") }}').results
        digests += warehouse.all(found.node.compiled_code)
    assert len(digests) == 2 and (digests[0] == digests[1]) == (count <= 1000)
    warehouse.close()


def test_another_time_zone_makes_no_change_of_a_record(tmp_path, monkeypatch):
    """DuckDB writes a timestamp with a zone as a text of the session's zone. The hash of a row holds that text."""
    project = Project("duckdb", tmp_path)
    warehouse, world = project.database(typed=True), World(Table())
    for number, zone in enumerate(["UTC", "Asia/Kathmandu"]):
        world.put(cost(f"c{number}", "11-05", "1.5"))
        world.sync(ALL)
        warehouse.fill(world.table.tables)
        monkeypatch.setenv("AI_BILLING_TIMEZONE", zone)
        warehouse = project.run(warehouse, "run", "--no-write-json", "--select", "+restatements")
    [held] = warehouse.all("select count(*) as rows_ from ai_billing__rows_costs where record_id = 'c0'")
    assert held["rows_"] == 2
    assert warehouse.all("select record_id, what from restatements") == []
    warehouse.close()


def test_docs_are_written(project):
    project.dbt("docs", "generate", "--empty-catalog")
    manifest = json.loads((project.folder / "target" / "manifest.json").read_text())
    assert "completeness" in manifest["docs"]["doc.ai_billing.__ai_billing__"]["block_contents"]
    [report] = manifest["exposures"].values()
    assert "model.ai_billing.completeness" in report["depends_on"]["nodes"]


def test_plain_views_are_as_compiled():
    files = {name: text for target in CREATE for name, text in files_of(target, nodes(target)).items()}
    assert [name for name, text in files.items() if (SQL / name).read_text() != text] == [], "run dbt/compile.py"


@pytest.mark.parametrize("kind", ["duckdb", "postgres"])
def test_a_seed_of_floats_is_refused(request, customers, tmp_path, kind):
    """dbt makes floats of amounts unless it is told that they are texts."""
    project = Project(kind, tmp_path, port=port_of(kind, request), root=customers(kind))
    project.database().close()
    budgets = project.parsed().nodes["seed.customer.budgets"].config
    refused = pytest.raises(AssertionError, match="holds floats, which lose digits of money: budget")
    with patch.object(budgets, "column_types", {}), refused:
        project.dbt("build", "--select", "+ai_billing__budgets")


@pytest.mark.parametrize("kind", ["duckdb", "postgres"])
def test_an_incremental_build_and_pruned_tables_show_the_same(request, tmp_path, kind):
    """Four states of the tables: appended, deduplicated, with rows that the destination lost, and pruned."""
    project = Project(kind, tmp_path, port=port_of(kind, request))
    warehouse, plain = project.database(typed=True), Postgres(project.port, "plain") if kind == "postgres" else DuckDB()
    plain.create_raw()
    names = ["completeness", "current_costs", "removed_rows"]

    def run(*command: str):
        nonlocal warehouse
        warehouse = project.run(warehouse, *command, "--no-write-json")

    world = World(Table())
    for number in range(6):
        world.put(cost(f"c{number}", f"11-0{number + 1}", "1.5"))
    world.sync(ALL)
    for dedup, changes in ((False, ["c1"]), (True, ["c2"]), (False, [])):
        for record_id in changes:
            world.withdraw(record_id)
            world.put(cost("c5", "11-06", f"{record_id[1]}.25"))
            world.sync(ALL)
        tables = Table(dedup, [], list(world.table.costs), world.table.export_windows).tables
        for each in (warehouse, plain):
            each.fill(tables)
        plain.build()
        run("run", "--select", "+completeness", "+current_costs", "+removed_rows")
        for name in names:
            assert multiset(warehouse, name) == multiset(plain, name), (dedup, changes, name)
    before = {name: multiset(warehouse, name) for name in names}
    [held] = warehouse.all("select count(*) as rows_ from costs")
    run("run-operation", "ai_billing.prune_superseded", "--args", "{dataset: costs}")
    [kept] = warehouse.all("select count(*) as rows_, count(distinct \"x_RecordId\") as ids from costs")
    assert kept["rows_"] == kept["ids"] < held["rows_"]
    run("run", "--select", "+completeness", "+current_costs", "+removed_rows")
    assert {name: multiset(warehouse, name) for name in names} == before
    warehouse.close()
    plain.close()

