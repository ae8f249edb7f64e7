"""The answers to docs/questions.md at the end of the year, calculated from the records of the providers. Nothing here reads SQL."""

from collections import Counter, defaultdict
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal

from bookkeeping import Bookkeeping
from company import Company
from ledger import UNIT, Owner, day_of, team_of
from world import DAY, midnight, span

CENT = Decimal("0.01")
NOW = date(2026, 1, 1)
ZERO = Decimal(0)


def billed(record: dict) -> Decimal:
    return Decimal(record["BilledCost"])


def sums_of(pairs) -> dict[tuple, Decimal]:
    sums: dict[tuple, Decimal] = defaultdict(Decimal)
    for key, amount in pairs:
        sums[key] += amount
    return sums


def rows_of(sums: dict[tuple, Decimal]) -> Counter:
    return Counter((*key, amount) for key, amount in sums.items())


def is_by_day(record: dict) -> bool:
    start, end = span(record)
    return record["ChargeCategory"] == "Usage" and end <= midnight(start) + DAY


def weights_of(usage: dict[date, Decimal], complete: set[date]) -> list[int]:
    """By weekday: its mean in the eight weeks up to the newest complete day, in parts of 10,000 of the largest one."""
    last = max(complete)
    days = [day for day in complete if usage and day > last - timedelta(days=56) and day >= min(usage)]
    held = [[usage.get(day, ZERO) for day in days if day.weekday() == weekday] for weekday in range(7)]
    means = [max(sum(amounts) / len(amounts), ZERO) if amounts else ZERO for amounts in held]
    if not any(means):
        return [1] * 7
    shares = [(mean / max(means)).quantize(Decimal("1e-6"), ROUND_HALF_UP) for mean in means]
    return [int((10_000 * share).quantize(Decimal(1), ROUND_HALF_UP)) for share in shares]


class Answers:
    """`answer` gives the rows of a question by its number."""

    def __init__(self, company: Company, kept: Bookkeeping):
        self.company, self.kept = company, kept
        self.facts: list[tuple[Owner, date, dict]] = [
            (account.owner(record), day_of(record), record) for account in company.accounts for record in account.records.values()]

    def answer(self, number: int) -> Counter:
        return getattr(self, f"question_{number}")()

    def team(self, owner: Owner, day: date) -> str | None:
        return team_of(self.company.teams, owner, day)

    def question_1(self) -> Counter:
        book = self.kept.made["month 2025-10 v1"]
        return rows_of(sums_of(((e.owner.billing_currency,), e.amount) for e in book.entries
                               if e.month == book.month and e.team == "Search"))

    def question_2(self) -> Counter:
        return rows_of(sums_of(((day.replace(day=1), o.charge_category, o.billing_currency), billed(r)) for o, day, r in self.facts
                               if o.account == "europe" and o.invoice_id == "INV-2510"))

    def question_3(self) -> Counter:
        def week(first: date) -> dict[tuple, Decimal]:
            return sums_of(((o.api_key_id, o.account, o.billing_currency), billed(r)) for o, day, r in self.facts
                           if o.api_key_id and first <= day < first + timedelta(days=7))

        this, last = week(date(2026, 1, 10)), week(date(2026, 1, 3))
        found = {key: (this.get(key, ZERO), last.get(key, ZERO)) for key in this.keys() | last.keys()}
        return Counter((*key, now, before, now - before) for key, (now, before) in found.items() if now > before)

    def question_4(self) -> Counter:
        """A day has a million input tokens and half a million cached ones at a tenth of the price."""
        inputs = sum(billed(r) for _, _, r in self.facts if r.get("x_UsageType") == "input_tokens")
        cached = sum(billed(r) for _, _, r in self.facts if r.get("x_UsageType") == "cache_read_tokens")
        return Counter([(NOW, "m-9", "USD", inputs / 2 - cached, inputs - 2 * cached, Decimal(1))])

    def showback(self) -> dict[tuple, Decimal]:
        """Taxes go evenly to the teams that have own costs in the month and currency; the first one bears what is left over."""
        own = sums_of(((day.replace(day=1), o.billing_currency, self.team(o, day)), billed(r)) for o, day, r in self.facts
                      if o.charge_category != "Tax")
        taxes = sums_of(((day.replace(day=1), o.billing_currency, o.account), billed(r)) for o, day, r in self.facts
                        if o.charge_category == "Tax")
        for (month, currency, _), amount in taxes.items():
            teams = sorted(team for m, c, team in own if (m, c) == (month, currency) and team)
            part = (amount / len(teams)).quantize(UNIT, ROUND_HALF_UP)
            for team in teams:
                own[month, currency, team] += part if team != teams[0] else amount - part * (len(teams) - 1)
        return own

    def question_5(self) -> Counter:
        sums: dict[tuple, list[Decimal]] = defaultdict(lambda: [ZERO, ZERO])
        for (month, currency, team), amount in self.showback().items():
            sums[month, currency][1] += amount
            sums[month, currency][0] += ZERO if team else amount
        return Counter((*key, *value) for key, value in sums.items())

    def question_6(self) -> Counter:
        changes = date(2026, 1, 9)
        return Counter(
            (day, "m-9", kind, "USD", price, day == changes, before if day == changes else None)
            for day in (NOW + timedelta(days=number) for number in range(16))
            for kind, before, after in (("input_tokens", 10, 8), ("cache_read_tokens", 1, Decimal("0.8")))
            for price in [before if day < changes else after])

    def question_7(self) -> Counter:
        book = self.kept.made["month 2025-10 v1"]
        return rows_of(sums_of(
            ((e.owner.account, e.reason, e.day if e.reason in ("estimate", "not proven") else None, e.method, e.owner.billing_currency),
             e.amount)
            for e in book.entries if e.month == book.month and e.kind == "accrual"))

    def question_8(self) -> Counter:
        """The known sum of January so far, and the forecast of its end."""
        sums = sums_of(((o.account, o.billing_currency), billed(r)) for o, day, r in self.facts if day >= NOW)
        return Counter((*key, amount, self.forecast(*key)) for key, amount in sums.items())

    def forecast(self, name: str, currency: str) -> Decimal:
        """Daily usage is carried on by weekdays. All other charges count once. A charge that November and December had, and
        January does not have yet, is expected again."""
        [account] = [account for account in self.company.accounts if account.world.account == name]
        complete = {day for day, state in account.states.items() if state != "read in part"}
        facts = [(o, day, r) for o, day, r in self.facts if (o.account, o.billing_currency) == (name, currency)]
        usage = sums_of((day, billed(r)) for o, day, r in facts if is_by_day(r) and day in complete)
        weights = weights_of(usage, complete)
        january = [NOW + timedelta(days=number) for number in range(31)]
        whole, known = (sum(weights[day.weekday()] for day in days) for days in (january, complete & set(january)))
        spent = sum((amount for day, amount in usage.items() if day >= NOW), ZERO)
        once: dict[tuple, dict[date, Decimal]] = defaultdict(lambda: defaultdict(Decimal))
        for o, day, record in facts:
            if not is_by_day(record):
                labels = o._replace(invoice_id=None), record.get("SkuId")
                once[labels][day.replace(day=1)] += billed(record)
        december, november = date(2025, 12, 1), date(2025, 11, 1)
        coming = [months[december] for (o, _), months in once.items()
                  if o.charge_category in ("Usage", "Purchase", "Tax") and {december, november} <= months.keys() and NOW not in months]
        return sum(coming) + sum(months.get(NOW, ZERO) for months in once.values()) + spent * whole / known

    def question_9(self) -> Counter:
        """A euro costs nothing, a dollar costs 0.9 euros and 0.92 from July; the dollar of 2024 has no rate."""
        sums: dict[tuple, list] = defaultdict(lambda: [None, 0])
        # The model rounds each row after 18 digits. Here nothing is rounded, so that only 12 digits are compared.
        for o, day, record in self.facts:
            held = sums[day.replace(day=1), o.service_provider_name, "EUR"]
            if o.billing_currency == "USD" and day < date(2025, 1, 1):
                held[1] += 1
            else:
                rate = Decimal(1) if o.billing_currency == "EUR" else Decimal("0.9") if day < date(2025, 7, 1) else Decimal("0.92")
                held[0] = (held[0] or ZERO) + billed(record) * rate
        return Counter((*key, *value) for key, value in sums.items())

    def question_10(self) -> Counter:
        pending = self.kept.books["month"].pending()
        return rows_of(sums_of(((e.month, e.team, e.kind, e.reason, e.owner.billing_currency), e.amount) for e in pending))

    def question_11(self) -> Counter:
        def spent(which) -> Decimal:
            return sum(billed(r) for o, day, r in self.facts if day >= NOW and o.billing_currency == "USD" and which(o, day))

        teams, projects = spent(lambda o, day: self.team(o, day) == "Search"), spent(lambda o, _: o.project_id == "p-search")
        return Counter([("team", "Search", NOW, "USD", Decimal(20_000), 20_000 - teams),
                        ("project_id", "p-search", NOW, "USD", Decimal(30_000), 30_000 - projects)])

    def question_12(self) -> Counter:
        uses: dict[tuple, list[tuple]] = defaultdict(list)
        for o, day, _ in self.facts:
            team = self.team(o, day)
            uses[o.api_key_id, o.account].append((day, team is None, team or ""))
        firsts = {key: min(found) for key, found in uses.items()}
        return Counter((*key, team or None, day) for key, (day, _, team) in firsts.items() if key[0] and day >= NOW)

    def question_13(self) -> Counter:
        return rows_of(sums_of(((o.account, day, o.billing_currency), billed(r)) for o, day, r in self.facts
                               if r["x_CostStatus"] == "provisional"))

    def question_14(self) -> Counter:
        return rows_of(sums_of(((day.replace(day=1), o.charge_category, o.billing_currency), billed(r)) for o, day, r in self.facts
                               if o.charge_category in ("Tax", "Credit")))

    def question_15(self) -> Counter:
        keyed = [((day.replace(day=1), o.account, o.billing_currency), r) for o, day, r in self.facts]
        effective = sums_of((key, Decimal(r["EffectiveCost"])) for key, r in keyed)
        return Counter((*key, effective[key], amount) for key, amount in sums_of((key, billed(r)) for key, r in keyed).items())

    def question_16(self) -> Counter:
        days: dict[tuple, list[date]] = defaultdict(list)
        sums: dict[tuple, Decimal] = defaultdict(Decimal)
        for o, day, record in self.facts:
            if o.project_id == "p-chat":
                days[self.team(o, day), o.billing_currency].append(day)
                sums[self.team(o, day), o.billing_currency] += billed(record)
        return Counter((*key, min(found), max(found), sums[key]) for key, found in days.items())

    def question_17(self) -> Counter:
        """The user gave the totals of two invoices. All others of the issuer are missing: costs are final, periods are read."""
        found = Counter()
        for (invoice, currency), amount in sums_of(((o.invoice_id, o.billing_currency), billed(r)) for o, _, r in self.facts
                                                   if o.invoice_id).items():
            total = self.company.invoice_totals.get((invoice, currency))
            state = "missing" if total is None else "matched" if total == amount.quantize(CENT, ROUND_HALF_UP) else "different"
            found[invoice, currency, amount, total, None if total is None else amount - total, state] += 1
        return found

    def question_18(self) -> Counter:
        return Counter([(NOW, "cd-1", "USD", Decimal(40), Decimal(30), Decimal(10), Decimal("0.75"))])

    def question_19(self) -> Counter:
        names = {"not proven": "unproven", "read in part": "incomplete"}
        return Counter((account.world.account, day, names[state]) for account in self.company.accounts
                       for day, state in account.states.items() if state != "proven")

    def question_20(self) -> Counter:
        return Counter((e.owner.account, e.record_id, e.month, e.kind, e.reason, e.day, e.team, e.owner.billing_currency, e.amount)
                       for e in self.kept.made["month 2025-11 v1"].entries)
