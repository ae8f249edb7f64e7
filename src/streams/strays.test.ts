import { expect, test } from "vitest";
import { RecordFingerprint } from "../core/identity.ts";
import { LIMITS } from "../core/limits.ts";
import type { KnownStray } from "../core/state.ts";
import { DAY } from "../core/time.ts";
import type { Range } from "../core/window.ts";
import { EVERYTHING } from "./stray_listings.ts";
import { Strays } from "./strays.ts";
import { DAY_ONE } from "./testing.ts";

const windowOf = (day: number, days = 1) => ({
  start: DAY_ONE + day * DAY,
  end: DAY_ONE + (day + days) * DAY,
});
const [first, second] = [windowOf(1), windowOf(2)];
const toWrite = (strays: Strays, window = first, late: readonly number[] = []): string[] => [
  ...strays.pending.toWrite(window, (day) => late.includes(day)),
];

/** A record's hashes, from texts that stand for them. */
function printOf(id: string, version = id, content = version): RecordFingerprint {
  const print = new RecordFingerprint();
  print.setVersion(id, version);
  const bytes = Buffer.from(content);
  print.setContent(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 0, bytes.length);
  return print;
}
const hashOf = (id: string, version = id, content = version): string =>
  printOf(id, version, content).contentText;
const strayOf = (id: string, changes: Partial<KnownStray> = {}): KnownStray => ({
  hash: hashOf(id),
  id,
  day: DAY_ONE,
  readingId: "r1",
  window: first,
  ...changes,
});
/** A stray that its day owns. */
function ownedOf(id: string): KnownStray {
  const { id: _id, ...stray } = strayOf(id, { readingId: null });
  return stray;
}
/** A window as a reading has read it. */
const read = (window: Range, id = "r9") => ({
  ...window,
  id,
  beganAt: 0,
  firstAsOf: null,
  endedAt: 0,
});
const within =
  ({ start, end }: Range) =>
  (day: number): boolean =>
    start <= day && day < end;
const came = (...ids: string[]) => ({
  ids: new Set(ids),
  rows: new Map(ids.map((id) => [hashOf(id), { id, day: DAY_ONE }])),
});

test("P5: a stray waits for each window that showed it, until a window returns it as its own", () => {
  const strays = new Strays([]);
  expect(strays.isEmpty).toBe(true);
  expect(strays.see(printOf("a"), "a", DAY_ONE + 1, first)).toBeNull();
  expect(strays.see(printOf("a"), "a", DAY_ONE + 1, second)).toBeNull();
  expect(strays.see(printOf("b"), "b", DAY_ONE - 1, second)).toBeNull();
  expect(toWrite(strays)).toEqual(["a"]);
  expect(toWrite(strays, second)).toEqual(["a", "b"]);
  expect(toWrite(strays, second, [DAY_ONE])).toEqual(["b"]);
  expect(strays.pendingDays()).toEqual([DAY_ONE - DAY, DAY_ONE]);
  strays.own(printOf("a"), false, "a");
  strays.settle(() => true);
  expect(strays.hasPending(first)).toBe(false);
  expect(strays.hasPending(second)).toBe(true);
  expect(strays.isEmpty).toBe(false);
  expect(strays.known).toEqual([]);
});

test("P5: an owner is told by id and version, whatever the other members are; another version waits", () => {
  const strays = new Strays([]);
  strays.see(printOf("a", "v1", "one"), "a", DAY_ONE, first);
  strays.own(printOf("a", "v2"), false, "a");
  expect(strays.hasPending(first)).toBe(true);
  strays.own(printOf("a", "v1", "other"), false, "a");
  expect(strays.hasPending(first)).toBe(false);
});

test("P5: of the strays that were to be written those whose id came are remembered, the others are absent", () => {
  const strays = new Strays([]);
  for (const id of ["a", "b", "c"]) strays.see(printOf(id, "old"), id, DAY_ONE, first);
  expect(strays.wrote(new Set(["a", "b"]), came("a"), first, "r1")).toBe(1);
  expect(strays.known).toEqual([strayOf("a")]);
  expect(strays.hasPending(first)).toBe(true);
  expect(toWrite(strays)).toEqual(["c"]);
});

test("P5: a written stray is standing, until a window returns it as its own or its window no longer shows it", () => {
  const written = ["a", "b", "c"].map((id) =>
    strayOf(id, { readingId: `r-${id}`, ...(id === "c" && { window: second }) }),
  );
  const strays = new Strays(written);
  expect(strays.see(printOf("a"), "a", DAY_ONE, first)).toEqual(written[0]);
  expect(strays.find(printOf("a"))).toBeDefined();
  expect(strays.see(printOf("a", "new"), "a", DAY_ONE, windowOf(9))).toBeNull();
  strays.judge(read(first), within(first), "part");
  expect(strays.known).toEqual(written);
  strays.see(printOf("a"), "a", DAY_ONE, first);
  strays.judge(read(first), within(first), "all");
  expect(strays.known).toEqual([written[0], written[2]]);
  const wide = windowOf(0, 9); // is judged like the window that showed the stray
  strays.see(printOf("a"), "a", DAY_ONE, wide);
  strays.judge(read(wide), within(wide), "all");
  expect(strays.known).toEqual([written[0]]);
  strays.own(printOf("a"), false, "a");
  expect(strays.known).toEqual([]);
});

/** The strays that are known and that wait once a window no longer shows the stray "c", and the windows that the next sync has to judge. */
function withoutC(
  options: { pendingStrays?: number; keptFrom?: number; restated?: string; startsOn?: number } = {},
) {
  const { pendingStrays = 9, keptFrom = -Infinity, restated, startsOn = DAY_ONE } = options;
  const other = strayOf("d", { day: DAY_ONE - DAY });
  const plan = { bounds: { start: 0, end: Infinity }, due: [], keptFrom };
  const known = [...["a", "b", "c"].map((id) => strayOf(id, { day: startsOn })), other];
  const strays = new Strays(known, { ...LIMITS, pendingStrays }, plan);
  for (const id of ["a", "b", "d"]) strays.see(printOf(id), id, DAY_ONE, first);
  if (restated !== undefined) strays.see(printOf("c", "c2"), restated, DAY_ONE, first);
  const misses = strays.judge(read(first), within(first), "all");
  const standing = [startsOn, DAY_ONE - DAY].map((day) => ({
    day,
    rowsReadingId: "r1",
    records: 1,
  }));
  const ids = strays.known.map(({ id }) => id);
  const reading = { ...read(first, "r9"), standing, resumed: false };
  const listed = strays.groups.listed(reading).map(({ day }) => Math.floor((day - DAY_ONE) / DAY));
  return { misses, ids, waiting: toWrite(strays), listed, due: strays.listings.unlisted() };
}

test("P5: if a window no longer shows a written stray, the ones that its reading wrote on the same day wait once more, and their rows count until then", () => {
  const ids = ["d", "a", "b"];
  const broken = { misses: false, ids, listed: [0, -1], due: [first] };
  expect(withoutC()).toEqual({ ...broken, waiting: ["a", "b"] });
  expect(withoutC({ restated: "z" })).toEqual({ ...broken, waiting: ["z", "a", "b"] });
});

test("R10: the newest list of a group counts, although the others of the group have an owner since and an older reading has listed it later", () => {
  const strays = new Strays([strayOf("a"), strayOf("b")]);
  const standing = [{ day: DAY_ONE, rowsReadingId: "r1", records: 2 }];
  for (const id of ["a", "b"]) strays.see(printOf(id), id, DAY_ONE, second);
  for (const id of ["r9", "r2"])
    strays.groups.listed({ ...read(second, id), standing, resumed: false });
  strays.own(printOf("b"), false, "b");
  strays.judge(read(first, "r5"), within(first), "all");
  expect(strays.listings.unlisted()).toEqual([first]);
});

test.each([
  ["which has others, stays as it is", ["a", "c"], "all", ["a", "c"]],
  ["whose listing moved, stays as it is", ["c"], "moved", ["c"]],
  ["which has no others, is gone", ["c"], "all", []],
] as const)(
  "P5 R10: a group of a missing stray that a newer reading of another window has listed, %s, and its window is due",
  (_, ids, shows, left) => {
    const strays = new Strays(ids.map((id) => strayOf(id)));
    const standing = [{ day: DAY_ONE, rowsReadingId: "r1", records: ids.length }];
    strays.groups.listed({ ...read(second, "r9"), standing, resumed: false });
    for (const id of ["r4", "r5"]) {
      if (left.length > 1) strays.see(printOf("a"), "a", DAY_ONE, first);
      strays.judge(read(first, id), within(first), shows);
    }
    expect(strays.known.map(({ id }) => id)).toEqual(left);
    expect(toWrite(strays)).toEqual([]);
    expect(strays.listings.unlisted()).toContainEqual(first);
    // No third reading of the window would tell more in this read.
    expect(strays.listings.lacking()).toEqual([]);
  },
);

test("P5 R10: they do not if the stray waits in a new version: its old row stands until the new one replaces it, and its window is due", () => {
  const ids = ["a", "b", "c", "d"];
  const kept = { misses: true, ids, listed: [0, -1], due: [first] };
  expect(withoutC({ restated: "c" })).toEqual({ ...kept, waiting: ["c"] });
});

const GROUP = { day: DAY_ONE, readingId: "r1" };

/** Strays of one group after a reading of their window: "a" waits in a new version, and "b" is as it was. */
function restatedA(): Strays {
  const strays = new Strays([strayOf("a"), strayOf("b")]);
  strays.see(printOf("a", "a2"), "a", DAY_ONE, first);
  strays.see(printOf("b"), "b", DAY_ONE, first);
  strays.judge(read(first), within(first), "all");
  return strays;
}

test("P5 R10: no window lists the old row of such a stray once more, and once the new version is written the window is due no longer", () => {
  const strays = restatedA();
  expect(strays.listings.unlisted()).toEqual([first]);
  expect(strays.listings.takeUnlisted()).toEqual([]);
  const rows = new Map([[hashOf("a", "a2"), { id: "a", day: DAY_ONE }]]);
  strays.wrote(new Set(["a"]), { ids: new Set(["a"]), rows }, first, "r99");
  expect(strays.known.map(({ hash }) => hash)).toEqual([hashOf("b"), hashOf("a", "a2")]);
  expect(strays.listings.unlisted()).toEqual([]);
});

test("P5 R10: if the provider goes back to the old version before that, the stray is written as it comes, and its window is due no longer", () => {
  const strays = restatedA();
  strays.wrote(new Set(["a"]), came("a"), first, "r99");
  expect(strays.known.map(({ readingId }) => readingId)).toEqual(["r99", "r1"]);
  expect(strays.listings.unlisted()).toEqual([]);
});

test("P5: the old row of such a stray stands until the rows of a day that takes the new version over are written", () => {
  for (const isOut of [true, false]) {
    const strays = restatedA();
    strays.own(printOf("a", "a2"), false, isOut ? "a" : null);
    expect(strays.groups.fewer).toEqual(isOut ? [GROUP] : []);
    expect(strays.known.map(({ id }) => id)).toEqual(isOut ? ["b"] : ["b", "a"]);
    strays.settle(() => true);
    expect(strays.known.map(({ id }) => id)).toEqual(["b"]);
    expect(strays.listings.unlisted()).toEqual([]);
  }
});

test("P5: if others of the group are written again, the state has the id of a stray that a day takes over in place of its content", () => {
  const nameless = ownedOf("c");
  const known = [strayOf("a"), { ...nameless, readingId: "r1" }, strayOf("d", { readingId: "r2" })];
  const strays = new Strays(known);
  for (const id of ["a", "c", "d"]) strays.own(printOf(id), false, null);
  expect(strays.known.map(({ hash }) => hash)).toEqual(["a", "c", "d"].map((id) => hashOf(id)));
  strays.groups.loses(GROUP);
  expect(strays.known.map(({ hash }) => hash)).toEqual(["a", hashOf("d")]);
  expect(strays.isEmpty).toBe(false);
});

test.each([
  [
    "a stray that its own window, or a longer one, has shown before has not moved if a second reading misses it",
    windowOf(1, 2),
    false,
  ],
  [
    "a stray that another window has shown before has moved if a second reading of its own window misses it",
    windowOf(2, 2),
    true,
  ],
])("P5: %s", (_, shownBy, hasMoved) => {
  const strays = new Strays([strayOf("a")]);
  strays.see(printOf("a"), "a", DAY_ONE, shownBy);
  strays.judge(read(shownBy), within(shownBy), "all");
  expect(strays.misses(read(first))).toBe(true);
  expect(strays.known.map(({ hash }) => hash)).toEqual([hasMoved ? "a" : hashOf("a")]);
});

test("P5: the row of a day replaces another version that was written as a stray, which then waits again if a window shows it", () => {
  for (const isOut of [true, false]) {
    const strays = new Strays([strayOf("a"), strayOf("b"), ownedOf("c")]);
    strays.own(printOf("a", "older"), false, isOut ? "a" : null);
    expect(strays.known.map(({ hash }) => hash)).toEqual(
      (isOut ? ["b", "c"] : ["a", "b", "c"]).map((id) => hashOf(id)),
    );
    expect(strays.groups.fewer).toEqual(isOut ? [GROUP] : []);
    strays.see(printOf("a"), "a", DAY_ONE, first);
    expect(toWrite(strays)).toEqual(isOut ? ["a"] : []);
  }
});

test("P5: the row of a day replaces a stray of this read, and one of a state without ids that a window has shown", () => {
  const { id: _id, ...nameless } = strayOf("a");
  const strays = new Strays([nameless]);
  strays.see(printOf("a"), "a", DAY_ONE, first);
  strays.wrote(new Set(), came("b"), second, "r2");
  for (const id of ["a", "b"]) strays.own(printOf(id, "older"), false, id);
  expect(strays.known).toEqual([]);
  expect(strays.groups.fewer).toEqual([GROUP, { ...GROUP, readingId: "r2" }]);
});

test("P5: if another stray of the group is gone, the old rows count in the group until the new rows are written", () => {
  const strays = new Strays([strayOf("a"), strayOf("b"), strayOf("c")]);
  strays.see(printOf("a", "a2"), "a", DAY_ONE, first);
  strays.see(printOf("b"), "b", DAY_ONE, first);
  expect(strays.judge(read(first), within(first), "all")).toBe(true); // the old version of "a"
  expect(strays.known.map(({ hash }) => hash).toSorted()).toEqual(["a", "b"]);
  expect(toWrite(strays)).toEqual(["a", "b"]);
  expect(strays.listings.unlisted()).toEqual([first]);
  const reading = { ...read(first, "r9"), standing: [], resumed: false };
  expect(strays.groups.listed(reading)).toMatchObject([{ records: 2 }]);
  const rows = new Map(["a", "b"].map((id) => [hashOf(id, `${id}2`), { id, day: DAY_ONE }]));
  strays.wrote(new Set(["a", "b"]), { ids: new Set(["a", "b"]), rows }, first, "s10");
  expect(strays.groups.listed({ ...reading, id: "s10" })).toMatchObject([{ records: 0 }]);
  expect(strays.groups.takeLoss()).toBe(true);
  expect(strays.groups.takeLoss()).toBe(false);
});

test.each([
  ["has no room for all of them", { pendingStrays: 1 }],
  ["may have left retention by the next sync", { keptFrom: DAY_ONE + 1, startsOn: DAY_ONE + 2 }],
])("P5 R10: the group stays as it is, and the window is due, if it %s", (_why, options) => {
  const ids = ["a", "b", "d", "c"];
  const kept = { misses: true, ids, listed: [0, -1], due: [first] };
  expect(withoutC(options)).toEqual({ ...kept, waiting: [] });
});

test("P5: the group is written again if there is room for just all of them to wait", () => {
  const broken = { misses: false, ids: ["d", "a", "b"], waiting: ["a", "b"], due: [first] };
  expect(withoutC({ pendingStrays: 2 })).toMatchObject(broken);
});

test.each(["another window", "a first passage of the window"])(
  "P5 R10: a written stray is gone if the last passage of its window does not show it, although %s does",
  (which) => {
    const strays = new Strays([strayOf("a")]);
    strays.see(printOf("a"), "a", DAY_ONE, which === "another window" ? second : first);
    strays.readAgain(first, within(first));
    strays.judge(read(first), within(first), "all");
    expect(strays.known).toEqual([]);
  },
);

test.each([
  [
    "a reading of another window, without the others of its group",
    (strays: Strays) => {
      strays.see(printOf("a"), "a", DAY_ONE, second);
      strays.judge(read(second), within(second), "all");
    },
  ],
  [
    "a second reading of the window",
    (strays: Strays) => {
      for (const id of ["a", "b"]) strays.seeAgain(printOf(id), first);
      strays.misses(read(first));
    },
  ],
])(
  "R10 P6: two listings that moved do not lack a stray in a row if %s shows the stray in between",
  (_, show) => {
    const strays = new Strays([strayOf("a"), strayOf("b")]);
    const lacks = (): void => {
      strays.see(printOf("b"), "b", DAY_ONE, first);
      strays.judge(read(first), within(first), "moved");
    };
    lacks();
    expect(strays.listings.unlisted()).toEqual([first]);
    show(strays);
    expect(strays.listings.unlisted()).toEqual([]);
    lacks();
    expect(toWrite(strays)).toEqual([]);
    lacks();
    expect(toWrite(strays)).toEqual(["b"]);
  },
);

test("P5: a stray that a look finds on its day is remembered, until a reading of the day does not return it", () => {
  const strays = new Strays([]);
  strays.see(printOf("a"), "a", DAY_ONE, first);
  strays.own(printOf("a"), true, "a");
  const owned = ownedOf("a");
  strays.settle(within(windowOf(0)));
  expect(strays.known).toEqual([owned]);
  strays.judge(read(windowOf(0)), within(windowOf(0)), "part");
  const next = new Strays(strays.known);
  expect(next.see(printOf("a"), "a", DAY_ONE, first)).toEqual(owned);
  expect(next.hasPending(first)).toBe(false);
  next.own(printOf("a"), false, "a");
  next.judge(read(windowOf(0)), within(windowOf(0)), "part");
  expect(next.known).toEqual([owned]);
  const last = new Strays(next.known);
  last.judge(read(second), within(second), "part");
  expect(last.known).toEqual([owned]);
  last.judge(read(windowOf(0)), within(windowOf(0)), "part");
  expect(last.known).toEqual([]);
});

test("P5: an owned stray is forgotten, too, once a listing that did not move shows its whole window without it", () => {
  const knownAfter = (shows: "all" | "moved" | "part"): number => {
    const strays = new Strays([ownedOf("a")]);
    strays.judge(read(first), () => false, shows);
    return strays.known.length;
  };
  expect([knownAfter("all"), knownAfter("moved"), knownAfter("part")]).toEqual([0, 1, 1]);
});

test("P5: a group without other strays is gone, also if its window may have left retention before the next sync", () => {
  const plan = { ...EVERYTHING, keptFrom: first.start };
  const strays = new Strays([strayOf("a", { day: second.start })], LIMITS, plan);
  expect(strays.judge(read(first), () => false, "all")).toBe(true);
  expect(strays.known).toEqual([]);
  expect(strays.listings.unlisted()).toEqual([]);
});

test("P5: the state learns of an owned stray once the row of the day stands, and other windows of the read at once", () => {
  const strays = new Strays([]);
  strays.see(printOf("a"), "a", DAY_ONE, first);
  strays.own(printOf("a"), true, "a");
  const owned = ownedOf("a");
  expect(strays.see(printOf("a"), "a", DAY_ONE, second)).toEqual(owned);
  strays.settle(within(windowOf(1)));
  expect(strays.known).toEqual([]);
  strays.settle(within(windowOf(0)));
  expect(strays.known).toEqual([owned]);
});

test("P5: only the latest reading of a day tells which strays the day owns", () => {
  const strays = new Strays([]);
  for (const id of ["a", "b"]) {
    strays.see(printOf(id), id, DAY_ONE, first);
    strays.own(printOf(id), true, id);
  }
  strays.readAgain(windowOf(1), within(windowOf(1)));
  strays.judge(read(windowOf(0)), within(windowOf(0)), "part");
  strays.readAgain(windowOf(0), within(windowOf(0)));
  strays.own(printOf("a"), false, "a");
  strays.judge(read(windowOf(0)), within(windowOf(0)), "part");
  strays.settle(within(windowOf(0)));
  expect(strays.known).toEqual([ownedOf("a")]);
});

/** The same stray, of a state without ids. */
const nameless = ({ id: _id, ...stray }: KnownStray): KnownStray => stray;

test("P5: a stray that is written again in a new version leaves no earlier version behind", () => {
  const old = strayOf("v1", { id: "new", day: DAY_ONE - DAY });
  const others = [strayOf("beside"), nameless(strayOf("elsewhere", { day: DAY_ONE - DAY }))];
  const strays = new Strays([old, ...others]);
  strays.see(printOf("new"), "new", DAY_ONE, first);
  strays.wrote(new Set(["new"]), came("new"), first, "r2");
  expect(strays.known).toEqual([...others, strayOf("new", { readingId: "r2" })]);
  expect(strays.listings.unlisted()).toEqual([]);
});

test("P5 R10: a stray of the same day without an id may be such a version if no window has shown it: it is forgotten with its group, whose window is due", () => {
  const old = nameless(strayOf("old", { window: second }));
  const beside = strayOf("beside", { window: second }); // in the same group
  const others = [
    nameless(strayOf("elsewhere", { day: DAY_ONE - DAY, window: second })),
    strayOf("later", { readingId: "r0", window: second }),
  ];
  const strays = new Strays([old, beside, ...others]);
  for (const id of ["beside", "later", "new"]) strays.see(printOf(id), id, DAY_ONE, first);
  strays.wrote(new Set(["new"]), came("new"), first, "r2");
  expect(strays.known).toEqual([...others, strayOf("new", { readingId: "r2" })]);
  expect(strays.listings.unlisted()).toEqual([second, second]);
});

test("R8: strays that their day has taken over in this read count with those that a window lacks", () => {
  const ids = Array.from({ length: 11 }, (_, index) => `s${index}`);
  const strays = new Strays(ids.map((id) => strayOf(id)));
  for (const id of ids.slice(7)) strays.own(printOf(id), false, id);
  strays.judge(read(first), within(first), "all");
  expect(strays.known.map(({ id, missedAt }) => [id, missedAt])).toEqual(
    ids.slice(0, 7).map((id) => [id, 0]),
  );
});

test("P5 S4: a reading that wrote strays has lost one of a day: the others of the day are written again, those of another day are not", () => {
  const strays = new Strays([strayOf("beside", { readingId: "r0" })]);
  for (const id of ["a", "b"]) strays.see(printOf(id), id, DAY_ONE, first);
  const rows = new Map(came("a").rows).set(hashOf("b"), { id: "b", day: DAY_ONE - DAY });
  strays.wrote(new Set(["a", "b"]), { ids: new Set(["a", "b"]), rows }, first, "r2");
  strays.wroteOthers([DAY_ONE], "r2");
  const written = { readingId: "r2" };
  expect(strays.known).toEqual([
    strayOf("beside", { readingId: "r0" }),
    strayOf("b", { ...written, day: DAY_ONE - DAY }),
    { ...strayOf("a", written), hash: "a" },
  ]);
  expect(strays.listings.unlisted()).toEqual([first]);
  expect(strays.groups.fewer).toEqual([{ day: DAY_ONE, readingId: "r2" }]);
  expect(strays.see(printOf("a"), "a", DAY_ONE, first)).toBeNull();
});

test("P5: a stray that its day owns may be such a version, too: the row that is written may have replaced the one of the day", () => {
  const others = [ownedOf("shown"), { ...ownedOf("elsewhere"), day: DAY_ONE - DAY }];
  const strays = new Strays([ownedOf("old"), ...others]);
  for (const id of ["shown", "new"]) strays.see(printOf(id), id, DAY_ONE, first);
  strays.wrote(new Set(["new"]), came("new"), first, "r2");
  expect(strays.known).toEqual([...others, strayOf("new", { readingId: "r2" })]);
  expect(strays.see(printOf("old"), "old", DAY_ONE, first)).toBeNull();
});

test("P5: a stray without an id has one once a window shows it", () => {
  const strays = new Strays([nameless(strayOf("a")), ownedOf("b")]);
  for (const id of ["a", "b"]) strays.see(printOf(id), id, DAY_ONE, first);
  expect(strays.known).toEqual([strayOf("a"), ownedOf("b")]);
});

test("R10: a window has still to list a written stray whose day was reported by a newer reading than its last listing", () => {
  const strays = new Strays([strayOf("a"), strayOf("b"), ownedOf("own")]);
  const day = [{ day: DAY_ONE, confirmed: true }];
  strays.listings.reported(day, "r1");
  strays.listings.reported([{ day: DAY_ONE + DAY, confirmed: true }], "r9");
  strays.listings.reported([{ day: DAY_ONE, confirmed: false }], "r9");
  expect(strays.listings.hasUnlisted).toBe(false);
  strays.listings.reported(day, "r4");
  strays.listings.reported(day, "r2"); // of another lane, which began earlier
  for (const id of ["a", "b"]) strays.see(printOf(id), id, DAY_ONE, first);
  strays.judge(read(first, "r3"), () => false, "all");
  expect(strays.listings.unlisted()).toEqual([first]);
  expect(strays.listings.hasUnlisted).toBe(true);
  expect(strays.listings.takeUnlisted()).toEqual([first]);
  expect(strays.listings.takeUnlisted()).toEqual([]);
  expect(strays.listings.hasUnlisted).toBe(false);
  expect(strays.listings.unlisted()).toEqual([first]);
  for (const id of ["a", "b"]) strays.seeAgain(printOf(id), first);
  expect(strays.misses(read(first, "r5"))).toBe(false);
  expect(strays.listings.unlisted()).toEqual([]);
  strays.listings.reported(day, "r6");
  expect(strays.listings.takeUnlisted()).toEqual([first]);
});

test("R10: a second reading misses a stray once in a read; windows of many days are no exception", () => {
  const strays = new Strays([strayOf("a")]);
  const wide = windowOf(1, 2);
  expect(strays.misses(read(second))).toBe(false);
  expect(strays.misses(read(windowOf(0, 2)))).toBe(false);
  expect(strays.misses(read(wide))).toBe(true);
  expect(strays.misses(read(wide))).toBe(false);
  expect(strays.listings.unlisted()).toEqual([first]);
  expect(strays.listings.hasUnlisted).toBe(false);
  strays.seeAgain(printOf("a"), wide);
  expect(strays.misses(read(wide))).toBe(false);
  expect(strays.listings.unlisted()).toEqual([]);
  // It comes and goes.
  expect(strays.misses(read(wide))).toBe(false);
  expect(strays.listings.unlisted()).toEqual([first]);
  strays.judge(read(first), within(first), "all");
  expect(strays.known).toEqual([]);
  expect(strays.listings.unlisted()).toEqual([]);
});

test("R10: a window that was due lists its strays, and so does one whose strays no reading of the pass has listed before a second reading confirms their day", () => {
  const strays = new Strays([strayOf("a"), strayOf("b", { window: second })], undefined, {
    bounds: windowOf(0, 9),
    due: [windowOf(0, 2)],
  });
  expect(strays.listings.unlisted()).toEqual([first]);
  strays.listings.confirmed([DAY_ONE + DAY]);
  expect(strays.listings.unlisted()).toEqual([first]);
  strays.listings.confirmed([DAY_ONE]);
  expect(strays.listings.unlisted()).toEqual([first, second]);
  for (const id of ["a", "b"]) strays.seeAgain(printOf(id), windowOf(1, 2));
  expect(strays.misses(read(windowOf(1, 2)))).toBe(false);
  strays.listings.confirmed([DAY_ONE]);
  expect(strays.listings.unlisted()).toEqual([]);
});

test("R10: a stray of a window that the read may request in part waits until all of that part was listed without it", () => {
  const bounds = windowOf(2, 9);
  const wide = strayOf("a", { window: windowOf(1, 3) });
  const due = [windowOf(1)];
  expect(new Strays([wide], undefined, { bounds, due }).listings.unlisted()).toEqual([]);
  const strays = new Strays([wide], undefined, { bounds, due: [windowOf(1, 2)] });
  expect(strays.listings.takeUnlisted()).toEqual([wide.window]);
  expect(strays.misses(read(windowOf(2)))).toBe(false);
  expect(strays.listings.unlisted()).toEqual([wide.window]);
  expect(strays.misses(read(windowOf(3)))).toBe(false);
  expect(strays.listings.unlisted()).toEqual([]);
  expect(strays.known).toEqual([wide]);
});

test("R10: a later part of such a window may show the stray after all", () => {
  const wide = strayOf("a", { window: windowOf(1, 3) });
  const due = [windowOf(2)];
  const strays = new Strays([wide], undefined, { bounds: windowOf(2, 9), due });
  expect(strays.misses(read(windowOf(2), "r5"))).toBe(false);
  strays.seeAgain(printOf("a"), windowOf(3));
  expect(strays.misses(read(windowOf(3), "r6"))).toBe(false);
  expect(strays.listings.unlisted()).toEqual([]);
  strays.listings.reported([{ day: DAY_ONE, confirmed: true }], "r7");
  expect(strays.listings.unlisted()).toEqual([wide.window]);
  // Only what was read after the listing counts.
  expect(strays.misses(read(windowOf(3), "r8"))).toBe(false);
  expect(strays.listings.unlisted()).toEqual([wide.window]);
});

test("R10: a stray waits for no window that the read may not request", () => {
  const strays = new Strays([strayOf("a")], undefined, { bounds: windowOf(2, 9), due: [] });
  strays.listings.reported([{ day: DAY_ONE, confirmed: true }], "r5");
  expect(strays.listings.unlisted()).toEqual([]);
});

test("R10: a stray that no reading can list any more is lost once, and a later sync does not know it", () => {
  const strays = new Strays([strayOf("a")], LIMITS, { bounds: windowOf(2, 9), due: [] });
  expect(strays.listings.loses()).toBe(false);
  strays.listings.reported([{ day: DAY_ONE, confirmed: true }], "r5");
  expect([strays.listings.loses(), strays.listings.loses()]).toEqual([true, false]);
  expect(strays.known).toEqual([]);
});

test("P5 R10: the old row of such a stray is not lost while a newer version is about to replace it: the state keeps its id", () => {
  const strays = new Strays([strayOf("a")], LIMITS, { bounds: windowOf(2, 9), due: [] });
  strays.see(printOf("a", "a2"), "a", DAY_ONE, second);
  expect(strays.replacing(new Set(["a"]))).toBe(true);
  strays.listings.reported([{ day: DAY_ONE, confirmed: true }], "r5");
  expect(strays.listings.loses()).toBe(false);
  expect(strays.known).toEqual([{ ...strayOf("a"), hash: "a" }]);
});

test("R10 P6: no second reading lists the strays of a window that is read again as a whole because a listing that moved lacks one", () => {
  const strays = new Strays([strayOf("a")]);
  strays.judge(read(first), within(first), "moved");
  strays.listings.reported([{ day: DAY_ONE, confirmed: true }], "r99");
  expect(strays.listings.lacking()).toEqual([first]);
  expect(strays.listings.takeUnlisted()).toEqual([]);
});

test("W3 R10: of the window of a stray that no reading can list any more, the days are due that an end date cuts off, or a retention that was longer before", () => {
  const plan = { bounds: windowOf(4, 2), due: [], left: windowOf(1, 3) };
  const partsOf = (window: Range, changes = {}): readonly Range[] => {
    const day = DAY_ONE + 5 * DAY;
    const strays = new Strays([strayOf("a", { day, window })], LIMITS, { ...plan, ...changes });
    strays.listings.reported([{ day, confirmed: true }], "r5");
    strays.listings.loses();
    return strays.listings.unlisted();
  };
  expect(partsOf(windowOf(0, 3))).toEqual([windowOf(1, 2)]);
  expect(partsOf(windowOf(6, 2))).toEqual([windowOf(6, 2)]);
  expect(partsOf(windowOf(0, 3), { left: windowOf(4, 0) })).toEqual([]);
  // The rest of this window has still to be listed.
  expect(partsOf(windowOf(2, 3))).toEqual([windowOf(2, 3)]);
});

test("P5 R10: before strays are written, the windows of others of their days have to list these, if no window has shown them and the state has no ids of them", () => {
  const known = [strayOf("a"), strayOf("b", { window: second })].map(nameless);
  const strays = new Strays([...known, strayOf("c", { window: windowOf(3) })]);
  strays.openOthers();
  expect(strays.listings.unlisted()).toEqual([]);
  strays.seeAgain(printOf("b"), second);
  strays.see(printOf("new"), "new", DAY_ONE, second);
  strays.openOthers();
  expect(strays.listings.unlisted()).toEqual([first]);
});

test("R10: no second reading misses a stray that was written in this read", () => {
  const strays = new Strays([]);
  strays.see(printOf("a"), "a", DAY_ONE, first);
  strays.wrote(new Set(["a"]), came("a"), first, "r1");
  expect(strays.misses(read(first))).toBe(false);
});

test("S8: the state remembers 2,000 strays: the newest that were written, then those that their days own", () => {
  const ids = Array.from({ length: 2001 }, (_, index) => `${index}`);
  const written = new Strays([]);
  written.wrote(new Set(), came(...ids), first, "r1");
  expect(written.known).toHaveLength(2000);
  expect(written.known.at(-1)).toEqual(strayOf("2000"));
  const owned = new Strays(ids.map((id) => strayOf(id, { readingId: null })));
  owned.wrote(
    new Set(),
    {
      ...came("w"),
      rows: new Map([[hashOf("w"), { id: "w", day: second.start }]]),
    },
    first,
    "r1",
  );
  expect(owned.known).toHaveLength(2000);
  expect(owned.known[0]?.hash).toBe(hashOf("w"));
  expect(owned.known.at(-1)?.hash).toBe(hashOf("2000"));
});

test("L1: strays that every window shows note 200,000 windows together, and each of them one at least", () => {
  const strays = new Strays([]);
  const like = printOf("x");
  const prints = Array.from({ length: 40_000 }, (_, index) => ({
    version: like.version,
    content: like.content,
    former: like.former,
    formerText: "",
    versionText: `${index}`,
    contentText: "",
  }));
  for (let day = 0; day < 6; day++)
    for (const [id, print] of prints.entries())
      strays.see(print, `${id}`, DAY_ONE - DAY, windowOf(day));
  strays.see(printOf("late"), "late", DAY_ONE - DAY, windowOf(6));
  const counts = [0, 4, 5, 6].map((day) => toWrite(strays, windowOf(day)).length);
  expect(counts).toEqual([40_000, 40_000, 0, 1]);
});

test("L1 L2: 50,000 strays wait at most, and a window finds its own without a look at the others", () => {
  const strays = new Strays([]);
  const { version, content, former } = printOf("x");
  for (let number = 0; number < 50_001; number++) {
    expect(strays.pending.takeRefusal()).toBe(false);
    const texts = { versionText: `${number}`, contentText: "", formerText: "" };
    const print = { version, content, former, ...texts };
    strays.see(print, `${number}`, DAY_ONE - DAY, windowOf(number));
  }
  expect([strays.pending.takeRefusal(), strays.pending.takeRefusal()]).toEqual([true, false]);
  let asked = 0;
  for (let number = 0; number < 50_000; number++) {
    strays.pending.toWrite(windowOf(number), () => ((asked += 1), false));
  }
  expect(asked).toBe(50_000);
  expect(strays.hasPending(windowOf(50_000))).toBe(false);
});

test("P5 L1: if no further stray can wait, one that waits already still waits for each window that shows it", () => {
  const strays = new Strays([], { ...LIMITS, pendingStrays: 1 });
  for (const id of ["a", "b"]) strays.see(printOf(id), id, DAY_ONE, first);
  strays.see(printOf("a"), "a", DAY_ONE, second);
  expect([first, second].map((window) => toWrite(strays, window))).toEqual([["a"], ["a"]]);
});

test("L2: a record that a window returns as its own is not compared with all known strays", () => {
  let compared = 0;
  const many = Array.from({ length: 300 }, (_, index) => `s${index}`);
  const known = many.map((id) => ({
    ...strayOf(`known ${id}`),
    get readingId() {
      compared += 1;
      return "r1";
    },
  }));
  const strays = new Strays(known);
  for (const id of many) strays.see(printOf(id), id, DAY_ONE, first);
  for (const id of many) strays.own(printOf(id), false, id);
  expect(strays.hasPending(first)).toBe(false);
  expect(compared).toBeLessThan(3000);
});

test("P5: no report lists a group that is gone, although its reading had shown one of the group before", () => {
  const strays = new Strays([strayOf("a")]);
  strays.see(printOf("a"), "a", DAY_ONE, second);
  expect(strays.judge(read(first, "r5"), within(first), "all")).toBe(true);
  const standing = [{ day: DAY_ONE, rowsReadingId: "r1", records: 1 }];
  expect(strays.groups.listed({ ...read(second, "r6"), standing, resumed: false })).toEqual([]);
});

const ten = Array.from({ length: 10 }, (_, index) => strayOf(`s${index}`));
test("R8 R10: if a second reading lacks ten strays of a day, they count as shown, too", () => {
  const strays = new Strays(ten);
  expect(strays.misses(read(first))).toBe(true);
  const reading = { ...read(first), standing: [], resumed: false, moved: false };
  expect(strays.listedAgain(reading)).toEqual([{ day: DAY_ONE, rowsReadingId: "r1", records: 10 }]);
  expect(strays.known.map(({ missedAt }) => missedAt)).toEqual(ten.map(() => 0));
});
test("R8 P5: ten strays that a window lacks may be hidden, although another window of the read has shown them", () => {
  const strays = new Strays(ten);
  for (const { id = "" } of ten) strays.see(printOf(id), id, DAY_ONE, second);
  strays.judge(read(first), within(first), "all");
  expect(strays.doubts.takeWarnings()).toHaveLength(1);
  expect(strays.left.take()).toHaveLength(1);
});

test("R8 P6: a listing that moved is the second one in a row that lacks strays which an earlier reading was not believed to miss", () => {
  const strays = new Strays(ten.map((stray) => ({ ...stray, missedAt: 0 })));
  strays.judge(read(first), within(first), "moved");
  expect(strays.doubts.takeWarnings()).toHaveLength(1);
  expect(strays.listings.lacking()).toEqual([]);
});

test.each([
  ["its window", first, undefined],
  ["another window, where it may have moved to,", second, 0],
])(
  "R8 P5: of a stray that %s shows, the end of the first reading that lacked it is %s",
  (_, window, missedAt) => {
    const strays = new Strays([strayOf("a", { missedAt: 0 })]);
    strays.see(printOf("a"), "a", DAY_ONE, window);
    expect(strays.known.map((stray) => stray.missedAt)).toEqual([missedAt]);
  },
);
