"""A year of a company, whose twelve months are closed by month and by billing period. Every number that the models show of the books
is compared with a calculation that reads the answers of the providers (ledger.py) and none of our SQL."""

from collections import Counter

import pytest
from bookkeeping import VIEWS, Bookkeeping, entry_of
from company import MONTHS, Company
from warehouses import DuckDB, Postgres, Warehouse

DOUBTS = ("estimate", "not proven", "provisional")
CHANGES = ("account added", "arrived", "corrected", "late", "reopened", "settled", "withdrawn")


def played(warehouse: Warehouse, months: int) -> Bookkeeping:
    warehouse.create_raw()
    company = Company()
    kept = Bookkeeping(warehouse, company.accounts)
    for close in company.year(MONTHS[:months]):
        kept.deliver(company.table, company.teams)
        kept.close(close, looks=close.why is not None or close.month.month % 3 == 0)
    return kept


@pytest.fixture(scope="module")
def year():
    warehouse = DuckDB()
    yield played(warehouse, 12)
    warehouse.close()


def test_a_year_of_books(year):
    """Each close was compared when it was made. The year had all that can happen to a cost."""
    seen = {(entry.kind, entry.reason) for books in year.books.values() for entry in books.entries()}
    assert seen == {("actual", "final"), *((kind, reason) for kind in ("accrual", "reversal") for reason in DOUBTS),
                    *(("adjustment", reason) for reason in CHANGES)}
    assert {view: len(books.books) for view, books in year.books.items()} == dict.fromkeys(VIEWS, 12)
    assert sum(" v1" not in close_id for close_id in year.digests) == 4


@pytest.mark.parametrize("view", VIEWS)
def test_all_adjustments_of_a_year(year, view):
    books = year.books[view].books.values()
    expected = Counter(entry_of(entry) for book in books for entry in book.entries if entry.month != book.month)
    assert year.entries(f"adjustments where not is_pending and book_view = '{view}'") == expected


def test_postgres_writes_the_same_books(postgres):
    """Four months, with late costs, a late tax, a sync that failed, rows that a destination loses, and teams that move."""
    warehouse = Postgres(postgres.port, "year")
    assert len(played(warehouse, 4).digests) == 8
    warehouse.close()
