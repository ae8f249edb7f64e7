"""A year of a company, whose twelve months are closed by month and by billing period. Every number that the models show of the books
is compared with a calculation that reads the answers of the providers (ledger.py) and none of our SQL."""

from collections import Counter, defaultdict
from decimal import Decimal
from functools import partial

import pytest
from company import MONTHS, Close, Company
from ledger import Books, Entry, digest_of, lines_of, month_of
from warehouses import DuckDB, Postgres, Warehouse

OWNERS = ("account, base_url, service_provider_name, project_id, workspace_id, api_key_id, model_id, invoice_id, charge_category, "
          "billing_currency")


class Year:
    """The company, its books as calculated, and its books as the models write them."""

    def __init__(self, warehouse: Warehouse):
        self.warehouse, self.company = warehouse, Company()
        self.books = {view: Books(view, self.company.accounts) for view in ("month", "billing-period")}
        self.digests: dict[str, str] = {}
        # The number of rows of each raw table that the warehouse has.
        self.delivered = dict.fromkeys(self.company.table.tables, 0)

    def play(self, months: int) -> None:
        for close in self.company.year():
            if close.month not in MONTHS[:months]:
                return
            self.deliver()
            self.close(close)

    def deliver(self) -> None:
        tables = self.company.table.tables
        self.warehouse.add({name: rows[self.delivered[name]:] for name, rows in tables.items()})
        self.delivered = {name: len(rows) for name, rows in tables.items()}
        self.warehouse.give(teams=self.company.teams)
        self.warehouse.build()

    def close(self, close: Close) -> None:
        books, month, warehouse = self.books[close.view], close.month, self.warehouse
        books.teams = partial(self.company.team, list(self.company.teams))
        looks = close.why is not None or month.month % 3 == 0
        if looks:
            self.pending(books)
        doubts = set() if close.why else books.obstacles(month)
        book = books.reopen(month) if close.why else books.close(month)
        called = close.view, f"{month:%Y-%m}", f"{close.at:%Y-%m-%d %H:%M:%S}"
        # Without accruals, a month in doubt is refused.
        accrue = bool(doubts) or close.why is not None
        assert warehouse.close_book(*called, accrue=accrue, why=close.why) == []
        if not close.why:
            assert {(row["account"], row["month"], row["day"], row["why"]) for row in warehouse.doubts} == doubts, book.id
        self.compare(books, book)
        if looks:
            assert self.balance(close.view) == self.expected_balance(books)

    def pending(self, books: Books) -> None:
        """Before the close: what the models say it will book of closed months."""
        found = self.entries(f"adjustments where is_pending and book_view = '{books.view}'")
        assert found == Counter(entry_of(entry) for entry in books.pending())

    def compare(self, books: Books, book) -> None:
        view = books.view
        lines = self.warehouse.all(
            f"select book_view, book_month, month, kind, reason, day, method, account, base_url, service_provider_name, team, project_id, "
            f"model_id, invoice_id, charge_category, billing_currency, sum(entries) as entries, sum(amount) as amount from close_lines "
            f"where close_id = '{book.id}' group by {', '.join(str(n) for n in range(1, 17))}")
        assert {tuple(row.values())[:-2]: (row["entries"], row["amount"]) for row in lines} == lines_of(view, book)
        assert self.entries(f"close_entries where close_id = '{book.id}'") == Counter(entry_of(entry) for entry in book.entries)
        self.digests[book.id] = digest_of(book, view)
        closes = self.warehouse.all("select * from closes")
        assert {row["close_id"]: row["digest"] for row in closes} == self.digests
        assert all(row["is_intact"] for row in closes)

    def entries(self, which: str) -> Counter:
        rows = self.warehouse.all(f"select month, kind, reason, day, method, record_id, {OWNERS}, team, amount from {which}")
        return Counter(tuple(row.values()) for row in rows)

    def balance(self, view: str) -> dict[tuple, tuple]:
        rows = self.warehouse.all(f"select * from book_balance where book_view = '{view}'")
        return {(row["month"], row["billing_currency"], row["state"]):
                tuple(row[name] for name in ("booked", "known", "estimated", "pending")) for row in rows}

    def expected_balance(self, books: Books) -> dict[tuple, tuple]:
        sums: dict[tuple, list[Decimal]] = defaultdict(lambda: [Decimal(0)] * 4)
        first, last = min(books.books), max(books.books)

        def add(month, currency, column: int, amount: Decimal) -> None:
            state = "before the books" if month < first else "closed" if month <= last else "open"
            key = (None if month < first else month), currency, state
            sums[key] = [held + (amount if column == number else 0) for number, held in enumerate(sums[key])]

        for entry in books.entries():
            add(entry.month, entry.owner.billing_currency, 0, entry.amount)
        for account in books.accounts:
            for record in account.records.values():
                add(month_of(record, books.view), record["BillingCurrency"], 1, Decimal(record["BilledCost"]))
        for entry in books.pending():
            if entry.reason == "estimate" and entry.kind == "accrual":
                add(entry.month, entry.owner.billing_currency, 2, entry.amount)
            add(entry.month, entry.owner.billing_currency, 3, entry.amount)
        return {key: tuple(value) for key, value in sums.items()}


def entry_of(entry: Entry) -> tuple:
    return (entry.month, entry.kind, entry.reason, entry.day, entry.method, entry.record_id, *entry.owner, entry.team, entry.amount)


@pytest.fixture(scope="module")
def year():
    warehouse = DuckDB()
    warehouse.create_raw()
    played = Year(warehouse)
    played.play(12)
    yield played
    warehouse.close()


def test_a_year_of_books(year):
    """Each close was compared when it was made. The year had all that can happen to a cost."""
    seen = {(entry.kind, entry.reason) for books in year.books.values() for entry in books.entries()}
    doubts, changes = ("estimate", "not proven", "provisional"), (
        "account added", "arrived", "corrected", "late", "reopened", "settled", "withdrawn")
    assert seen == {("actual", "final"), *((kind, reason) for kind in ("accrual", "reversal") for reason in doubts),
                    *(("adjustment", reason) for reason in changes)}
    assert len(year.digests) == 28


@pytest.mark.parametrize("view", ["month", "billing-period"])
def test_all_adjustments_of_a_year(year, view):
    books = year.books[view]
    expected = Counter(entry_of(entry) for book in books.books.values() for entry in book.entries if entry.month != book.month)
    assert year.entries(f"adjustments where not is_pending and book_view = '{view}'") == expected


def test_postgres_writes_the_same_books(postgres):
    """Four months, with late costs, a late tax, a sync that failed, rows that a destination loses, and teams that move."""
    warehouse = Postgres(postgres.port, "year")
    warehouse.create_raw()
    Year(warehouse).play(4)
    warehouse.close()
