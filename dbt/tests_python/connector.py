"""The real connector, which reads the reference provider, and a destination that keeps all of its messages or a part."""

import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

from warehouses import ROOT, Warehouse
from world import Table

sys.path.insert(0, str(ROOT / "integration_tests" / "support"))
from provider import NODE, Provider  # noqa: E402

STREAMS = ("usage", "costs", "export_windows")


class Pipeline:
    """A connection: a config, its state, and the raw tables that it has filled."""

    def __init__(self, config: dict, table: Table | None = None, **more):
        self.config = {**config, **more}
        self.table = table or Table()
        self.states: dict[str, dict] = {}
        self.folder = tempfile.TemporaryDirectory()

    def sync(self, keep: Callable[[str], bool] = lambda stream: True, kill_after: int | None = None, **more) -> None:
        """Reads once. `keep`: whether the destination keeps the rows of a stream; the platform keeps the states in any case.
        `kill_after`: the number of costs after which the process is killed; the last states before that are kept."""
        with self.start(**more) as process:
            costs = 0
            for line in process.stdout:
                message = json.loads(line)
                if message["type"] == "STATE":
                    self.states[message["state"]["stream"]["stream_descriptor"]["name"]] = message["state"]
                elif message["type"] == "RECORD":
                    costs += message["record"]["stream"] == "costs"
                    self.write(message["record"], keep)
                if costs == kill_after:
                    process.kill()
                    return
        assert process.returncode == 0

    def write(self, record: dict, keep: Callable[[str], bool]) -> None:
        if keep(record["stream"]):
            extracted_at = datetime.fromtimestamp(record["emitted_at"] / 1000, UTC)
            self.table.append(record["stream"], {**record["data"], "_airbyte_extracted_at": extracted_at})

    def start(self, **more) -> subprocess.Popen:
        streams = [{"stream": {"name": name}, "sync_mode": "incremental", "destination_sync_mode": "append"} for name in STREAMS]
        states = [{"type": "STREAM", "stream": state["stream"]} for state in self.states.values()]
        arguments = []
        for name, content in {"config": {**self.config, **more}, "catalog": {"streams": streams}, "state": states}.items():
            file = Path(self.folder.name, f"{name}.json")
            file.write_text(json.dumps(content))
            arguments += [f"--{name}", str(file)]
        command = [str(NODE), "cli/main.ts", "read", *arguments]
        return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


LABELS = {
    "costs": {"currency": "billing_currency", "status": "cost_status"},
    "usage": {"usage_type": "usage_type", "unit": "consumed_unit"},
}
AMOUNTS = {"costs": {"billed_cost": "billed_cost", "effective_cost": "effective_cost"}, "usage": {"quantity": "consumed_quantity"}}


def truth(provider: Provider, dataset: str, granularity: str = "1d", account: str | None = None) -> dict[str, dict]:
    """Sums by day and label of the rows that the provider shows now."""
    totals = provider.control("totals" + (f"?account={account}" if account else ""))
    days = totals["costs"]["days"] if dataset == "costs" else totals["usage"][granularity]["days"]
    by_day: dict[str, dict] = defaultdict(dict)
    for row in days:
        key = tuple(row[label] for label in LABELS[dataset])
        by_day[row["day"]][key] = (row["rows"], *(Decimal(row[amount]) for amount in AMOUNTS[dataset]))
    return by_day


def shown(warehouse: Warehouse, dataset: str, account: str | None = None) -> dict[str, dict]:
    labels, amounts = LABELS[dataset].values(), AMOUNTS[dataset].values()
    sums = ", ".join(f"sum({amount}) as {amount}" for amount in amounts)
    which = f"where account = '{account}'" if account else ""
    rows = warehouse.all(
        f"select day, {', '.join(labels)}, count(*) as records, {sums} from current_{dataset} {which} "
        f"group by day, {', '.join(labels)}"
    )
    by_day: dict[str, dict] = defaultdict(dict)
    for row in rows:
        key = tuple(row[label] for label in labels)
        by_day[row["day"].isoformat()][key] = (row["records"], *(row[amount] for amount in amounts))
    return by_day


def compare(warehouses, provider, table: Table, granularity: str = "1d", account: str | None = None, of: str | None = None,
            whole: bool = True) -> dict:
    """Judges both datasets in all databases, in append and in dedup mode: a proven day is the provider's.

    `whole`: whether the config requests every day that the provider has. Returns for append mode, by day of costs, the status
    and whether the sums are the provider's."""
    result: dict[str, tuple[str, bool]] = {}
    kept, appended = (Table(dedup, table.usage, table.costs, table.export_windows).tables for dedup in (True, False))
    # As long as no record was written twice, both modes have the same rows.
    for tables in [appended] if kept == appended else [kept, appended]:
        for warehouse in warehouses:
            warehouse.fill(tables)
            warehouse.build()
            for dataset in ("usage", "costs"):
                told = truth(provider, dataset, granularity, of)
                held = shown(warehouse, dataset, account)
                which = f"and account = '{account}'" if account else ""
                for row in warehouse.all(f"select * from completeness where dataset = '{dataset}' {which}"):
                    day = row["day"].isoformat()
                    right = held.get(day, {}) == told.get(day, {})
                    assert right or row["status"] != "proven", (warehouse.name, tables is kept, day, held.get(day), told.get(day))
                    if dataset == "costs" and tables is appended:
                        result[day] = (row["status"], right)
                spoken_of = {row["day"].isoformat() for row in warehouse.all("select day from completeness")}
                assert set(told) <= spoken_of or not whole, sorted(set(told) - spoken_of)
            bad = warehouse.all("select * from reconciliation where is_proven and not is_reconciled")
            assert bad == []
    return result
