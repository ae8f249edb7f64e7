import { expect, test } from "vitest";
import { Progress } from "./progress.ts";
import * as protocol from "../src/protocol.ts";

/** A terminal that shows what was written last, and a clock to move. */
function terminal() {
  const written: string[] = [];
  const at = { now: 0 };
  const progress = new Progress(
    (text) => written.push(text),
    () => at.now,
  );
  const shown = (): string[] =>
    (written.at(-1) ?? "")
      // oxlint-disable-next-line no-control-regex
      .replaceAll(/\u001B\[\d*[AK]|\r/g, "")
      .trimEnd()
      .split("\n");
  return { progress, written, at, shown };
}

const lines = (stream: string, count: number) => ({ type: "RECORD_LINES", stream, count }) as const;

test("one line a stream: windows, records, requests, and what it is about", () => {
  const { progress, shown } = terminal();
  progress.saw(protocol.streamStatus("usage", "STARTED", 0));
  progress.told({ type: "PLANNED", stream: "usage", windows: 9 });
  progress.saw(protocol.streamStatus("usage", "RUNNING", 0));
  progress.saw(protocol.streamStatus("costs", "STARTED", 0));
  progress.told({ type: "ANSWERED", stream: "usage", endsWindow: false });
  progress.told({ type: "ANSWERED", stream: "usage", endsWindow: true });
  progress.saw(lines("usage", 1234));
  progress.saw(protocol.estimate("usage", 9000, 1, 0));
  progress.end();
  expect(shown()).toEqual([
    "usage          1 of 9 windows, 1,234 of about 9,000 records, 2 requests; is read",
    "costs          0 records; waits to begin",
  ]);
});

test("a wait for the rate limit is told, and is over with its time", () => {
  const { progress, shown, at } = terminal();
  progress.saw(protocol.streamStatus("usage", "RUNNING", 0, 90_000));
  progress.end();
  expect(shown()).toEqual(["usage          0 records; waits 90 s for the rate limit"]);
  at.now = 91_000;
  progress.end();
  expect(shown()).toEqual(["usage          0 records; is read"]);
});

test("a stream that has ended says how", () => {
  const { progress, shown } = terminal();
  progress.saw(lines("usage", 2));
  progress.saw(protocol.estimate("usage", 5, 1, 0));
  progress.saw(protocol.streamStatus("usage", "COMPLETE", 0));
  progress.saw(protocol.streamStatus("costs", "INCOMPLETE", 0));
  progress.end();
  expect(shown()).toEqual([
    "usage          2 records; complete",
    "costs          0 records; incomplete",
  ]);
});

test("each drawing goes over the one before, at most every 200 ms", () => {
  const { progress, written, at } = terminal();
  progress.saw(lines("usage", 1));
  for (at.now = 0; at.now < 1000; at.now += 10) progress.saw(lines("usage", 1));
  expect(written).toHaveLength(5);
  expect(written.slice(1).every((text) => text.startsWith("\u001B[1A\r\u001B[K"))).toBe(true);
});

test("where nothing was read nothing is drawn", () => {
  const { progress, written } = terminal();
  progress.end();
  expect(written).toEqual([]);
});
