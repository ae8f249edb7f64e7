"""The package as a project uses it: `dbt deps`, `dbt build` with all its tests, and the same figures as the plain views."""

import json
from decimal import Decimal
from pathlib import Path

import pytest
from compile import CREATE, files_of
from compile import INPUTS as COLUMNS_OF_INPUTS
from conftest import SCHEMAS
from judging import never_silently_wrong, reconciled
from spark_warehouse import Spark
from warehouses import PACKAGE, SQL, DuckDB, Postgres, dbt_here, nodes
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
seeds:
  customer:
    +column_types: {budget: "%s", rate: "%s", invoice_id: "%s", billed_total: "%s"}
"""
# Seeds of the project, and rows of the tables that the plain views read.
INPUTS = {
    "teams": [("project_id", "p1", "Search")],
    "budgets": [("Search", "2025-11", "USD", "50"), ("", "2025-11", "USD", "100.5")],
    "exchange_rates": [("USD", "EUR", "2025-01-01", "0.9")],
    "invoice_totals": [("Example", "INV-1", "USD", "3.15"), ("Example", "INV-2", "USD", "100.000000000000000001")],
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


@pytest.fixture(scope="module", params=["duckdb", "postgres", "spark"])
def built(request, tmp_path_factory):
    """A database after `dbt build` in a project of its own, and the same raw tables under the plain views. There are no plain
    views for Spark, so it is compared with those of DuckDB."""
    folder = tmp_path_factory.mktemp("project")
    table, made = worlds()
    schema = f"built_{next(SCHEMAS)}"
    if request.param == "duckdb":
        schema, warehouse = "main", DuckDB(typed=True, path=str(folder / "built.duckdb"))
        plain = DuckDB()
    elif request.param == "postgres":
        port = request.getfixturevalue("postgres").port
        warehouse, plain = Postgres(port, schema, typed=True), Postgres(port, f"{schema}_plain")
    else:
        warehouse, plain = Spark(request.getfixturevalue("spark"), schema, typed=True), DuckDB()
    for each in (warehouse, plain):
        each.create_raw()
        each.fill(table.tables)
    plain.give(**INPUTS)
    if request.param == "spark":
        plain.build()
    else:
        plain.plain_views()
    if request.param == "duckdb":
        warehouse.close()
    environment = {
        "AI_BILLING_SCHEMA": schema,
        "AI_BILLING_DUCKDB": str(folder / "built.duckdb"),
        "AI_BILLING_PGPORT": str(getattr(warehouse, "port", 0)),
    }
    results = dbt_build(folder, request.param, environment)
    if request.param == "duckdb":
        warehouse = DuckDB(path=str(folder / "built.duckdb"))
    yield warehouse, plain, made, results, folder
    warehouse.close()
    plain.close()


def run_dbt(folder: Path, environment: dict[str, str], *command: str) -> None:
    words = ["--quiet", *command, "--project-dir", folder, "--profiles-dir", PACKAGE, "--log-path", folder / "logs"]
    dbt_here(environment, *words, *([] if command == ("deps",) else ["--target-path", folder / "target"]))


TEXT = {"duckdb": "varchar", "postgres": "text", "spark": "string"}


def customer_project(folder: Path, target: str, environment: dict[str, str]) -> None:
    (folder / "dbt_project.yml").write_text(PROJECT.replace("%s", TEXT[target]))
    (folder / "packages.yml").write_text(f"packages:\n  - local: {PACKAGE}\n")
    (folder / "seeds").mkdir()
    for name, rows in INPUTS.items():
        lines = [",".join(row) for row in (COLUMNS_OF_INPUTS[name], *rows)]
        (folder / "seeds" / f"{name}.csv").write_text("\n".join(lines) + "\n")
    run_dbt(folder, environment, "deps")


def dbt_build(folder: Path, target: str, environment: dict[str, str]) -> dict:
    customer_project(folder, target, environment)
    run_dbt(folder, environment, "build", "--target", target)
    return json.loads((folder / "target" / "run_results.json").read_text())


def test_every_model_is_built_and_every_test_of_the_package_holds(built):
    results = built[3]["results"]
    counts: dict[tuple, int] = {}
    for result in results:
        key = result["unique_id"].split(".")[0], result["status"]
        counts[key] = counts.get(key, 0) + 1
    [warned] = [result["unique_id"] for result in results if result["status"] == "warn"]
    assert ".unproven_days." in warned, "the account that lost rows"
    assert set(counts) == {("model", "success"), ("test", "pass"), ("test", "warn"), ("seed", "success"), ("exposure", "no-op")}
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
    warehouse, _, _, _, folder = built
    manifest = json.loads((folder / "target" / "manifest.json").read_text())
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
def project(tmp_path_factory):
    """A project on a DuckDB without rows: its folder, and the environment of dbt."""
    folder = tmp_path_factory.mktemp("empty")
    environment = {"AI_BILLING_SCHEMA": "main", "AI_BILLING_DUCKDB": str(folder / "built.duckdb")}
    warehouse = DuckDB(path=environment["AI_BILLING_DUCKDB"])
    warehouse.create_raw()
    warehouse.close()
    customer_project(folder, "duckdb", environment)
    return folder, environment


@pytest.mark.parametrize("days, status", [(0, "pass"), (2, "warn"), (8, "error")])
def test_sources_are_fresh_if_a_sync_has_written_reports(project, days, status):
    folder, environment = project
    warehouse = DuckDB(path=environment["AI_BILLING_DUCKDB"])
    warehouse.run("delete from export_windows")
    warehouse.run(f"insert into export_windows (_airbyte_extracted_at) select current_timestamp - interval {days} day")
    warehouse.close()
    try:
        run_dbt(folder, environment, "source", "freshness", "--target", "duckdb")
    except AssertionError:
        assert status == "error"
    [found] = json.loads((folder / "target" / "sources.json").read_text())["results"]
    assert (found["unique_id"], found["status"]) == ("source.ai_billing.ai_billing.export_windows", status)


def test_docs_are_written(project):
    folder, environment = project
    run_dbt(folder, environment, "docs", "generate", "--empty-catalog", "--target", "duckdb")
    manifest = json.loads((folder / "target" / "manifest.json").read_text())
    assert "completeness" in manifest["docs"]["doc.ai_billing.__ai_billing__"]["block_contents"]
    [report] = manifest["exposures"].values()
    assert "model.ai_billing.completeness" in report["depends_on"]["nodes"]


def test_plain_views_are_as_compiled():
    files = {name: text for target in CREATE for name, text in files_of(target, nodes(target)).items()}
    assert [name for name, text in files.items() if (SQL / name).read_text() != text] == [], "run dbt/compile.py"


@pytest.mark.parametrize("kind", ["duckdb", "postgres"])
def test_a_seed_of_floats_is_refused(request, tmp_path, kind):
    """dbt makes floats of amounts unless it is told that they are texts."""
    port = request.getfixturevalue("postgres").port if kind == "postgres" else 0
    environment = {"AI_BILLING_SCHEMA": "floats", "AI_BILLING_DUCKDB": str(tmp_path / "floats.duckdb"), "AI_BILLING_PGPORT": str(port)}
    project = "name: customer\nversion: 1.0.0\nprofile: ai_billing\nvars: {ai_billing_budgets: budgets}\n"
    (tmp_path / "dbt_project.yml").write_text(project)
    (tmp_path / "packages.yml").write_text(f"packages:\n  - local: {PACKAGE}\n")
    (tmp_path / "seeds").mkdir()
    (tmp_path / "seeds" / "budgets.csv").write_text("team,month,billing_currency,budget\nAds,2025-11,USD,10.5\n")
    run_dbt(tmp_path, environment, "deps")
    with pytest.raises(AssertionError, match="holds floats, which lose digits of money: budget"):
        run_dbt(tmp_path, environment, "build", "--select", "+ai_billing__budgets", "--target", kind)


@pytest.mark.parametrize("kind", ["duckdb", "postgres"])
def test_an_incremental_build_and_pruned_tables_show_the_same(request, tmp_path, kind):
    """Four states of the tables: appended, deduplicated, with rows that the destination lost, and pruned."""
    if kind == "duckdb":
        warehouse = DuckDB(typed=True, path=str(tmp_path / "built.duckdb"))
        port, schema, plain = 0, "main", DuckDB()
    else:
        port, schema = request.getfixturevalue("postgres").port, f"built_{next(SCHEMAS)}"
        warehouse, plain = Postgres(port, schema, typed=True), Postgres(port, f"{schema}_plain")
    for each in (warehouse, plain):
        each.create_raw()
    environment = {"AI_BILLING_SCHEMA": schema, "AI_BILLING_DUCKDB": str(tmp_path / "built.duckdb"), "AI_BILLING_PGPORT": str(port)}
    (tmp_path / "dbt_project.yml").write_text("name: customer\nversion: 1.0.0\nprofile: ai_billing\n")
    (tmp_path / "packages.yml").write_text(f"packages:\n  - local: {PACKAGE}\n")
    run_dbt(tmp_path, environment, "deps")
    names = ["completeness", "current_costs", "removed_rows"]

    def run(*command: str):
        nonlocal warehouse
        warehouse.close()
        run_dbt(tmp_path, environment, *command, "--target", kind)
        warehouse = DuckDB(path=str(tmp_path / "built.duckdb")) if kind == "duckdb" else reopened(port, schema)

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


def reopened(port: int, schema: str) -> Postgres:
    warehouse = Postgres(port, f"{schema}_other")
    warehouse.run(f'set search_path to "{schema}"')
    return warehouse
