"""The real connector against the reference provider, with faults of the provider, of the connector and of the destination."""

import pytest
from conftest import opened
from connector import Pipeline, Provider, compare
from world import Table, cost

NOW = "2025-11-10T12:00:00Z"
DATA = "usage=200,costs=60,days=8,late=0"
CONFIG = {"start_date": "2025-11-01", "concurrency": 2}


@pytest.fixture(scope="module")
def warehouses(request):
    made = [opened(kind, request, typed=True) for kind in ("duckdb", "postgres")]
    for warehouse in made:
        warehouse.create_raw()
    yield made
    for warehouse in made:
        warehouse.close()


@pytest.fixture
def serve():
    started = []

    def start(*options: str, now: str = NOW, data: str = DATA) -> Provider:
        started.append(Provider("--generate", data, "--now", now, *options))
        return started[-1]

    yield start
    for provider in started:
        provider.stop()


def put(provider: Provider, record: dict) -> None:
    stamp = provider.control("clock")["now"]
    life = {"record": {**record, "x_RecordUpdatedAt": stamp}, "visible_from": stamp}
    provider.control("records", {"dataset": "costs", "lives": [life]})


def withdraw(provider: Provider, record_id: str) -> None:
    provider.control("records", {"dataset": "costs", "withdraw": record_id})


def restate(provider: Provider, record_id: str, **changes) -> None:
    provider.control("records", {"dataset": "costs", "restate": record_id, "changes": changes})


def pass_time(provider: Provider, seconds: int = 3600) -> None:
    provider.control("clock", {"advance": seconds})


def all_right(found: dict, but: tuple[str, ...] = ()) -> None:
    """Every day but today's is proven, and every day is the provider's."""
    assert {day for day, (status, right) in found.items() if not right} == set()
    unproven = {day for day, (status, _) in found.items() if status == "unproven"}
    assert unproven <= set(but), {day: found[day] for day in unproven}


def test_withdrawn_issued_anew_moved_restated(serve, warehouses):
    provider = serve()
    for number in range(4):
        put(provider, cost(f"c{number}", f"11-0{number + 4}", f"{number + 1}.5"))
    pipeline = Pipeline(provider.config, **CONFIG)
    pipeline.sync()
    all_right(compare(warehouses, provider, pipeline.table))
    pass_time(provider, 86_400)
    withdraw(provider, "c0")
    withdraw(provider, "c1")
    put(provider, cost("c1-final", "11-05", "2.55", x_CostStatus="final", InvoiceId="INV-1"))
    restate(provider, "c2", ChargePeriodStart="2025-11-08T00:00:00Z", ChargePeriodEnd="2025-11-09T00:00:00Z")
    restate(provider, "c3", BilledCost="4.75", EffectiveCost="4.75", x_RecordUpdatedAt="2025-11-08T00:00:00Z")
    pipeline.sync()
    all_right(compare(warehouses, provider, pipeline.table))
    assert {row["record_id"] for row in warehouses[0].all("select record_id from removed_rows")} >= {"c0", "c1"}


def test_days_of_syncs_over_a_lively_account(serve, warehouses):
    """Rows come late, are restated, settle, are corrected, issued anew, withdrawn and moved while the days go by."""
    data = "usage=300,costs=120,days=45,monthly=true,reissued=6,withdrawn=6,moved=6,currencies=USD+EUR"
    provider = serve(data=data, now="2025-03-10T06:00:00Z")
    pipeline = Pipeline(provider.config, start_date="2025-01-20")
    for _ in range(3):
        pipeline.sync()
        compare(warehouses, provider, pipeline.table)
        pass_time(provider, 93_600)
    pipeline.sync()
    found = compare(warehouses, provider, pipeline.table)
    assert [day for day, (_, right) in found.items() if not right] == []


def test_the_day_in_progress_three_times(serve, warehouses):
    provider = serve()
    pipeline = Pipeline(provider.config, **CONFIG)
    for number in range(3):
        put(provider, cost(f"today-{number}", "11-10", f"{number + 1}"))
        pipeline.sync()
        found = compare(warehouses, provider, pipeline.table)
        assert found["2025-11-10"] == ("incomplete", True)
        all_right(found)
        withdraw(provider, f"today-{number}")
        pass_time(provider)


def test_a_listing_that_moves(serve, warehouses):
    provider = serve()
    put(provider, cost("c", "11-05", "1"))
    pipeline = Pipeline(provider.config, page_size=5, **CONFIG)
    pipeline.sync()
    provider.control("faults", {"set": {"kind": "moving_listing", "step": 60, "when": {"operation": "costs"}}})
    pass_time(provider, 86_400)
    pipeline.sync()
    found = compare(warehouses, provider, pipeline.table)
    assert "unproven" in {status for status, _ in found.values()}
    provider.control("faults", {"clear": True})
    pass_time(provider, 86_400)
    pipeline.sync()
    all_right(compare(warehouses, provider, pipeline.table))


@pytest.mark.parametrize("lost", ["rows", "report"])
def test_a_destination_that_commits_one_stream_only(serve, warehouses, lost):
    provider = serve()
    put(provider, cost("c", "11-05", "1"))
    pipeline = Pipeline(provider.config, **CONFIG)
    pipeline.sync()
    pass_time(provider, 86_400)
    restate(provider, "c", BilledCost="2", EffectiveCost="2")
    pipeline.sync(keep=lambda stream: (stream == "export_windows") == (lost == "rows"))
    found = compare(warehouses, provider, pipeline.table)
    assert found["2025-11-05"][0] == "unproven"
    pass_time(provider, 86_400)
    pipeline.sync()
    found = compare(warehouses, provider, pipeline.table)
    if lost == "rows":  # the connector does not know that the destination lost these rows, and they have not changed
        assert found["2025-11-05"][0] == "unproven"
        pipeline.states.clear()
        pass_time(provider)
        pipeline.sync()
        found = compare(warehouses, provider, pipeline.table)
    all_right(found)


def kill_at_the_third_page_of_costs(provider: Provider, pipeline: Pipeline) -> None:
    """With five records a page, two pages are written, and a state covers at least the first one."""
    stalled = {"kind": "stall", "at": "headers", "when": {"operation": "costs", "page": 3}}
    provider.control("faults", {"set": stalled})
    pipeline.sync(kill_after=10)
    provider.control("faults", {"clear": True})


def test_an_expired_cursor_with_a_row_withdrawn_in_between(serve, warehouses):
    provider = serve()
    for number in range(12):
        put(provider, cost(f"c{number:02}", "11-05", f"{number}"))
    pipeline = Pipeline(provider.config, page_size=5, start_date="2025-11-05", end_date="2025-11-06", concurrency=2)
    kill_at_the_third_page_of_costs(provider, pipeline)
    written = [row["x_RecordId"] for row in pipeline.table.costs]
    withdraw(provider, written[0])
    pass_time(provider)  # longer than a cursor lives
    pipeline.sync()
    assert [row["x_RecordId"] for row in pipeline.table.costs].count(written[0]) == 1
    # The window begins again under a reading id of its own (R4), so that the rows of the killed process do not count.
    assert len({row["x_ReadingId"] for row in pipeline.table.costs}) == 2
    # No report names the killed reading, so that the row may be one of another window, which is still to be written (P5).
    all_right(compare(warehouses, provider, pipeline.table, whole=False), but=("2025-11-05",))
    pass_time(provider, 86_400)
    pipeline.sync()
    all_right(compare(warehouses, provider, pipeline.table, whole=False))


def test_resumed_after_a_kill_while_a_newer_reading_had_ended(serve, warehouses):
    provider = serve()
    for number in range(30):
        put(provider, cost(f"c{number:02}", "11-05", f"{number}"))
    table = Table()
    killed = Pipeline(provider.config, table, page_size=5, start_date="2025-11-05", end_date="2025-11-06", concurrency=2)
    kill_at_the_third_page_of_costs(provider, killed)
    pass_time(provider, 300)
    withdraw(provider, "c29")
    restate(provider, "c28", BilledCost="99", EffectiveCost="99")
    # A change within ten seconds of a reading leaves its day unproven until the next sync (R4).
    pass_time(provider, 60)
    Pipeline(provider.config, table, **CONFIG).sync()
    compare(warehouses, provider, table)
    killed.sync()
    resumed = {row["reading_id"] for row in table.export_windows if row["dataset"] == "costs" and row["resumed"]}
    assert len(resumed) == 1 and resumed < {row["x_ReadingId"] for row in table.costs}
    found = compare(warehouses, provider, table)
    assert found["2025-11-05"][1]


@pytest.mark.parametrize("selects", ["start", "overlap", "containment"])
def test_long_and_empty_rows_however_a_provider_selects(serve, warehouses, selects):
    """A provider that selects by containment never shows a row that is longer than every window: see Limits in the README."""
    provider = serve(data="usage=100,costs=60,days=30,late=0,monthly=false", now="2025-12-03T12:00:00Z")
    rows = {"tax": cost("tax", "11-20", "3.3", end="11-20", ChargeCategory="Tax")}
    if selects != "containment":
        rows["plan"] = cost("plan", "11-01", "20", end="12-01", ChargeCategory="Purchase")
        rows["credit"] = cost("credit", "11-22", "-5", end="11-29", ChargeCategory="Credit")
    for row in rows.values():
        put(provider, row)
    if selects != "start":
        provider.control("faults", {"set": {"kind": "selection", "by": selects}})
    pipeline = Pipeline(provider.config, start_date="2025-11-01", concurrency=1)
    pipeline.sync()
    held = compare(warehouses, provider, pipeline.table)
    if selects == "start":
        all_right(held)
    pass_time(provider, 86_400)
    for record_id in rows:
        restate(provider, record_id, BilledCost="21", EffectiveCost="21")
    pipeline.sync()
    compare(warehouses, provider, pipeline.table)
    for record_id in rows:
        withdraw(provider, record_id)
    pass_time(provider, 86_400)
    pipeline.sync()
    compare(warehouses, provider, pipeline.table)


def test_the_retention_edge(serve, warehouses):
    """A day that leaves retention keeps its last proof, also if the provider leaves the day out without an error."""
    provider = serve(data=f"{DATA},retention=9")
    put(provider, cost("c", "11-05", "7"))
    provider.control("faults", {"set": {"kind": "retention_trim"}})
    pipeline = Pipeline(provider.config, **CONFIG)
    for _ in range(3):
        pipeline.sync()
        compare(warehouses, provider, pipeline.table)
        pass_time(provider, 93_600)
    pass_time(provider, 4 * 86_400)
    pipeline.sync()
    found = compare(warehouses, provider, pipeline.table)
    assert found["2025-11-05"] == ("proven", True)


def test_two_accounts_in_one_table(serve, warehouses):
    provider = serve("--generate", "usage=100,costs=30,days=8")
    other = provider.control("tokens", {"id": "second", "account": "generated-2"})["access_token"]
    table = Table()
    first = Pipeline(provider.config, table, account="first", **CONFIG)
    credentials = {**provider.config["credentials"], "access_token": other}
    second = Pipeline(provider.config, table, account="second", credentials=credentials, **CONFIG)
    put(provider, cost("c", "11-05", "7"))
    first.sync()
    second.sync()
    withdraw(provider, "c")
    pass_time(provider, 86_400)
    first.sync()
    second.sync()
    for account, of in (("first", "generated"), ("second", "generated-2")):
        compare(warehouses, provider, table, account=account, of=of)


def test_granularity_changed_after_a_clear(serve, warehouses):
    provider = serve()
    pipeline = Pipeline(provider.config, **CONFIG)
    pipeline.sync()
    pass_time(provider)
    pipeline.states.pop("usage")
    pipeline.table.usage.clear()
    pipeline.sync(granularity="1h")
    compare(warehouses, provider, pipeline.table, granularity="1h")
