"""A small model of provider, connector and destination, so that a scenario is a few lines.

A World has the records that the provider shows. `read` reads windows by the connector's rules (R4 to R8, P5, P6) and gives rows and
reports to its table; its arguments name the faults of a reading. `truth` has the records that the provider shows now.
"""

import json
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal, getcontext
from itertools import count

DAY = timedelta(days=1)
# No sum of a test is rounded.
getcontext().prec = 1000


def at(text: str) -> datetime:
    """`11-05` or `11-05 13:30`, in 2025, UTC; `2026-01-05` names its year."""
    day, _, time = text.partition(" ")
    return datetime.fromisoformat(f"{'2025-' if len(day) == 5 else ''}{day}T{time or '00:00'}:00+00:00")


def iso(instant: datetime | None) -> str | None:
    return None if instant is None else instant.strftime("%Y-%m-%dT%H:%M:%S.%fZ").replace(".000000Z", "Z")


def midnight(instant: datetime) -> datetime:
    return instant.replace(hour=0, minute=0, second=0, microsecond=0)


def cost(record_id: str, start: str, billed: str, end: str | None = None, **more) -> dict:
    begin = at(start)
    month = begin.replace(day=1, hour=0, minute=0)
    return {
        "x_RecordId": record_id,
        "x_Granularity": "1d",
        "ChargePeriodStart": iso(begin),
        "ChargePeriodEnd": iso(at(end) if end else midnight(begin) + DAY),
        "ServiceProviderName": "Example",
        "ServiceCategory": "AI and Machine Learning",
        "ServiceName": "Inference",
        "BillingPeriodStart": iso(month),
        "BillingPeriodEnd": iso((month + 32 * DAY).replace(day=1)),
        "InvoiceIssuerName": "Example",
        "ChargeCategory": "Usage",
        "ChargeDescription": "tokens",
        "BillingCurrency": "USD",
        "BilledCost": billed,
        "EffectiveCost": billed,
        "x_CostStatus": "provisional",
        **more,
    }


def usage(record_id: str, start: str, quantity: str, hours: int = 24, **more) -> dict:
    begin = at(start)
    return {
        "x_RecordId": record_id,
        "x_Granularity": "1d" if hours == 24 else "1h",
        "ChargePeriodStart": iso(begin),
        "ChargePeriodEnd": iso(begin + timedelta(hours=hours)),
        "ServiceProviderName": "Example",
        "ServiceCategory": "AI and Machine Learning",
        "ServiceName": "Inference",
        "SkuId": "sku",
        "SkuMeter": "tokens",
        "ConsumedQuantity": quantity,
        "ConsumedUnit": "Tokens",
        "x_UsageType": "input_tokens",
        **more,
    }


@dataclass
class Table:
    """The raw tables of a destination, in append or in dedup mode."""

    dedup: bool = False
    usage: list[dict] = field(default_factory=list)
    costs: list[dict] = field(default_factory=list)
    export_windows: list[dict] = field(default_factory=list)
    # The address of the provider, unless a World names another one.
    base_url: str = "https://billing.example.com"

    def append(self, dataset: str, row: dict) -> None:
        getattr(self, dataset).append(row)

    @property
    def tables(self) -> dict[str, list[dict]]:
        keep = newest_by_key if self.dedup else list
        return {"usage": keep(self.usage), "costs": keep(self.costs), "export_windows": self.export_windows}


def newest_by_key(rows: list[dict]) -> list[dict]:
    """Airbyte's dedup: of each primary key the row with the greatest cursor field (x_ReadingId), then the one extracted last."""
    newest: dict[str, dict] = {}
    for row in rows:
        held = newest.get(row["x_RecordId"])
        if held is None or row["x_ReadingId"] >= held["x_ReadingId"]:
            newest[row["x_RecordId"]] = row
    return list(newest.values())


CHAINS = count(1)


def new_chain() -> str:
    return f"{next(CHAINS):05}"


def base36(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return digits


@dataclass
class Known:
    """A known day in the connector's state (R6, R8, P6)."""

    content: dict[str, str]
    rows_reading_id: str
    confirmed: bool
    shrunk_to: dict[str, str] | None = None


@dataclass
class World:
    """`legacy`: the rows are those of connector 0.1.0, which writes every row of every reading and names no chain."""

    table: Table
    dataset: str = "costs"
    selects: str = "start"
    account: str | None = None
    base_url: str = ""
    retention_days: int = 400
    lag: timedelta = timedelta(0)
    now: datetime = at("11-10 12:00")
    shown: dict[str, dict] = field(default_factory=dict)
    legacy: bool = False
    chain: str = field(default_factory=new_chain)
    known: dict[datetime, Known] = field(default_factory=dict)
    # Strays that were written: the reading that wrote the row, and the window that showed it.
    strays: dict[str, tuple[str, tuple[datetime, datetime]]] = field(default_factory=dict)
    pass_began: datetime | None = None
    # The passes that the state knows: all but the newest have ended.
    passes: set[datetime] = field(default_factory=set)
    # By how much the provider's clock was put back.
    put_back: timedelta = timedelta(0)
    # The records that the provider showed when a reading began, by reading.
    snapshots: dict[str, dict[str, dict]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.base_url = self.base_url or self.table.base_url

    @property
    def address(self) -> tuple[str, str | None]:
        return self.base_url, self.account

    # Actions of the provider.

    def put(self, record: dict, updated: str | None = None) -> None:
        """Publishes or restates a record."""
        stamp = iso(at(updated) if updated else self.now)
        self.shown[record["x_RecordId"]] = {**record, "x_RecordUpdatedAt": stamp}

    def withdraw(self, record_id: str) -> None:
        del self.shown[record_id]

    def listing(self, start: datetime, end: datetime) -> list[dict]:
        def chosen(record: dict) -> bool:
            first, last = span(record)
            if self.selects == "overlap":
                return first < end and (last > start or first == last == start)
            if self.selects == "containment":
                return start <= first and last <= end
            return start <= first < end

        return [dict(record) for record in self.shown.values() if chosen(record)]

    def truth(self, day: str | None = None) -> dict[str, Decimal]:
        amount = "BilledCost" if self.dataset == "costs" else "ConsumedQuantity"
        return {
            key: Decimal(record[amount])
            for key, record in self.shown.items()
            if day is None or record["ChargePeriodStart"].startswith(f"2025-{day}")
        }

    def put_clock_back(self, by: timedelta) -> None:
        """The connector goes on with ids that sort behind those of its state (R4)."""
        self.now -= by
        self.put_back += by

    # Actions of the connector.

    def tells(self) -> bool | None:
        """Whether the state says that the pass before this one has ended. A version before 0.3.0 does not tell."""
        return len(self.passes) > 1

    def clear(self) -> None:
        """The platform forgets the stream's state; the tables stay."""
        self.chain = new_chain()
        self.known.clear()
        self.strays.clear()
        self.passes.clear()

    def sync(self, *windows: tuple[str, str], **fate) -> None:
        """One pass over windows that do not overlap. `between` is called after each window, to change the provider."""
        self.pass_began = self.now
        seen: dict[str, tuple[dict, tuple[datetime, datetime]]] = {}
        owned: set[str] = set()
        for start, end in windows:
            window = at(start), at(end)
            for record in self.listing(*window):
                if window[0] <= span(record)[0] < window[1]:
                    owned.add(content_of(record))
                else:
                    seen.setdefault(content_of(record), (record, window))
            self.read(start, end, **fate)
            fate.get("between", lambda: None)()
        pending = {content: found for content, found in seen.items() if content not in owned and content not in self.strays}
        for window in {window for _, window in pending.values()}:
            self.write_strays(window, [record for record, of in pending.values() if of == window], **fate)
        self.now += timedelta(hours=1)

    def begin(self) -> str:
        self.now += timedelta(seconds=1)
        place = int((self.now + self.put_back).timestamp() * 1000)
        reading = base36(place).rjust(9, "0") + (new_chain() if self.legacy else self.chain)
        self.snapshots[reading] = dict(self.shown)
        return reading

    def read(self, start: str, end: str, **fate) -> str:
        """One reading of a window. `fate`: see `finish`; `paged`: whether a second reading writes the days that differ."""
        reading, began, window = self.begin(), self.now, (at(start), at(end))
        listed = self.listing(*window)
        differing = [day for day in days_of(*window) if self.differs(day, listed)]
        unknown = [day for day in days_of(*window) if self.legacy or day not in self.known]
        written = unknown if fate.get("paged") else unknown + differing
        self.emit(reading, start, end, fate.get("lose_rows", lambda _: False), on(written, listed))
        about = [day for day in days_of(*window) if day in written or day not in differing]
        self.finish(reading, began, start, end, listed, days=about, written=written, **fate)
        if fate.get("paged") and differing:
            again, began, listed = self.begin(), self.now, self.listing(*window)
            self.emit(again, start, end, fate.get("lose_rows", lambda _: False), on(differing, listed))
            self.finish(again, began, start, end, listed, days=differing, written=differing, **{**fate, "whole": False})
        return reading

    def differs(self, day: datetime, listed: list[dict]) -> bool:
        """Whether a known day has to be written (R6). Less than half of ten rows is not believed at once (R8)."""
        known, content = self.known.get(day), contents(day, listed)
        if self.legacy or known is None or content == known.content:
            return False
        return not (len(known.content) >= 10 and 2 * len(content) < len(known.content) and known.shrunk_to != content)

    def emit(self, reading, start, end, lost=lambda _: False, records=None) -> list[dict]:
        """Writes rows of a reading: `records`, or all that start inside the window."""
        first, last = at(start), at(end)
        if records is None:
            records = [record for record in self.listing(first, last) if first <= span(record)[0] < last]
        for record in records:
            if not lost(record):
                row = {**record, "x_ReadingId": reading, "_airbyte_extracted_at": self.now}
                self.table.append(self.dataset, row)
        return records

    def finish(self, reading, began, start, end, listed, *, days=None, written=None, lose_manifest=False, moved=False,
               resumed=False, incomplete=(), numbers=False, whole=True, **_) -> None:
        """Judges and reports a reading. `days`: the days to report, by default all of the window. `lose_manifest`: whether the
        destination loses the report; `lose_rows`, of `read`, names rows that it loses. `incomplete`: days whose rows are not
        exactly the returned records, because the window began again (R4). `numbers`: whether amounts came as JSON numbers, so
        that there are no totals."""
        window = at(start), at(end)
        days = days_of(*window) if days is None else days
        for day in days:
            found, known = [record for record in listed if midnight(span(record)[0]) == day], self.known.get(day)
            content = contents(day, listed)
            if written is None or day in written:
                is_whole = f"{day:%m-%d}" not in incomplete
                confirmed = is_whole and not moved
                if is_whole:
                    self.known[day] = Known(content, reading, confirmed)
                said = {"rows_reading_id": reading, "rows": len(found), "confirmed": confirmed, "shrunk": False}
            elif content == known.content:
                known.confirmed, known.shrunk_to = True, None
                said = {"rows_reading_id": known.rows_reading_id, "rows": len(found), "confirmed": True, "shrunk": False}
            else:
                known.shrunk_to = content
                rows = {"rows_reading_id": known.rows_reading_id, "rows": len(known.content)}
                said = {**rows, "confirmed": False, "shrunk": True}
            self.report(reading, began, window, day, found, said, moved=moved, resumed=resumed, whole=whole,
                        lose_manifest=lose_manifest, numbers=numbers)
        if whole:
            self.list_strays(reading, began, window, listed, moved=moved, resumed=resumed, lose_manifest=lose_manifest)

    def list_strays(self, reading, began, window, listed, **fate) -> None:
        groups: dict[tuple, list[dict]] = defaultdict(list)
        for record in listed:
            content = content_of(record)
            if window[0] <= span(record)[0] < window[1]:
                self.strays.pop(content, None)
            elif content in self.strays:
                groups[midnight(span(record)[0]), self.strays[content][0]].append(record)
        shown = {content_of(record) for record in listed}
        for content, (_, of) in list(self.strays.items()):
            speaks = not (fate.get("moved") or fate.get("resumed"))
            if speaks and window[0] <= of[0] and of[1] <= window[1] and content not in shown:
                del self.strays[content]
        for (day, writer), found in groups.items():
            said = {"rows_reading_id": writer, "rows": len(found), "confirmed": True, "shrunk": False}
            self.report(reading, began, window, day, found, said, inside=False, **fate)

    def write_strays(self, window, records, **fate) -> None:
        """Reads a window once more, and writes the strays that no window of the pass returned as its own."""
        reading, began = self.begin(), self.now
        for record in records:
            self.strays[content_of(record)] = reading, window
            if not fate.get("lose_rows", lambda _: False)(record):
                self.table.append(self.dataset, {**record, "x_ReadingId": reading, "_airbyte_extracted_at": self.now})
        for day in {midnight(span(record)[0]) for record in records}:
            found = on([day], records)
            # The day that the stray starts on may have had its row already: the next reading writes the day again (P5).
            self.known.pop(day, None)
            said = {"rows_reading_id": reading, "rows": len(found), "confirmed": True, "shrunk": False}
            self.report(reading, began, window, day, found, said, inside=False, whole=False,
                        lose_manifest=fate.get("lose_manifest", False))

    def report(self, reading, began, window, day, found, said, *, inside=True, moved=False, resumed=False, whole=True,
               lose_manifest=False, numbers=False) -> None:
        if lose_manifest:
            return
        first, last = window
        floor = midnight(self.now - timedelta(days=self.retention_days) + timedelta(hours=1) + DAY) + DAY
        cover = (max(day, first, floor), min(day + DAY, last, self.now - self.lag))
        covers = inside and cover[0] < cover[1]
        row = {
            "reading_id": reading,
            "dataset": self.dataset,
            "granularity": found[0]["x_Granularity"] if found else "1d",
            "account": self.account,
            "base_url": self.base_url,
            "window_start": iso(first),
            "window_end": iso(last),
            "day": day.date(),
            "inside_window": inside,
            "covered_from": iso(cover[0]) if covers else None,
            "covered_through": iso(cover[1]) if covers else None,
            "began_at": iso(began),
            "ended_at": iso(self.now),
            "resumed": resumed,
            "first_as_of": iso(began),
            "last_as_of": iso(began) if not moved else iso(self.now),
            "moved": moved,
            "records": len(found),
            "totals": None if numbers else totals_of(self.dataset, found),
            "_airbyte_extracted_at": self.now,
        }
        if not self.legacy:
            self.passes.add(self.pass_began or began)
            outside = "" if inside else f"-outside-{said['rows_reading_id']}"
            row |= {
                "id": f"{reading}-{day.date()}{outside}",
                "chain": self.chain,
                "whole_window": whole,
                "pass_began_at": iso(self.pass_began or began),
                "earlier_ended": self.tells(),
                **said,
            }
        self.table.append("export_windows", row)


def span(record: dict) -> tuple[datetime, datetime]:
    start, end = (datetime.fromisoformat(record[f"ChargePeriod{edge}"]) for edge in ("Start", "End"))
    return start, end


def content_of(record: dict) -> str:
    return json.dumps(record, sort_keys=True)


def contents(day: datetime, records: list[dict]) -> dict[str, str]:
    return {record["x_RecordId"]: content_of(record) for record in on([day], records)}


def on(days: list[datetime], records: list[dict]) -> list[dict]:
    return [record for record in records if midnight(span(record)[0]) in days]


def days_of(start: datetime, end: datetime) -> list[datetime]:
    first = midnight(start)
    return [first + number * DAY for number in range((end - first + DAY - timedelta(microseconds=1)) // DAY)]


def totals_of(dataset: str, records: list[dict]) -> list[dict]:
    names = (
        {"currency": "BillingCurrency", "charge_category": "ChargeCategory", "cost_status": "x_CostStatus"}
        if dataset == "costs"
        else {"usage_type": "x_UsageType", "unit": "ConsumedUnit"}
    )
    sums = {"billed": "BilledCost", "effective": "EffectiveCost"} if dataset == "costs" else {"quantity": "ConsumedQuantity"}
    groups: dict[tuple, list[dict]] = defaultdict(list)
    for record in records:
        groups[tuple(record[column] for column in names.values())].append(record)
    return [
        dict(zip(names, key))
        | {"records": len(found)}
        | {name: str(sum(Decimal(record[column]) for record in found)) for name, column in sums.items()}
        for key, found in groups.items()
    ]
