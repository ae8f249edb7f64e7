import type { Mutant } from "./mutant.ts";

const UNIT = "src/streams/stray_doubts.test.ts: ";
const LIFE = "simulation/hidden_strays.test.ts: ";
const COUNT = `${UNIT}R8: of %i strays of a day a reading lacks %i: it is not believed to miss %i`;
const OTHERS = `${UNIT}R8: strays of other days and of windows that the reading does not contain do not count, nor do those that their day owns`;
const SECOND =
  "src/streams/strays.test.ts: R8 R10: if a second reading lacks ten strays of a day, they count as shown, too";
const DOUBTS = { rule: "R8", file: "src/streams/stray_doubts.ts" } as const;
const MOVED = `${LIFE}R8 P5: many strays that move to a window which is read %s are no hidden ones: two more syncs prove their day`;
const KNOWN = { rule: "R8", file: "src/streams/recognized_strays.ts" } as const;
const STRAYS = { rule: "R8", file: "src/streams/strays.ts" } as const;

const OWN_ROWS = `${UNIT}R8: the own rows of a day count, because it may have taken over strays: it has %s`;
const TAKEN_OVER = `${LIFE}R8 P5: an outage hides seven of eleven strays, and their day takes over the other four: the seven stand, unproven, until it is over (%s)`;
const IN_READ =
  "src/streams/taken_strays.test.ts: R8: the strays that a day has taken over in a read count for the day, also once its row has gone out";
const NEAREST = {
  rule: "R8",
  file: "src/core/window.ts",
  from: "floorTo(DAY, Math.min(Math.max(instant, start), end - 1))",
} as const;
const TAKEN = { rule: "R8", file: "src/streams/taken_strays.ts" } as const;

/** Strays that an outage hides (R8). */
export const DOUBTED_STRAYS: readonly Mutant[] = [
  {
    ...DOUBTS,
    from: "const rows = strays + this.#rowsOf(day);",
    to: "const rows = strays;",
    test: OWN_ROWS,
  },
  {
    ...DOUBTS,
    from: "isSuddenLoss(strays, strays - own.length) ? strays : rows",
    to: "rows",
    test: OWN_ROWS,
  },
  {
    ...STRAYS,
    from: "Math.max(rowsOf(day), this.taken.on(day))",
    to: "rowsOf(day)",
    test: "src/streams/strays.test.ts: R8: strays that their day has taken over in this read count with those that a window lacks",
  },
  {
    ...STRAYS,
    from: "Math.max(rowsOf(day), this.taken.on(day))",
    to: "this.taken.on(day)",
    test: TAKEN_OVER,
  },
  {
    rule: "R8",
    file: "src/streams/known_strays.ts",
    from: "knownOf(ledger.state).days.get(day)?.records ?? 0",
    to: "0 * day",
    test: TAKEN_OVER,
  },
  {
    ...TAKEN,
    from: "this.#taken.set(stray.day, this.on(stray.day) + 1);",
    to: "if (!isOut) this.#taken.set(stray.day, this.on(stray.day) + 1);",
    test: IN_READ,
  },
  {
    ...DOUBTS,
    from: "if (agrees || !isSuddenLoss(most, records)) continue;",
    to: "if (agrees) continue;",
    test: COUNT,
  },
  {
    ...DOUBTS,
    from: "if (agrees || !isSuddenLoss(most, records)) continue;",
    to: "if (!isSuddenLoss(most, records)) continue;",
    test: `${UNIT}R8: a reading %s decides whether strays that an earlier one has lacked are missing`,
  },
  {
    ...DOUBTS,
    from: "missedAt !== undefined && confirms(reading, missedAt)",
    to: "missedAt !== undefined",
    test: `${UNIT}R8: a reading %s decides whether strays that an earlier one has lacked are missing`,
  },
  {
    ...DOUBTS,
    from: "const agrees = own.every(",
    to: "const agrees = own.some(",
    test: `${UNIT}R8: if a reading also lacks another stray, none of them is missing yet, and each keeps the end of the first reading that has lacked it`,
  },
  {
    ...DOUBTS,
    from: "stray.missedAt ?? endedAt, endedAt",
    to: "endedAt, endedAt",
    test: `${UNIT}R8: if a reading also lacks another stray, none of them is missing yet, and each keeps the end of the first reading that has lacked it`,
  },
  {
    ...DOUBTS,
    from: "firstEnd(stray.missedAt ?? endedAt, endedAt)",
    to: "stray.missedAt ?? endedAt",
    test: `${UNIT}R8: an end that a clock years ahead has made counts as a day later`,
  },
  {
    ...DOUBTS,
    from: "written.filter(({ window }) => contains(reading, window))",
    to: "written",
    test: OTHERS,
  },
  {
    ...DOUBTS,
    from: "[...known.values()].filter((stray) => isWritten(stray))",
    to: "[...known.values()]",
    test: OTHERS,
  },
  {
    ...DOUBTS,
    from: "const stood = Map.groupBy(inside, ({ day }) => day);",
    to: "const stood = Map.groupBy(inside, () => missing[0]?.day);",
    test: OTHERS,
  },
  { ...DOUBTS, from: "for (const stray of doubted) known.set(stray);", to: "", test: COUNT },
  {
    ...DOUBTS,
    from: "(sums.get(groupOf(stray))?.records ?? 0) + 1",
    to: "1",
    test: `${UNIT}R8 R5: such strays count in their groups as shown, and a warning says so once`,
  },
  {
    ...DOUBTS,
    from: "for (const doubt of doubts) this.#told.add(nameIn(doubt));",
    to: "",
    test: `${UNIT}R8 R5: such strays count in their groups as shown, and a warning says so once`,
  },
  {
    rule: "R8",
    file: "src/streams/completion.ts",
    from: "    await Promise.all(this.strays.doubts.takeWarnings().map(warn));\n",
    to: "",
    test: "simulation/cut_strays.test.ts: P5 R8: an outage hides strays from the shorter windows: a sync with %s warns once, and their rows stand until a later sync shows them",
  },
  {
    ...NEAREST,
    to: "floorTo(DAY, Math.max(instant, start))",
    test: `${UNIT}R8 R2: if such strays start %s their window, the nearest day of the window keeps its provisional sums`,
  },
  {
    ...NEAREST,
    to: "floorTo(DAY, Math.min(instant, end - 1))",
    test: `${UNIT}R8 R2: if such strays start %s their window, the nearest day of the window keeps its provisional sums`,
  },
  {
    ...DOUBTS,
    from: "return [...shrunk, ...doubted];",
    to: "return doubted;",
    test: `${UNIT}R8 R2: if such strays start %s their window, the nearest day of the window keeps its provisional sums`,
  },
  {
    rule: "R8",
    file: "src/streams/stray_listings.ts",
    from: "missedAt !== undefined || this",
    to: "this",
    test: "src/streams/strays.test.ts: R8 P6: a listing that moved is the second one in a row that lacks strays which an earlier reading was not believed to miss",
  },
  {
    ...STRAYS,
    from: "const others = this.#believed(missed, window);",
    to: "const others = missed;",
    test: SECOND,
  },
  {
    ...STRAYS,
    from: "this.groups.listed(this.doubts.shownBy(reading))",
    to: "this.groups.listed(reading)",
    test: SECOND,
  },
  {
    ...STRAYS,
    from: "this.left.add(doubted);",
    to: "",
    test: "src/streams/strays.test.ts: R8 P5: ten strays that a window lacks may be hidden, although another window of the read has shown them",
  },
  {
    ...KNOWN,
    from: "return this.#unsuspected(found);",
    to: "return found;",
    test: `${LIFE}R8 P5: a reading that shows the strays again ends the suspicion, so that a later outage is the first one again`,
  },
  {
    ...KNOWN,
    from: "found?.missedAt === undefined || !contains(window, found.window)",
    to: "found?.missedAt === undefined",
    test: "src/streams/strays.test.ts: R8 P5: of a stray that %s shows, the end of the first reading that lacked it is %s",
  },
  {
    ...STRAYS,
    from: "this.#known.shows(stray.id);",
    to: "",
    test: `${LIFE}R8 P5: a reading that shows %s ends the suspicion, also if the process dies before their rows`,
  },
  {
    ...STRAYS,
    from: "this.#forgetContent(doubted.filter((stray) => this.#known.hasMoved(stray)));",
    to: "",
    test: MOVED,
  },
  {
    rule: "R8",
    file: "src/streams/completion.ts",
    from: "this.#reporter.lists(this.strays.doubts.shownBy(reading), shows)",
    to: "this.#reporter.lists(reading, shows)",
    test: `${LIFE}R8 R5: the report of a window lists the strays that an outage hides, so that their rows stand, also if the process dies behind it`,
  },
  {
    rule: "R8",
    file: "src/streams/completion.ts",
    from: "reading, { ...learned, shrunk }, input.now",
    to: "reading, learned, input.now",
    test: `${LIFE}R8 R2: the provisional costs of strays that an outage hides are followed on`,
  },
  {
    rule: "R8",
    file: "src/streams/state_members.ts",
    from: "if (missedAt !== undefined) return [name, formatInstant(missedAt)];",
    to: "",
    test: "src/streams/state_codec.test.ts: R8: a stray with %s keeps the end of the first reading that lacked it",
  },
];
