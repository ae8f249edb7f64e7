"""The lines of SQL in dbt/README.md are run on both databases, over a world in which each of them has an answer."""

import re

import pytest
from warehouses import PACKAGE
from world import Table, World, at, cost, usage

README = (PACKAGE / "README.md").read_text()
MONTHS = [("09-01", "10-01"), ("10-01", "11-01"), ("11-01", "11-11")]


def questions() -> list[tuple[str, str]]:
    """Each question of the block under the heading, with the line below it."""
    [block] = re.findall(r"^## Questions\n.*?^```sql\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    lines = block.splitlines()
    assert [line[:3] == "-- " for line in lines] == [True, False] * (len(lines) // 2)
    return [(question[3:], line) for question, line in zip(lines[::2], lines[1::2])]


def labels(model: str, key: str) -> dict[str, str]:
    return {"x_ModelId": model, "x_ApiKeyId": key, "x_ProjectId": "p1", "x_UpstreamProvider": "Upstream"}


def ask(world: World, usage_of: World) -> None:
    """Two months of two keys: a costly Monday, a plan, euros, an invoice, usage by the hour, cached tokens."""
    for number in range(40):
        day = at("10-01") + number * (at("10-02") - at("10-01"))
        on = f"{day:%m-%d}"
        amount = "95" if on == "11-03" else f"{10 + number % 3}"
        month_final = {"x_CostStatus": "final", "InvoiceId": "INV-10"} if on < "11-01" else {}
        world.put(cost(f"c{on}", on, amount, **labels("m1", "k1"), **month_final))
        world.put(cost(f"d{on}", on, "2", BillingCurrency="EUR", **labels("m2", "k2"), **month_final))
        for hour in (9, 15):
            for kind in ("input_tokens", "output_tokens", "cache_read_tokens"):
                usage_of.put(usage(f"u{on}-{hour}-{kind}", f"{on} {hour:02}:00", "1000000", hours=1, x_UsageType=kind, **labels("m1", "k1")))
    for number, price in enumerate(["10", "10", "10", "8.3", "8.3", "8.3"]):
        on = f"10-1{number}"
        usage_of.put(usage(f"m3-{on}", on, "1000000", x_UsageType="output_tokens", **labels("m3", "k1")))
        world.put(cost(f"m3-{on}", on, price, x_UsageType="output_tokens", x_CostStatus="final", **labels("m3", "k1")))
    world.put(cost("pounds", "11-02", "5", BillingCurrency="GBP"))
    used = {"CommitmentDiscountId": "cd-1", "CommitmentDiscountStatus": "Used"}
    world.put(cost("committed", "11-02", "0", EffectiveCost="3", x_ProviderColumns=used, **labels("m1", "k1")))
    for kind, amount in (("input_tokens", "6"), ("cache_read_tokens", "0.6")):
        world.put(cost(f"priced-{kind}", "11-05", amount, x_UsageType=kind, **labels("m1", "k1")))
    world.put(cost("without-usage", "11-06", "4", **labels("m9", "k1")))
    world.put(cost("tax", "11-01", "19", ChargeCategory="Tax"))
    world.put(cost("plan", "11-01", "20", end="12-01", ChargeCategory="Purchase", EffectiveCost="0"))


@pytest.fixture(scope="module")
def answered(warehouse):
    table = Table()
    costs, usages = World(table), World(table, dataset="usage")
    ask(costs, usages)
    for world in (costs, usages):
        world.sync(*MONTHS)
    costs.put(cost("c10-07", "10-07", "12.5", **labels("m1", "k1")))
    costs.put(cost("late", "10-08", "1.5", **labels("m1", "k2")))
    costs.withdraw("d10-09")
    costs.sync(*MONTHS)
    warehouse.fill(table.tables)
    warehouse.give(
        teams=[("project_id", "p1", "Search", "", "2025-10-20"), ("project_id", "p1", "Ads", "2025-10-21", "")],
        budgets=[("Search", "2025-11", "USD", "50"), ("", "2025-11", "USD", "1000"), ("", "FY2025", "USD", "9000", "p1")],
        shared=[("1", "charge_category", "Tax", "by spend")],
        exchange_rates=[("USD", "EUR", "2025-01-01", "0.9")],
        reporting_currency=[("EUR",)],
        invoice_totals=[("Example", "INV-10", "USD", "340.5"), ("Example", "INV-10", "EUR", "60")],
    )
    warehouse.build_all()
    yield warehouse
    warehouse.give()


@pytest.mark.parametrize("question, line", questions(), ids=[question for question, _ in questions()])
def test_a_question_is_one_line_of_sql(answered, question, line):
    assert answered.all(line) != [], question
