import { expect, test } from "vitest";
import { DAY } from "../core/time.ts";
import { ReportMemory } from "./memory.ts";

const DAY_ONE = Date.UTC(2026, 9, 1);
const HISTORY = { start: DAY_ONE, end: DAY_ONE + 30 * DAY };
const TODAY = HISTORY.end;

/** The memory of the next process. */
function next(memory: ReportMemory): ReportMemory {
  const later = new ReportMemory();
  later.recall("usage", memory.note("usage") ?? "");
  return later;
}

test("R11: days are owed only while the report answers, and only those that it has not shown", () => {
  const refused = new ReportMemory();
  refused.lacks("usage", "images", HISTORY);
  expect(refused.owedFrom("usage", TODAY)).toBeNull();
  expect([next(refused).lacking("usage"), refused.lacking("costs")]).toEqual([[HISTORY], []]);
  const answers = next(refused);
  answers.answers("usage", "images", { start: TODAY - 7 * DAY, end: TODAY }, TODAY);
  expect(next(answers).owedFrom("usage", TODAY + DAY)).toBe(DAY_ONE);
  expect(next(answers).owedFrom("costs", TODAY + DAY)).toBeNull();
  const refusedAgain = next(answers);
  refusedAgain.lacks("usage", "images", { start: TODAY - DAY, end: TODAY });
  expect(next(refusedAgain).owedFrom("usage", TODAY + DAY)).toBeNull();
  const read = next(answers);
  read.answers("usage", "images", HISTORY, TODAY);
  expect(read.note("usage")).toBeNull();
});

test("R11: days behind retention, which no sync reads, are owed for four days", () => {
  const memory = new ReportMemory();
  memory.lacks("usage", "images", HISTORY);
  memory.answers("usage", "images", { start: TODAY - 7 * DAY, end: TODAY }, TODAY);
  expect(next(memory).owedFrom("usage", TODAY + 3 * DAY)).toBe(DAY_ONE);
  const late = next(memory);
  expect(late.owedFrom("usage", TODAY + 4 * DAY)).toBeNull();
  expect(late.note("usage")).toBeNull();
});

test("R11: a note of before, and a part that nobody understands, are read as far as they go", () => {
  const memory = new ReportMemory();
  memory.recall("usage", "decisions:2026-10-05 images!2026-10-09 audio! x!2026-13-01/2026-10-01");
  expect(memory.note("usage")).toBe("decisions:2026-10-05");
});

test("R11: the days of all refused reports are unproven, until the last day of which one of them had rows", () => {
  const memory = new ReportMemory();
  memory.recall("usage", "audio:2026-10-05 completions:2026-10-20 images:2026-10-09");
  expect(memory.unprovenBefore("usage")).toBeNull();
  for (const report of ["images", "audio"]) memory.refuse("usage", report);
  expect(memory.unprovenBefore("usage")).toBe(Date.UTC(2026, 9, 10));
});

test("R11: of a note only 2,000 characters are read", () => {
  const readOf = (blanks: number): string | null => {
    const memory = new ReportMemory();
    memory.recall("usage", `audio:2026-10-05${" ".repeat(blanks)}images:2026-10-09`);
    return memory.note("usage");
  };
  expect(readOf(1967)).toBe("audio:2026-10-05 images:2026-10-09");
  expect(readOf(1968)).toBe("audio:2026-10-05");
});
