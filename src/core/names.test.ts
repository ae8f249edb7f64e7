import fc from "fast-check";
import { expect, test } from "vitest";
import { judgedName, KNOWN_NAMES, KnownNames, MOST_NAMES, type NamedValue } from "./names.ts";

const named = (value: string, name: string | null = null, isArchived = false): NamedValue => ({
  label: "project",
  value,
  name,
  isArchived,
});

test("N2: a name is cleaned and cut; the value stays as it is", () => {
  const of = (name: string | null): string | null | undefined =>
    judgedName(named("proj_1", name))?.name;
  expect(of("Research")).toBe("Research");
  expect(of(" \u001b[31mRed\u202e\nTeam ")).toBe("Red Team");
  expect(of("x".repeat(500))).toBe(`${"x".repeat(200)}…`);
  expect(of("\ud800half")).toBe("\ufffdhalf");
  for (const none of [null, "", " \n", "\u200b"]) expect(of(none)).toBeNull();
  expect(judgedName(named(" a\u202eb ", "n"))?.value).toBe(" a\u202eb ");
});

test("N2: a name with an e-mail address counts as none", () => {
  for (const name of ["jane.doe@example.com", "key of jane@example.co.uk (old)"])
    expect(judgedName(named("key_1", name))?.name).toBeNull();
  for (const name of ["@team", "a @ b.c", "ci@laptop"])
    expect(judgedName(named("key_1", name))?.name).toBe(name);
});

test("N2: a value that no record may have is left out", () => {
  for (const value of ["", "v".repeat(201), "\udfff"])
    expect(judgedName(named(value))).toBeUndefined();
  expect(judgedName(named("v".repeat(200)))).toBeDefined();
});

test("N1: a name is written if it is new or has changed, across states", () => {
  const first = new KnownNames("");
  expect([named("a", "A"), named("b", "A")].map((each) => first.take(each))).toEqual([true, true]);
  const second = new KnownNames(first.text);
  const again = [named("a", "A"), named("b", "B"), named("c", "A", true)];
  expect(again.map((each) => second.take(each))).toEqual([false, true, true]);
  const third = new KnownNames(second.text);
  const changed = [named("b", "A"), named("c", "A", false), { ...named("a", "A"), label: "x" }];
  expect(changed.map((each) => third.take(each))).toEqual([true, true, true]);
});

test("N1: of a value that is listed twice the first name counts", () => {
  const known = new KnownNames("");
  expect([named("a", "A"), named("a", "B")].map((each) => known.take(each))).toEqual([true, false]);
  const next = new KnownNames(known.text);
  expect([named("a", "A"), named("a", "B")].map((each) => next.take(each))).toEqual([false, false]);
});

test("N1: what is not listed any more is forgotten only after a complete listing", () => {
  const first = new KnownNames("");
  first.take(named("a", "A"));
  const partial = new KnownNames(first.text);
  partial.take(named("b", "B"));
  expect(new KnownNames(partial.text).take(named("a", "A"))).toBe(false);
  partial.settle();
  expect(new KnownNames(partial.text).take(named("a", "A"))).toBe(true);
});

test("N2 S8: no more names are known than fit the state, and the listed ones stay", () => {
  const first = new KnownNames("");
  for (let index = 0; index < MOST_NAMES; index++) first.take(named(`old-${index}`));
  expect(first.take(named("surplus"))).toBe(false);
  expect(first.surplus).toBe(1);
  const second = new KnownNames(first.text);
  expect(second.take(named("new", "N"))).toBe(true);
  expect(second.text.length).toBeLessThanOrEqual(100_000);
  expect(new KnownNames(second.text).take(named("new", "N"))).toBe(false);
});

test("S6: a state of names depends on no order, and is one that the next sync takes", () => {
  const pairs = fc.uniqueArray(fc.tuple(fc.string(), fc.option(fc.string())), {
    selector: ([value]) => value,
  });
  fc.assert(
    fc.property(pairs, (listing) => {
      const texts = [listing, listing.toReversed()].map((each) => {
        const known = new KnownNames("");
        for (const [value, name] of each) expect(known.take(named(value, name))).toBe(true);
        return known.text;
      });
      expect(texts[0]).toBe(texts[1]);
      expect(texts[0]).toMatch(KNOWN_NAMES);
    }),
  );
});
