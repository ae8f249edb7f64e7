"""Random histories of syncs, closes, reopenings and moves of teams. A calculation that reads what the provider shows, and none of our
SQL, says what the books must hold after each close. SEEDS sets how many histories; each prints its seed."""

import os
import random
from collections import defaultdict
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal

import pytest
from world import DAY, Table, World, at, cost, span

SEEDS = range(int(os.environ.get("BOOK_SEEDS", "1")))
PROJECTS = ["p-1", "p-2", None]
FIRST = date(2025, 9, 1)


def month_after(month: date, number: int = 1) -> date:
    for _ in range(number):
        month = (month + timedelta(days=32)).replace(day=1)
    return month


class History:
    """The provider, the days that were read, the team maps, and the team with which each cost was booked."""

    def __init__(self, seed: int, dedup: bool):
        self.random = random.Random(seed)
        self.world = World(Table(dedup=dedup), now=at("09-02 06:00"), retention_days=900)
        self.through = FIRST
        self.known: dict[str, dict] = {}
        self.teams = {"p-1": "A", "p-2": "B"}
        self.frozen: dict[date, dict] = {}
        self.booked_teams: dict[tuple, str | None] = {}
        self.number = 0

    def new_cost(self, day: date, final: bool) -> None:
        self.number += 1
        project = self.random.choice(PROJECTS)
        more = {"x_ProjectId": project} if project else {}
        status = "final" if final else "provisional"
        self.world.put(cost(f"c{self.number}", f"{day:%m-%d}", self.amount(), x_CostStatus=status, **more))

    def amount(self) -> str:
        return str(Decimal(self.random.randrange(-10**20, 10**21)).scaleb(-18))

    def live_to(self, day: date) -> None:
        """Costs come until this day; some of the older ones change, become final, vanish, move, or come late."""
        while self.world.now.date() < day:
            today = self.world.now.date()
            for _ in range(self.random.randrange(3)):
                self.new_cost(today, final=self.random.random() < 0.5)
            self.world.now += DAY
        shown = self.world.shown
        for record_id in self.random.sample(sorted(shown), min(len(shown), 6)):
            record = shown[record_id]
            match self.random.randrange(5):
                case 0:
                    self.world.withdraw(record_id)
                case 1:
                    amount = self.amount()
                    self.world.put({**record, "BilledCost": amount, "EffectiveCost": amount})
                case 2:
                    self.world.put({**record, "x_ProjectId": self.random.choice(PROJECTS)})
                case _:
                    self.world.put({**record, "x_CostStatus": "final"})
        if self.random.random() < 0.7:
            self.new_cost(FIRST + timedelta(days=self.random.randrange((day - FIRST).days)), final=True)

    def settle(self, month: date) -> None:
        for record in list(self.world.shown.values()):
            if span(record)[0].date() < month_after(month):
                self.world.put({**record, "x_CostStatus": "final"})

    def sync(self, through: date) -> None:
        if self.random.random() < 0.2:
            self.world.clear()
        self.through = max(self.through, through)
        self.world.sync((f"{FIRST:%m-%d}", f"{self.through:%m-%d}"))
        self.known = {key: dict(record) for key, record in self.world.shown.items() if span(record)[0].date() < self.through}

    def records(self, month: date) -> dict[str, dict]:
        return {key: record for key, record in self.known.items() if span(record)[0].date().replace(day=1) == month}

    def close(self, closed: list[date], month: date, again: bool = False) -> None:
        """Books the teams of the costs of a month, and those of new costs of months that are closed."""
        self.frozen[month] = dict(self.teams)
        if again:
            self.booked_teams = {key: team for key, team in self.booked_teams.items() if key[0] != month}
        for each in [month] if again else [*closed, month]:
            for key, record in self.records(each).items():
                project = record.get("x_ProjectId")
                team = self.frozen[each].get(project, self.teams.get(project))
                self.booked_teams.setdefault((each, key, project), team)

    def expected(self, months: list[date], today_teams: dict) -> dict[tuple, Decimal]:
        """What the books hold of each month and team: all known costs, and an estimate for each day that was not read."""
        sums: dict[tuple, Decimal] = defaultdict(Decimal)
        for month in months:
            for key, record in self.records(month).items():
                sums[month, self.booked_teams[month, key, record.get("x_ProjectId")]] += Decimal(record["BilledCost"])
            for (_, project), amount in self.estimates(month).items():
                sums[month, self.frozen[month].get(project, today_teams.get(project))] += amount
        return {key: amount for key, amount in sums.items() if amount}

    def estimates(self, month: date) -> dict[tuple, Decimal]:
        end = month_after(month)
        base = [end - timedelta(days=number) for number in range(1, 32)]
        proven = [day for day in base if FIRST <= day < self.through]
        unread = [month + timedelta(days=number) for number in range((end - month).days) if month + timedelta(days=number) >= self.through]
        sums: dict[str | None, Decimal] = defaultdict(Decimal)
        for record in self.known.values():
            if span(record)[0].date() in proven:
                sums[record.get("x_ProjectId")] += Decimal(record["BilledCost"])
        means = {project: (amount / len(proven)).quantize(Decimal(1).scaleb(-18), ROUND_HALF_UP) for project, amount in sums.items()}
        return {(day, project): mean for day in unread for project, mean in means.items() if mean > 0}

    def is_certain(self, months: list[date]) -> bool:
        last = month_after(months[-1])
        return self.through >= last and all(
            record["x_CostStatus"] == "final" for month in months for record in self.records(month).values())


def sums_of(warehouse, table: str) -> dict[tuple, Decimal]:
    rows = warehouse.all(f"select month, team, sum(amount) as amount from {table} where is_newest group by month, team")
    return {(row["month"], row["team"]): row["amount"] for row in rows if row["amount"]}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("dedup", [False, True])
def test_four_things_always_hold(warehouse, seed, dedup):
    print("seed", seed)
    history = History(seed, dedup)
    warehouse.create_books()
    closed: list[date] = []
    kept: dict[str, list] = {}
    for number in range(3):
        month = month_after(FIRST, number)
        end = month_after(month)
        history.live_to(end + timedelta(days=3))
        if history.random.random() < 0.5:
            history.settle(month)
        history.sync(end - timedelta(days=history.random.randrange(3)))
        if history.random.random() < 0.6:
            history.teams = {**history.teams, "p-1": history.random.choice("ABC")}
        close_at = f"{end + timedelta(days=4)} 12:00:00"
        deliver(warehouse, history)
        certain = history.is_certain([*closed, month])
        refused = warehouse.close_book("month", f"{month:%Y-%m}", close_at)
        assert (refused == []) == certain, refused
        if not certain:
            assert warehouse.close_book("month", f"{month:%Y-%m}", close_at, accrue=True) == []
        history.close(closed, month)
        closed.append(month)
        judge(warehouse, history, closed, kept)
        if history.random.random() < 0.7:
            again = history.random.choice(closed)
            history.live_to(end + timedelta(days=6))
            history.sync(end + timedelta(days=2))
            deliver(warehouse, history)
            at_ = f"{end + timedelta(days=8)} 12:00:00"
            assert warehouse.close_book("month", f"{again:%Y-%m}", at_, accrue=True, why="a test") == []
            history.close(closed, again, again=True)
            frozen(warehouse, kept)


def deliver(warehouse, history: History) -> None:
    warehouse.fill(history.world.table.tables)
    warehouse.give(teams=[("project_id", project, team) for project, team in history.teams.items()])


def judge(warehouse, history: History, closed: list[date], kept: dict[str, list]) -> None:
    expected = history.expected(closed, history.teams)
    # 1 and 2: what is booked of each month, and of all, is what is known and estimated. 3: lines and teams add up to the whole.
    assert sums_of(warehouse, "close_lines") == expected
    assert sums_of(warehouse, "close_entries") == expected
    rows = warehouse.all("select sum(pending) as pending, sum(booked - known - estimated) as difference from book_balance "
                         "where state = 'closed'")
    # The next close would reverse the open accruals and book them again: nothing is left over.
    assert (rows[0]["pending"], rows[0]["difference"]) == (0, 0)
    frozen(warehouse, kept)


def frozen(warehouse, kept: dict[str, list]) -> None:
    """4: every book is as it was, digest included."""
    found: dict[str, list] = defaultdict(list)
    for row in warehouse.all("select * from ai_billing_close_lines"):
        found[row["close_id"]].append(sorted((name, str(value)) for name, value in row.items()))
    digests = {row["close_id"]: (row["digest"], row["is_intact"]) for row in warehouse.all("select * from closes")}
    for close_id, (digest, is_intact) in digests.items():
        assert is_intact
        content = [digest, *sorted(found[close_id])]
        assert kept.setdefault(close_id, content) == content
