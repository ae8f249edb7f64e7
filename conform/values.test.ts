import { describe, expect, it } from "vitest";
import { add, formatDecimal, parseDecimal, ZERO } from "./decimals.ts";
import { formatInstant, parseInstant } from "./instants.ts";
import { canonical, isObject, parseJson, repeatedName } from "./json.ts";
import { escaped } from "./report/escape.ts";
import { Shown } from "./text.ts";

describe("instants", () => {
  it.each([
    ["2026-01-31T00:00:00Z", "2026-01-31T00:00:00Z"],
    ["2026-01-31t00:00:00.5z", "2026-01-31T00:00:00.500Z"],
    ["2024-02-29T23:59:60+00:00", "2024-02-29T23:59:59Z"],
    ["0001-01-01T00:00:00-00:00", "0001-01-01T00:00:00Z"],
  ])("%s is %s", (text, instant) => {
    expect(formatInstant(parseInstant(text) ?? Number.NaN)).toBe(instant);
  });

  it.each([
    "2026-02-29T00:00:00Z",
    "2026-01-31T24:00:00Z",
    "2026-01-31T00:61:00Z",
    "2026-01-31",
    "2026-01-31T00:00:00+02:00",
    "2026-01-31T00:00:00",
    "2026-01-31T00:00:00Z\n",
    7,
  ])("%j is none", (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });
});

describe("decimals", () => {
  it("add up without a rounding", () => {
    const sum = ["0.1", "0.2", "-12345678901234567890.000000000000000001"]
      .map((text) => parseDecimal(text) ?? ZERO)
      .reduce(add, ZERO);
    expect(formatDecimal(sum)).toBe("-12345678901234567889.700000000000000001");
    expect(formatDecimal(parseDecimal("-0.50") ?? ZERO)).toBe("-0.5");
  });

  it.each(["1e3", "+1", "01", ".5", "1.", "", 1])("%j is none", (text) => {
    expect(parseDecimal(text)).toBeUndefined();
  });
});

describe("JSON", () => {
  it("keeps the digits of numbers", () => {
    const value = parseJson('{"b":1.50,"a":[12345678901234567890,7]}');
    expect(canonical(value)).toBe('{"a":[12345678901234567890,7],"b":1.50}');
    expect(isObject(value) && typeof value["b"]).toBe("object");
    expect(isObject(parseJson("1.50"))).toBe(false);
  });

  it.each([
    ['{"a":1,"b":{"a":2}}', undefined],
    ['[{"a":1},{"a":2}]', undefined],
    ['{"a":"a\\":","b":"a"}', undefined],
    ['{"a":1,"\\u0061":2}', "a"],
    ['{"x":[{"y":1,"z":{},"y":3}]}', "y"],
  ])("%s repeats %s", (text, name) => {
    expect(repeatedName(text)).toBe(name);
  });
});

describe("foreign text", () => {
  it("is masked, cleaned and cut before it is shown", () => {
    const shown = new Shown();
    shown.hide("sec/ret");
    expect(shown.foreign("a\u0000b\u202Ec sec/ret sec%2Fret")).toBe("a b c *** ***");
    expect(shown.foreign("x".repeat(300))).toHaveLength(200);
    expect(shown.foreign("\uD800")).toBe("\uFFFD");
    expect(shown.reveals("Bearer sec/ret")).toBe(true);
  });

  it("is masked before it is cut, so that no half of a secret is shown", () => {
    const shown = new Shown();
    shown.hide("0123456789");
    expect(shown.foreign(`${"x".repeat(195)}0123456789`)).not.toContain("0123");
  });

  it("is escaped for HTML and XML", () => {
    expect(escaped("<a b='\"&\u0001\uFFFE>")).toBe("&lt;a b=&#39;&quot;&amp;&gt;");
  });
});
