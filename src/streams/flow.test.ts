import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { Outlet } from "./outlet.ts";
import { PageWriter } from "./page_writer.ts";
import type { Lines } from "./records.ts";
import type { Output } from "./stream.ts";

const linesOf = (text: string, take: (length: number) => Buffer): Lines => {
  const memory = take(text.length);
  const bytes = memory.subarray(0, memory.write(text));
  return { bytes, count: text === "" ? 0 : 1, records: 1, provisional: [], totals: [] };
};

/** Writes pages over a writer whose turns come in any order; a page of the text "fault" cannot be made. */
function pagesOver(
  outlet: Outlet<Output>,
  texts: readonly string[],
): { made: string[]; work: Promise<unknown> } {
  const made: string[] = [];
  let turns = texts.length;
  const nextTurn = async (): Promise<void> => {
    for (let wait = turns--; wait > 0; wait--) await Promise.resolve(); // the last that asks waits least
  };
  const writer = new PageWriter("usage", outlet, nextTurn);
  const write = (text: string): Promise<unknown> =>
    writer.write((take) => {
      if (text === "fault") throw new Error("a fault");
      made.push(text);
      return linesOf(text, take);
    });
  return { made, work: Promise.allSettled(texts.map(write)) };
}

test("C3: while a page is written the next one is made, and no others, however many lanes wait", async () => {
  const outlet = new Outlet<Output>();
  const { made, work } = pagesOver(outlet, ["a", "b", "c", "d", "e"]);
  const states: string[] = [];
  for await (const output of outlet) {
    if (output.type !== "RECORD_LINES") throw new Error(output.type);
    await setImmediate(); // time enough to make all of them
    states.push(`${output.bytes.toString()} is written, ${made.join("")} are made`);
    if (states.length === 5) break;
  }
  await work;
  expect(states).toEqual([
    "a is written, ab are made",
    "b is written, abc are made",
    "c is written, abcd are made",
    "d is written, abcde are made",
    "e is written, abcde are made",
  ]);
});

test("C1: pages are written in the order in which they came, and one without lines is not written", async () => {
  const outlet = new Outlet<Output>();
  const { work } = pagesOver(outlet, ["1", "2", "", "3"]);
  void work.then(() => outlet.close());
  const written: string[] = [];
  for await (const output of outlet) {
    if (output.type === "RECORD_LINES") written.push(output.bytes.toString());
  }
  expect(written).toEqual(["1", "2", "3"]);
});

test("C1: a page is made in a turn of its own, when requests have left and answers have come in", async () => {
  const outlet = new Outlet<Output>();
  const { promise: turn, resolve } = Promise.withResolvers<void>();
  let isMade = false;
  const work = new PageWriter("usage", outlet, () => turn).write((take) => {
    isMade = true;
    return linesOf("", take);
  });
  await setImmediate();
  expect(isMade).toBe(false);
  resolve();
  expect(await work).toMatchObject({ count: 0 });
});

test("a page that cannot be made is its asker's error, and the next is written", async () => {
  const outlet = new Outlet<Output>();
  const { work } = pagesOver(outlet, ["fault", "a"]);
  for await (const _output of outlet) break;
  expect(await work).toMatchObject([
    { status: "rejected", reason: { message: "a fault" } },
    { status: "fulfilled" },
  ]);
});
