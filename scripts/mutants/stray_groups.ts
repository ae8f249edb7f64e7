/** The mutants of groups of strays (P5, R10). */
import type { Mutant } from "./mutant.ts";

const GROUPS = "src/streams/stray_groups.test.ts: ";
const UNIT = "src/streams/strays.test.ts: ";
const FILE = "src/streams/strays.ts";

const STAYS = "P5 R10: the group stays as it is, and the window is due, if it %s";
const NAMELESS =
  "P5 R10: a stray of the same day without an id may be such a version if no window has shown it: it is forgotten with its group, whose window is due";
const RESTATED =
  "P5: a stray that is restated replaces its row, and no other one of its group is written again";
const VERSION =
  "P5: a stray that is written again in a new version leaves no earlier version behind";
const WITHDRAWN =
  "P5 R10: a stray that is withdrawn before its new version is written leaves the sums, and the other one of its group is written again";
const OLD_ROW =
  "P5 R10: no window lists the old row of such a stray once more, and once the new version is written the window is due no longer";
const BROKEN =
  "P5: if another stray of the group is gone, the old rows count in the group until the new rows are written";

const LOST = `${UNIT}P5 S4: a reading that wrote strays has lost one of a day: the others of the day are written again, those of another day are not`;
const OTHER_ROWS = `${GROUPS}P5 S4: a reading that began again has other rows than it shows on the days whose numbers of rows differ`;
const WITHDRAWN_MEANWHILE =
  "simulation/allowed.test.ts: P5 S4: a reading that writes strays begins again, and one is withdrawn meanwhile: the next sync takes the row of this one out of the sums";

export const STRAY_GROUPS: readonly Mutant[] = [
  {
    rule: "P5",
    file: "src/streams/stray_reads.ts",
    from: "    this.#strays.wroteOthers(daysOfOthers(strays, job.written), reading.id);\n",
    to: "",
    test: WITHDRAWN_MEANWHILE,
  },
  {
    rule: "P5",
    file: FILE,
    from: "      this.#forgetContent(this.#known.written.filter((stray) => groupOf(stray) === group));\n",
    to: "",
    test: LOST,
  },
  {
    rule: "P5",
    file: FILE,
    from: "      this.groups.loses({ day, readingId });\n",
    to: "",
    test: LOST,
  },
  {
    rule: "P5",
    file: "src/streams/stray_groups.ts",
    from: "count === (shown.get(day)?.length ?? 0) ? [] : [day]",
    to: "count === rows.size ? [] : [day]",
    test: OTHER_ROWS,
  },
  {
    rule: "P5",
    file: "src/streams/ended_reading.ts",
    from: "!total.inside && !isListed(total)",
    to: "!total.inside",
    test: "src/streams/ended_reading.test.ts: P5 R5: a report lists the strays that its reading wrote by day, and each group once",
  },
  {
    rule: "P5",
    file: FILE,
    from: "for (const stray of others) this.#writeAgain(stray, window);",
    to: "",
    test:
      GROUPS +
      "P5 R10: if a window no longer shows one of two strays that a reading wrote on a day, the other one is written again",
  },
  {
    rule: "P5",
    file: FILE,
    from: "else if (first !== undefined) this.groups.broken(first);",
    to: "",
    test: "src/streams/strays.test.ts: P5: no report lists a group that is gone, although its reading had shown one of the group before",
  },
  {
    rule: "P5",
    file: FILE,
    from: "(!hasRoom || this.groups.isLeaving(window))",
    to: "this.groups.isLeaving(window)",
    test: UNIT + STAYS,
  },
  {
    rule: "P5",
    file: FILE,
    from: "(!hasRoom || this.groups.isLeaving(window))",
    to: "!hasRoom",
    test: UNIT + STAYS,
  },
  {
    rule: "P5",
    file: FILE,
    from: "if (stays) for (const stray of own) this.#known.set(stray);",
    to: "if (stays) own.at(0);",
    test: UNIT + STAYS,
  },
  {
    rule: "P5",
    file: FILE,
    from: "const missing = gone.filter((stray) => !isReplaced(stray));",
    to: "const missing = gone;",
    test: GROUPS + RESTATED,
  },
  {
    rule: "P5",
    file: FILE,
    from: "for (const { hash } of lost) this.#known.delete(hash);",
    to: "for (const { hash } of gone) this.#known.delete(hash);",
    test: GROUPS + WITHDRAWN,
  },
  {
    rule: "R10",
    file: FILE,
    from: "this.listings.miss(gone.filter(isReplaced));",
    to: "",
    test: UNIT + OLD_ROW,
  },
  {
    rule: "P5",
    file: "src/streams/strays.ts",
    from: "this.#forgetContent(standing.filter(isOld));",
    to: "for (const { hash } of standing.filter(isOld)) this.#known.delete(hash);",
    test: "src/streams/strays.test.ts: P5: if another stray of the group is gone, the old rows count in the group until the new rows are written",
  },
  {
    rule: "P5",
    file: FILE,
    from: "const others = standing.filter((stray) => !isOld(stray));",
    to: "const others = standing;",
    test: UNIT + BROKEN,
  },
  {
    rule: "P5",
    file: "src/streams/strays.ts",
    from: "const old = strays.flatMap(withoutContent);",
    to: "const old = [...strays];",
    test: "src/streams/strays.test.ts: P5: if another stray of the group is gone, the old rows count in the group until the new rows are written",
  },
  {
    rule: "P5",
    file: FILE,
    from: "this.#known.written.filter(({ hash }) => !this.#known.learned.has(hash));",
    to: "this.#known.written;",
    test: GROUPS + "P5: a stray that is restated between two windows which show it is written once",
  },
  {
    rule: "P5",
    file: "src/streams/completion.ts",
    from: "if (always || !isNamed(ledger",
    to: "if (!isNamed(ledger",
    test:
      GROUPS +
      "P5: such a STATE goes out also if the plan reaches no day of the strays, and the rows before it have reserved their ids",
  },
  {
    rule: "P5",
    file: FILE,
    from: "this.#takeVersions(written, true, (content) => content !== print.contentText);",
    to: "",
    test:
      UNIT +
      "P5: the row of a day replaces another version that was written as a stray, which then waits again if a window shows it",
  },
  {
    rule: "P5",
    file: "src/streams/stray_table.ts",
    from: "this.#forgetId(this.get(hash));",
    to: "",
    test: "src/streams/stray_table.test.ts: P5: a stray is found by the id that it has now, until it is forgotten",
  },
  {
    rule: "P5",
    file: FILE,
    from: "this.#takeVersions(pending.id, isOut, (content) => this.listings.missing.has(content));",
    to: "",
    test:
      UNIT +
      "P5: the old row of such a stray stands until the rows of a day that takes the new version over are written",
  },
  {
    rule: "R10",
    file: FILE,
    from: "this.listings.listed(new Set(came.rows.keys()), readingId);",
    to: "",
    test:
      UNIT +
      "P5 R10: if the provider goes back to the old version before that, the stray is written as it comes, and its window is due no longer",
  },
  {
    rule: "P5",
    file: "src/streams/reporter.ts",
    from: "const strays = this.#groups.listed(reading);",
    to: "const strays = reading.standing;",
    test: "warehouse/proofs/posted.test.ts: P5: windows that show a part of a group of strays leave the day of the group proven",
  },
  {
    rule: "R10",
    file: FILE,
    from: "if (stays || isListed) this",
    to: "if (stays) this",
    test: "src/streams/stray_groups.test.ts: R10: if all of a group is gone that a newer reading has listed before, the window stays due",
  },
  {
    rule: "R10",
    file: FILE,
    from: "if (stays || isListed) this",
    to: "if (isListed) this",
    test: UNIT + STAYS,
  },
  {
    rule: "R10",
    file: "src/streams/group_reports.ts",
    from: "this.#listedBy.set(group, reading.id);",
    to: "",
    test:
      GROUPS +
      "R10: if all of a group is gone that a newer reading has listed before, the window stays due",
  },
  {
    rule: "R10",
    file: "src/streams/group_reports.ts",
    from: "if (!this.isListedBehind(group, reading.id)) this",
    to: "this",
    test:
      UNIT +
      "R10: the newest list of a group counts, although the others of the group have an owner since and an older reading has listed it later",
  },
  {
    rule: "R10",
    file: "src/streams/completion.ts",
    from: "const waits = job.missesStrays || ",
    to: "const waits = ",
    test: "src/streams/resumed.test.ts: R10: such a window is due, too, if its second reading begins again and the sync fails before it knows the strays",
  },
  {
    rule: "P5",
    file: FILE,
    from: "if (came.rows.has(stray.hash)) continue;",
    to: "if (stray.hash !== '') continue;",
    test: UNIT + VERSION,
  },
  {
    rule: "P5",
    file: "src/streams/recognized_strays.ts",
    from: "if (stray.id === undefined) this.set({ ...stray, id: shown.id });",
    to: "",
    test: UNIT + "P5: a stray without an id has one once a window shows it",
  },
  {
    rule: "P5",
    file: FILE,
    from: "if (groups.has(groupOf(stray))) this.#forget(stray);",
    to: "groups.has(groupOf(stray));",
    test: UNIT + NAMELESS,
  },
  {
    rule: "R10",
    file: FILE,
    from: "    this.#known.delete(hash);\n    this.listings.judgeNext(window);",
    to: "    this.#known.delete(hash);",
    test: UNIT + NAMELESS,
  },
  {
    rule: "W3",
    file: "src/streams/known_strays.ts",
    from: "keptFrom: retentionFloor(now, retentionDays),",
    to: "keptFrom: 0,",
    test: "simulation/proven.test.ts: W3: a charge that %s stays in the sums once its day has left retention and its window has not",
  },
];
