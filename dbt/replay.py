"""Replays spend through the models, to measure how well they judge it:

    python dbt/replay.py

Forecasts: 24 made-up companies and the two years of real spend in reference_provider/data, day by day. For each month and each day
from the seventh complete one on, the models see only what was known on that day. Then the end of the month is compared with the
range of `month_forecasts`.

Anomalies: accounts of five keys whose costs are noise. Each anomaly that `cost_anomalies` flags in them is a false alarm.

The models are the statements of sql/duckdb.sql. In the replay of forecasts each day of the replay is an account of its own: so one run
of the models is enough.
"""

import csv
import math
import random
import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import duckdb

ROOT = Path(__file__).parents[1]
FIRST, LAST = date(2023, 9, 1), date(2025, 10, 31)
MONTHS = [date(year, month, 1) for year in (2023, 2024, 2025) for month in range(1, 13) if (2023, 11) <= (year, month) <= (2025, 10)]

WEEKS = {
    "office": (1.1, 1.2, 1.2, 1.15, 1, 0.25, 0.2),
    "mild": (1, 1.05, 1.05, 1, 0.95, 0.7, 0.65),
    "weekend": (0.2, 0.2, 0.2, 0.3, 0.7, 1.6, 1.5),
    "flat": (1,) * 7,
}


class Company(NamedTuple):
    name: str
    # Mean cost of a day, in the beginning.
    base: float
    week: str
    # Standard deviation of the logarithm of a day's cost, and how much of it lasts until the next day.
    noise: float
    memory: float = 0
    # Growth in a month.
    growth: float = 0
    # Days between two lasting changes of the level.
    steps: float = math.inf
    # The share of days on which something is used.
    active: float = 1
    # The first day, and days without use.
    begins: int = 0
    pauses: tuple[range, ...] = ()
    # Days between two spikes.
    spikes: float = math.inf
    # A plan on the 1st, a commitment on the 20th, and a tax on the last day, as a share of all else.
    plan: int = 0
    commitment: int = 0
    tax: float = 0


COMPANIES = [
    Company("steady by weekdays", 900, "office", 0.10),
    Company("steady", 40, "flat", 0.20, 0.3),
    Company("large", 15000, "mild", 0.15, 0.5),
    Company("noisy", 300, "flat", 0.35),
    Company("grows 5 %", 200, "office", 0.20, 0.4, growth=0.05),
    Company("grows 10 %", 60, "mild", 0.25, 0.3, growth=0.10),
    Company("grows 18 %", 15, "office", 0.30, 0.5, growth=0.18),
    Company("grows 3 %", 2500, "flat", 0.15, 0.6, growth=0.03),
    Company("falls 5 %", 800, "office", 0.20, 0.3, growth=-0.05),
    Company("falls 10 %", 5000, "mild", 0.30, 0.5, growth=-0.10),
    Company("steps", 120, "office", 0.20, 0.2, steps=60),
    Company("many steps", 700, "flat", 0.25, 0.4, steps=40),
    Company("few steps", 3000, "mild", 0.15, 0.3, growth=0.02, steps=90),
    Company("batches", 400, "flat", 0.60, active=0.5),
    Company("rare batches", 150, "office", 0.90, active=0.3),
    Company("very rare batches", 80, "flat", 1.00, active=0.15),
    Company("heavy tails", 30, "mild", 0.90, 0.2),
    Company("heavier tails", 500, "office", 1.20, 0.1),
    Company("young", 100, "office", 0.25, 0.4, growth=0.12, begins=150),
    Company("pauses", 250, "mild", 0.25, 0.4, pauses=(range(200, 235), range(500, 520))),
    Company("plan and tax", 350, "office", 0.20, 0.3, growth=0.02, plan=900, tax=0.19),
    Company("commitment", 1200, "mild", 0.20, 0.4, growth=0.01, commitment=8000),
    Company("hobby", 3, "weekend", 0.70, 0.2, active=0.6),
    Company("spikes", 220, "office", 0.25, 0.3, growth=0.02, spikes=45),
]

# Usage charges by day, and charges that come once.
Spend = dict[date, Decimal]


class Account(NamedTuple):
    name: str
    usage: Spend
    # Day and category of each.
    once: dict[tuple[date, str], Decimal]


def days(first: date, last: date) -> Iterator[date]:
    for number in range((last - first).days + 1):
        yield first + timedelta(number)


def cents(amount: float) -> Decimal:
    return Decimal(f"{amount:.4f}")


def end_of(month: date) -> date:
    return month.replace(day=monthrange(month.year, month.month)[1])


def usage_of(company: Company, draw: random.Random) -> Spend:
    usage, level, lasting = {}, 1.0, 0.0
    for number, day in enumerate(days(FIRST, LAST)):
        level *= (1 + company.growth) ** (1 / 30.4)
        if draw.random() < 1 / company.steps:
            level *= math.exp(draw.gauss(0, 0.6))
        lasting = company.memory * lasting + math.sqrt(1 - company.memory**2) * draw.gauss(0, company.noise)
        amount = company.base * level * WEEKS[company.week][day.weekday()] * math.exp(lasting - company.noise**2 / 2)
        if draw.random() < 1 / company.spikes:
            amount *= draw.uniform(5, 20)
        is_used = draw.random() < company.active and number >= company.begins and not any(number in pause for pause in company.pauses)
        if is_used:
            usage[day] = cents(amount)
    return usage


def made_up(seed: int = 1) -> Iterator[Account]:
    for number, company in enumerate(COMPANIES):
        usage = usage_of(company, random.Random(1000 * seed + number))
        once = {}
        for month in (date(2023, 9, 1), date(2023, 10, 1), *MONTHS):
            if company.plan:
                once[month, "Purchase"] = Decimal(company.plan)
            if company.commitment:
                once[month.replace(day=20), "Purchase"] = Decimal(company.commitment)
            if company.tax:
                taxed = company.plan + sum(amount for day, amount in usage.items() if month <= day <= end_of(month))
                once[end_of(month), "Tax"] = cents(float(taxed) * company.tax)
        yield Account(company.name, usage, once)


def real() -> Account:
    usage: Spend = {}
    with (ROOT / "reference_provider/data/benchmark_spend.csv").open() as file:
        for run in csv.DictReader(file):
            day = date.fromisoformat(run["started_at"][:10])
            usage[day] = usage.get(day, Decimal(0)) + Decimal(run["total_cost_usd"])
    return Account("real spend", {day: amount for day, amount in usage.items() if amount}, {})


# The tables that the models read. Each newest complete day of each company is an account, which knows the days until then. The
# account's first charge is known too, because the models ask for it.
WORLD = """
create table cuts as
  select company, company || ' ' || through_day as account, through_day
  from firsts cross join (select unnest(generate_series(date '2023-11-01', date '2025-10-31', interval 1 day))::date as through_day)
  where day(through_day) >= 7 and through_day < last_day(through_day) and through_day >= first_day;
create table ai_billing__calendar_costs as
  select ' ' || account as place, account, null::varchar as base_url, day, date_trunc('month', day)::date as month,
         'proven' as day_status, true as is_complete, through_day
  from cuts join firsts using (company)
  cross join lateral (
    select unnest(generate_series(date_trunc('month', through_day) - interval 2 month, through_day::timestamp, interval 1 day))::date as day
    union select first_day) as days;
create table current_costs as
  select account, null::varchar as base_url, day, category as charge_category, amount as billed_cost, amount as effective_cost,
         'USD' as billing_currency, 'final' as cost_status, true as is_counted,
         (day + case category when 'Usage' then 1 else 28 end)::timestamp as charge_period_end,
         null::varchar as service_provider_name, null::varchar as model_id, null::varchar as project_id, null::varchar as workspace_id,
         null::varchar as api_key_id, null::varchar as sku_id
  from cuts join firsts using (company) join given using (company)
  where day <= through_day and (day >= date_trunc('month', through_day) - interval 2 month or day = first_day);
create view ai_billing__owned_costs as select *, null::varchar as team, null::varchar as allocated_by from current_costs;
"""


class Forecast(NamedTuple):
    company: str
    days_known: int
    forecast: Decimal
    low: Decimal
    high: Decimal
    # The billed cost of the month at its end.
    end: Decimal

    @property
    def is_inside(self) -> bool:
        return self.low <= self.end <= self.high


def forecasts(accounts: list[Account]) -> list[Forecast]:
    """All forecasts of these companies that have a range."""
    database = connected()
    database.execute("create table given (company varchar, day date, category varchar, amount decimal(38, 18))")
    rows = [
        *((account.name, day, "Usage", amount) for account in accounts for day, amount in account.usage.items()),
        *((account.name, day, category, amount) for account in accounts for (day, category), amount in account.once.items()),
    ]
    insert(database, "given", rows)
    database.execute("create table firsts as select company, min(day) as first_day from given where category = 'Usage' group by company")
    database.execute(WORLD)
    for name, statement in statements("ai_billing__usage_pace", "monthly_costs", "month_forecasts"):
        database.execute(f"create table {name} as {statement}")
    found = database.execute("""
        with ends as (select company, date_trunc('month', day)::date as month, sum(amount) as billed from given group by all)
        select company, day(month_forecasts.through_day), forecast_cost, forecast_low, forecast_high, coalesce(billed, 0)
        from month_forecasts join cuts using (account) left join ends using (company, month)
        where forecast_low is not null order by all""")
    return [Forecast(*row) for row in found.fetchall()]


def connected() -> duckdb.DuckDBPyConnection:
    database = duckdb.connect()
    database.execute("set enable_progress_bar = false")
    return database


def insert(database: duckdb.DuckDBPyConnection, table: str, rows: list[tuple]) -> None:
    """Much faster than executemany."""
    for start in range(0, len(rows), 1000):
        values = ", ".join("(" + ", ".join(f"'{value}'" for value in row) + ")" for row in rows[start : start + 1000])
        database.execute(f"insert into {table} values {values}")


def statements(*names: str) -> list[tuple[str, str]]:
    """The statements of these models."""
    found = dict(re.findall(r"^create or replace view (\w+) as\n(.*?);$", (ROOT / "sql/duckdb.sql").read_text(), re.M | re.S))
    return [(name, found[name]) for name in names]


def share_inside(found: list[Forecast]) -> int:
    return round(100 * sum(forecast.is_inside for forecast in found) / len(found))


def width(found: list[Forecast]) -> int:
    """The median width of the range, in percent of the end of the month."""
    widths = sorted((forecast.high - forecast.low) / forecast.end for forecast in found if forecast.end > 0)
    return round(100 * widths[len(widths) // 2])


SPANS = [(7, 7), (8, 13), (14, 20), (21, 27), (28, 30)]


def forecast_table(made: list[Forecast], spent: list[Forecast]) -> list[str]:
    """How often the end of the month was inside the range, as a table of Markdown."""
    lines = ["| complete days | 24 made-up companies | median width | real spend |", "|---|---|---|---|"]
    for first, last in [*SPANS, (7, 30)]:
        among = [[forecast for forecast in found if first <= forecast.days_known <= last] for found in (made, spent)]
        name = "7" if last == 7 else "all" if (first, last) == (7, 30) else f"{first} to {last}"
        lines.append(f"| {name} | {share_inside(among[0])} % of {len(among[0]):,} | {width(among[0])} % | {share_inside(among[1])} % of {len(among[1])} |")
    return lines


# 200 days of costs. The models look at the newest 92 of them.
NOISY = list(days(date(2025, 4, 1), date(2025, 10, 17)))
NOISES = [0.1, 0.2, 0.3, 0.5, 0.8]
SHARES = [0.5, 0.3, 0.15, 0.04, 0.01]

OF_NOISE = """
create table ai_billing__calendar_costs as
  select ' ' || account as place, account, null::varchar as base_url, day, 'proven' as day_status, true as is_complete,
         false as has_invalid_rows, max(day) over () as through_day
  from (select distinct account from given) cross join (select distinct day from given);
create table current_costs as
  select account, null::varchar as base_url, day, 'Usage' as charge_category, amount as billed_cost, 'USD' as billing_currency,
         true as is_counted, (day + 1)::timestamp as charge_period_end, null::varchar as model_id, null::varchar as project_id,
         null::varchar as workspace_id, key as api_key_id
  from given;
create view ai_billing__owned_costs as select *, null::varchar as team, null::varchar as allocated_by from current_costs;
"""


def anomalies(rows: list[tuple[str, str, date, Decimal]]) -> duckdb.DuckDBPyConnection:
    """The model `cost_anomalies` over the costs of accounts and keys by day."""
    database = connected()
    database.execute("create table given (account varchar, key varchar, day date, amount decimal(38, 18))")
    insert(database, "given", rows)
    database.execute(OF_NOISE)
    for name, statement in statements("cost_anomalies"):
        database.execute(f"create table {name} as {statement}")
    return database


def noise(deviation: float, accounts: int = 20, seed: int = 1) -> list[tuple[str, str, date, Decimal]]:
    """Accounts without any change: each key's cost of a day has a logarithm of this standard deviation."""
    draw, week = random.Random(f"{seed} {deviation}"), WEEKS["mild"]
    return [
        (f"a{account}", f"k{key}", day, cents(1000 * share * week[day.weekday()] * math.exp(draw.gauss(0, deviation))))
        for account in range(accounts) for key, share in enumerate(SHARES) for day in NOISY
    ]


class Alarms(NamedTuple):
    deviation: float
    # Judged days, and flagged ones in percent.
    days: int
    of_all: float
    # The same for the days of keys: flagged by the rule for the account, and by the rule for the label.
    days_of_keys: int
    by_account: float
    by_label: float


def false_alarms(deviation: float) -> Alarms:
    [found] = anomalies(noise(deviation)).execute("""
        select count(*) filter (label = 'all'), 100 * count(*) filter (label = 'all' and is_anomaly) / count(*) filter (label = 'all'),
               count(*) filter (label = 'api_key_id'),
               100 * count(*) filter (label = 'api_key_id' and kind = 'account') / count(*) filter (label = 'api_key_id'),
               100 * count(*) filter (label = 'api_key_id' and kind = 'label') / count(*) filter (label = 'api_key_id')
        from cost_anomalies""").fetchall()
    return Alarms(deviation, *found)


def alarm_table(alarms: list[Alarms]) -> list[str]:
    """The share of days of noise that are flagged, as a table of Markdown."""
    lines = ["| noise of a key's day | all costs of a day | a key's day: account | a key's day: label |", "|---|---|---|---|"]
    for found in alarms:
        of_keys = f"| {found.by_account:.2f} % of {found.days_of_keys:,} | {found.by_label:.2f} % |"
        lines.append(f"| {found.deviation} | {found.of_all:.2f} % of {found.days:,} {of_keys}")
    return lines


if __name__ == "__main__":
    print("\n".join(forecast_table(forecasts(list(made_up())), forecasts([real()]))))
    print()
    print("\n".join(alarm_table([false_alarms(deviation) for deviation in NOISES])))
