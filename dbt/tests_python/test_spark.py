"""The scenarios of the other tests in one set of tables: every model has the same rows on Spark as on DuckDB. The other tests
compare the rows on DuckDB with figures that are computed by hand."""

import json
from contextlib import ExitStack
from hashlib import sha256
from unittest.mock import patch

import pytest
import test_allocation
import test_corrections
import test_cost_history
import test_inputs
import test_spend
import test_unit_costs
import test_values
from dbt_project import SCHEMA, Project
from spark_warehouse import Spark
from test_dbt import BUILT, INPUTS, customer, multiset, results_of, worlds
from warehouses import OTHER_SETTINGS, DuckDB, views_of
from world import Table, World, cost

GIVEN = {
    **INPUTS,
    "teams": INPUTS["teams"] + test_allocation.TEAMS + test_inputs.TEAMS,
    "budgets": INPUTS["budgets"] + test_allocation.BUDGETS + test_inputs.BUDGETS,
    "exchange_rates": test_inputs.RATES,
    "invoice_totals": test_inputs.TOTALS,
}


# Steps that hold few columns on DuckDB: all others stay in the typed rows there (macros/carried.sql).
NARROW = {f"ai_billing__{step}_{dataset}" for step in ("placed", "judged") for dataset in ("usage", "costs")}


def values(table: Table) -> None:
    """Texts that are valid decimals or instants, and texts that are not."""
    texts = test_values.FITS + test_values.NEVER + test_values.ONLY_NUMERIC
    instants = [*test_values.INSTANTS, *test_values.NO_INSTANTS]
    records = [cost(f"d{number}", "11-05", text) for number, text in enumerate(texts)]
    records += [{**cost(f"i{number}", "11-05", "1"), "ChargePeriodStart": text} for number, text in enumerate(instants)]
    common = {"x_ReadingId": "r", "x_RecordUpdatedAt": "2025-11-05T00:00:00Z", "_airbyte_extracted_at": World(table).now}
    table.costs += [{**record, **common} for record in records]


def of_records(*records: dict):
    def scenario(table: Table) -> None:
        world = World(table)
        for record in records:
            world.put(record)
        world.sync(*test_spend.MONTHS)

    return scenario


def spend_again(table: Table) -> None:
    """A second provider, with prices and savings by caching."""
    bill = test_unit_costs.Bill(table, test_unit_costs.TYPED, "Typed")
    bill.used("3000000", "input_tokens", "m")
    bill.charged("7", "input_tokens", "m")
    bill.used("10000000", "cache_read_tokens", "m")
    bill.charged("3", "cache_read_tokens", "m")
    untyped = test_unit_costs.Bill(table, test_unit_costs.UNTYPED, "Untyped")
    untyped.used("0.3", "output_tokens", "g", ConsumedUnit="1000000 Tokens")
    untyped.used("12", "requests", "g", ConsumedUnit="Requests")
    untyped.charged("0.7", None, "g")
    for each in (bill, untyped):
        each.sync()


SCENARIOS = {
    "values": values,
    "chain": of_records(test_corrections.ORIGINAL, *test_corrections.CHAIN),
    "circle": of_records(*test_corrections.CIRCLE),
    "spend": of_records(*test_spend.spend()),
    "weekdays": of_records(
        *test_spend.weekdays("11-03", ["100", "10", "11", "9", "10.5", "10"], x_ModelId="m1", x_ApiKeyId="k-search"),
        *test_spend.weekdays("11-04", ["7", "7", "7", "7", "7"], x_ModelId="m2", x_ProjectId="p-ads"),
        cost("pound", "11-05", "1.000000000000000007", BillingCurrency="GBP"),
    ),
    "changes": test_cost_history.a_week_of_changes,
    "prices": spend_again,
}


def tables() -> dict[str, list[dict]]:
    """Each scenario is an account of its own."""
    every, _ = worlds()
    for name, scenario in SCENARIOS.items():
        table = Table()
        scenario(table)
        every.usage += table.usage
        every.costs += table.costs
        every.export_windows += [{**row, "account": row["account"] or name} for row in table.export_windows]
    return every.tables


SETTINGS = ["--vars", json.dumps(OTHER_SETTINGS)]


@pytest.fixture(scope="module")
def project(spark, tmp_path_factory):
    """A project of its own, and what dbt has parsed of it."""
    made = Project("spark", tmp_path_factory.mktemp("built"), root=customer("spark", tmp_path_factory.mktemp("spark"), GIVEN))
    return made, made.invoke("parse", *SETTINGS)


@pytest.fixture(scope="module")
def both(spark, project):
    """The models on DuckDB, and those of `dbt build` on Spark. Spark plans a view together with all views below it, each time that a
    model or a test reads it. So internal views are tables here."""
    duckdb, warehouse = DuckDB(), Spark(spark, SCHEMA["spark"])
    rows = tables()
    for each in (duckdb, warehouse):
        each.create_raw()
        each.fill(rows)
    duckdb.give(**GIVEN, fiscal_year_start=[("4",)])
    duckdb.build(text=views_of("duckdb", **OTHER_SETTINGS))
    made, parsed = project
    with ExitStack() as tables_:
        for node in parsed.nodes.values():
            if node.config.materialized == "view" and node.name.startswith("ai_billing__"):
                tables_.enter_context(patch.object(node.config, "materialized", "table"))
        made.dbt("build", *SETTINGS, parsed=parsed)
    yield duckdb, warehouse
    for each in (duckdb, warehouse):
        each.close()


def test_every_model_is_built_and_every_test_of_the_package_holds(both, project):
    """The scenarios hold faulty rows on purpose, so some tests of severity `warn` fail. No other test fails."""
    counts, warned = results_of(project[0].folder / "target")
    assert set(counts) == BUILT
    assert counts["test", "pass"] > 50
    assert sorted(warned) == [
        "ai_billing_holds_converted_costs_why_not_is_null", "ai_billing_holds_invalid_inputs_why_is_null", "unproven_days"]


def test_every_model_has_the_same_columns_and_rows(both):
    duckdb, warehouse = both
    names = duckdb.models()
    public = [name for name in names if not name.startswith("ai_billing__")]
    assert [name for name in public if warehouse.columns(name) != duckdb.columns(name)] == []
    assert [name for name in NARROW if not set(duckdb.columns(name)) < set(warehouse.columns(name))] == []

    def common(name: str) -> str:
        return f"(select {', '.join(duckdb.columns(name))} from {name}) as rows_" if name in NARROW else name

    assert [name for name in names if multiset(warehouse, common(name)) != multiset(duckdb, common(name))] == []


@pytest.mark.parametrize("name", ["converted_costs", "cost_anomalies", "cost_changes", "invalid_inputs", "invalid_rows", "team_costs"])
def test_the_scenarios_reach_the_models(both, name):
    assert multiset(both[1], name)


def test_spark_plans_views_over_views(both, project):
    """A customer has adjustments over all internal views below it."""
    made, parsed = project
    made.dbt("run", "--no-write-json", *SETTINGS, "--select", "+adjustments,config.materialized:view", parsed=parsed)
    duckdb, warehouse = both
    assert warehouse.all("select count(*) as rows_ from ai_billing__book_found")[0]["rows_"] > 0
    assert multiset(warehouse, "adjustments") == multiset(duckdb, "adjustments")


def test_the_digest_of_a_book_does_not_depend_on_the_order_of_its_lines(spark, project):
    """A table that is written again, or read from several files, gives its rows in another order."""
    made, parsed = project
    lines = "(select 'b' as close_id, sha2(cast(id as string), 256) as line_digest from range(20) order by id ORDER)"
    select = "{{ ai_billing.digests_of(\"" + lines + "\") }}"
    digests = set()
    for order in ("asc", "desc"):
        [found] = made.dbt("compile", "--inline", select.replace("ORDER", order), parsed=parsed).results
        digests |= {row.digest for row in spark.sql(found.node.compiled_code).collect()}
    texts = sorted(sha256(str(number).encode()).hexdigest() for number in range(20))
    assert digests == {sha256(",".join(texts).encode()).hexdigest()}


@pytest.mark.parametrize("text", ["it's wrong", "a\\b", "\\", "'"])
def test_a_reason_is_written_as_it_was_given(spark, project, text):
    made, parsed = project
    inline = f"select {{{{ ai_billing.text_literal({json.dumps(text)}) }}}} as why"
    [found] = made.dbt("compile", "--inline", inline, parsed=parsed).results
    assert [row.why for row in spark.sql(found.node.compiled_code).collect()] == [text]


def test_the_digits_of_an_amount_are_those_of_the_other_databases(spark, project):
    """In them a book has its digest, its rates and the parts of its rules."""
    made, parsed = project
    digits = ["12.5", "12.7", "0.9", "100", "0", "-3.1", "-0.000000000000000001", "0.0000005", "1234567890123.123456789012345678"]
    rows = "select explode(array({})) as amount".format(", ".join(f"cast('{each}' as decimal(38, 18))" for each in digits))
    [found] = made.dbt("compile", "--inline", "select {{ ai_billing.amount_digits('amount') }} as digits from (" + rows + ")", parsed=parsed).results
    assert [row.digits for row in spark.sql(found.node.compiled_code).collect()] == digits
