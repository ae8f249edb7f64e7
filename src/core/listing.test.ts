import { expect, test } from "vitest";
import { EMPTY_DIGEST } from "./digests.ts";
import { learn, NOTHING_KNOWN } from "./known_days.ts";
import { knownRecords, Listing, MAXIMUM_EMPTY_PAGES, UNCOUNTED } from "./listing.ts";
import { DAY } from "./time.ts";

/** The hash of the id with this number. */
const hashOf = (id: number): number => {
  const mixed = Math.imul(id ^ (id >>> 15), 0x85ebca6b);
  return Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35) >>> 0;
};

/** The number of the page that ends a listing, and the rule; null if all pages go on. `idsOf` gives the ids of a page. */
function endOf(
  pages: number,
  idsOf: (page: number) => Iterable<number>,
  known: number | null = null,
): { readonly page: number; readonly rule: string } | null {
  const listing = new Listing();
  for (let page = 1; page <= pages; page++) {
    for (const id of idsOf(page)) listing.add(hashOf(id));
    const rule = listing.endPage(known);
    if (rule !== null) return { page, rule };
  }
  return null;
}

/** The ids from `from` on, so many. */
function* ids(from: number, count: number): Generator<number> {
  for (let id = from; id < from + count; id++) yield id;
}

test("L3: pages without a new id end a listing after 1,000 in a row, whatever else is new in them", () => {
  expect(endOf(5000, () => [1, 2, 3])).toMatchObject({
    page: UNCOUNTED + MAXIMUM_EMPTY_PAGES + 2,
  });
  expect(endOf(5000, () => [])?.rule).toContain("more than 1000 empty pages");
});

test("L3: pages without a new id go on if one comes in time", () => {
  expect(endOf(5000, (page) => (page % MAXIMUM_EMPTY_PAGES === 1 ? [page] : [1]))).toBeNull();
});

test("L3: more ids than can be kept end a listing once each has come 100 times", () => {
  const [count, perPage] = [50_000, 1000];
  const circle = (page: number): Iterable<number> => ids(((page - 1) * perPage) % count, perPage);
  const end = endOf(10_000, circle);
  expect(end?.rule).toMatch(
    /records came after the first 64 pages, which have about \d+ different ids/,
  );
  expect(end?.page).toBeGreaterThan(90 * (count / perPage));
  expect(end?.page).toBeLessThan(115 * (count / perPage));
});

test("L3: after the first pages a listing may have 100,000 records, and 100 for each different id", () => {
  const end = endOf(1000, () => Array.from({ length: 1000 }, () => 7));
  expect(end).toEqual({
    page: UNCOUNTED + 101,
    rule: "101000 records came after the first 64 pages, which have about 1 different ids",
  });
});

test("L3: so many ids as can be kept are counted one by one", () => {
  const listing = new Listing();
  for (let page = 0; page < UNCOUNTED; page++) listing.endPage(null);
  for (const id of ids(0, 8191)) listing.add(hashOf(id));
  for (let repeat = 0; repeat < 920_000; repeat++) listing.add(hashOf(0));
  expect(listing.endPage(null)).toContain("have about 8191 different ids");
});

test("L3: a new id now and then does not keep a listing alive", () => {
  const rare = (page: number): number[] => [page % 500 === 0 ? page : 1];
  expect(endOf(100_000, rare)?.rule).toMatch(
    /pages came, whose records after the first 64 pages have about \d+ different/,
  );
});

test("L3: a listing of 3 million ids, each of them twice, has an end of its own", () => {
  expect(endOf(6000, (page) => ids(Math.floor((page - 1) / 2) * 1000, 1000))).toBeNull();
});

test("L3: the pages of known days are at most 10,000 and 100 for each record that they had", () => {
  const growing = (page: number): number[] => [page];
  expect(endOf(10_300, growing, 3)).toBeNull();
  expect(endOf(10_301, growing, 3)).toEqual({
    page: 10_301,
    rule: "10301 pages came, and the days of the window had 3 records before",
  });
  expect(endOf(20_000, growing)).toBeNull();
});

test("L3: ids that a provider chose by their hashes take no more memory, and no endless search", () => {
  const listing = new Listing();
  for (let page = 0; page < UNCOUNTED; page++) listing.endPage(null);
  for (let id = 0; id < 300_000; id++) listing.add((id << 13) >>> 0);
  expect(listing.endPage(null)).toBeNull();
});

test("L3: what a window's days held is known only if each of them is", () => {
  const said = { readingId: "r", confirmed: true };
  const one = learn(NOTHING_KNOWN, { day: 0, records: 7, digest: "a" }, said);
  const two = learn(one, { day: DAY, records: 0, digest: EMPTY_DIGEST }, said);
  expect(knownRecords(one, { start: 0, end: 2 * DAY })).toBeNull();
  expect(knownRecords(two, { start: 0, end: 2 * DAY })).toBe(7);
});
