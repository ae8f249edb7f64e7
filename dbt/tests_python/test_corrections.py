"""Corrections in the three styles that FOCUS knows, under the two ways of counting them."""

from decimal import Decimal

import pytest
from warehouses import OTHER_SETTINGS, views_of
from world import Table, World, cost

ORIGINAL = cost("a", "11-05", "10")
DELTA = cost("b", "11-05", "-3", x_CorrectsRecordId="a", ChargeClass="Correction")
LEDGER = [cost("b", "11-05", "-10", x_CorrectsRecordId="a"), cost("c", "11-05", "7", x_CorrectsRecordId="a")]
REPLACEMENT = cost("b", "11-05", "7", x_CorrectsRecordId="a")
CHAIN = [REPLACEMENT, cost("c", "11-05", "8", x_CorrectsRecordId="b"), cost("d", "11-05", "1", x_CorrectsRecordId="gone")]
CIRCLE = [cost("x", "11-05", "1", x_CorrectsRecordId="y"), cost("y", "11-05", "2", x_CorrectsRecordId="x")]


@pytest.fixture(scope="module")
def replacing(warehouse):
    return views_of(warehouse.name, **OTHER_SETTINGS)


def counted(warehouse, records: list[dict], text: str | None = None) -> Decimal:
    world = World(Table())
    for record in records:
        world.put(record)
    world.sync(("11-01", "11-10"))
    warehouse.fill(world.table.tables)
    warehouse.build(text=text)
    [total] = warehouse.all("select sum(billed_cost) as billed from daily_costs")
    return total["billed"]


@pytest.mark.parametrize("records", [[ORIGINAL, DELTA], [ORIGINAL, *LEDGER]])
def test_additive(warehouse, records):
    assert counted(warehouse, records) == 7


def test_replacing(warehouse, replacing):
    assert counted(warehouse, [ORIGINAL, REPLACEMENT], replacing) == 7
    assert counted(warehouse, [ORIGINAL, *CHAIN], replacing) == 9
    rows = warehouse.all("select record_id, replaced_by from current_costs where not is_counted order by record_id")
    assert [(row["record_id"], row["replaced_by"]) for row in rows] == [("a", "b"), ("b", "c")]


def test_records_that_correct_each_other_all_count(warehouse, replacing):
    assert counted(warehouse, CIRCLE, replacing) == 3
