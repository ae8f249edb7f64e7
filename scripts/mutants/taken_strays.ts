/** The mutants of strays whose days take them over, and of groups that have lost strays (P5). */
import type { Mutant } from "./mutant.ts";

export const TAKEN_STRAYS: readonly Mutant[] = [
  {
    rule: "P5",
    file: "src/streams/group_reports.ts",
    from: "if (whole.has(groupOf(group))) this.replaced(group);",
    to: "if (whole.has(groupOf(group))) this.loses(group);",
    test: "simulation/taken_strays.test.ts: P5 S6: a day takes over one of two strays that a reading wrote, and the process dies: two syncs prove the day, and later ones do not read it",
  },
  {
    rule: "P5",
    file: "src/streams/group_reports.ts",
    from: "if (whole.has(groupOf(group))) this.replaced(group);",
    to: "if (whole.has(groupOf(group)) || true) this.replaced(group);",
    test: "src/streams/group_reports.test.ts: P5 R10: a group of which no report has told yet has lost strays if the state has no content of the others: %s",
  },
  {
    rule: "P5",
    file: "src/streams/group_reports.ts",
    from: "known.filter(isWritten).filter(hasContent)",
    to: "known.filter(isWritten)",
    test: "src/streams/group_reports.test.ts: P5 R10: a group of which no report has told yet has lost strays if the state has no content of the others: %s",
  },
  {
    rule: "P5",
    file: "src/streams/strays.ts",
    from: "this.#known.size === 0 && this.taken.isEmpty",
    to: "this.#known.size === 0",
    test: "simulation/taken_strays.test.ts: P5: a day takes a stray over, the process dies behind the row in its second reading, and the record goes back to its window",
  },
  {
    rule: "P5",
    file: "src/streams/strays.ts",
    from: "this.taken.replaced(written, print);",
    to: "",
    test: "simulation/taken_strays.test.ts: P5: a day takes a stray over, the process dies behind the row in its second reading, and the record goes back to its window",
  },
  {
    rule: "P5",
    file: "src/streams/group_reports.ts",
    from: "this.#losing.has(groupOf(stray)) ? withoutContent(stray) : stray",
    to: "stray",
    test: "src/streams/strays.test.ts: P5: if others of the group are written again, the state has the id of a stray that a day takes over in place of its content",
  },
  {
    rule: "P5",
    file: "src/streams/stray_listings.ts",
    from: "stray.id === undefined ? [] : [{ ...stray, hash: stray.id }]",
    to: "stray.id === undefined ? [stray] : [{ ...stray, hash: stray.id }]",
    test: "src/streams/strays.test.ts: P5: if others of the group are written again, the state has the id of a stray that a day takes over in place of its content",
  },
  {
    rule: "P5",
    file: "src/streams/taken_strays.ts",
    from: "[contentText, ...this.#standing.ofId(id).map(({ hash }) => hash)]",
    to: "[contentText]",
    test: "src/streams/taken_strays.test.ts: P5: once the day's row goes out, the stray no longer stands: %s",
  },
  {
    rule: "P5",
    file: "src/streams/taken_strays.ts",
    from: "[contentText, ...this.#standing.ofId(id).map(({ hash }) => hash)]",
    to: "this.#standing.ofId(id).map(({ hash }) => hash)",
    test: "src/streams/taken_strays.test.ts: P5: once the day's row goes out, the stray no longer stands: %s",
  },
  {
    rule: "P5",
    file: "src/streams/taken_strays.ts",
    from: "if (table.size < before) this.#hasReplaced = true;",
    to: "",
    test: "src/streams/taken_strays.test.ts: P5: once the day's row goes out, the stray no longer stands: %s",
  },
  {
    rule: "P5",
    file: "src/streams/taken_strays.ts",
    from: "if (table.size < before) this.#hasReplaced = true;",
    to: "this.#hasReplaced = true;",
    test: "src/streams/taken_strays.test.ts: P5: the row of another record leaves all strays, and no STATE has to go out for it",
  },
];
