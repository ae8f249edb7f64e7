"""A year of a company: three accounts, two currencies, teams that move, credits, tax, late and withdrawn rows.

`Company.year` tells what happens, step by step: the providers show other records, the connector reads, and a month is closed."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from random import Random

from bookkeeping import Close, Team
from ledger import Account, day_of, days_from, month_after, month_of
from world import Table, World, cost, usage

ONE, TWO = "https://one.example", "https://two.example"
FIRST = date(2025, 1, 1)
MONTHS = [month_after(FIRST, number) for number in range(12)]


# The account, the month and the day of the syncs that failed.
FAILED = {("main", 3, 3), ("lab", 10, 3), ("lab", 10, 17)}


class Company:
    """`main` and `lab` are accounts of one provider, and their records have equal ids. `europe` is billed in EUR from the 15th to the
    15th, and its costs are provisional until its invoice comes on the 16th."""

    def __init__(self):
        self.random = Random(29)
        self.table = Table()
        self.main, self.lab, self.europe = self.accounts = [
            Account(World(self.table, account=name, base_url=url, retention_days=900, now=datetime(2025, 1, 1, tzinfo=UTC)))
            for name, url in (("main", ONE), ("lab", ONE), ("europe", TWO))]
        # Label, value, team, first and last day.
        self.teams: list[Team] = [
            ("project_id", "p-search", "Search", None, None), ("project_id", "p-chat", "Chat", None, None),
            ("api_key_id", "k-lab", "Lab", None, None), ("workspace_id", "w-eu", "Europe", None, None)]
        self.shown_to = FIRST
        self.inputs: dict[str, list[tuple]] = {
            "reporting_currency": [("EUR",)],
            "exchange_rates": [("USD", "EUR", "2025-01-01", "0.9")],
            "shared": [("1", "charge_category", "Tax", "evenly"), ("2", "charge_category", "Credit", "by spend")],
        }

    def move(self, label: str, value: str, team: str, since: str | None = None) -> None:
        """Gives a key or a project to another team: from a day on, or for all days."""
        kept = [row if row[1] != value else (*row[:4], f"{date.fromisoformat(since) - timedelta(days=1)}")
                for row in self.teams if row[1] != value or (since and (row[3] or "") < since)]
        self.teams = [*kept, (label, value, team, since, None)]

    # The providers.

    def amount(self, least: int = 1) -> str:
        """With all 18 digits behind the point. A day costs up to 1,000."""
        return str(Decimal(self.random.randrange(least * 10**18, 10**21)).scaleb(-18))

    def show_to(self, end: date) -> None:
        """The costs of the days until `end` come."""
        for day in days_from(self.shown_to, end):
            self.charge(self.main, day, "search", x_ProjectId="p-search", x_ModelId="m-1")
            self.charge(self.main, day, "chat", x_ProjectId="p-chat", x_ModelId=f"m-{1 + day.day % 2}", x_ApiKeyId="k-chat")
            # A key belongs to a team although its project belongs to another, and nobody owns every third day.
            self.charge(self.lab, day, "search", **([{}, {"x_ApiKeyId": "k-lab", "x_ProjectId": "p-chat"}][day.day % 3 > 0]))
            if day >= date(2025, 4, 1):
                self.charge(self.europe, day, "search", x_WorkspaceId="w-eu", x_ModelId="m-1")
            if day.day == 1:
                end_of_month = f"{month_after(day)}"
                self.charge(self.main, day, "plan", end=end_of_month, ChargeCategory="Purchase", BillingCurrency="USD")
                self.charge(self.main, day, "marketplace", ChargeCategory="Purchase", BillingCurrency="EUR", x_ProjectId="p-search")
            if day.day == 20 and day.month in (2, 6, 9):
                self.charge(self.main, day, "credit", billed=f"-{self.amount()}", ChargeCategory="Credit")
        self.shown_to = end

    def charge(self, account: Account, day: date, name: str, billed: str | None = None, end: str | None = None, **more) -> None:
        europe = account is self.europe
        first = day.replace(day=1) if not europe else (day - timedelta(days=14)).replace(day=15)
        more = {
            "BillingCurrency": "EUR" if europe else "USD",
            "ServiceProviderName": "Two" if europe else "One",
            "BillingPeriodStart": f"{first}T00:00:00Z",
            "BillingPeriodEnd": f"{month_after(first).replace(day=first.day)}T00:00:00Z",
            "x_CostStatus": "provisional" if europe else "final",
            **more,
        }
        account.world.put(cost(f"{day:%y%m%d}-{name}", f"{day}", billed or self.amount(), end, **more))

    def change(self, account: Account, record_id: str, **more) -> None:
        if "BilledCost" in more:
            more["EffectiveCost"] = more["BilledCost"]
        account.world.put({**account.world.shown[record_id], **more})

    def issue(self, account: Account, month: date, raised: tuple[str, ...] = ()) -> None:
        """The invoice of a month comes. Its costs become final, some with other amounts."""
        for record_id, record in list(account.world.shown.items()):
            if month_of(record, "billing-period") == month:
                more = {"BilledCost": self.amount()} if record_id in raised else {}
                self.change(account, record_id, InvoiceId=f"INV-{month:%y%m}", x_CostStatus="final", **more)

    def tax(self, month: date) -> None:
        """A part of a cent is not rounded: a tax has all its digits."""
        net = sum(Decimal(record["BilledCost"]) for record in self.main.world.shown.values()
                  if month_of(record, "month") == month and record["BillingCurrency"] == "USD" and record["ChargeCategory"] != "Tax")
        billed = (net * 19 / 100).quantize(Decimal(1).scaleb(-18))
        self.charge(self.main, month_after(month) - timedelta(days=1), "tax", str(billed), ChargeCategory="Tax")

    # The year.

    def year(self, months: list[date]) -> Iterator[Close]:
        self.charge(self.main, date(2024, 12, 20), "plan", ChargeCategory="Purchase")
        for month in months:
            # A month is closed on the fourth of the next one, and its billing period on the eighteenth.
            self.show_to(month_after(month) + timedelta(days=3))
            self.before_close(month)
            self.read(month, 3)
            yield Close("month", month, self.instant(month, 4))
            yield from self.after_close(month)
            self.show_to(month_after(month) + timedelta(days=17))
            self.issue(self.europe, month)
            self.before_invoices(month)
            self.read(month, 17)
            yield Close("billing-period", month, self.instant(month, 18))
            yield from self.after_invoices(month)

    def instant(self, month: date, day: int) -> datetime:
        return datetime.combine(month_after(month).replace(day=day), datetime.min.time(), UTC) + timedelta(hours=12)

    def read(self, month: date, day: int, accounts: list[Account] | None = None, also: list[date] = (), **fate) -> None:
        """Each account reads the month and what there is of the next one. `also`: older months that a scrub reads."""
        now = self.instant(month, day) - timedelta(hours=6)
        for account in accounts or self.accounts:
            if (account.world.account, month.month, day) in FAILED:
                continue
            since = FIRST if account is not self.europe else date(2025, 4, 1)
            if account is self.europe and month < date(2025, 5, 1):
                continue
            months = {*also, month} if account.states else {each for each in MONTHS if since <= each <= month}
            windows = [(each, month_after(each)) for each in sorted(months) if each >= since]
            if account is self.main and not account.states:
                windows.insert(0, (date(2024, 12, 1), FIRST))
            if month_after(month) <= now.date():
                windows.append((month_after(month), now.date() + timedelta(days=1)))
            account.sync(now, *windows, **fate)

    def before_close(self, month: date) -> None:
        main, lab, europe = self.accounts
        if month.month not in (2, 3, 8, 11):
            self.tax(month)
            self.issue(main, month)
        match month.month:
            case 2:  # The invoice is late, and a cost of January comes late.
                self.provisional(main, month, 3)
                self.charge(main, date(2025, 1, 9), "late", x_ProjectId="p-search")
                self.read(month, 2, also=[FIRST])
            case 3:  # The tax is late.
                self.issue(main, month)
            case 4:  # A project moves, March's tax comes, and a cost of March is withdrawn. The destination loses a row.
                self.move("project_id", "p-chat", "Search", "2025-04-11")
                self.tax(date(2025, 3, 1))
                main.world.withdraw("250310-chat")
                self.read(month, 2, also=[date(2025, 3, 1)])
                self.charge(lab, date(2025, 4, 29), "other")
                self.read(month, 2, [lab], lost=["250429-other"])
            case 5:  # Finance mends a rate and has other rules. Closed months keep the earlier ones.
                self.inputs = {
                    **self.inputs,
                    "exchange_rates": [("USD", "EUR", "2025-01-01", "0.95"), ("USD", "EUR", "2025-05-10", "0.9125")],
                    "shared": [("1", "charge_category", "Tax", "by spend"), ("3", "unowned", None, "evenly")],
                }
            case 6:  # The state of an account is lost: all is read again, and the lost row comes. A cost moves to another month.
                lab.reset()
                self.read(month, 2, [lab], also=MONTHS[:6])
                self.change(main, "250529-search", ChargePeriodStart="2025-06-02T00:00:00Z", ChargePeriodEnd="2025-06-03T00:00:00Z")
                self.change(main, "250520-search", x_ProjectId="p-chat")
                self.read(month, 2, also=[date(2025, 5, 1)])
            case 7:  # An outage shows a tenth of a day.
                for number in range(12):
                    self.charge(lab, date(2025, 7, 10), f"burst-{number}", x_ApiKeyId="k-lab")
                self.read(month, 2, [lab])
                self.outage = {key: record for key, record in lab.world.shown.items() if "250710-burst" in key}
                for key in self.outage:
                    lab.world.withdraw(key)
            case 8:  # The invoice is late, and the listing of a month moves while it is read.
                self.provisional(main, month, 2)
                self.read(month, 2, [lab], moved=True)
                self.change(lab, "250815-search", BilledCost=self.amount())
                self.read(month, 2, [lab], moved=True)
            case 9:  # A correction of June, and a cost that changes its currency.
                self.charge(main, date(2025, 6, 11), "correction", f"-{self.amount()}", x_CorrectsRecordId="250611-search")
                self.change(main, "250812-chat", BillingCurrency="EUR")
                self.move("project_id", "p-chat", "Chat", "2025-08-20")
                self.move("workspace_id", "w-eu", "Search")
                self.read(month, 2, also=[date(2025, 6, 1), date(2025, 8, 1)])
            case 10:  # The company reports in dollars from now on, and has no rate for euros before June.
                self.inputs = {**self.inputs, "reporting_currency": [("USD",)],
                               "exchange_rates": [("EUR", "USD", "2025-10-08", "1.1"), ("USD", "EUR", "2025-01-01", "0.97")]}
            case 11:
                self.provisional(main, month, 4)
            case 12:  # A refund of February.
                self.charge(main, date(2025, 2, 3), "refund", f"-{self.amount()}", ChargeCategory="Adjustment")
                self.read(month, 2, also=[date(2025, 2, 1), date(2025, 11, 1)])

    def provisional(self, account: Account, month: date, days: int) -> None:
        for record_id, record in list(account.world.shown.items()):
            if month_after(month) - timedelta(days=days) <= day_of(record) < month_after(month):
                self.change(account, record_id, x_CostStatus="provisional")

    def before_invoices(self, month: date) -> None:
        main, lab, _ = self.accounts
        match month.month:
            case 2:
                self.tax(month)
                self.issue(main, month, raised=("250227-chat", "250228-search"))
            case 7:  # The rows are back.
                lab.world.shown |= self.outage
            case 8 | 11:  # A provisional cost vanishes. The tax and the invoice come.
                last = month_after(month) - timedelta(days=1)
                main.world.withdraw(f"{last:%y%m%d}-chat")
                self.tax(month)
                self.issue(main, month, raised=(f"{last:%y%m%d}-search",))

    def after_close(self, month: date) -> Iterator[Close]:
        if month.month == 10:  # Closed again before the next month is: its accruals are open.
            self.change(self.main, "251015-chat", BilledCost=self.amount())
            self.read(month, 5, [self.main])
            yield Close("month", month, self.instant(month, 6), "a cost was wrong")

    def after_invoices(self, month: date) -> Iterator[Close]:
        if month.month == 6:  # June has reversed the accruals of May.
            self.move("project_id", "p-chat", "Lab")
            yield Close("month", date(2025, 5, 1), self.instant(month, 20), "another team had the project")
        if month.month == 11:
            yield Close("billing-period", date(2025, 9, 1), self.instant(month, 20), "an auditor asked")
            yield Close("month", date(2025, 11, 1), self.instant(month, 21), "the invoice came")

    # After the year.

    @property
    def invoice_totals(self) -> dict[tuple[str, str], Decimal]:
        """An invoice names cents. One of the two is 1.00 too high."""
        def total(month: str) -> Decimal:
            billed = sum(Decimal(record["BilledCost"]) for account in self.accounts for record in account.records.values()
                         if record.get("InvoiceId") == month and record["BillingCurrency"] == "USD")
            return billed.quantize(Decimal("0.01"), ROUND_HALF_UP)

        return {("INV-2501", "USD"): total("INV-2501"), ("INV-2502", "USD"): total("INV-2502") + 1}

    def after_the_year(self) -> dict[str, list[tuple]]:
        """January has tokens with prices, a commitment and a new key, and a cost of December is wrong. Gives the inputs of finance."""
        usages = World(self.table, dataset="usage", account="main", base_url=ONE, retention_days=900, now=self.main.world.now)
        for number in range(16):
            day = date(2026, 1, 1) + timedelta(days=number)
            price = Decimal(10 if number < 8 else 8)
            for kind, tokens, billed in (("input_tokens", "1000000", price), ("cache_read_tokens", "500000", price / 20)):
                more = {"x_UsageType": kind, "x_ModelId": "m-9", "ServiceProviderName": "One"}
                self.charge(self.main, day, kind, str(billed), **more)
                usages.put(usage(f"{day}-{kind}", f"{day}", tokens, **more))
        day = date(2026, 1, 12)
        for status, effective in (("Used", "30"), ("Unused", "10")):
            said = {"CommitmentDiscountId": "cd-1", "CommitmentDiscountStatus": status}
            self.charge(self.main, day, f"commitment-{status}", "0", EffectiveCost=effective, x_ProviderColumns=said)
        self.charge(self.main, day, "new", x_ApiKeyId="k-new", x_ProjectId="p-search")
        self.change(self.main, "251212-search", BilledCost=self.amount())
        self.main.sync(self.main.world.now, (MONTHS[11], date(2026, 1, 1)), (date(2026, 1, 1), date(2026, 1, 18)))
        usages.sync(("2026-01-01", "2026-01-18"))
        return {
            "budgets": [("Search", "2026-01", "USD", "20000"), ("", "2026-01", "USD", "30000", "p-search")],
            "shared": [("1", "charge_category", "Tax", "evenly")],
            "exchange_rates": [("USD", "EUR", "2025-01-01", "0.9"), ("USD", "EUR", "2025-07-01", "0.92")],
            "reporting_currency": [("EUR",)],
            "invoice_totals": [("Example", *key, str(total)) for key, total in self.invoice_totals.items()],
        }
