"""focus_cost_and_usage under the FinOps Foundation's validator: exactly the rules that README.md names fail."""

import json
import os
import re
import subprocess
from decimal import Decimal
from pathlib import Path

import pytest
from warehouses import PACKAGE, DuckDB
from world import Table, World, cost, usage

MONTH = [("11-01", "12-01")]
LABELS = {"x_ModelId": "m", "x_ProjectId": "p", "x_WorkspaceId": "w", "x_UsageType": "input_tokens"}
# The validator checks these groups of columns only on request. The interface has columns of each of them.
CRITERIA = "SUB_ACCOUNT_SUPPORTED,MULTIPLE_SUB_ACCOUNT_TYPES_SUPPORTED,TAGGING_SUPPORTED,USAGE_MEASUREMENT_SUPPORTED"


def records(invoice: str | None = "INV-1") -> tuple[list[dict], list[dict]]:
    """A month of usage, and its costs: charges of each category, a correction, several currencies."""
    sku = {"SkuId": "sku", "SkuMeter": "tokens"}
    invoiced = {"x_CostStatus": "final", "InvoiceId": "INV-1"}
    costs = [
        cost("a", "11-05", "1.5", **LABELS, **sku, **invoiced),
        cost("b", "11-06", "2.5", **LABELS, **sku, **invoiced, PricingCurrency="EUR", PricingCurrencyBilledCost="2.3"),
        cost("euro", "11-07", "2", **sku, **invoiced, BillingCurrency="EUR"),
        cost("plan", "11-01", "20", end="12-01", ChargeCategory="Purchase", EffectiveCost="0", **sku, **invoiced),
        cost("tax", "11-30", "3", ChargeCategory="Tax", **invoiced),
        cost("credit", "11-30", "-1", ChargeCategory="Credit", **invoiced),
        cost("late", "11-30", "0.5", ChargeCategory="Adjustment", ChargeClass="Correction", x_CorrectsRecordId="a", **invoiced),
        cost("last", "11-29", "1", **{**LABELS, "x_ProjectId": None}, **sku, x_CostStatus="final", InvoiceId=invoice),
    ]
    tokens = [usage(f"u{day}", f"11-{day}", "1500.5", **LABELS) for day in ("05", "06")]
    tokens.append(usage("u29", "11-29", "7", **{**LABELS, "x_ProjectId": None}))
    return costs, tokens


def focus(costs: list[dict], tokens: list[dict]) -> DuckDB:
    table = Table()
    for dataset, shown in (("costs", costs), ("usage", tokens)):
        world = World(table, dataset, account="main")
        for record in shown:
            world.put(record)
        world.sync(*MONTH)
    warehouse = DuckDB()
    warehouse.create_raw()
    warehouse.fill(table.tables)
    warehouse.build()
    return warehouse


@pytest.fixture(scope="module")
def closed():
    """The models of a month that is closed."""
    return focus(*records())


def failed_rules(warehouse: DuckDB, folder: Path) -> set[str]:
    if "FOCUS_VALIDATOR" not in os.environ:
        pytest.skip("focus-validator needs Python 3.12 and cannot be installed here")
    warehouse.make({"focus_cost_and_usage"})
    venv, file = Path(os.environ["FOCUS_VALIDATOR"]), folder / "focus.parquet"
    warehouse.run(f"copy focus_cost_and_usage to '{file}' (format parquet)")
    [packages] = venv.glob("lib/*/site-packages")  # the validator looks for its list of currencies from here
    command = [venv / "bin/focus-validator", "--data-file", file, "--validate-version", "1.2", "--block-download"]
    done = subprocess.run([*command, "--applicability-criteria", CRITERIA], cwd=packages, capture_output=True, text=True)
    assert re.search(r"^Total: 5\d\d \| Pass: 1\d\d ", done.stdout, re.MULTILINE), done.stdout[-2000:] + done.stderr[-2000:]
    return set(re.findall(r"^❌ (\S+): FAIL", done.stdout, re.MULTILINE))


def named_rules(column: int) -> set[str]:
    """The rules that fail according to README.md: column 1 of its table for a closed month, column 2 before the last invoice."""
    rows = re.findall(r"^\| `([A-Za-z]+-C-\d{3}-[A-Z])` \| (\w+) \| (\w+) \|", (PACKAGE / "README.md").read_text(), re.MULTILINE)
    return {row[0] for row in rows if row[column] == "fails"}


def test_only_the_named_rules_fail_for_a_closed_month(closed, tmp_path):
    named = named_rules(1)
    assert 0 < len(named) <= 6
    assert failed_rules(closed, tmp_path) == named


def test_only_the_named_rules_fail_where_an_invoice_is_not_issued_yet(tmp_path):
    assert failed_rules(focus(*records(invoice=None)), tmp_path) == named_rules(2)


def row_of(warehouse: DuckDB, record_id: str) -> dict:
    [row] = warehouse.all(f"select * from focus_cost_and_usage where \"x_RecordId\" = '{record_id}'")
    return row


def test_sub_account_and_tags(closed):
    row = row_of(closed, "a")
    assert (row["SubAccountId"], row["SubAccountName"], row["SubAccountType"]) == ("p", "p", "Project")
    assert row["Tags"] == '{"x_project":"p","x_workspace":"w"}'
    row = row_of(closed, "last")
    assert (row["SubAccountId"], row["SubAccountType"], row["Tags"]) == ("w", "Workspace", '{"x_workspace":"w"}')
    row = row_of(closed, "plan")
    assert (row["SubAccountId"], row["SubAccountType"], row["Tags"]) == (None, None, None)


def test_frequency(closed):
    rows = closed.all("select * from focus_cost_and_usage")
    found = {row["x_RecordId"]: (row["ChargeFrequency"], row["x_IsChargeFrequencyFilled"]) for row in rows}
    assert found["a"] == ("Usage-Based", False)
    assert found["plan"] == ("Recurring", True)
    assert {found[record_id] for record_id in ("tax", "credit", "late")} == {("One-Time", True)}


def test_quantity_only_where_it_is_unambiguous():
    costs, tokens = records()
    two = {**LABELS, "x_ModelId": "two"}
    units = {**LABELS, "x_ModelId": "units"}
    costs += [
        cost("t1", "11-08", "1", **two), cost("t2", "11-08", "1", **two), cost("u", "11-08", "1", **units),
        cost("no", "11-09", "1", **LABELS), cost("untyped", "11-05", "1", x_ModelId="m"),
        cost("week", "11-05", "1", end="11-12", **{**LABELS, "x_ModelId": "week"}),
    ]
    tokens += [
        usage("t", "11-08", "5", **two), usage("u1", "11-08", "5", **units),
        usage("u2", "11-08", "5", **units, ConsumedUnit="1000 Tokens"), usage("w", "11-05", "5", **{**LABELS, "x_ModelId": "week"}),
        usage("h1", "11-05 10:00", "0.25", hours=1, **LABELS),
    ]
    rows = focus(costs, tokens).all("select * from focus_cost_and_usage")
    found = {row["x_RecordId"]: (row["ConsumedQuantity"], row["ConsumedUnit"]) for row in rows}
    assert found["a"] == (Decimal("1500.75"), "Tokens")
    assert {found[record_id] for record_id in ("t1", "t2", "u", "no", "untyped", "week", "plan")} == {(None, None)}
    assert sum(row["BilledCost"] for row in rows) == Decimal("35.5")


def test_tags_are_json_whatever_an_id_is(warehouse):
    names = ['a"b', "a\\b", "zwölf ✓", "line\nbreak", ""]
    world = World(Table(), account="main")
    for number, name in enumerate(names):
        world.put(cost(f"c{number}", "11-05", "1", x_ProjectId=name))
    world.sync(*MONTH)
    warehouse.fill(world.table.tables)
    warehouse.build_all()
    rows = warehouse.all("select * from focus_cost_and_usage order by \"x_RecordId\"")
    assert [json.loads(row["Tags"]) for row in rows] == [{"x_project": name} for name in names]
