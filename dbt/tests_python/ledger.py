"""The books of a company, calculated from the answers of its providers by the words of docs/closing.md. Nothing here reads SQL."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

from world import DAY, World, at, midnight, span

UNIT = Decimal(1).scaleb(-18)
VALUE_AT_CLOSE = "its value at the close"


class Owner(NamedTuple):
    """To whom an amount belongs, without its team."""

    account: str
    base_url: str
    service_provider_name: str
    project_id: str | None
    workspace_id: str | None
    api_key_id: str | None
    model_id: str | None
    invoice_id: str | None
    charge_category: str
    billing_currency: str


class Entry(NamedTuple):
    """A cost, an estimate or a reversal in a book. `booked_by` is the book that first had it."""

    booked_by: str
    month: date
    kind: str
    reason: str
    day: date | None
    method: str | None
    record_id: str | None
    owner: Owner
    team: str | None
    amount: Decimal
    reverses: str | None = None
    # The reporting currency and the amount in it; null without a rate.
    reporting: str | None = None
    converted: Decimal | None = None


def month_after(month: date, number: int = 1) -> date:
    for _ in range(number):
        month = (month + timedelta(days=32)).replace(day=1)
    return month


def days_from(first: date, end: date) -> list[date]:
    return [first + timedelta(days=number) for number in range((end - first).days)]


def day_of(record: dict) -> date:
    return span(record)[0].date()


def month_of(record: dict, view: str) -> date:
    day = day_of(record) if view == "month" else datetime.fromisoformat(record["BillingPeriodStart"]).date()
    return day.replace(day=1)


@dataclass
class Account:
    """The answers of an account's provider. A day of the account is proven, not proven, or read in part.

    `kept`: the rows of a day that the destination has. A day that was read without a proof keeps older rows beside the newer ones."""

    world: World
    kept: dict[date, dict[str, dict]] = field(default_factory=dict)
    states: dict[date, str] = field(default_factory=dict)
    # The answer that made the connector write a day last, and whether a destination lost rows of it.
    written: dict[date, tuple[list, bool]] = field(default_factory=dict)
    # An answer with less than half of the rows, which counts if a second one agrees.
    doubted: dict[date, list] = field(default_factory=dict)

    @property
    def place(self) -> tuple[str, str]:
        return self.world.account, self.world.base_url

    @property
    def first_day(self) -> date:
        return min(self.states)

    @property
    def records(self) -> dict[str, dict]:
        return {key: record for rows in self.kept.values() for key, record in rows.items()}

    def reset(self) -> None:
        self.world.clear()
        self.written.clear()
        self.doubted.clear()

    def sync(self, now: datetime, *windows: tuple[date, date], moved: bool = False, lost: Iterable[str] = ()) -> None:
        """Reads windows. `moved`: the listing did not stand still; `lost`: records that the destination loses."""
        now = self.world.now = max(self.world.now, now)
        before = {day: set(rows) for day, rows in self.kept.items()}
        seen = {record["x_RecordId"] for first, end in windows for record in self.world.listing(at(f"{first}"), at(f"{end}"))}
        for first, end in windows:
            window = at(f"{first}"), at(f"{end}")
            answer = self.world.listing(*window)
            for day in days_from(first, end):
                rows = sorted((record for record in answer if day_of(record) == day), key=lambda record: record["x_RecordId"])
                if at(f"{day}") < now:
                    self.judge(day, rows, now < at(f"{day}") + DAY, moved, set(lost))
        self.doubt_earlier_windows(windows, {day for day, ids in before.items() if ids - seen})
        self.world.sync(*((f"{first}", f"{end}") for first, end in windows), moved=moved,
                        lose_rows=lambda record: record["x_RecordId"] in set(lost))

    def doubt_earlier_windows(self, windows: tuple[tuple[date, date], ...], lost_days: set[date]) -> None:
        """A row that a later window no longer shows may have moved to a day after that day was read."""
        last = max((number for number, (first, end) in enumerate(windows) if any(first <= day < end for day in lost_days)), default=0)
        for first, end in windows[:last]:
            for day in days_from(first, end):
                if self.states.get(day) == "proven":
                    self.states[day] = "not proven"

    def judge(self, day: date, rows: list[dict], in_part: bool, moved: bool, lost: set[str]) -> None:
        before, had_lost = self.written.get(day, (None, False))
        if before is not None and rows != before and len(before) >= 10 and 2 * len(rows) < len(before) and self.doubted.get(day) != rows:
            self.doubted[day], self.states[day] = rows, "not proven"
            return
        self.doubted.pop(day, None)
        if before is not None and rows == before:
            self.states[day] = "read in part" if in_part else "not proven" if had_lost else "proven"
            if not had_lost:
                self.kept[day] = {record["x_RecordId"]: record for record in rows}
            return
        delivered = {record["x_RecordId"]: record for record in rows if record["x_RecordId"] not in lost}
        whole = not (moved or in_part or len(delivered) < len(rows))
        self.kept[day] = delivered if whole else self.kept.get(day, {}) | delivered
        self.states[day] = "read in part" if in_part else "proven" if whole else "not proven"
        self.written[day] = rows, len(delivered) < len(rows)

    def owner(self, record: dict) -> Owner:
        names = ("ServiceProviderName", "x_ProjectId", "x_WorkspaceId", "x_ApiKeyId", "x_ModelId", "InvoiceId", "ChargeCategory",
                 "BillingCurrency")
        return Owner(*self.place, *(record.get(name) for name in names))

    def doubt(self, record: dict) -> str | None:
        if self.states[day_of(record)] != "proven":
            return "not proven"
        return "provisional" if record["x_CostStatus"] == "provisional" else None

    def days(self, month: date, view: str) -> tuple[date, list[date]]:
        """The end of the account's month, and its days. A billing period may be longer than its month."""
        first, end = month, month_after(month)
        periods = [record for record in self.records.values() if month_of(record, view) == month]
        if view == "billing-period" and periods:
            first, end = (
                choose(datetime.fromisoformat(record[f"BillingPeriod{edge}"]).date() for record in periods)
                for choose, edge in ((min, "Start"), (max, "End")))
        return end, days_from(first, end)

    def open_days(self, month: date, view: str) -> dict[date, str]:
        found = {day: self.states.get(day, "not read") for day in self.days(month, view)[1]}
        return {day: state for day, state in found.items() if state != "proven"}

    def estimates(self, month: date, view: str) -> list[tuple[date, str, Owner, Decimal]]:
        """Day, method, owner and amount for each day that was not read as a whole."""
        end, _ = self.days(month, view)
        base = [day for day in days_from(end - timedelta(days=31), end) if self.states.get(day) == "proven"]
        if not base:
            return []
        method = f"mean usage charge of {len(base)} proven days, the last of them {base[-1]}"
        means: dict[Owner, Decimal] = defaultdict(Decimal)
        for day in base:
            for owner, amount in self.usage_charges(day).items():
                means[owner] += amount
        found = []
        for day, state in self.open_days(month, view).items():
            held = self.usage_charges(day)
            for owner, amount in means.items() if state != "not proven" else ():
                mean = (amount / len(base)).quantize(UNIT, ROUND_HALF_UP)
                if mean > held[owner]:
                    found.append((day, method, owner, mean - held[owner]))
        return found

    def usage_charges(self, day: date) -> dict[Owner, Decimal]:
        sums: dict[Owner, Decimal] = defaultdict(Decimal)
        for record in self.kept.get(day, {}).values():
            start, end = span(record)
            if record["ChargeCategory"] == "Usage" and end <= midnight(start) + DAY:
                sums[self.owner(record)._replace(invoice_id=None)] += Decimal(record["BilledCost"])
        return sums


# Rows of the team map: label, value, team, first and last day.
Teams = list[tuple]


def team_of(teams: Teams, owner: Owner, day: date) -> str | None:
    """The team of a cost on its day: that of its key, else of its project, else of its workspace."""
    for label in ("api_key_id", "project_id", "workspace_id"):
        for named, value, team, first, last in teams:
            if (named, value) == (label, getattr(owner, label)) and (first or f"{day}") <= f"{day}" <= (last or f"{day}"):
                return team
    return None


def first_team(maps: list[Teams], owner: Owner, day: date) -> str | None:
    return next((team for teams in maps if (team := team_of(teams, owner, day))), None)


# The rows of the inputs of finance besides the teams, by name.
Inputs = dict[str, list[tuple]]


def rate_of(inputs: Inputs, source: str, target: str, day: date) -> Decimal | None:
    """The newest rate that was valid on the day."""
    found = [(valid_from, rate) for from_, to, valid_from, rate in inputs.get("exchange_rates", [])
             if (from_, to) == (source, target) and valid_from <= f"{day}"]
    return Decimal(max(found)[1]) if found else None


def in_reporting_currency(entry: Entry, *inputs: Inputs) -> Entry:
    """Each value comes from the first of `inputs` that names it."""
    reporting = next((given["reporting_currency"][0][0] for given in inputs if given.get("reporting_currency")), None)
    source, found = entry.owner.billing_currency, None
    if source == reporting:
        found = entry.amount
    elif reporting:
        rate = next((rate for given in inputs if (rate := rate_of(given, source, reporting, entry.day))), None)
        found = rate and (entry.amount * rate).quantize(UNIT, ROUND_HALF_UP)
    return entry._replace(reporting=reporting, converted=found)


def negated(entry: Entry) -> Entry:
    return entry._replace(amount=-entry.amount, converted=None if entry.converted is None else -entry.converted)


@dataclass
class Book:
    """The newest version of a month's book, with the teams, the accounts and the inputs that were known at its close."""

    id: str
    month: date
    teams: Teams
    places: set[tuple[str, str]]
    entries: list[Entry]
    inputs: Inputs


@dataclass
class Books:
    """The books of one view."""

    view: str
    accounts: list[Account]
    # The team map and the other inputs of today.
    teams: Teams = field(default_factory=list)
    inputs: Inputs = field(default_factory=dict)
    books: dict[date, Book] = field(default_factory=dict)
    # By month: the entries about it in other books. They no longer count, because the month was closed again after them.
    void: dict[date, list[Entry]] = field(default_factory=lambda: defaultdict(list))
    versions: dict[date, int] = field(default_factory=lambda: defaultdict(int))

    def close(self, month: date) -> Book:
        """Closes a month for the first time."""
        book = self.begin(month)
        changes = self.pending(book.id)
        for entry in changes:
            if entry.reason == "reopened":
                self.void[entry.month].append(entry)
        return self.finish(book, self.own(month, book.id) + changes)

    def reopen(self, month: date) -> Book:
        """Closes a month again: the month is booked again, and the book keeps its entries of other months."""
        old, book = self.books[month], self.begin(month)
        kept = [entry for entry in old.entries if entry.month != month]
        open_ = set(self.open_accruals())
        self.void[month] = [entry for other in self.books.values() if other is not old for entry in other.entries
                            if entry.month == month and entry not in open_]
        return self.finish(book, self.own(month, book.id) + kept)

    def begin(self, month: date) -> Book:
        self.versions[month] += 1
        places = {account.place for account in self.accounts if account.states}
        return Book(f"{self.view} {month:%Y-%m} v{self.versions[month]}", month, self.teams, places, [], self.inputs)

    def finish(self, book: Book, entries: list[Entry]) -> Book:
        self.books[book.month] = replace(book, entries=entries)
        return self.books[book.month]

    def facts(self, month: date) -> list[tuple[Account, dict]]:
        return [(account, record) for account in self.accounts for record in account.records.values()
                if month_of(record, self.view) == month]

    def own(self, month: date, book: str) -> list[Entry]:
        found = []
        for account, record in self.facts(month):
            doubt, owner, day = account.doubt(record), account.owner(record), day_of(record)
            kind, method = ("accrual", VALUE_AT_CLOSE) if doubt else ("actual", None)
            found.append(Entry(book, month, kind, doubt or "final", day, method, record["x_RecordId"], owner,
                               team_of(self.teams, owner, day), Decimal(record["BilledCost"])))
        return [in_reporting_currency(entry, self.inputs) for entry in found + self.estimated(month, book, [self.teams])]

    def estimated(self, month: date, book: str, maps: list[Teams]) -> list[Entry]:
        return [Entry(book, month, "accrual", "estimate", day, method, None, owner, first_team(maps, owner, day), amount)
                for account in self.accounts if account.states
                for day, method, owner, amount in account.estimates(month, self.view)]

    def entries(self) -> list[Entry]:
        return [entry for book in self.books.values() for entry in book.entries]

    def open_accruals(self) -> list[Entry]:
        reversed_ = {entry.reverses for entry in self.entries()}
        return [entry for entry in self.entries() if entry.kind == "accrual" and entry.booked_by not in reversed_]

    def pending(self, book: str = "") -> list[Entry]:
        """The entries that the next close books for the months that are closed."""
        open_ = self.open_accruals()
        found = [negated(entry)._replace(booked_by=book, kind="reversal", reverses=entry.booked_by) for entry in open_]
        marks = self.marks(open_)
        for month in self.books:
            changes = self.changes(month, book, marks) + self.estimated(month, book, self.frozen(month))
            found += [in_reporting_currency(entry, self.books[month].inputs, self.inputs) for entry in changes]
            found += self.taken_over(month, book)
        return found

    def marks(self, open_: list[Entry]) -> set[tuple]:
        """The records and days of each account that the books have: booked and accrued records, and estimated days."""
        accrued = {("accrued", *entry.owner[:2], entry.record_id) for entry in open_ if entry.record_id}
        estimated = {("estimated", *entry.owner[:2], entry.day) for entry in open_ if entry.reason == "estimate"}
        return accrued | estimated | {("booked", *entry.owner[:2], entry.record_id) for entry in self.booked()}

    def booked(self) -> list[Entry]:
        """The certain entries that count."""
        void = {month: set(entries) for month, entries in self.void.items()}
        return [entry for entry in self.entries()
                if entry.kind in ("actual", "adjustment") and entry.record_id and entry not in void.get(entry.month, ())]

    def frozen(self, month: date) -> list[Teams]:
        """The map that was frozen with a book, and the map of today for labels that the frozen one does not name."""
        return [self.books[month].teams, self.teams]

    def changes(self, month: date, book: str, marks: set[tuple]) -> list[Entry]:
        """The costs of a closed month less what is booked of each."""
        maps = self.frozen(month)
        booked: dict[tuple, list[Entry]] = defaultdict(list)
        for entry in self.booked():
            if entry.month == month:
                booked[entry.owner, entry.record_id].append(entry)
        shown = {(account.owner(record), record["x_RecordId"]): (account, record) for account, record in self.facts(month)}
        found = []
        for owner, record_id in booked.keys() | shown.keys():
            before = booked[owner, record_id]
            account, record = shown.get((owner, record_id), (self.account(owner), None))
            amount = (Decimal(record["BilledCost"]) if record else Decimal(0)) - sum(entry.amount for entry in before)
            if amount == 0:
                continue
            day = day_of(record) if record else max(entry.day for entry in before)
            doubt = account.doubt(record) if record else None if account.states[day] == "proven" else "not proven"
            kind, method = ("accrual", VALUE_AT_CLOSE) if doubt else ("adjustment", None)
            reason = doubt or self.reason(month, account, record_id, day, record, marks)
            team = before[0].team if before else first_team(maps, owner, day)
            found.append(Entry(book, month, kind, reason, day, method, record_id, owner, team, amount))
        return found

    def account(self, owner: Owner) -> Account:
        return next(account for account in self.accounts if account.place == owner[:2])

    def reason(self, month: date, account: Account, record_id: str, day: date, record: dict | None, marks: set[tuple]) -> str:
        if record is None:
            return "corrected" if record_id in account.records else "withdrawn"
        if ("accrued", *account.place, record_id) in marks:
            return "settled"
        if ("booked", *account.place, record_id) in marks:
            return "corrected"
        if account.place not in self.books[month].places:
            return "account added"
        if ("estimated", *account.place, day) in marks:
            return "arrived"
        return "corrected" if record.get("x_CorrectsRecordId") else "late"

    def taken_over(self, month: date, book: str) -> list[Entry]:
        """The entries of other books about a month that was closed again, with the opposite sign."""
        held: dict[tuple, list[Entry]] = defaultdict(list)
        for entry in self.void[month]:
            held[entry.owner, entry.team, entry.day, entry.reporting].append(negated(entry))
        found = [Entry(book, month, "adjustment", "reopened", day, None, None, owner, team, sum(entry.amount for entry in entries), None,
                       reporting, sum_or_none(entry.converted for entry in entries))
                 for (owner, team, day, reporting), entries in held.items()]
        return [entry for entry in found if entry.amount or entry.converted]

    def obstacles(self, month: date) -> set[tuple]:
        """Account, month, day and reason of all that a close without accruals refuses."""
        found = {(account.world.account, month, day, state) for account in self.accounts if account.states
                 for day, state in account.open_days(month, self.view).items()}
        found |= {(e.owner.account, month, e.day, e.reason) for e in self.own(month, "") if e.reason == "provisional"}
        # An accrued day that no sync reads is accrued again without a further question.
        accepted = {(e.owner[:2], e.month, e.day) for e in self.open_accruals()
                    if e.reason == "estimate" and e.day < self.account(e.owner).first_day}
        return found | {(e.owner.account, e.month, e.day, "not read" if e.reason == "estimate" else e.reason)
                        for e in self.pending() if e.kind == "accrual"
                        and not (e.reason == "estimate" and (e.owner[:2], e.month, e.day) in accepted)}


def sum_or_none(amounts: Iterable[Decimal | None]) -> Decimal | None:
    """Null if one of them is."""
    found = list(amounts)
    return None if None in found else sum(found, Decimal(0))


def lines_of(view: str, book: Book) -> dict[tuple, tuple[int, Decimal, Decimal | None]]:
    """The lines of a book in the order of their columns: the number of entries, and the sum of each in both currencies."""
    found: dict[tuple, list[Entry]] = defaultdict(list)
    for entry in book.entries:
        day = entry.day if entry.reason in ("not proven", "estimate") else None
        o = entry.owner
        found[view, book.month, entry.month, entry.kind, entry.reason, day, entry.method, o.account, o.base_url,
                    o.service_provider_name, entry.team, o.project_id, o.model_id, o.invoice_id, o.charge_category, o.billing_currency,
              entry.reporting].append(entry)
    return {key: (len(entries), sum(entry.amount for entry in entries), sum_or_none(entry.converted for entry in entries))
            for key, entries in found.items()}


def digest_of(book: Book, view: str) -> str:
    """The SHA-256 of the sorted SHA-256 of the lines. Reversals of accruals of different books are lines of their own."""
    by_booked: dict[tuple, list[Entry]] = defaultdict(list)
    for entry in book.entries:
        by_booked[entry.booked_by, entry.reverses].append(entry)
    digests = [
        hashlib.sha256("|".join(text_of(value) for value in (*key, *value)).encode()).hexdigest()
        for entries in by_booked.values() for key, value in lines_of(view, replace(book, entries=entries)).items()
    ]
    return hashlib.sha256(",".join(sorted(digests)).encode()).hexdigest()


def text_of(value) -> str:
    if value is None:
        return "-"
    plain = f"{value.normalize():f}" if isinstance(value, Decimal) else str(value)
    return f"{len(plain)}:{plain}"
