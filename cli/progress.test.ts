import { expect, test } from "vitest";
import { PlainProgress, TerminalProgress } from "./progress.ts";
import * as protocol from "../src/protocol.ts";

/** A terminal that shows what was written last, and a clock to move. */
function terminal(width = 100) {
  const written: string[] = [];
  const at = { now: 0 };
  const place = {
    write: (text: string) => written.push(text),
    now: () => at.now,
    width: () => width,
  };
  const progress = new TerminalProgress(place);
  const shown = (): string[] =>
    (written.at(-1) ?? "")
      // oxlint-disable-next-line no-control-regex
      .replaceAll(/\u001B\[\d*[AKJ]|\r/g, "")
      .trimEnd()
      .split("\n");
  return { progress, written, at, shown };
}

const lines = (stream: string, count: number) => ({ type: "RECORD_LINES", stream, count }) as const;

test("one line a stream: the time, what is left, rows, pages, days and windows", () => {
  const { progress, shown, at } = terminal();
  progress.saw(protocol.streamStatus("usage", "STARTED", 0));
  progress.told({ type: "PLANNED", stream: "usage", windows: 9 });
  progress.saw(protocol.streamStatus("usage", "RUNNING", 0));
  progress.saw(protocol.streamStatus("costs", "STARTED", 0));
  progress.told({ type: "ANSWERED", stream: "usage", endsWindow: false });
  progress.told({ type: "ANSWERED", stream: "usage", endsWindow: true });
  progress.saw(lines("usage", 1000));
  progress.saw(protocol.state("usage", { position: "2026-03-01T00:00:00Z" }, 1));
  at.now = 10_000;
  progress.end();
  expect(shown()).toEqual([
    "usage          10 s, about 80 s left; 1,000 rows, 2 pages, days before 2026-03-01, 1 of 9 windows",
    "costs          waits to begin; 0 rows",
  ]);
  progress.saw(protocol.estimate("usage", 4000, 1, 0));
  progress.end();
  expect(shown()[0]).toContain("10 s, about 30 s left; 1,000 of about 4,000 rows");
});

test("before the first stream the time passes in a line of its own, which goes again", () => {
  const { progress, shown, at, written } = terminal();
  at.now = 3000;
  progress.tick();
  expect(shown()).toEqual(["asks the provider what it offers, 3 s"]);
  progress.end();
  expect(written.at(-1)).toBe("\u001B[1A\r\u001B[J");
});

test("a message stands above the lines, and the lines under it again", () => {
  const { progress, written } = terminal();
  progress.saw(lines("usage", 1));
  progress.saw(protocol.log("WARN", "Trying again in 5 s"));
  expect(written.at(-2)).toBe("\u001B[1A\r\u001B[JTrying again in 5 s\n");
  expect(written.at(-1)).toBe("\u001B[Kusage          waits to begin; 1 rows\n");
});

test("a wait for the rate limit is told, and is over with its time", () => {
  const { progress, shown, at } = terminal();
  progress.saw(protocol.streamStatus("usage", "RUNNING", 0, 90_000));
  progress.end();
  expect(shown()).toEqual(["usage          waits 90 s for the rate limit; 0 rows"]);
  at.now = 91_000;
  progress.end();
  expect(shown()).toEqual(["usage          91 s; 0 rows"]);
});

test("a stream that has ended says how and when", () => {
  const { progress, shown, at } = terminal();
  progress.saw(lines("usage", 2));
  progress.saw(protocol.estimate("usage", 5, 1, 0));
  at.now = 500_000;
  progress.saw(protocol.streamStatus("usage", "COMPLETE", 0));
  progress.saw(protocol.streamStatus("costs", "INCOMPLETE", 0));
  at.now = 600_000;
  progress.end();
  expect(shown()).toEqual([
    "usage          complete after 8 min; 2 rows",
    "costs          incomplete after 8 min; 0 rows",
  ]);
});

test("each drawing goes over the one before, at most every 200 ms, and no line wraps", () => {
  const { progress, written, at } = terminal(20);
  progress.saw(lines("usage", 1));
  for (at.now = 0; at.now < 1000; at.now += 10) progress.saw(lines("usage", 1));
  expect(written).toHaveLength(5);
  expect(written.slice(1)).toEqual(
    Array.from({ length: 4 }, () => "\u001B[1A\r\u001B[Kusage          waits\n"),
  );
});

test("where nothing was read nothing is drawn", () => {
  const { progress, written } = terminal();
  progress.end();
  expect(written).toEqual([]);
});

test("elsewhere it is plain lines, and messages at once", () => {
  const written: string[] = [];
  const at = { now: 0 };
  const progress = new PlainProgress({ write: (text) => written.push(text), now: () => at.now });
  at.now = 30_000;
  progress.tick();
  progress.note("Trying again in 5 s");
  progress.saw(protocol.streamStatus("usage", "RUNNING", 0));
  progress.saw(protocol.streamStatus("costs", "STARTED", 0));
  progress.told({ type: "PLANNED", stream: "usage", windows: 3 });
  progress.told({ type: "ANSWERED", stream: "usage", endsWindow: true });
  progress.saw(lines("usage", 1));
  at.now = 60_000;
  progress.tick();
  progress.saw(protocol.streamStatus("usage", "COMPLETE", 0));
  progress.tick();
  at.now = 121_000;
  progress.tick();
  progress.end();
  expect(written).toEqual([
    "asks the provider what it offers, 30 s\n",
    "Trying again in 5 s\n",
    "usage 1 rows, 1 pages, 1 of 3 windows; 60 s, about 2 min left\n",
    "usage 1 rows, 1 pages, 1 of 3 windows; costs 0 rows; 60 s\n",
    "usage 1 rows, 1 pages, 1 of 3 windows; costs 0 rows; 2 min\n",
  ]);
});
