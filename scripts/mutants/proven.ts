import type { Mutant } from "./mutant.ts";

/** The step that finds the lost strays of costs, from its last condition on: that of usage has the same words before these. */
const LOST_OF_COSTS = `,
        false)
    )
  group by strays.scope, strays.day
),
chains as (
  select * from "ai_billing__chains_costs"`;
const JUDGED = "days.stray_judge_id > strays.listed_by";
const WRITTEN =
  "(days.rows_reading_id > strays.listed_by and days.pass_began_at > strays.listed_in_pass)";
const COUNTS_NO_LONGER = `not coalesce(
        ${JUDGED}
        or ${WRITTEN}${LOST_OF_COSTS}`;

/** The reports of days and strays, as the real models judge them (P5, R10, W3). */
export const PROVEN: readonly Mutant[] = [
  {
    rule: "P5",
    file: "src/streams/group_reports.ts",
    from: "groups.set(group, { day, rowsReadingId: readingId, records });",
    to: "",
    test: "src/streams/group_reports.test.ts: P5: a reading lists a replaced group with the rows that are left, whatever it has shown before",
  },
  {
    rule: "W3",
    file: "src/streams/group_reports.ts",
    from: "day < this.#keptFrom && contains(window, own)",
    to: "false && contains(window, own)",
    test: "simulation/proven.test.ts: W3: a charge that %s stays in the sums once its day has left retention and its window has not",
  },
  {
    rule: "R10",
    file: "src/streams/stray_reads.ts",
    from: "[...cut, ...lacking, ...awaited].filter",
    to: "[...cut, ...awaited].filter",
    test: "simulation/proven.test.ts: R10: a stray %s is withdrawn at a provider that gives each page of a window an `as_of` of its own",
  },
  {
    rule: "R10",
    file: "src/streams/stray_listings.ts",
    from: "if (this.#lacking.delete(hash)) return true;",
    to: "if (this.#lacking.has(hash)) return false;",
    test: "simulation/proven.test.ts: R10: a stray %s is withdrawn at a provider that gives each page of a window an `as_of` of its own",
  },
  {
    rule: "R10",
    file: "src/streams/strays.ts",
    from: 'else if (first !== undefined && shows === "moved") this.groups.gone(first);',
    to: "",
    test: "simulation/proven.test.ts: R10: a stray %s is withdrawn at a provider that gives each page of a window an `as_of` of its own",
  },
  {
    rule: "P5",
    file: "src/streams/strays.ts",
    from: "if (first !== undefined && isPart) this.groups.loses(first);",
    to: "if (first === undefined) return misses;",
    test: "simulation/proven.test.ts: P5 R10: a process dies before it writes the other strays of a group again of which one is withdrawn (cursors: %s)",
  },
  {
    rule: "R10",
    file: "src/streams/completion.ts",
    from: "isLate || lists.hasLost;",
    to: "isLate;",
    test: "src/streams/completion.test.ts: R10: the days read before are due once a day takes over the last stray of a group that has lost one: the models see the loss then",
  },
  {
    rule: "R10",
    file: "src/streams/completion.ts",
    from: "days: [] }, lists.hasLost).before;",
    to: "days: [] }, false).before;",
    test: "src/streams/overtaken.test.ts: R10: each day that the models call overtaken after a complete sync is due",
  },
  {
    rule: "R5",
    file: "src/streams/export_windows.ts",
    from: "return [...strays, ...days];",
    to: "return [...days, ...strays];",
    test: "src/streams/export_windows.test.ts: R5 P5: the rows of strays come before those of days, in case the process dies between two rows",
  },
  {
    rule: "S8",
    file: "src/streams/group_reports.ts",
    from: "this.#untold.has(name) || this.#losing.has(name)",
    to: "this.#untold.has(name)",
    test: "src/streams/stray_groups.test.ts: S8: a state names no more groups that have lost strays than it remembers strays: the last of them",
  },
  {
    rule: "R10",
    file: "src/streams/strays.ts",
    from: "this.#list(reading, NO_WINDOW);",
    to: "",
    test: "simulation/proven.test.ts: R10: two windows of several pages, each with an `as_of` of its own, show a stray of the other one's day",
  },
  {
    rule: "P5",
    file: "src/streams/group_reports.ts",
    from: "if (!tells && !groups.has(group)) continue;",
    to: "if (!tells) continue;",
    test: "src/streams/group_reports.test.ts: P5: a reading lists a replaced group with the rows that are left, whatever it has shown before",
  },
  {
    rule: "P5",
    file: "src/streams/reporter.ts",
    from: "this.#groups.isBehind ? this.#ownOf(reading) : null",
    to: "null",
    test: "src/streams/stray_groups.test.ts: P5: if a newer reading has listed a group meanwhile, the window that takes its strays over lists what is left in a report of its own",
  },
  {
    rule: "P5",
    file: "src/streams/group_reports.ts",
    from: "if (this.#untold.has(group)) continue;",
    to: "if (groups !== undefined) continue;",
    test: "src/streams/group_reports.test.ts: P5: a group that is gone is listed once without rows, and no later report lists it",
  },
  {
    rule: "R10",
    file: "src/streams/completion.ts",
    from: "= misses || isLost || isLate || this",
    to: "= misses || isLost || this",
    test: "simulation/proven.test.ts: R10: a second reading is the first report of a day that has lost rows",
  },
  {
    rule: "R10",
    file: "src/streams/completion.ts",
    from: "settlement.hasLost || misses || isLost || isLate",
    to: "settlement.hasLost || misses || isLate",
    test: "simulation/proven.test.ts: R10: so does a stray whose window lies before a later start date",
  },
  {
    rule: "R10",
    file: "src/streams/strays.ts",
    from: " && !this.listings.isLost(stray)",
    to: "",
    test: "simulation/proven.test.ts: R10: a withdrawn stray whose window the end of retention has cut takes the proof from no other day",
  },
  {
    rule: "R10",
    file: "src/streams/due_windows.ts",
    from: "isDue(day) || hasChanged(knownOf(state), known, day)",
    to: "isDue(day)",
    test: "simulation/proven.test.ts: R5 R10: a day becomes due if its row is found %s while `available_through` lies before it",
  },
  {
    rule: "R10",
    file: "src/core/unreported.ts",
    from: "!uncovered.includes(one.day) && !open",
    to: "!open",
    test: "src/core/unreported.test.ts: R10: a reading that is reported tells of the days of its reports; a reading without totals is not reported",
  },
  {
    rule: "R10",
    file: "src/core/unreported.ts",
    from: "day + DAY > position ||\n      ",
    to: "",
    test: "simulation/proven.test.ts: R10: syncs without export_windows complete a day of which the last report covers a part",
  },
  {
    rule: "R10",
    file: "src/core/unreported.ts",
    from: "readingId === null || subtract([window], unreported).length > 0",
    to: "readingId === null",
    test: "src/core/unreported.test.ts: R10: a sync that reports forgets the content of written strays in windows that no report tells of, and strays without an id",
  },
  {
    rule: "R10",
    file: "src/streams/stored_plan.ts",
    from: "[...knownOf(state).ranges, ...strays.map(({ window }) => window)]",
    to: "[...knownOf(state).ranges, ...strays.slice(0, 0).map(({ window }) => window)]",
    test: "simulation/proven.test.ts: R10: export_windows is cleared while the window of a stray is forgotten",
  },
  {
    rule: "S8",
    file: "src/streams/bounded_state.ts",
    from: "due: union([...without.due, ...before])",
    to: "due: without.due",
    test: "src/streams/bounded_state.test.ts: S8 R10: the days of finished windows that are left out, before the position, are due",
  },
  {
    rule: "W3",
    file: "src/core/retention.ts",
    from: "...edges.flatMap((edge) => clip([edge], read)),",
    to: "",
    test: "simulation/proven.test.ts: W3: retention grows behind the day that was the first retained one",
  },
  {
    rule: "R10",
    file: "src/core/plan.ts",
    from: "if (kept.reads.length + open.length === 0) return fresh;",
    to: "",
    test: "src/core/plan.test.ts: R5 R10: a pass begins at an instant of its own, and a sync that goes on with the pass keeps this instant",
  },
  {
    rule: "R10",
    file: "src/streams/losses.ts",
    from: "pass?.lostUntil ?? -Infinity",
    to: "-Infinity",
    test: "simulation/proven.test.ts: R10: a process goes on with a pass within the time of the reading that has lost a row, because its `Date` %s",
  },
  {
    rule: "R10",
    file: "src/streams/announce.ts",
    from: " && lostUntil(state) === lostUntil(sent)",
    to: "",
    test: "src/streams/announce.test.ts: R10: a STATE tells until when rows were missing, before the report that finds them missing",
  },
  {
    rule: "R10",
    file: "src/core/retention.ts",
    from: "day < from ? mayReturn : ",
    to: "",
    test: "simulation/proven.test.ts: R5 R10: a day is written again near the end of a retention that was longer before, and is so again",
  },
  {
    rule: "S8",
    file: "src/streams/completion.ts",
    from: "strays: this.strays.known, fewer }",
    to: "strays: this.strays.known, fewer: fewer.slice(0, 0) }",
    test: "src/streams/stray_groups.test.ts: S8: a state names no more groups that have lost strays than it remembers strays: the last of them",
  },
  {
    rule: "P5",
    file: "src/streams/reporter.ts",
    from: "if (report === null) return { strays: []",
    to: "if (report === undefined) return { strays: []",
    test: "src/streams/reporter.test.ts: P5: a sync without reports says nothing of a group that has lost rows, so that a later one does",
  },
  {
    rule: "R10",
    file: "src/core/unreported.ts",
    from: "return id === undefined ? [] : { ...stray, hash: id };",
    to: "return id === undefined ? [] : [];",
    test: "src/core/unreported.test.ts: R10: a sync that reports forgets the content of written strays in windows that no report tells of, and strays without an id",
  },
  {
    rule: "W3",
    file: "src/core/plan.ts",
    from: "state.fewer.filter(({ day }) => day >= keepFrom)",
    to: "state.fewer",
    test: "src/core/plan.test.ts: W3: groups of strays that have lost rows leave the state with their day's retention",
  },
  {
    rule: "S8",
    file: "src/streams/completion.ts",
    from: "groups.fewer.slice(-this.#options.limits.knownStrays)",
    to: "groups.fewer",
    test: "src/streams/stray_groups.test.ts: S8: a state names no more groups that have lost strays than it remembers strays: the last of them",
  },
  {
    rule: "P5",
    file: "sql/duckdb.sql",
    from: COUNTS_NO_LONGER,
    to: COUNTS_NO_LONGER.replace(JUDGED, "false"),
    test: "simulation/proven.test.ts: P5: so are strays whose process has died between their report and the next STATE",
  },
  {
    rule: "P5",
    file: "sql/duckdb.sql",
    from: COUNTS_NO_LONGER,
    to: COUNTS_NO_LONGER.replace(WRITTEN, "false"),
    test: "simulation/strays_to_come.test.ts: P5: the day of a stray is not proven without the stray after its stream was cleared, if the next process %s (cursors: %s)",
  },
  {
    rule: "P5",
    file: "sql/duckdb.sql",
    from: COUNTS_NO_LONGER,
    to: COUNTS_NO_LONGER.replace(" and days.pass_began_at > strays.listed_in_pass", ""),
    test: "simulation/proven.test.ts: P5: strays that the table has lost take the proof from their day, although it holds no row of their group: %s",
  },
  {
    rule: "P5",
    file: "sql/duckdb.sql",
    from: COUNTS_NO_LONGER,
    to: COUNTS_NO_LONGER.replace(JUDGED, "true"),
    test: "simulation/proven.test.ts: P5: strays that the table has lost take the proof from their day, although it holds no row of their group: %s",
  },
  {
    rule: "R10",
    file: "sql/duckdb.sql",
    from: `counts.rows_ > 0
      or ${COUNTS_NO_LONGER}`,
    to: `false
      or ${COUNTS_NO_LONGER}`,
    test: "simulation/proven.test.ts: R10: a withdrawn stray whose window the end of retention has cut takes the proof from no other day",
  },
];
