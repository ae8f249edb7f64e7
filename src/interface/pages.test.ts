import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Listing } from "../core/listing.ts";
import type { Transport } from "../edges.ts";
import { textRules } from "../generated/text_rules.ts";
import { validatePage, validateUsage, type Validator } from "../generated/validators.js";
import { RecordSchema } from "../records/record_schema.ts";
import { type Page, type PageOptions, type PageQuery, pageUrl, WindowPages } from "./pages.ts";
import { checkClosed } from "./strictness.ts";
import {
  failure,
  harness,
  ORIGIN,
  page,
  realClock,
  scripted,
  type ScriptedAnswer,
} from "../http/testing.ts";

const QUERY: PageQuery = {
  endpoint: new URL(`${ORIGIN}/v1/finops/usage`),
  start: Date.UTC(2026, 0, 1),
  end: Date.UTC(2026, 0, 8),
  granularity: "1d",
  limit: 3,
};

/** A provider that answers a cursor (`""` for none) as the table says; what was asked is in `asked`. */
function provider(table: (cursor: string) => ScriptedAnswer) {
  const asked: URLSearchParams[] = [];
  const transport: Transport = (request) => {
    asked.push(request.url.searchParams);
    return scripted(table(request.url.searchParams.get("cursor") ?? ""))(request);
  };
  return { asked, ...harness({ transport }) };
}

/** Pages by the cursor that gets them. */
function pages(byCursor: Readonly<Record<string, object>>) {
  return provider((cursor) => ({ body: byCursor[cursor] }));
}

const options: PageOptions = { signal: new AbortController().signal, tolerateUnknown: false };

const SCHEMA = new RecordSchema(validateUsage, textRules.usage);

/** The values of a page's records. */
function valuesOf({ records }: Page): unknown[] {
  const values: unknown[] = [];
  records.each(
    SCHEMA,
    ({ value }) => values.push(JSON.parse(JSON.stringify(value))), // the next record replaces its members
    () => undefined,
  );
  return values;
}

/** All pages of a window, one after the other. */
async function* readPages(
  ...window: ConstructorParameters<typeof WindowPages>
): AsyncGenerator<Page, void, undefined> {
  const reading = new WindowPages(...window);
  const listing = new Listing();
  for (let isLast = false; !isLast;) {
    const read = await reading.next();
    for (const value of valuesOf(read)) listing.add(Number(value));
    reading.wrote(listing.endPage(null), read);
    yield read;
    isLast = read.nextCursor === null;
  }
}

async function all(reading: AsyncIterable<Page>): Promise<Page[]> {
  const read: Page[] = [];
  for await (const one of reading) read.push(one);
  return read;
}

/** Reads all and expects it to fail: the error, and the pages that came before it. */
async function broken(reading: AsyncIterable<Page>) {
  const before: Page[] = [];
  const error = await failure(
    (async () => {
      for await (const one of reading) before.push(one);
    })(),
  );
  return { error, before };
}

describe("WindowPages", () => {
  test("reads to the page whose next_cursor is null, with the same query each time", async () => {
    const { client, asked } = pages({
      "": page([1, 2, 3], "b"),
      b: page([4], "c"),
      c: page([5, 6], null),
    });
    const read = await all(readPages(client, QUERY, null, options));
    expect(read.map(valuesOf)).toEqual([[1, 2, 3], [4], [5, 6]]);
    expect(read[0]).toEqual({
      records: expect.objectContaining({ length: 3 }),
      bytes: 108,
      nextCursor: "b",
      asOf: "2026-03-15T12:00:00Z",
      availableThrough: Date.UTC(2026, 2, 15, 11),
      limit: 3,
    });
    const same =
      "start=2026-01-01T00%3A00%3A00Z&end=2026-01-08T00%3A00%3A00Z&granularity=1d&limit=3";
    expect(asked.map(String)).toEqual([same, `${same}&cursor=b`, `${same}&cursor=c`]);
  });

  test("asks no granularity of costs", async () => {
    const { client, asked } = pages({ "": page([], null) });
    await all(readPages(client, { ...QUERY, granularity: undefined }, null, options));
    expect(asked[0]?.has("granularity")).toBe(false);
  });

  test("goes on from a cursor", async () => {
    const { client } = pages({ b: page([4], null) });
    expect((await all(readPages(client, QUERY, "b", options))).map(valuesOf)).toEqual([[4]]);
  });

  test("an opaque cursor arrives as it was given", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (cursor) => {
        expect(new URL(pageUrl(QUERY, cursor).href).searchParams.get("cursor")).toBe(cursor);
      }),
    );
    expect(pageUrl(QUERY, "a+b/=&%").href).toContain("cursor=a%2Bb%2F%3D%26%25");
  });

  describe("P1: only null ends a window", () => {
    const missing = {
      data: [1],
      as_of: "2026-03-15T12:00:00Z",
      available_through: "2026-03-15T11:00:00Z",
    };
    test.each<[string, object, string]>([
      ["missing", missing, 'property "next_cursor" is missing'],
      ["empty", page([1], ""), "/next_cursor"],
      ["a number", page([1], null, { next_cursor: 7 }), "/next_cursor"],
      ["the one that was sent", page([1], "b"), "the cursor that was just sent"],
      ["no text that an address can carry", page([1], "c\ud800"), "half a character"],
    ])("next_cursor is %s: a provider fault, not an end", async (_, body, words) => {
      const { client, slept } = pages({ "": page([0], "b"), b: body });
      const { error, before } = await broken(readPages(client, QUERY, null, options));
      expect(error).toMatchObject({ code: "provider_fault", failureType: "system_error" });
      expect(error.message).toContain(words);
      expect(error.message).toContain("2026-01-01T00:00:00Z to 2026-01-08T00:00:00Z");
      expect(before).toHaveLength(1);
      expect(slept).toEqual([]);
    });

    test("a circle of any length is found when it closes, not followed", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 40 }),
          fc.integer({ min: 1, max: 40 }),
          async (tail, circle) => {
            const next = (cursor: string): string => {
              const at = cursor === "" ? 0 : Number(cursor);
              return String(at + 1 >= tail + circle ? tail : at + 1);
            };
            const { client, asked } = provider((cursor) => ({ body: page([1], next(cursor)) }));
            const { error } = await broken(readPages(client, QUERY, null, options));
            expect(error.code).toBe("provider_fault");
            expect(asked.length).toBeLessThanOrEqual(tail + circle + 1);
          },
        ),
        { numRuns: 50 },
      );
    });

    test("the cursor that a reading was resumed from counts as seen", async () => {
      const { client } = pages({ b: page([1], "c"), c: page([2], "b") });
      const { error, before } = await broken(readPages(client, QUERY, "b", options));
      expect(error.message).toContain("seen before");
      expect(before).toHaveLength(1);
    });
  });

  describe("P2: short, empty and overlong pages go on", () => {
    /** `count` empty pages with a cursor, then one with a record and null. */
    const empties = (count: number) =>
      provider((cursor) => {
        const at = cursor === "" ? 0 : Number(cursor);
        return { body: at < count ? page([], String(at + 1)) : page([1], null) };
      });

    test("1,000 empty pages in a row go on", async () => {
      const read = await all(readPages(empties(1000).client, QUERY, null, options));
      expect(read).toHaveLength(1001);
    });

    test("so do far more of them where a page with records comes between", async () => {
      const { client } = provider((cursor) => {
        const at = cursor === "" ? 0 : Number(cursor);
        return { body: page(at === 700 ? [1] : [], at < 1400 ? String(at + 1) : null) };
      });
      expect(await all(readPages(client, QUERY, null, options))).toHaveLength(1401);
    });

    test("one more is a provider fault", async () => {
      const { error } = await broken(readPages(empties(1001).client, QUERY, null, options));
      expect(error.code).toBe("provider_fault");
      expect(error.message).toContain("more than 1000 empty pages");
    });

    test("an empty last page is an end like any other", async () => {
      const { client } = pages({ "": page([], null) });
      expect(await all(readPages(client, QUERY, null, options))).toMatchObject([
        { records: { length: 0 } },
      ]);
    });

    test("more records than the limit are kept, with one warning", async () => {
      const warnings: string[] = [];
      const { client } = pages({ "": page([1, 2, 3, 4], "b"), b: page([5, 6, 7, 8], null) });
      const onWarning = (_: string, message: string): void => void warnings.push(message);
      const read = await all(readPages(client, QUERY, null, { ...options, onWarning }));
      expect(read.flatMap(valuesOf)).toHaveLength(8);
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toContain("4 records where at most 3");
    });
  });

  describe("P3 V2: the envelope is closed", () => {
    test.each<[string, unknown, string]>([
      ["no object", [1], "must be object"],
      ["null", null, "must be object"],
      ["no data", page([], null, { data: undefined }), 'property "data" is missing'],
      ["data that is no array", page([], null, { data: {} }), "/data must be array"],
      ["an unknown property", page([], null, { total: 5 }), 'unknown property "total"'],
      [
        "an offset",
        page([], null, { available_through: "2026-03-15T11:00:00+02:00" }),
        "/available_through",
      ],
      ["a day", page([], null, { as_of: "2026-03-15" }), "/as_of"],
      [
        "no such day",
        page([], null, { available_through: "2026-02-30T00:00:00Z" }),
        "/available_through",
      ],
    ])("%s is a provider fault", async (_, body, words) => {
      const { client } = provider(() => ({ body }));
      const { error } = await broken(readPages(client, QUERY, null, options));
      expect(error.code).toBe("provider_fault");
      expect(error.message).toContain(words);
    });

    test("an unknown property is tolerated where told to, with one warning", async () => {
      const warnings: string[] = [];
      const more = { total: 5, "a/b": 1 };
      const { client } = pages({ "": page([1], "b", more), b: page([2], null, more) });
      const onWarning = (_: string, message: string): void => void warnings.push(message);
      const tolerant = { ...options, tolerateUnknown: true, onWarning };
      expect(await all(readPages(client, QUERY, null, tolerant))).toHaveLength(2);
      expect(warnings).toHaveLength(2);
    });
  });

  test("L4: unknown properties of pages are warnings of one kind", async () => {
    const more = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`x${index}`, 1]));
    const { client } = pages({ "": page([1], null, more) });
    const kinds = new Set<string>();
    const onWarning = (kind: string): void => void kinds.add(kind);
    await all(readPages(client, QUERY, null, { ...options, tolerateUnknown: true, onWarning }));
    expect([...kinds]).toEqual(["unknown properties of pages"]);
  });

  test("L2: a page of very many unknown properties is a fault at once, also where they are tolerated", async () => {
    const more = Object.fromEntries(Array.from({ length: 90_000 }, (_, index) => [`x${index}`, 1]));
    let checks = 0;
    const counting: Validator = (value) => {
      checks += 1;
      const isValid = validatePage(value);
      counting.errors = validatePage.errors ?? null;
      return isValid;
    };
    const { violation } = checkClosed(counting, page([1], null, more), true);
    expect(violation?.keyword).toBe("additionalProperties");
    expect(checks).toBe(1); // a thousand of them would take most of a minute
  });

  describe("S4: a 400 is told apart by whether a cursor was sent", () => {
    const body = {
      type: "/problems/window",
      title: "No such window",
      status: 400,
      detail: "40 days",
    };

    test("on a request without a cursor is bad_request, and says what was asked", async () => {
      const { client } = provider(() => ({ status: 400, body }));
      const { error } = await broken(readPages(client, QUERY, null, options));
      expect(error).toMatchObject({ code: "bad_request", failureType: "system_error" });
      expect(error.message).toContain(
        '2026-01-01T00:00:00Z to 2026-01-08T00:00:00Z, granularity 1d, limit 3 (HTTP 400). It says: "No such window: 40 days".',
      );
      expect(error.detail).toContain("HTTP 400, type /problems/window, title No such window");
    });

    test("on a request with one is cursor_refused", async () => {
      const { client } = provider((cursor) =>
        cursor === "" ? { body: page([1], "b") } : { status: 400, body },
      );
      const { error, before } = await broken(readPages(client, QUERY, null, options));
      expect(error.code).toBe("cursor_refused");
      expect(before).toHaveLength(1);
    });
  });

  test("L3: a page whose listing has no end is a provider fault, unless it is the last page", async () => {
    const { client } = pages({ "": page([1], "b"), b: page([1], null) });
    const reading = new WindowPages(client, QUERY, null, options);
    const first = await reading.next();
    expect(() => reading.wrote(null, first)).not.toThrow();
    expect(() => reading.wrote("it has no end", first)).toThrow(
      "breaks the interface: it has no end",
    );
    const last = await reading.next();
    expect(() => reading.wrote("it has no end", last)).not.toThrow();
  });

  test.each([
    ["a cursor of 8 KiB as JSON", page([], "c".repeat(8190)), false],
    ["a longer cursor", page([], "c".repeat(8191)), true],
    ["a cursor that JSON makes longer", page([], "\u0001".repeat(2000)), true],
    [
      "an as_of of 40 characters",
      page([], null, { as_of: `2026-01-01T00:00:00.${"0".repeat(19)}Z` }),
      false,
    ],
    ["a longer as_of", page([], null, { as_of: `2026-01-01T00:00:00.${"0".repeat(20)}Z` }), true],
    [
      "a longer available_through",
      page([], null, { available_through: `2026-01-01T00:00:00.${"0".repeat(20)}Z` }),
      true,
    ],
  ])("L1: %s", async (_, body, isFault) => {
    const { client } = provider(() => ({ body }));
    const next = new WindowPages(client, QUERY, null, options).next();
    if (isFault) expect((await failure(next)).code).toBe("provider_fault");
    else expect(await next).toMatchObject({ records: { length: 0 } });
  });

  test("an abort ends a request that is under way", async () => {
    const stop = new AbortController();
    const transport: Transport = async (request) => {
      await realClock.sleep(10_000, request.signal);
      return scripted({})(request);
    };
    const { client } = harness({ transport });
    const reading = new WindowPages(client, QUERY, null, { ...options, signal: stop.signal });
    const next = failure(reading.next());
    stop.abort();
    expect((await next).code).toBe("aborted");
  });

  test("fuzz: whatever JSON comes as a page, it is an error or exactly that page", async () => {
    const member = fc.oneof(fc.jsonValue(), fc.constantFrom(null, "b", "", "2026-03-15T12:00:00Z"));
    const shape = fc.record(
      {
        data: fc.oneof(fc.array(fc.jsonValue()), fc.jsonValue()),
        next_cursor: member,
        as_of: member,
        available_through: member,
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(shape, fc.jsonValue()), async (body) => {
        const { client } = provider((cursor) => ({ body: cursor === "" ? body : page([], null) }));
        const outcome = await readPages(client, QUERY, null, options)
          .next()
          .then(
            ({ value }) => value,
            () => undefined,
          );
        if (outcome === undefined) return;
        const { data, next_cursor }: { data: unknown[]; next_cursor: unknown } = JSON.parse(
          JSON.stringify(body),
        );
        expect(outcome.nextCursor).toBe(next_cursor);
        expect(outcome.records).toHaveLength(data.length);
        expect(valuesOf(outcome)).toEqual(data);
      }),
      { numRuns: 500 },
    );
  });
});
