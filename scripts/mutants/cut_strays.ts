import type { Mutant } from "./mutant.ts";

const LIFE = "simulation/cut_strays.test.ts: ";
const PROVEN = `${LIFE}P5: the next sync proves the strays of a group that %s of its window show`;
const GONE = `${LIFE}P5: %s strays that were withdrawn when the windows became shorter are gone, and nothing proves their day with them`;
const STATE =
  "src/core/awaited.test.ts: P5: if a window is longer than the provider allows by now, the strays of its group have their ids in place of their contents, and are due";
const GROUP = { rule: "P5", file: "src/core/stray_group.ts" } as const;

/** Strays whose windows are longer than the provider allows by now (P5). */
export const CUT_STRAYS: readonly Mutant[] = [
  {
    rule: "R8",
    file: "src/streams/awaited_days.ts",
    from: "pending.waitsOn(days) || unjudged.has(nameOf(window))",
    to: "pending.waitsOn(days)",
    test: "src/streams/awaited_days.test.ts: P5 R8: a day awaits strays that no part of their window has shown, until they are judged",
  },
  {
    rule: "R8",
    file: "src/streams/stray_reads.ts",
    from: "unjudged: () => new Set(this.#cut().map(({ window }) => nameOf(window))),",
    to: "unjudged: () => new Set(),",
    test: `${LIFE}P5 R8: an outage hides many strays when the windows become shorter: their rows stand, and their day is proven once it is over`,
  },
  {
    rule: "P5",
    file: "src/core/awaited.ts",
    from: "cut.has(groupOf(stray)) ?",
    to: "cut.size < 0 ?",
    test: PROVEN,
  },
  {
    ...GROUP,
    from: "daysIn(window) > maximumWindowDays",
    to: "daysIn(window) >= maximumWindowDays",
    test: STATE,
  },
  { ...GROUP, from: "own.some((stray) => isCut", to: "own.every((stray) => isCut", test: STATE },
  { ...GROUP, from: "id !== undefined &&", to: "", test: STATE },
  { ...GROUP, from: "day >= bounds.floor &&", to: "", test: STATE },
  { ...GROUP, from: "contains(bounds.within, window);", to: "true;", test: STATE },
  { ...GROUP, from: "readingId !== null &&", to: "", test: STATE },
  {
    rule: "P5",
    file: "src/streams/stray_reads.ts",
    from: "this.#strays.missesCut(missing, window);",
    to: "",
    test: GONE,
  },
  {
    rule: "P5",
    file: "src/streams/strays.ts",
    from: "return cut.filter(({ hash }) => !waiting.has(hash));",
    to: "return cut;",
    test: PROVEN,
  },
  {
    rule: "P5",
    file: "src/streams/strays.ts",
    from: "window)) {\n      this.#known.delete(stray.hash);\n",
    to: "window)) {\n",
    test: GONE,
  },
  {
    rule: "R8",
    file: "src/streams/strays.ts",
    from: "for (const stray of this.#believed(missing, window)) {",
    to: "for (const stray of missing) {",
    test: `${LIFE}P5 R8: an outage hides strays from the shorter windows: a sync with %s warns once, and their rows stand until a later sync shows them`,
  },
  {
    rule: "P5",
    file: "src/streams/group_reports.ts",
    from: "if (this.#reports) this",
    to: "if (groupOf(stray) !== null) this",
    test: `${LIFE}P5: a sync without export_windows misses a stray, then the windows become shorter: two more syncs prove its day`,
  },
];
