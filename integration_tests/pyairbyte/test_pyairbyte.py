"""check, two reads with a restatement between them, and exact sums in DuckDB."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import airbyte as ab
import pytest
from airbyte.caches import DuckDBCache
from airbyte.exceptions import AirbyteConnectorCheckFailedError, PyAirbyteError
from provider import ROOT, Fake, Provider

EXECUTABLE = ROOT / "bin" / "source-ai-billing"
PAGE = ROOT / "docs" / "homes" / "pyairbyte.md"


@pytest.fixture
def provider() -> Iterator[Provider]:
    served = Provider("--now", "2025-10-04T12:00:00Z")
    yield served
    served.stop()


@pytest.fixture
def cache(tmp_path: Path) -> DuckDBCache:
    return DuckDBCache(db_path=tmp_path / "billing.duckdb", cache_dir=tmp_path / "files")


def source(config: dict[str, Any]) -> ab.Source:
    """A source with all streams selected; the selection runs discover."""
    return ab.get_source(
        "source-ai-billing", config=config, streams="*", local_executable=EXECUTABLE
    )


def rows(cache: DuckDBCache, stream: str) -> list[dict[str, Any]]:
    return [dict(row) for row in cache[stream]]


def cost_totals(cache: DuckDBCache) -> dict[tuple[str, str], tuple[int, Decimal, Decimal]]:
    """Rows and exact sums by currency and status. Amounts are text, so they lose no digit."""
    totals: dict[tuple[str, str], tuple[int, Decimal, Decimal]] = {}
    for row in rows(cache, "costs"):
        key = (row["billingcurrency"], row["x_coststatus"])
        count, billed, effective = totals.get(key, (0, Decimal(0), Decimal(0)))
        totals[key] = (
            count + 1,
            billed + Decimal(row["billedcost"]),
            effective + Decimal(row["effectivecost"]),
        )
    return totals


def usage_totals(cache: DuckDBCache) -> dict[tuple[str, str], tuple[int, Decimal]]:
    totals: dict[tuple[str, str], tuple[int, Decimal]] = {}
    for row in rows(cache, "usage"):
        key = (row["x_usagetype"], row["consumedunit"])
        count, quantity = totals.get(key, (0, Decimal(0)))
        totals[key] = (count + 1, quantity + Decimal(row["consumedquantity"]))
    return totals


def expect_equal_sums(provider: Provider, cache: DuckDBCache) -> None:
    truth = provider.control("totals")
    assert cost_totals(cache) == {
        (each["currency"], each["status"]): (
            each["rows"],
            Decimal(each["billed_cost"]),
            Decimal(each["effective_cost"]),
        )
        for each in truth["costs"]["totals"]
    }
    assert usage_totals(cache) == {
        (each["usage_type"], each["unit"]): (each["rows"], Decimal(each["quantity"]))
        for each in truth["usage"]["1d"]["totals"]
    }


def test_check(provider: Provider) -> None:
    source(provider.config).check()


def test_check_says_what_is_wrong(provider: Provider) -> None:
    credentials = {"auth_type": "scoped_bearer_token", "access_token": "not-issued-by-anyone"}
    refused = ab.get_source(
        "source-ai-billing",
        config={**provider.config, "credentials": credentials},
        local_executable=EXECUTABLE,
    )
    with pytest.raises(AirbyteConnectorCheckFailedError) as caught:
        refused.check()
    assert "does not accept the credential" in str(caught.value)


def test_streams_and_their_keys(provider: Provider) -> None:
    connector = source(provider.config)
    assert connector.get_available_streams() == ["usage", "costs", "export_windows"]
    catalog = connector.configured_catalog
    keys = {each.stream.name: each.primary_key for each in catalog.streams}
    assert keys["usage"] == keys["costs"] == [["x_RecordId"]]


def test_two_reads_with_a_restatement_between(provider: Provider, cache: DuckDBCache) -> None:
    first = source(provider.config).read(cache=cache)
    assert first.processed_records > 0
    expect_equal_sums(provider, cache)
    before = cost_totals(cache)

    # Time passes: costs become final, and the provider restates one of them.
    provider.control("clock", {"set": "2025-10-08T00:00:00Z"})
    newest = max(rows(cache, "costs"), key=lambda row: row["chargeperiodstart"])
    changes = {"BilledCost": "12345.000000000123456789", "EffectiveCost": "-0.000000000000000001"}
    changed = provider.control(
        "records", {"dataset": "costs", "restate": newest["x_recordid"], "changes": changes}
    )
    assert changed == {"changed": 1}

    # A new source and a new cache, as in another process: only the stored state connects the two reads.
    again = DuckDBCache(db_path=cache.db_path, cache_dir=cache.cache_dir)
    second = source(provider.config).read(cache=again)
    assert second.processed_records < first.processed_records
    assert cost_totals(again) != before
    expect_equal_sums(provider, again)


def test_the_program_of_the_page(provider: Provider, tmp_path: Path) -> None:
    [program] = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
    (tmp_path / "config.json").write_text(json.dumps(provider.config))
    line = [sys.executable, "-c", program.replace("/path/to/source-ai-billing", str(ROOT))]
    done = subprocess.run(
        line, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=300
    )
    totals = provider.control("totals")["costs"]["totals"]
    expected = sum(Decimal(each["billed_cost"]) for each in totals if each["currency"] == "USD")
    assert Decimal(done.stdout.splitlines()[-1]) == expected


def test_one_row_for_each_key(provider: Provider, cache: DuckDBCache) -> None:
    source(provider.config).read(cache=cache)
    source(provider.config).read(cache=cache)
    for stream in ("usage", "costs"):
        keys = [row["x_recordid"] for row in rows(cache, stream)]
        assert len(keys) == len(set(keys))


def test_the_manifest_accounts_for_what_came(provider: Provider, cache: DuckDBCache) -> None:
    source(provider.config).read(cache=cache)
    manifest = rows(cache, "export_windows")
    for stream in ("usage", "costs"):
        reported = sum(row["records"] for row in manifest if row["dataset"] == stream)
        assert reported == len(rows(cache, stream))


def test_a_failed_read_stores_nothing_and_the_next_one_mends_it(
    provider: Provider, cache: DuckDBCache
) -> None:
    provider.control("faults", {"set": {"kind": "forbidden", "when": {"operation": "costs"}}})
    with pytest.raises(PyAirbyteError):
        source(provider.config).read(cache=cache)
    provider.control("faults", {"clear": True})
    source(provider.config).read(cache=cache)
    expect_equal_sums(provider, cache)


def test_two_reads_of_a_providers_own_reports(cache: DuckDBCache) -> None:
    """An adapter: usage and costs by day, model and meter are those of a fake of OpenAI, also when late rows have come."""
    provider = Fake("openai", "--now", "2026-11-01T12:00:00Z")
    config = {**provider.config, "start_date": "2026-09-01"}
    try:
        source(config).check()
        for now in ("2026-11-01T12:00:00Z", "2026-11-04T12:00:00Z"):
            provider.control("clock", {"set": now})
            again = DuckDBCache(db_path=cache.db_path, cache_dir=cache.cache_dir)
            source(config).read(cache=again)
            truth = provider.control("totals?start=2026-09-01T00:00:00Z&end=2026-12-01T00:00:00Z")
            assert sums(again, "usage", "x_usagetype", "consumedquantity") == expected(truth["usage"])
            assert sums(again, "costs", "billingcurrency", "billedcost") == expected(truth["costs"])
    finally:
        provider.stop()


Sums = dict[tuple[str, str | None, str], Decimal]


def sums(cache: DuckDBCache, stream: str, meter: str, amount: str) -> Sums:
    """Exact sums by day, model and meter."""
    found: Sums = {}
    for row in rows(cache, stream):
        key = (str(row["chargeperiodstart"])[:10], row["x_modelid"], row[meter])
        found[key] = found.get(key, Decimal(0)) + Decimal(row[amount])
    return {key: total for key, total in found.items() if total != 0}


def expected(totals: list[dict[str, Any]]) -> Sums:
    assert totals
    return {(each["day"], each["model"], each["meter"]): Decimal(each["sum"]) for each in totals}


def test_tokens_that_rotate_reach_the_callback(cache: DuckDBCache) -> None:
    provider = Provider("--oauth", "--now", "2025-10-04T12:00:00Z")
    names = ("client_id", "client_secret", "refresh_token", "token_url")
    first = {
        "base_url": provider.base_url,
        "credentials": {
            "auth_type": "oauth2_authorization_code",
            **{name: provider.oauth[name] for name in names},
        },
    }
    kept: list[dict[str, Any]] = []

    def open_source(config: dict[str, Any]) -> ab.Source:
        """PyAirbyte passes a changed config to the callback and keeps the old one; the callback must set the new one."""

        def keep(changed: dict[str, Any]) -> None:
            kept.append(changed)
            opened.set_config(changed, validate=False)

        opened = ab.get_source(
            "source-ai-billing",
            config=config,
            local_executable=EXECUTABLE,
            config_change_callback=keep,
        )
        return opened

    try:
        connector = open_source(first)
        connector.check()
        connector.select_all_streams()
        connector.read(cache=cache)
        expect_equal_sums(provider, cache)
        used = first["credentials"]["refresh_token"]
        assert kept and kept[-1]["credentials"]["refresh_token"] != used
        assert kept[-1]["base_url"] == provider.base_url

        # The next process starts from the kept config, after its access token has expired.
        stale = {**kept[-1]["credentials"], "token_expiry_date": "2020-01-01T00:00:00Z"}
        again = open_source({**kept[-1], "credentials": stale})
        again.select_all_streams()
        again.read(cache=DuckDBCache(db_path=cache.db_path, cache_dir=cache.cache_dir))
        expect_equal_sums(provider, cache)
        tokens = [config["credentials"]["refresh_token"] for config in kept]
        assert len(tokens) >= 2
        assert len(set(tokens)) == len(tokens)
        assert used not in tokens
    finally:
        provider.stop()
