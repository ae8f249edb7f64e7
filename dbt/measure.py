"""Measures `dbt run` over 500,000 raw rows on DuckDB: two years of days, each record in four versions.

    python measure.py           prints seconds and CPU seconds of three builds: the first one, one after which nothing has
                                changed, and one after which a day was written again with other amounts
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

PACKAGE = Path(__file__).parent
DAYS, RECORDS, VERSIONS, REPORTS = 730, 86, 4, 60

GENERATED = f"""
    select d as day_number, record, version, record as amount,
      strftime(date '2023-11-11' + d::int, '%Y-%m-%dT00:00:00Z') as starts,
      strftime(date '2023-11-12' + d::int, '%Y-%m-%dT00:00:00Z') as ends,
      lpad((100000000 + d * {VERSIONS} + version)::varchar, 9, '0') || 'aaaaa' as reading
    from range({DAYS}) as days(d), range({RECORDS}) as records(record), range({VERSIONS}) as versions(version)
"""
CHANGED = f"""
    select day_number, record, version, amount + 1 as amount, starts, ends, '200000000aaaaa' as reading
    from generated
    where day_number = {DAYS - 1} and version = {VERSIONS - 1}
"""
COMMON = """
    'r' || day_number || '-' || record as "x_RecordId", starts as "x_RecordUpdatedAt", '1d' as "x_Granularity",
    starts as "ChargePeriodStart", ends as "ChargePeriodEnd", 'Example' as "ServiceProviderName",
    'AI and Machine Learning' as "ServiceCategory", 'Inference' as "ServiceName",
    'sku' as "SkuId", 'tokens' as "SkuMeter", 'model-' || record % 7 as "x_ModelId", 'project-' || record % 5 as "x_ProjectId",
    'input_tokens' as "x_UsageType",
    reading as "x_ReadingId", timestamptz '2025-11-10 00:00:00+00' as "_airbyte_extracted_at"
"""
OWN = {
    "usage": """(1000 + amount)::varchar as "ConsumedQuantity", 'Tokens' as "ConsumedUnit" """,
    "costs": """starts as "BillingPeriodStart", ends as "BillingPeriodEnd", 'Example' as "InvoiceIssuerName",
      'Usage' as "ChargeCategory", 'tokens' as "ChargeDescription", 'USD' as "BillingCurrency",
      '1.' || (10 + amount) as "BilledCost", '1.' || (10 + amount) as "EffectiveCost", 'final' as "x_CostStatus" """,
}


def record_of(dataset: str) -> str:
    """The columns of a record; those of the interface that have no value here are null."""
    filled = f"{COMMON}, {OWN[dataset]}"
    schema = json.loads((PACKAGE.parent / "schemas" / f"{dataset}.json").read_text())
    empty = [f', null::varchar as "{name}"' for name in schema["properties"] if f'"{name}"' not in filled]
    return filled + "".join(empty)


TOTALS = {
    "usage": "[{'usage_type': 'input_tokens', 'unit': 'Tokens', 'records': count(*), "
    "'quantity': sum(1000 + amount)::varchar}]",
    "costs": "[{'currency': 'USD', 'charge_category': 'Usage', 'cost_status': 'final', 'records': count(*), "
    "'billed': sum(('1.' || (10 + amount))::decimal(18, 2))::varchar, "
    "'effective': sum(('1.' || (10 + amount))::decimal(18, 2))::varchar}]",
}


# The ids of the readings that report the newest version of a day, one for each time that the day was read.
NEWEST = f"lpad((100000000 + day_number * {VERSIONS} + {VERSIONS - 1} + pass * 10000)::varchar, 9, '0') || 'aaaaa'"


def reports_of(dataset: str, reading: str = NEWEST, reports: int = REPORTS) -> str:
    """Reports of each day. All name the newest version as the one that stands."""
    return f"""
        select
          {reading} as reading_id, 'aaaaa' as chain, reading as rows_reading_id,
          count(*) as "rows", '{dataset}' as dataset, '1d' as granularity, null::varchar as account,
          'https://billing.example.com' as base_url, starts as window_start, ends as window_end, starts[:10]::date as day,
          true as inside_window, true as whole_window, starts as covered_from, ends as covered_through,
          '2025-11-10T00:00:00Z' as began_at, '2025-11-10T00:00:01Z' as ended_at, '2025-11-10T00:00:00Z' as pass_began_at,
          false as resumed, starts as first_as_of, starts as last_as_of, false as moved, true as confirmed, false as shrunk,
          count(*) as records, to_json({TOTALS[dataset]}) as totals, timestamptz '2025-11-10 00:00:00+00' as _airbyte_extracted_at
        from generated, range({reports}) as passes(pass)
        where version = {VERSIONS - 1}
        group by day_number, reading, starts, ends, pass
    """


def fill(file: Path) -> None:
    with duckdb.connect(str(file)) as connection:
        connection.execute(f"create temp table generated as {GENERATED}")
        for dataset in OWN:
            connection.execute(f"create table {dataset} as select {record_of(dataset)} from generated")
        connection.execute(f"create table export_windows as {' union all '.join(map(reports_of, OWN))}")


def change_a_day(file: Path) -> None:
    with duckdb.connect(str(file)) as connection:
        connection.execute(f"create temp table generated as {GENERATED}")
        connection.execute(f"create or replace temp table generated as {CHANGED}")
        for dataset in OWN:
            connection.execute(f"insert into {dataset} by name select {record_of(dataset)} from generated")
            connection.execute(f"insert into export_windows by name {reports_of(dataset, 'reading', 1)}")


def run(file: Path, folder: str) -> str:
    dbt = Path(sys.executable).parent / "dbt"
    command = [dbt, "--quiet", "run", "--project-dir", PACKAGE, "--profiles-dir", PACKAGE, "--target-path", folder]
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "AI_BILLING_DUCKDB": str(file), "DBT_SEND_ANONYMOUS_USAGE_STATS": "false"}
    subprocess.run([*command, "--log-path", folder], env=environment, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return f"{time.monotonic() - began:.0f} s, {cpu:.0f} s of CPU"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "measured.duckdb")
        fill(file)
        print(f"first: {run(file, folder)}", flush=True)
        print(f"nothing new: {run(file, folder)}", flush=True)
        change_a_day(file)
        print(f"one day changed: {run(file, folder)}", flush=True)
        with duckdb.connect(str(file)) as connection:
            print(connection.execute("select dataset, status, count(*) as days from completeness group by all").fetchall())


if __name__ == "__main__":
    main()
