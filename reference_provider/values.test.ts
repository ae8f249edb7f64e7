import { expect, test } from "vitest";
import { add, formatDecimal, parseDecimal, round, subtract } from "./decimals.ts";
import { formatInstant, monthStart, parseInstant } from "./instants.ts";
import { parseRuns } from "./real_files.ts";
import { acceptsGzip } from "./wire.ts";

test("instants are read in UTC only, and impossible ones refused", () => {
  for (const text of [
    "2025-10-08T00:00:00Z",
    "2025-10-08t00:00:00z",
    "2025-10-08T00:00:00+00:00",
    "2025-10-08T00:00:00.000-00:00",
  ]) {
    expect(parseInstant(text)).toBe(Date.UTC(2025, 9, 8));
  }
  for (const text of [
    "2025-02-29T00:00:00Z",
    "2025-10-08",
    "2025-10-08T00:00:00",
    "2025-10-08T24:00:00Z",
    "2025-10-08T00:00:60Z",
    "2025-10-08T00:00:00+02:00",
    "2025-13-01T00:00:00Z",
    " 2025-10-08T00:00:00Z",
  ]) {
    expect([text, parseInstant(text)]).toEqual([text, undefined]);
  }
  expect(parseInstant("2024-02-29T00:00:00.0005Z")).toBe(Date.UTC(2024, 1, 29) + 1);
  for (const text of [
    "2025-10-08T09:08:07Z",
    "1969-12-31T23:59:59.999Z",
    "2024-02-29T23:00:00.050Z",
  ]) {
    expect(formatInstant(parseInstant(text) ?? 0)).toBe(text);
  }
  expect(formatInstant(monthStart(Date.UTC(2025, 11, 31), 1))).toBe("2026-01-01T00:00:00Z");
});

test("decimals of any length are exact", () => {
  const long = `${"9".repeat(60)}.${"1".repeat(30)}`;
  expect(formatDecimal(parseDecimal(long))).toBe(long);
  expect(formatDecimal(add(parseDecimal("0.1"), parseDecimal("0.2")))).toBe("0.3");
  expect(formatDecimal(subtract(parseDecimal("0.05"), parseDecimal("1")))).toBe("-0.95");
  expect(["-0.00", "1.10", "-0.5", "100"].map((text) => formatDecimal(parseDecimal(text)))).toEqual(
    ["0", "1.1", "-0.5", "100"],
  );
  expect(
    ["1.25", "-1.25", "1.24"].map((text) => formatDecimal(round(parseDecimal(text), 1))),
  ).toEqual(["1.3", "-1.3", "1.2"]);
  for (const text of ["1e-7", "+1", ".5", "1.", "01", "", "1\n"])
    expect(() => parseDecimal(text)).toThrow(RangeError);
});

test("a quoted field of a CSV holds commas and quotes", () => {
  const [run] = parseRuns('header\n2025-01-01T00:00:00Z,b,"a, ""b""",diff,3,,7,0.5\n');
  expect(run).toMatchObject({ model: 'a, "b"', promptTokens: null, completionTokens: "7" });
  expect(() => parseRuns("header\n2025-01-01T00:00:00Z,b\n")).toThrow("8 fields");
});

test("gzip is used only where it is accepted", () => {
  expect(["gzip", "br, GZIP;q=0.5", "gzip;q=0", "identity", undefined].map(acceptsGzip)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
