"""A small model of provider, connector and destination, so that a scenario is a few lines.

A World holds what the provider shows. `read` passes through windows as the connector does (design R4, R5, P5) and hands
rows and reports to its table; faults of the way can be asked for. `truth` is what the provider shows now.
"""

import json
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal

DAY = timedelta(days=1)


def at(text: str) -> datetime:
    """`11-05` or `11-05 13:30`, in 2025, UTC."""
    day, _, time = text.partition(" ")
    return datetime.fromisoformat(f"2025-{day}T{time or '00:00'}:00+00:00")


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
    """Raw tables as a destination in append or in dedup mode leaves them."""

    dedup: bool = False
    usage: list[dict] = field(default_factory=list)
    costs: list[dict] = field(default_factory=list)
    export_windows: list[dict] = field(default_factory=list)

    def append(self, dataset: str, row: dict) -> None:
        getattr(self, dataset).append(row)

    @property
    def tables(self) -> dict[str, list[dict]]:
        keep = newest_by_key if self.dedup else list
        return {"usage": keep(self.usage), "costs": keep(self.costs), "export_windows": self.export_windows}


def newest_by_key(rows: list[dict]) -> list[dict]:
    """Airbyte's dedup: by primary key, the newest by cursor field, then the one extracted last."""
    newest: dict[str, dict] = {}
    for row in rows:
        held = newest.get(row["x_RecordId"])
        if held is None or row["x_RecordUpdatedAt"] >= held["x_RecordUpdatedAt"]:
            newest[row["x_RecordId"]] = row
    return list(newest.values())


@dataclass
class World:
    table: Table
    dataset: str = "costs"
    selects: str = "start"
    account: str | None = None
    base_url: str = "https://billing.example.com"
    retention_days: int = 400
    lag: timedelta = timedelta(0)
    now: datetime = at("11-10 12:00")
    shown: dict[str, dict] = field(default_factory=dict)
    readings: int = 0
    crossing: set[str] = field(default_factory=set)
    # What was shown when a reading began.
    snapshots: dict[str, dict[str, dict]] = field(default_factory=dict)

    @property
    def address(self) -> tuple[str, str | None]:
        return self.base_url, self.account

    # What the provider does.

    def put(self, record: dict, updated: str | None = None) -> None:
        """Publishes or restates a record."""
        stamp = iso(at(updated) if updated else self.now)
        self.shown[record["x_RecordId"]] = {**record, "x_RecordUpdatedAt": stamp}

    def withdraw(self, record_id: str) -> None:
        del self.shown[record_id]

    def listing(self, start: datetime, end: datetime) -> list[dict]:
        def chosen(record: dict) -> bool:
            first, last = (datetime.fromisoformat(record[f"ChargePeriod{edge}"]) for edge in ("Start", "End"))
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

    # What the connector does.

    def sync(self, *windows: tuple[str, str], **fate) -> None:
        """One read of windows that do not overlap: a record that several of them return is emitted once (P5)."""
        self.crossing = set()
        for start, end in windows:
            self.read(start, end, **fate)
        self.now += timedelta(hours=1)

    def begin(self) -> str:
        self.readings += 1
        self.now += timedelta(seconds=1)
        reading = f"{int(self.now.timestamp() * 1000):013d}{self.readings:05d}"
        self.snapshots[reading] = dict(self.shown)
        return reading

    def read(self, start: str, end: str, **fate) -> str:
        """One reading. `fate`: see `finish`."""
        reading, began = self.begin(), self.now
        records = self.emit(reading, start, end, fate.get("lose_rows", lambda _: False))
        self.finish(reading, began, start, end, records, **fate)
        return reading

    def emit(self, reading: str, start: str, end: str, lost=lambda _: False, records=None) -> list[dict]:
        """Writes the rows of one passage; returns those that carry this reading's id."""
        first, last = at(start), at(end)
        owned = []
        for record in self.listing(first, last) if records is None else records:
            begin, close = (datetime.fromisoformat(record[f"ChargePeriod{edge}"]) for edge in ("Start", "End"))
            if not (first <= begin < last and close <= last):
                content = json.dumps(record, sort_keys=True)
                if content in self.crossing:
                    continue
                self.crossing.add(content)
            owned.append(record)
            if not lost(record):
                row = {**record, "x_ReadingId": reading, "_airbyte_extracted_at": self.now}
                self.table.append(self.dataset, row)
        return owned

    def finish(self, reading, began, start, end, records, *, lose_manifest=False, moved=False, resumed=False,
               as_of=None, **_) -> None:
        """Reports a reading. The destination may lose rows of it (`lose_rows`, in `read`) or the report."""
        if lose_manifest:
            return
        first, last = at(start), at(end)
        floor = midnight(self.now - timedelta(days=self.retention_days) + timedelta(hours=1) + DAY) + DAY
        groups: dict[tuple, list[dict]] = defaultdict(list)
        day = midnight(first)
        while day < last:
            groups[day, True] = []
            day += DAY
        for record in records:
            begin = datetime.fromisoformat(record["ChargePeriodStart"])
            groups[midnight(begin), first <= begin < last].append(record)
        for (day, inside), found in groups.items():
            cover = (max(day, first, floor), min(day + DAY, last, self.now - self.lag))
            covers = inside and cover[0] < cover[1]
            self.table.append("export_windows", {
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
                "first_as_of": iso(as_of or began),
                "last_as_of": iso(as_of or began) if not moved else iso(self.now),
                "moved": moved,
                "records": len(found),
                "totals": totals_of(self.dataset, found),
                "_airbyte_extracted_at": self.now,
            })


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
