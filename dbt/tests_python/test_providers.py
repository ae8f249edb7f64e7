"""Anthropic, two accounts of OpenAI, and OpenRouter in one schema: the real adapters against the fakes of their APIs."""

import json
import urllib.request
from collections import defaultdict
from decimal import Decimal
from urllib.parse import urlsplit

import pytest
from connector import Pipeline, Provider
from world import Table

FIRST_DAY, TODAY = "2026-10-25", "2026-11-01"
CONNECTIONS = {
    "Anthropic": ("anthropic", "anthropic_admin_key", {}),
    "OpenAI": ("openai", "openai_admin_key", {}),
    "OpenAI of the lab": ("openai", "openai_admin_key", {"account": "lab"}),
    "OpenRouter": ("openrouter", "openrouter_management_key", {}),
}


class Connection:
    """One sync of a fake's adapter, and the fake's own sums of all days that are over."""

    def __init__(self, name: str, table: Table):
        fake, auth_type, more = CONNECTIONS[name]
        provider = Provider("--as", fake, "--seed", str(len(name)))
        try:
            self.base_url = provider.base_url
            self.provider_name = name.split(" ")[0]
            key = provider.config["credentials"]["access_token"]
            credentials = {"auth_type": auth_type, "api_key": key}
            config = {"base_url": self.base_url, "credentials": credentials, "start_date": FIRST_DAY, **more}
            Pipeline(config, table, concurrency=1).sync()
            self.totals = self.totals_of_the_fake()
        finally:
            provider.stop()

    def totals_of_the_fake(self) -> dict[str, dict[tuple, Decimal]]:
        address = urlsplit(self.base_url)
        query = f"start={FIRST_DAY}T00:00:00Z&end={TODAY}T00:00:00Z"
        url = f"{address.scheme}://{address.netloc}/control/totals?{query}"
        with urllib.request.urlopen(url, timeout=30) as answer:
            totals = json.load(answer)
        return {
            dataset: {(row["day"], row["model"], row["meter"]): Decimal(row["sum"]) for row in rows}
            for dataset, rows in totals.items()
        }


@pytest.fixture(scope="module")
def synced():
    table = Table()
    return table, {name: Connection(name, table) for name in CONNECTIONS}


@pytest.fixture(scope="module")
def providers(synced, warehouse):
    table, connections = synced
    warehouse.fill(table.tables)
    warehouse.build()
    return warehouse, connections


def deduplicated(table: Table) -> dict[str, list[dict]]:
    return Table(True, table.usage, table.costs, table.export_windows).tables


def sums(warehouse, connection: Connection, table: str, meter: str, amount: str) -> dict[tuple, Decimal]:
    rows = warehouse.all(
        f"select day, model_id, {meter} as meter, sum({amount}) as amount from {table} "
        f"where base_url = '{connection.base_url}' and service_provider_name = '{connection.provider_name}' "
        f"and day < '{TODAY}' group by day, model_id, {meter}"
    )
    return {(f"{row['day']:%Y-%m-%d}", row["model_id"], row["meter"]): row["amount"] for row in rows if row["amount"]}


@pytest.mark.parametrize("name", CONNECTIONS)
def test_each_has_its_own_amounts_to_the_digit(providers, name):
    warehouse, connections = providers
    connection = connections[name]
    assert connection.totals["costs"] and connection.totals["usage"]
    for table in ("current_costs", "daily_costs", "usage_against_costs"):
        assert sums(warehouse, connection, table, "billing_currency", "billed_cost") == connection.totals["costs"], table
    found = sums(warehouse, connection, "current_usage", "usage_type", "consumed_quantity")
    assert found == connection.totals["usage"]


def test_every_model_tells_them_apart(providers):
    warehouse, connections = providers
    expected = {(each.base_url, each.provider_name) for each in connections.values()}
    addresses = {base_url for base_url, _ in expected}
    for name in warehouse.models():
        if name.startswith("ai_billing__"):
            continue
        rows = warehouse.all(f"select * from {name}")
        if rows and "base_url" in rows[0]:
            assert {row["base_url"] for row in rows} <= addresses, name
        # A day without any cost has no name of a provider.
        named = [row for row in rows if row.get("service_provider_name") is not None]
        assert {(row["base_url"], row["service_provider_name"]) for row in named} <= expected, name
    accounts = warehouse.all("select distinct base_url, account from current_costs")
    assert {row["account"] for row in accounts if row["base_url"] == connections["OpenAI of the lab"].base_url} == {"lab"}


def test_every_day_of_each_that_is_over_is_proven(providers):
    warehouse, connections = providers
    found: dict[str, set] = defaultdict(set)
    for row in warehouse.all("select * from completeness where day < '2026-10-31'"):
        found[row["base_url"]].add((row["dataset"], row["status"]))
    proven = {("usage", "proven"), ("costs", "proven")}
    assert found == {each.base_url: proven for each in connections.values()}


def test_each_has_the_unit_costs_that_its_reports_allow(providers):
    warehouse, connections = providers
    rows = warehouse.all(
        "select distinct service_provider_name as name, basis from unit_costs where effective_cost_per_million is not null"
    )
    assert {(row["name"], row["basis"]) for row in rows} == {
        ("Anthropic", "priced_usage_type"),
        ("OpenAI", "priced_token_kind"),
    }
    # November has one day, and that day is not over: nobody can tell a price yet.
    [told, running] = (
        warehouse.all(f"select distinct service_provider_name as name, why_not is null as told from cache_savings where month = date '{month}'")
        for month in ("2026-10-01", "2026-11-01"))
    assert {row["name"] for row in told if row["told"]} == {"Anthropic"}
    assert {row["name"] for row in told if not row["told"]} == {"OpenAI"}
    assert "Anthropic" in {row["name"] for row in running} and not any(row["told"] for row in running)
    listed = warehouse.all("select distinct service_provider_name as name from prices where list_price is not null")
    assert {row["name"] for row in listed} == {"Anthropic"}


def test_a_deduplicated_table_keeps_two_accounts_apart(synced, warehouse):
    """The adapters make the account label a part of each record id."""
    table, connections = synced
    warehouse.fill(deduplicated(table))
    warehouse.build()
    for connection in connections.values():
        found = sums(warehouse, connection, "current_costs", "billing_currency", "billed_cost")
        assert found == connection.totals["costs"]
        days = f"base_url = '{connection.base_url}' and day < '2026-10-31'"
        statuses = warehouse.all(f"select distinct status from completeness where {days}")
        assert [row["status"] for row in statuses] == ["proven"]
