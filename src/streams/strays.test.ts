import { expect, test } from "vitest";
import { DAY } from "../core/time.ts";
import { Strays } from "./strays.ts";
import { DAY_ONE } from "./testing.ts";

const windowOf = (day: number, days = 1) => ({
  start: DAY_ONE + day * DAY,
  end: DAY_ONE + (day + days) * DAY,
});
const [first, second] = [windowOf(1), windowOf(2)];

test("P5: a stray waits for each window that showed it, until a window returns it as its own", () => {
  const strays = new Strays([]);
  expect(strays.isEmpty).toBe(true);
  expect(strays.see("a", DAY_ONE + 1, first)).toBeNull();
  expect(strays.see("a", DAY_ONE + 1, second)).toBeNull();
  expect(strays.see("b", DAY_ONE - 1, second)).toBeNull();
  expect([...strays.pendingOf(first)]).toEqual(["a"]);
  expect([...strays.pendingOf(second)]).toEqual(["a", "b"]);
  expect(strays.pendingDays()).toEqual([DAY_ONE - DAY, DAY_ONE]);
  strays.own("a");
  expect(strays.pendingOf(first).size).toBe(0);
  expect(strays.isEmpty).toBe(false);
});

test("P5: of the strays that were to be written those that came are remembered, the others dropped", () => {
  const strays = new Strays([]);
  for (const hash of ["a", "b"]) strays.see(hash, DAY_ONE, first);
  const asked = strays.pendingOf(first);
  strays.wrote(new Set(["a"]), first, "r1");
  strays.drop(asked);
  expect(strays.pendingDays()).toEqual([]);
  expect(strays.written).toEqual([{ hash: "a", day: DAY_ONE, readingId: "r1", window: first }]);
});

test("P5: a written stray is standing, until a window returns it as its own or its window no longer shows it", () => {
  const written = ["a", "b", "c"].map((hash) => ({
    hash,
    day: DAY_ONE,
    readingId: "r1",
    window: hash === "c" ? second : first,
  }));
  const strays = new Strays(written);
  expect(strays.see("a", DAY_ONE, first)).toEqual(written[0]);
  expect(strays.pendingDays()).toEqual([]);
  strays.judge(first);
  expect(strays.written.map(({ hash }) => hash)).toEqual(["a", "c"]);
  strays.judge(windowOf(0, 9)); // a wider window is judged like the one that showed the stray
  expect(strays.written.map(({ hash }) => hash)).toEqual(["a"]);
  strays.own("a");
  expect(strays.isEmpty).toBe(true);
});

test("P5: a stray that is written again in a new version leaves no earlier version behind", () => {
  const written = ["old", "shown", "elsewhere"].map((hash) => ({
    hash,
    day: hash === "elsewhere" ? DAY_ONE - DAY : DAY_ONE,
    readingId: "r1",
    window: second,
  }));
  const strays = new Strays(written);
  strays.see("shown", DAY_ONE, first);
  strays.see("new", DAY_ONE, first);
  strays.wrote(new Set(["new"]), first, "r2");
  expect(strays.written.map(({ hash }) => hash)).toEqual(["shown", "elsewhere", "new"]);
});

test("S8: the state remembers the newest 2,000 strays", () => {
  const strays = new Strays([]);
  const hashes = Array.from({ length: 2001 }, (_, index) => `${index}`);
  for (const hash of hashes) strays.see(hash, DAY_ONE, first);
  strays.wrote(new Set(hashes), first, "r1");
  expect(strays.written).toHaveLength(2000);
  expect(strays.written.at(-1)?.hash).toBe("2000");
});

test("L1: strays that every window shows note 200,000 windows together, and each of them one at least", () => {
  const strays = new Strays([]);
  const hashes = Array.from({ length: 40_000 }, (_, index) => `${index}`);
  for (let day = 0; day < 6; day++)
    for (const hash of hashes) strays.see(hash, DAY_ONE - DAY, windowOf(day));
  strays.see("late", DAY_ONE - DAY, windowOf(6));
  const counts = [0, 4, 5, 6].map((day) => strays.pendingOf(windowOf(day)).size);
  expect(counts).toEqual([40_000, 40_000, 0, 1]);
});

test("L1: 50,000 strays wait at most", () => {
  const strays = new Strays([]);
  for (let number = 0; number < 50_001; number++) {
    expect(strays.isFull).toBe(number >= 50_000);
    strays.see(`${number}`, DAY_ONE - DAY, first);
  }
  expect(strays.pendingOf(first).size).toBe(50_000);
});
