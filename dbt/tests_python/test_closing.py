"""The books of closed months. The example is that of docs/closing.md, digit for digit."""

import hashlib
from datetime import date
from decimal import Decimal

import pytest
from dbt_project import Project
from warehouses import BOOKS
from world import Table, World, at, cost, usage

OCTOBER = tuple(f"10-{day:02}" for day in range(1, 32))


def final(record_id: str, start: str, billed: str, **more) -> dict:
    return cost(record_id, start, billed, x_CostStatus="final", x_ProjectId="p-1", **more)


def lines(warehouse, book: str, version: int = 1) -> list[tuple]:
    """Month, kind, reason, amount of the lines of a book, by month."""
    rows = warehouse.all(
        f"select month, kind, reason, sum(amount) as amount from close_lines where close_id = 'month {book} v{version}' "
        "group by month, kind, reason having sum(amount) <> 0 order by month, kind, reason")
    return [(f"{row['month']:%Y-%m}", row["kind"], row["reason"], row["amount"]) for row in rows]


def book(warehouse, month: str, version: int = 1) -> Decimal:
    return sum(amount for *_, amount in lines(warehouse, month, version))


def given(warehouse, world: World, teams: list[tuple] = ()) -> None:
    warehouse.fill(world.table.tables)
    warehouse.give(teams=list(teams))


def balance(warehouse) -> dict[tuple[str | None, str], tuple]:
    """Booked, known, estimated and pending, by month and state."""
    rows = warehouse.all("select * from book_balance where book_view = 'month'")
    return {
        (row["month"] and f"{row['month']:%Y-%m}", row["state"]): tuple(row[name] for name in ("booked", "known", "estimated", "pending"))
        for row in rows
    }


@pytest.fixture(params=["append", "dedup"])
def world(request):
    return World(Table(dedup=request.param == "dedup"), now=at("11-03 06:00"))


def of_october(world: World) -> World:
    """Final 1,000.00, provisional 50.00, and October 31 is not read yet. A day of usage costs 20.00."""
    for day in OCTOBER[:30]:
        world.put(final(day, day, "20"))
    world.put(final("plan", "10-01", "400", ChargeCategory="Purchase"))
    world.put(cost("open", "10-20", "50", ChargeCategory="Purchase", x_ProjectId="p-1"))
    world.sync(("10-01", "10-31"))
    return world


A, B = [("project_id", "p-1", "A")], [("project_id", "p-1", "B")]


def test_the_example(warehouse, world):
    """B1 B3 B4 B5 B6 B8: the example of docs/closing.md, digit for digit."""
    warehouse.create_books()
    given(warehouse, of_october(world), A)
    refused = warehouse.close_book("month", "2025-10", "2025-11-03 12:00:00")
    assert [(f"{row['day']:%m-%d}", row["why"]) for row in refused] == [("10-20", "provisional"), ("10-31", "not read")]
    assert warehouse.close_book("month", "2025-10", "2025-11-03 12:00:00", accrue=True) == []
    assert lines(warehouse, "2025-10") == [
        ("2025-10", "accrual", "estimate", 20),
        ("2025-10", "accrual", "provisional", 50),
        ("2025-10", "actual", "final", 1000),
    ]
    assert book(warehouse, "2025-10") == 1070
    [estimate] = warehouse.all("select * from close_lines where reason = 'estimate'")
    assert (f"{estimate['day']:%m-%d}", estimate["team"], estimate["method"]) == (
        "10-31", "A", "mean usage charge of 30 proven days, the last of them 2025-10-30")

    world.now = at("11-08 06:00")
    world.put(final("open", "10-20", "48", ChargeCategory="Purchase"))
    world.sync(("10-01", "10-31"))
    world.now = at("11-09 06:00")
    world.put(final("10-31", "10-31", "23"))
    world.sync(("10-01", "11-01"))
    world.now = at("11-12 06:00")
    world.put(final("10-05", "10-05", "10"))
    world.sync(("10-01", "11-01"))
    world.now = at("12-02 06:00")
    world.put(final("late", "10-09", "-5"))
    for day in range(1, 31):
        world.put(final(f"11-{day:02}", f"11-{day:02}", "40"))
    world.sync(("10-01", "12-01"))
    # The project moves from team A to team B. Its October stays with A.
    given(warehouse, world, B)
    warehouse.build()
    pending = [("adjustment", "arrived", 23), ("adjustment", "corrected", -10), ("adjustment", "late", -5), ("adjustment", "settled", 48),
               ("reversal", "estimate", -20), ("reversal", "provisional", -50)]
    found = warehouse.all("select * from adjustments where is_pending order by kind, reason")
    assert [(row["kind"], row["reason"], row["amount"]) for row in found] == pending
    days = {row["reason"]: f"{row['found_at']:%m-%d}" for row in found if row["kind"] == "adjustment"}
    assert days == {"settled": "11-08", "arrived": "11-09", "corrected": "11-12", "late": "12-02"}

    assert warehouse.close_book("month", "2025-11", "2025-12-03 12:00:00") == []
    assert lines(warehouse, "2025-11") == [
        ("2025-10", "adjustment", "arrived", 23),
        ("2025-10", "adjustment", "corrected", -10),
        ("2025-10", "adjustment", "late", -5),
        ("2025-10", "adjustment", "settled", 48),
        ("2025-10", "reversal", "estimate", -20),
        ("2025-10", "reversal", "provisional", -50),
        ("2025-11", "actual", "final", 1200),
    ]
    assert book(warehouse, "2025-11") == 1186
    teams = warehouse.all("select distinct month, team from close_lines order by month")
    assert [(row["month"].month, row["team"]) for row in teams] == [(10, "A"), (11, "B")]
    assert balance(warehouse) == {("2025-10", "closed"): (1056, 1056, 0, 0), ("2025-11", "closed"): (1200, 1200, 0, 0)}
    [true_up] = warehouse.all(
        "select sum(amount) as amount from adjustments where kind = 'reversal' or reason in ('settled', 'arrived')")
    assert true_up["amount"] == 1

    before = warehouse.all("select close_id, digest from closes order by close_id")
    assert warehouse.close_book("month", "2025-10", "2025-12-10 12:00:00", why="the team was wrong") == []
    assert lines(warehouse, "2025-10", 2) == [("2025-10", "actual", "final", 1056)]
    assert book(warehouse, "2025-10") == 1070
    assert balance(warehouse)["2025-10", "closed"] == (1042, 1056, 0, 14)
    for day in range(1, 32):
        world.put(final(f"12-{day:02}", f"12-{day:02}", "1"))
    world.now = at("12-31 23:00") + (at("12-03") - at("12-01"))
    world.sync(("10-01", "12-31"), ("12-31", "12-31 23:59"))
    given(warehouse, world, B)
    assert warehouse.close_book("month", "2025-12", "2026-01-03 12:00:00", accrue=True) == []
    assert [line for line in lines(warehouse, "2025-12") if line[0] == "2025-10"] == [("2025-10", "adjustment", "reopened", 14)]
    assert balance(warehouse)["2025-10", "closed"] == (1056, 1056, 0, 0)
    held = {row["close_id"]: row for row in warehouse.all("select * from closes")}
    assert all(held[row["close_id"]]["digest"] == row["digest"] and held[row["close_id"]]["is_intact"] for row in before)
    assert (held["month 2025-10 v2"]["why"], held["month 2025-10 v1"]["is_newest"]) == ("the team was wrong", False)


def found_days(warehouse) -> dict[str, str]:
    rows = warehouse.all("select reason, found_at from adjustments where is_pending and kind = 'adjustment'")
    return {row["reason"]: f"{row['found_at']:%m-%d}" for row in rows}


@pytest.mark.parametrize("world", ["append"], indirect=True)
def test_an_adjustment_was_found_when_its_record_changed(warehouse, world):
    """B5: an adjustment was found when its record changed. Its day is then written again because of other records, and read
    again: this does not move `found_at`."""
    warehouse.create_books()
    world.put(final("gone", "10-11", "7", ChargeCategory="Purchase"))
    world.put(final("moved", "10-12", "9", ChargeCategory="Purchase"))
    given(warehouse, of_october(world), A)
    assert warehouse.close_book("month", "2025-10", "2025-11-03 12:00:00", accrue=True) == []

    def read(day: str) -> None:
        world.now = at(f"{day} 06:00")
        world.sync(("10-01", "11-01"), ("11-01", "12-01"))

    world.put(final("open", "10-20", "48", ChargeCategory="Purchase"))
    read("11-08")
    world.withdraw("gone")
    world.put(final("10-31", "10-31", "23"))
    read("11-09")
    world.put(final("moved", "11-02", "9", ChargeCategory="Purchase"))
    world.put(final("10-05", "10-05", "10"))
    read("11-10")
    for number in range(4):
        for day in ("10-05", "10-11", "10-12", "10-20", "10-31"):
            world.put(final(f"{day}-{number}", day, "0"))
        read(f"11-{12 + number}")
    given(warehouse, world, A)
    warehouse.build()
    rows = warehouse.all("select record_id, reason, found_at from adjustments where is_pending and kind = 'adjustment'")
    assert {row["record_id"]: (row["reason"], f"{row['found_at']:%m-%d}") for row in rows} == {
        "open": ("settled", "11-08"), "gone": ("withdrawn", "11-09"), "10-31": ("arrived", "11-09"), "moved": ("corrected", "11-10"),
        "10-05": ("corrected", "11-10")}


def test_what_a_later_reading_proved_was_found_by_the_first_one(warehouse, world):
    """B5: if no reading before the close proved a record, it was found by the first later reading that proves it."""
    warehouse.create_books()
    of_october(world)
    world.sync(("10-20", "10-21"), moved=True)
    world.put(final("open", "10-20", "50", ChargeCategory="Purchase"))
    world.sync(("10-20", "10-21"), moved=True)
    given(warehouse, world, A)
    assert warehouse.close_book("month", "2025-10", "2025-11-03 12:00:00", accrue=True) == []
    assert ("2025-10", "accrual", "not proven", 70) in lines(warehouse, "2025-10")
    for day in ("11-08", "11-12", "11-14"):
        world.now = at(f"{day} 06:00")
        world.sync(("10-20", "10-21"))
    given(warehouse, world, A)
    warehouse.build()
    assert found_days(warehouse) == {"settled": "11-08"}


def test_a_billing_period_is_closed_after_its_end(warehouse, world):
    """B2: a billing period that ends on the 15th is closed after its end, whatever its month is."""
    warehouse.create_books()
    period = {"BillingPeriodStart": "2025-10-15T00:00:00Z", "BillingPeriodEnd": "2025-11-15T00:00:00Z"}
    for day in OCTOBER[14:]:
        world.put(final(day, day, "20", **period))
    world.now = at("11-14 12:00")
    world.sync(("10-01", "11-01"), ("11-01", "11-14"))
    given(warehouse, world)
    close = warehouse.close_book
    [found] = close("billing-period", "2025-10", "2025-11-14 23:59:59", accrue=True)
    assert (found["why"], f"{found['day']:%m-%d}") == ("its billing period is not over", "11-15")
    assert close("billing-period", "2025-10", "2025-11-15 00:00:00", accrue=True) == []


FINANCE = {
    "reporting_currency": [("EUR",)],
    "exchange_rates": [("USD", "EUR", "2025-10-01", "0.9")],
    "shared": [("1", "charge_category", "Purchase", "evenly", "A"), ("1", "charge_category", "Purchase", "evenly", "C")],
}


def test_rates_and_rules_are_frozen_with_the_book(warehouse, world):
    """B7 B8: an adjustment uses the rates and rules of its month; its shares are the new spread less the booked one."""
    warehouse.create_books()
    of_october(world)
    world.put(final("10-31", "10-31", "20"))
    world.sync(("10-01", "11-01"))
    warehouse.fill(world.table.tables)
    warehouse.give(teams=A, **FINANCE)
    assert warehouse.close_book("month", "2025-10", "2025-11-03 12:00:00", accrue=True) == []

    def sums(table: str) -> list[tuple]:
        amount = "sum(own_amount) as own, sum(shared_amount) as shared" if table == "close_shares" else (
            "sum(amount) as amount, sum(converted_amount) as converted")
        names = "team" if table == "close_shares" else "reason"
        return [tuple(row.values()) for row in warehouse.all(
            f"select book_month, month, {names}, {amount} from {table} where is_newest group by book_month, month, {names} order by 1, 2, 3")]

    october = date(2025, 10, 1)
    before = [(october, october, "final", 1020, 918), (october, october, "provisional", 50, 45)]
    shares = [(october, october, "A", 620, 225), (october, october, "C", 0, 225)]
    assert (sums("close_lines"), sums("close_shares")) == (before, shares)

    world.now = at("12-02 06:00")
    world.put(final("open", "10-20", "48", ChargeCategory="Purchase"))
    world.put(final("11-01", "11-01", "7"))
    world.sync(("10-01", "12-01"))
    warehouse.fill(world.table.tables)
    warehouse.give(teams=A, reporting_currency=[("USD",)], exchange_rates=[("USD", "EUR", "2025-10-01", "0.5")],
                   shared=[("1", "charge_category", "Purchase", "evenly", "B")])
    assert warehouse.close_book("month", "2025-11", "2025-12-03 12:00:00", accrue=True) == []
    november = date(2025, 11, 1)
    assert sums("close_lines") == [
        *before, (november, october, "provisional", -50, -45), (november, october, "settled", 48, Decimal("43.2")), (november, november, "final", 7, 7)]
    assert sums("close_shares") == [*shares, (november, october, "A", 0, -1), (november, october, "C", 0, -1), (november, november, "A", 7, 0)]


def test_the_digest_is_that_of_the_lines(warehouse, world):
    """B1: the digest is that of the lines, and a line that was touched is found."""
    warehouse.create_books()
    given(warehouse, of_october(world), A)
    warehouse.close_book("month", "2025-10", "2025-11-03 12:00:00", accrue=True)
    columns = ("book_view book_month month kind reason day method account base_url service_provider_name team project_id model_id "
               "invoice_id charge_category billing_currency reporting_currency entries amount converted_amount").split()

    def text(value) -> str:
        if value is None:
            return "-"
        plain = f"{value.normalize():f}" if isinstance(value, Decimal) else str(value)
        return f"{len(plain)}:{plain}"

    digests = [
        hashlib.sha256("|".join(text(row[name]) for name in columns).encode()).hexdigest()
        for row in warehouse.all("select * from ai_billing_close_lines")
    ]
    [close] = warehouse.all("select * from closes")
    assert close["digest"] == hashlib.sha256(",".join(sorted(digests)).encode()).hexdigest()
    warehouse.run("update ai_billing_close_lines set amount = amount + 0.000000000000000001 where kind = 'actual'")
    warehouse.build()
    assert [row["is_intact"] for row in warehouse.all("select is_intact from closes")] == [False]


def test_months_are_closed_in_their_order(warehouse, world):
    """B2: months are closed in their order, once, and when they are over."""
    warehouse.create_books()
    given(warehouse, of_october(world))
    close = warehouse.close_book
    assert [row["why"] for row in close("month", "2025-10", "2025-10-31 23:59:59", accrue=True)] == ["it is not over"]
    assert [row["why"] for row in close("month", "2024-10", "2025-11-03 12:00:00", accrue=True)] == ["no costs of it are known"]
    again = close("month", "2025-10", "2025-11-03 12:00:00", accrue=True, why="none")
    assert [row["why"] for row in again] == ["no month of this view is closed yet"]
    assert close("month", "2025-10", "2025-11-03 12:00:00", accrue=True) == []
    assert [row["why"] for row in close("month", "2025-10", "2025-11-03 12:00:00", accrue=True)] == ["it is closed already"]
    for why in (None, "none"):
        found = [row["why"] for row in close("month", "2025-09", "2025-11-03 12:00:00", accrue=True, why=why)]
        assert "it lies before the first book of this view" in found and "it is closed already" not in found
    found = {row["why"]: row["day"] for row in close("month", "2025-12", "2026-02-03 12:00:00", accrue=True)}
    assert f"{found['months are closed in their order']:%Y-%m}" == "2025-11"
    assert close("billing-period", "2025-10", "2025-11-03 12:00:00", accrue=True) == []


def test_days_before_the_first_known_one_are_not_read(warehouse, world):
    """B2 B3: days before the first known day of an account are not read; once they are accrued, each later close carries them on."""
    warehouse.create_books()
    for day in OCTOBER:
        world.put(final(day, day, "20"))
    world.sync(("10-19", "11-01"))
    given(warehouse, world)
    refused = warehouse.close_book("month", "2025-10", "2025-11-03 12:00:00")
    assert [(f"{row['day']:%m-%d}", row["why"]) for row in refused] == [(day, "not read") for day in OCTOBER[:18]]
    assert warehouse.close_book("month", "2025-10", "2025-11-03 12:00:00", accrue=True) == []
    assert lines(warehouse, "2025-10") == [("2025-10", "accrual", "estimate", 360), ("2025-10", "actual", "final", 260)]
    assert balance(warehouse) == {("2025-10", "closed"): (620, 260, 360, 0)}

    world.now = at("12-02 06:00")
    world.put(final("11-01", "11-01", "7"))
    world.sync(("10-19", "11-01"), ("11-01", "12-01"))
    given(warehouse, world)
    assert warehouse.close_book("month", "2025-11", "2025-12-03 12:00:00") == []
    assert lines(warehouse, "2025-11") == [
        ("2025-10", "accrual", "estimate", 360), ("2025-10", "reversal", "estimate", -360), ("2025-11", "actual", "final", 7)]


def test_an_account_whose_costs_were_never_read_is_not_known(warehouse):
    """B2 B3: a month is not known while costs of an account at the same address were never read; nothing can be estimated for it."""
    warehouse.create_books()
    table = Table()
    first = World(table, account="first", now=at("11-03 06:00"))
    for day in OCTOBER:
        first.put(final(day, day, "20"))
    first.sync(("10-01", "11-01"))
    # A provider at another address may offer no costs.
    for account, address in (("second", first.base_url), ("third", "https://usage.example")):
        other = World(table, dataset="usage", account=account, base_url=address, now=at("11-03 06:00"))
        other.put(usage("u", "10-05", "5"))
        other.sync(("10-01", "11-01"))
    warehouse.fill(table.tables)
    refused = warehouse.close_book("month", "2025-10", "2025-11-03 12:00:00")
    assert [(row["account"], f"{row['day']:%m-%d}", row["why"]) for row in refused] == [("second", day, "not read") for day in OCTOBER]
    assert warehouse.close_book("month", "2025-10", "2025-11-03 12:00:00", accrue=True) == []
    assert lines(warehouse, "2025-10") == [("2025-10", "actual", "final", 620)]


@pytest.mark.parametrize("kind", ["duckdb", "postgres"])
def test_the_operation_of_dbt_writes_books_that_no_run_changes(kind, request, tmp_path):
    """B1 B2 B6: the operation of dbt writes books that no run and no full refresh changes."""
    port = request.getfixturevalue("postgres").port if kind == "postgres" else 0
    world = of_october(World(Table(), now=at("11-03 06:00")))
    project = Project(kind, tmp_path, port=port)
    warehouse = project.database()
    for name in BOOKS:
        warehouse.run(f"drop table ai_billing_{name}")
    warehouse.fill(world.table.tables)

    def dbt(*words: str) -> None:
        nonlocal warehouse
        warehouse = project.run(warehouse, *words, "--no-write-json")

    select = ["run", "--select", "+closes", "+close_lines", "+book_balance", "+ai_billing__book_obstacles"]
    close = ["run-operation", "ai_billing.close", "--args"]
    dbt(*select)
    with pytest.raises(AssertionError):
        dbt(*close, "{month: 2025-10, by: month}")
    dbt(*close, "{month: 2025-10, by: month, accrue: true}")
    dbt(*close, """{month: 2025-10, by: month, accrue: true, reopen: true, why: "it's wrong"}""")
    before = warehouse.all("select * from closes order by version")
    assert [(row["version"], row["why"], row["is_intact"]) for row in before] == [(1, None, True), (2, "it's wrong", True)]
    assert (book(warehouse, "2025-10"), book(warehouse, "2025-10", 2)) == (1070, 1070)
    dbt(*select, "--full-refresh")
    assert warehouse.all("select * from closes order by version") == before
    assert balance(warehouse) == {("2025-10", "closed"): (1070, 1050, 20, 0)}
    warehouse.close()
