"""Books as the models write them, beside the same books as ledger.py calculates them."""

from collections import Counter, defaultdict
from datetime import date, datetime
from decimal import Decimal
from typing import NamedTuple

from ledger import Account, Book, Books, Entry, digest_of, lines_of, month_of
from shares import shares_of
from warehouses import Warehouse
from world import Table

VIEWS = ("month", "billing-period")
OWNERS = ("account, base_url, service_provider_name, project_id, workspace_id, api_key_id, model_id, invoice_id, charge_category, "
          "billing_currency")
LINE = ("book_view, book_month, month, kind, reason, day, method, account, base_url, service_provider_name, team, project_id, model_id, "
        "invoice_id, charge_category, billing_currency, reporting_currency")
Team = tuple[str, str, str, str | None, str | None]


class Close(NamedTuple):
    """A month that is to be closed: again, if there is a `why`."""

    view: str
    month: date
    at: datetime
    why: str | None = None


class Bookkeeping:
    """Closes months in a warehouse and in the calculation, and compares all that the books hold."""

    def __init__(self, warehouse: Warehouse, accounts: list[Account]):
        self.warehouse = warehouse
        self.books = {view: Books(view, accounts) for view in VIEWS}
        self.digests: dict[str, str] = {}
        # All versions of all books.
        self.made: dict[str, Book] = {}

    def deliver(self, table: Table, teams: list[Team], **inputs: list[tuple]) -> None:
        self.warehouse.fill(table.tables)
        self.warehouse.give(teams=teams, **inputs)
        self.warehouse.build()
        for books in self.books.values():
            books.teams, books.inputs = list(teams), inputs

    def close(self, close: Close, looks: bool = True) -> None:
        """`looks`: whether the balance and what is pending are compared, too."""
        books, month = self.books[close.view], close.month
        if looks:
            found = self.entries(f"adjustments where is_pending and book_view = '{books.view}'")
            assert found == Counter(entry_of(entry) for entry in books.pending())
        doubts = set() if close.why else books.obstacles(month)
        book = books.reopen(month) if close.why else books.close(month)
        self.made[book.id] = book
        # Without accruals, a month in doubt is refused.
        accrue = bool(doubts) or close.why is not None
        called = close.view, f"{month:%Y-%m}", f"{close.at:%Y-%m-%d %H:%M:%S}"
        assert self.warehouse.close_book(*called, accrue=accrue, why=close.why) == []
        if not close.why:
            found = {(row["account"], row["month"], row["day"], row["why"]) for row in self.warehouse.doubts}
            assert found == doubts, book.id
        self.compare(books, book)
        if looks:
            assert self.balance(close.view) == expected_balance(books)
            self.compare_shares(books)

    def compare(self, books: Books, book: Book) -> None:
        """The new book equals the calculated one. All other books are unchanged, because their digests are unchanged."""
        columns = len(LINE.split(", "))
        lines = self.warehouse.all(
            f"select {LINE}, sum(entries) as entries, sum(amount) as amount, case when count(*) = count(converted_amount) "
            f"then sum(converted_amount) end as converted from close_lines where close_id = '{book.id}' "
            f"group by {LINE}")
        assert {tuple(row.values())[:columns]: (row["entries"], row["amount"], row["converted"]) for row in lines} == lines_of(books.view, book)
        assert self.entries(f"close_entries where close_id = '{book.id}'") == Counter(entry_of(entry) for entry in book.entries)
        self.digests[book.id] = digest_of(book, books.view)
        closes = self.warehouse.all("select close_id, digest, is_intact from closes")
        assert {row["close_id"]: row["digest"] for row in closes} == self.digests
        assert all(row["is_intact"] for row in closes)

    def compare_shares(self, books: Books) -> None:
        """The shares of all books together are the spread of what is booked, and those of each book add up to its lines."""
        rows = self.warehouse.all(
            "select month, account, base_url, billing_currency, team, sum(own_amount) as own, sum(shared_amount) as shared from close_shares "
            f"where is_newest and book_view = '{books.view}' group by month, account, base_url, billing_currency, team")
        found = {tuple(row.values())[:5]: (row["own"], row["shared"]) for row in rows}
        assert {key: value for key, value in found.items() if any(value)} == shares_of(books)
        sums = [{tuple(row.values())[:-1]: row["amount"] for row in self.warehouse.all(
            f"select close_id, month, account, base_url, billing_currency, sum(amount) as amount from {table} "
            f"where book_view = '{books.view}' group by close_id, month, account, base_url, billing_currency having sum(amount) <> 0")}
            for table in ("close_shares", "close_lines")]
        assert sums[0] == sums[1]

    def entries(self, which: str) -> Counter:
        rows = self.warehouse.all(f"select month, kind, reason, day, method, record_id, {OWNERS}, team, amount, reporting_currency, "
                                  f"converted_amount from {which}")
        return Counter(tuple(row.values()) for row in rows)

    def balance(self, view: str) -> dict[tuple, tuple]:
        rows = self.warehouse.all(f"select * from book_balance where book_view = '{view}'")
        return {(row["month"], row["billing_currency"], row["state"]):
                tuple(row[name] for name in ("booked", "known", "estimated", "pending")) for row in rows}


def expected_balance(books: Books) -> dict[tuple, tuple]:
    """Booked, known, estimated and pending by month, currency and state."""
    sums: dict[tuple, list[Decimal]] = defaultdict(lambda: [Decimal(0)] * 4)
    first, last = min(books.books), max(books.books)

    def add(month: date, currency: str, column: int, amount: Decimal) -> None:
        state = "before the books" if month < first else "closed" if month <= last else "open"
        sums[None if month < first else month, currency, state][column] += amount

    for entry in books.entries():
        add(entry.month, entry.owner.billing_currency, 0, entry.amount)
    for account in books.accounts:
        for record in account.records.values():
            add(month_of(record, books.view), record["BillingCurrency"], 1, Decimal(record["BilledCost"]))
    for entry in books.pending():
        if (entry.kind, entry.reason) == ("accrual", "estimate"):
            add(entry.month, entry.owner.billing_currency, 2, entry.amount)
        add(entry.month, entry.owner.billing_currency, 3, entry.amount)
    return {key: tuple(value) for key, value in sums.items()}


def entry_of(entry: Entry) -> tuple:
    return (entry.month, entry.kind, entry.reason, entry.day, entry.method, entry.record_id, *entry.owner, entry.team, entry.amount,
            entry.reporting, entry.converted)
