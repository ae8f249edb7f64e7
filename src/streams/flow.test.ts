import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { Outlet, PageWriter, readOverLanes, type WindowRead } from "./flow.ts";
import type { Lines } from "./records.ts";
import { pageOf } from "./testing.ts";
import type { Output } from "../protocol.ts";

const linesOf = (text: string, take: (length: number) => Buffer): Lines => {
  const memory = take(text.length);
  const bytes = memory.subarray(0, memory.write(text));
  return {
    bytes,
    count: text === "" ? 0 : 1,
    records: 1,
    provisional: [],
    totals: [],
    digests: [],
    incomplete: [],
    hasStrays: false,
    standing: [],
    written: new Map(),
    strays: { ids: new Set(), rows: new Map() },
  };
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
  const writer = new PageWriter(outlet, nextTurn);
  const write = (text: string): Promise<unknown> =>
    writer.write("usage", (take) => {
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

test("C1: pages of many lanes are written in the order in which they came, whole, however long each takes", async () => {
  const outlet = new Outlet<Output>();
  const texts = Array.from({ length: 12 }, (_, index) => String(index).repeat(12 - index));
  texts[4] = ""; // a page without lines is not written
  const { work } = pagesOver(outlet, texts);
  void work.then(() => outlet.close());
  const written: string[] = [];
  for await (const output of outlet) {
    if (output.type !== "RECORD_LINES") throw new Error(output.type);
    for (let wait = written.length % 3; wait > 0; wait--) await setImmediate(); // time to overwrite the lines
    written.push(Buffer.from(output.bytes).toString());
  }
  expect(written).toEqual(texts.filter((text) => text !== ""));
});

test("C1: pages that wait are made in a turn each", async () => {
  const outlet = new Outlet<Output>();
  const turns: (() => void)[] = [];
  const writer = new PageWriter(outlet, () => new Promise((resolve) => turns.push(resolve)));
  const made: string[] = [];
  for (const text of ["a", "b"]) {
    void writer.write("usage", (take) => {
      made.push(text);
      return linesOf("", take);
    });
  }
  for (const expected of [[], ["a"], ["a", "b"]]) {
    await setImmediate();
    expect(made).toEqual(expected);
    expect(turns.length).toBeLessThanOrEqual(1);
    turns.shift()?.();
  }
});

test("C1: a page is made in a turn of its own, when requests have left and answers have come in", async () => {
  const outlet = new Outlet<Output>();
  const { promise: turn, resolve } = Promise.withResolvers<void>();
  let isMade = false;
  const work = new PageWriter(outlet, () => turn).write("usage", (take) => {
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

test("pages without rows share a buffer, which the writer does not take over", async () => {
  const writer = new PageWriter(new Outlet<Output>(), () => Promise.resolve());
  const nothing = Buffer.alloc(0);
  for (let page = 0; page < 40; page++)
    await writer.write("usage", () => linesOf("", () => nothing));
  await setImmediate();
  expect(nothing.buffer).toHaveProperty("detached", false);
});

test("whoever sends waits until it has been written", async () => {
  const outlet = new Outlet<string>();
  const order: string[] = [];
  const lane = async (): Promise<void> => {
    await outlet.send("page 1");
    order.push("asked for page 2");
    await outlet.send("page 2");
    outlet.close();
  };
  const work = lane();
  for await (const item of outlet) {
    await Promise.resolve();
    order.push(`wrote ${item}`);
  }
  await work;
  expect(order).toEqual(["wrote page 1", "asked for page 2", "wrote page 2"]);
});

test("a consumer that goes away leaves nobody waiting", async () => {
  const outlet = new Outlet<string>();
  const sent = Promise.all([outlet.send("a"), outlet.send("b")]);
  for await (const _item of outlet) break;
  await sent;
  await outlet.send("c");
});

/** A step that a lane takes, e.g. `request a1`; each waits until the test lets it end. */
class Lane {
  readonly steps: string[] = [];
  readonly #waiting = new Map<string, (error?: Error) => void>();

  /** A window of so many pages. */
  window(name: string, pages: number): WindowRead {
    let asked = 0;
    return {
      request: async (parseAfter) => {
        asked += 1;
        const page = asked;
        await this.#step(`request ${name}${page}`);
        await parseAfter;
        this.steps.push(`parse ${name}${page}`);
        return pageOf([], page < pages ? "next" : null);
      },
      write: () => this.#step(`write ${name}`),
      end: async (failure) =>
        void this.steps.push(failure === undefined ? `end ${name}` : `fail ${name}`),
    };
  }

  /** Reads the windows over one lane. */
  read(...windows: WindowRead[]): Promise<void> {
    return this.readOver(() => 1, ...windows);
  }

  /** Reads the windows over as many lanes as are allowed. */
  readOver(lanes: () => number, ...windows: WindowRead[]): Promise<void> {
    return readOverLanes([{ take: () => windows.shift() }], lanes);
  }

  /** Lets a step end, and gives the steps that were taken since. */
  async after(step: string, error?: Error): Promise<string[]> {
    this.steps.length = 0;
    this.#waiting.get(step)?.(error);
    await setImmediate();
    return [...this.steps];
  }

  #step(name: string): Promise<void> {
    this.steps.push(name);
    return new Promise((resolve, reject) => {
      this.#waiting.set(name, (error) => (error === undefined ? resolve() : reject(error)));
    });
  }
}

test("C1: the next page is requested as soon as one has come, one ahead, and across windows", async () => {
  const lane = new Lane();
  const work = lane.read(lane.window("a", 2), lane.window("b", 1));
  await setImmediate();
  expect(lane.steps).toEqual(["request a1"]);
  expect(await lane.after("request a1")).toEqual(["parse a1", "request a2", "write a"]);
  expect(await lane.after("write a")).toEqual([]);
  expect(await lane.after("request a2")).toEqual(["parse a2", "request b1", "write a"]);
  expect(await lane.after("write a")).toEqual(["end a"]);
  expect(await lane.after("request b1")).toEqual(["parse b1", "write b"]);
  expect(await lane.after("write b")).toEqual(["end b"]);
  await work;
});

test("C3: a page that has come waits as bytes until the page before it is written", async () => {
  const lane = new Lane();
  void lane.read(lane.window("a", 1), lane.window("b", 2));
  await setImmediate();
  await lane.after("request a1");
  expect(await lane.after("request b1")).toEqual([]);
  expect(await lane.after("write a")).toEqual(["end a", "parse b1", "request b2", "write b"]);
});

test("a window that fails ends, and its lane goes on with the next", async () => {
  const lane = new Lane();
  const windows = [lane.window("a", 2), lane.window("b", 2), lane.window("c", 1)];
  const work = lane.read(...windows);
  await setImmediate();
  await lane.after("request a1");
  const fault = new Error("a fault");
  expect(await lane.after("write a", fault)).toEqual(["fail a", "request b1"]);
  expect(await lane.after("request a2", fault)).toEqual([]); // the window has ended: the error of its page is ignored
  expect(await lane.after("request b1", fault)).toEqual(["fail b", "request c1"]);
  await lane.after("request c1");
  expect(await lane.after("write c")).toEqual(["end c"]);
  await work;
});

test("a window whose last page cannot be written fails; the next one was requested already", async () => {
  const lane = new Lane();
  void lane.read(lane.window("a", 1), lane.window("b", 1));
  await setImmediate();
  await lane.after("request a1");
  expect(await lane.after("write a", new Error("a fault"))).toEqual(["fail a"]);
  expect(await lane.after("request b1")).toEqual(["parse b1", "write b"]);
});

test("C1: lanes begin when more are allowed, and go on with the windows that wait", async () => {
  const lane = new Lane();
  let lanes = 1;
  const windows = ["a", "b", "c", "d"].map((name) => lane.window(name, 2));
  void lane.readOver(() => lanes, ...windows);
  await setImmediate();
  expect(lane.steps).toEqual(["request a1"]);
  lanes = 3;
  expect(await lane.after("request a1")).toEqual([
    "parse a1",
    "request a2",
    "request b1",
    "request c1",
    "write a",
  ]);
});

test("C1: a lane that is one too many ends after its page, and another lane goes on with its window", async () => {
  const lane = new Lane();
  let lanes = 2;
  const work = lane.readOver(() => lanes, lane.window("a", 2), lane.window("b", 2));
  await setImmediate();
  lanes = 1;
  expect(await lane.after("request a1")).toEqual(["parse a1", "write a"]);
  expect(await lane.after("request b1")).toEqual(["parse b1", "request b2", "write b"]);
  await lane.after("write a");
  await lane.after("write b");
  expect(await lane.after("request b2")).toEqual(["parse b2", "request a2", "write b"]);
  expect(await lane.after("write b")).toEqual(["end b"]);
  await lane.after("request a2");
  expect(await lane.after("write a")).toEqual(["end a"]);
  await work;
});

test("C1: a window that is put down while no other lane runs is taken up again", async () => {
  const lane = new Lane();
  let lanes = 2;
  const work = lane.readOver(() => lanes, lane.window("a", 2), lane.window("b", 1));
  await setImmediate();
  lanes = 1;
  expect(await lane.after("request a1")).toEqual(["parse a1", "write a"]);
  await lane.after("request b1");
  expect(await lane.after("write b")).toEqual(["end b"]);
  expect(await lane.after("write a")).toEqual(["request a2"]);
  await lane.after("request a2");
  expect(await lane.after("write a")).toEqual(["end a"]);
  await work;
});

test("C1: windows that come after none waited are left to the lanes that run", async () => {
  const lane = new Lane();
  const windows = [lane.window("a", 1)];
  const work = readOverLanes([{ take: () => windows.shift() }], () => 4);
  await setImmediate();
  await lane.after("request a1");
  windows.push(lane.window("b", 1), lane.window("c", 1));
  expect(await lane.after("write a")).toEqual(["end a", "request b1"]);
  expect(await lane.after("request b1")).toEqual(["parse b1", "request c1", "write b"]);
  await lane.after("write b");
  await lane.after("request c1");
  expect(await lane.after("write c")).toEqual(["end c"]);
  await work;
});
