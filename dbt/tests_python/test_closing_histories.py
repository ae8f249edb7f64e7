"""Random histories of two accounts with two currencies: syncs that fail, resets, moves of teams, closes of both views and
reopenings. ledger.py says what the books must hold after each close. BOOK_SEEDS sets how many histories; each prints its seed."""

import os
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from random import Random

import pytest
from bookkeeping import VIEWS, Bookkeeping, Close
from ledger import Account, day_of, days_from, month_after
from world import Table, World, cost

SEEDS = range(int(os.environ.get("BOOK_SEEDS", "1")))
PROJECTS = ["p-1", "p-2", None]
FIRST = date(2025, 9, 1)


class History:
    """The records of two accounts. Both have equal ids, but not in dedup mode, where a table keeps one row of an id. The billing periods of
    the second account begin on the 15th."""

    def __init__(self, seed: int, dedup: bool):
        self.random = Random(seed)
        self.table = Table(dedup=dedup)
        self.accounts = [
            Account(World(self.table, account=name, base_url=f"https://{name}.example", retention_days=900,
                          now=datetime(2025, 9, 1, tzinfo=UTC)))
            for name in ("first", "second")]
        self.teams = [("project_id", "p-1", "A", None, None), ("project_id", "p-2", "B", None, None)]
        self.inputs: dict[str, list[tuple]] = {}
        self.today = FIRST
        self.numbers = [0, 0]
        self.closed: set[tuple[str, date]] = set()

    def amount(self) -> str:
        return str(Decimal(self.random.randrange(-10**20, 10**21)).scaleb(-18))

    def charge(self, account: Account, day: date, status: str) -> None:
        second = account is self.accounts[1]
        self.numbers[second] += 1
        first_day = (day - timedelta(days=14)).replace(day=15) if second else day.replace(day=1)
        more = {
            "x_CostStatus": status,
            "x_ProjectId": self.random.choice(PROJECTS),
            "BillingCurrency": self.random.choice(["EUR", "USD"]),
            "ChargeCategory": self.random.choice(["Usage", "Usage", "Tax"]),
            "BillingPeriodStart": f"{first_day}T00:00:00Z",
            "BillingPeriodEnd": f"{month_after(first_day).replace(day=first_day.day)}T00:00:00Z",
        }
        key = f"{account.place[0] if self.table.dedup else 'c'}{self.numbers[second]}"
        account.world.put(cost(key, f"{day}", self.amount(), **more))

    def live_to(self, end: date) -> None:
        """Costs come until this day. Some of the older ones change, become final, vanish, move, or come late."""
        for account in self.accounts:
            for day in days_from(self.today, end):
                for _ in range(self.random.randrange(3)):
                    self.charge(account, day, self.random.choice(["final", "provisional"]))
            for record_id in self.random.sample(sorted(account.world.shown), min(len(account.world.shown), 4)):
                self.change(account, record_id)
            if self.random.random() < 0.7:
                self.charge(account, FIRST + timedelta(days=self.random.randrange((end - FIRST).days)), "final")
        self.today = end

    def change(self, account: Account, record_id: str) -> None:
        record = account.world.shown[record_id]
        match self.random.randrange(6):
            case 0:
                account.world.withdraw(record_id)
            case 1:
                amount = self.amount()
                account.world.put({**record, "BilledCost": amount, "EffectiveCost": amount})
            case 2:
                account.world.put({**record, "x_ProjectId": self.random.choice(PROJECTS)})
            case 3:
                account.world.put({**record, "BillingCurrency": self.random.choice(["EUR", "USD"])})
            case _:
                account.world.put({**record, "x_CostStatus": "final"})

    def settle(self, month: date) -> None:
        for account in self.accounts:
            for record in list(account.world.shown.values()):
                if day_of(record) < month_after(month):
                    account.world.put({**record, "x_CostStatus": "final"})

    def sync(self) -> None:
        now = datetime(self.today.year, self.today.month, self.today.day, 6, tzinfo=UTC)
        for account in self.accounts:
            if self.random.random() < 0.15 and account is self.accounts[1]:
                continue
            if self.random.random() < 0.2:
                account.reset()
            months = [month for month in (month_after(FIRST, number) for number in range(5)) if month < self.today]
            windows = [(month, min(month_after(month), self.today)) for month in months]
            account.sync(now, *windows)

    def closes(self):
        """Three months, each closed by month and by billing period, and some of them again."""
        for month in (month_after(FIRST, number) for number in range(3)):
            for view, days in zip(VIEWS, (2, 16)):
                self.live_to(month_after(month) + timedelta(days=days))
                if self.random.random() < 0.5:
                    self.settle(month)
                self.sync()
                if self.random.random() < 0.4:
                    self.move()
                if self.random.random() < 0.4:
                    self.decide()
                self.closed.add((view, month))
                yield Close(view, month, self.noon(1))
                if self.random.random() < 0.4:
                    if self.random.random() < 0.5:
                        self.live_to(self.today + timedelta(days=3))
                        self.sync()
                    again = self.random.choice(sorted(self.closed))
                    yield Close(*again, self.noon(2), "a test")

    def noon(self, days: int) -> datetime:
        return datetime(self.today.year, self.today.month, self.today.day, 12, tzinfo=UTC) + timedelta(days=days)

    def move(self) -> None:
        """Gives the first project to another team: from a day on, or for all days."""
        since = self.random.choice([None, f"{FIRST + timedelta(days=self.random.randrange(90))}"])
        before = [] if since is None else [(*self.teams[0][:4], f"{date.fromisoformat(since) - timedelta(days=1)}")]
        self.teams = [*before, ("project_id", "p-1", self.random.choice("ABC"), since, None), self.teams[-1]]


    def decide(self) -> None:
        """Finance has another currency, other rates and other rules, or none."""
        reporting = self.random.choice([None, "EUR", "USD"])
        rate = str(Decimal(self.random.randrange(1, 20_000)).scaleb(-4))
        rules = [("1", "charge_category", "Tax", self.random.choice(["evenly", "by spend"])),
                 ("2", "unowned", None, self.random.choice(["evenly", "by spend"]))]
        self.inputs = {
            "reporting_currency": [(reporting,)] if reporting else [],
            "exchange_rates": [(*self.random.choice([("EUR", "USD"), ("USD", "EUR")]), f"2025-{self.random.randrange(8, 13):02}-10", rate)],
            "shared": self.random.sample(rules, self.random.randrange(3)),
        }


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("warehouse, dedup", [("duckdb", False), ("duckdb", True), ("postgres", False)], indirect=["warehouse"])
def test_books_hold_what_the_providers_showed(warehouse, seed, dedup):
    """B1 B3 B4 B5 B6 B7 B8: books over random histories hold what the providers showed."""
    print("seed", seed)
    history = History(seed, dedup)
    warehouse.create_books()
    kept = Bookkeeping(warehouse, history.accounts)
    for close in history.closes():
        kept.deliver(history.table, history.teams, **history.inputs)
        kept.close(close)
