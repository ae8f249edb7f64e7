"""A year of a company, whose twelve months are closed by month and by billing period. Every number that the models show of the books
is compared with a calculation that reads the answers of the providers (ledger.py) and none of our SQL."""

import re
from collections import Counter
from datetime import datetime
from decimal import Decimal

import pytest
from answers import Answers
from bookkeeping import VIEWS, Bookkeeping, entry_of
from company import MONTHS, Company
from warehouses import ROOT, DuckDB, Postgres, Warehouse

DOUBTS = ("estimate", "not proven", "provisional")
CHANGES = ("account added", "arrived", "corrected", "late", "reopened", "settled", "withdrawn")


def played(warehouse: Warehouse, company: Company, months: int) -> Bookkeeping:
    warehouse.create_raw()
    kept = Bookkeeping(warehouse, company.accounts)
    for close in company.year(MONTHS[:months]):
        kept.deliver(company.table, company.teams, **company.inputs)
        kept.close(close, looks=close.why is not None or close.month.month % 3 == 0)
    return kept


@pytest.fixture(scope="module")
def company():
    return Company()


@pytest.fixture(scope="module")
def year(company):
    warehouse = DuckDB()
    yield played(warehouse, company, 12)
    warehouse.close()


def test_a_year_of_books(year):
    """B1 B3 B4 B5 B6 B7 B8: each close of a year was compared when it was made, with all that can happen to a cost."""
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


@pytest.fixture(scope="module")
def answers(company, year):
    """Other inputs of finance are given now, and no book changes."""
    year.deliver(company.table, company.teams, **company.after_the_year())
    return Answers(company, year)


def questions() -> list[tuple[int, str]]:
    page = (ROOT / "docs" / "questions.md").read_text()
    return [(int(number), line) for number, line in re.findall(r"^-- (\d+)\. .*\n(.*;)$", page, re.MULTILINE)]


@pytest.mark.parametrize("number, line", questions(), ids=[str(number) for number, _ in questions()])
def test_a_question_of_finance_has_the_answer_of_the_records(year, answers, number, line):
    expected = Counter(tuple(plain(value) for value in row) for row in answers.answer(number).elements())
    assert expected == Counter(tuple(plain(value) for value in row.values()) for row in year.warehouse.all(line))


def plain(value):
    """A month may come as an instant. An amount that was divided or converted is rounded after 18 digits, at several places."""
    if isinstance(value, datetime):
        return value.date()
    return round(value, 12) if isinstance(value, Decimal) else value


def test_there_are_twenty_questions():
    assert [number for number, _ in questions()] == list(range(1, 21))


def lines(page: str) -> list[str]:
    return re.findall(r"^SELECT .*;$", (ROOT / "docs" / page).read_text(), re.MULTILINE)


def test_postgres_writes_the_same_books_and_takes_every_line_of_the_pages(postgres):
    """Four months, with late costs, a late tax, a sync that failed, rows that a destination loses, and teams that move."""
    warehouse = Postgres(postgres.port, "year")
    assert len(played(warehouse, Company(), 4).digests) == 8
    for page in ("questions.md", "closing.md", "shared_costs.md"):
        assert len(lines(page)) >= 3
        for line in lines(page):
            warehouse.all(line)
    warehouse.close()
