import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdirSync, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { PassThrough } from "node:stream";
import { afterEach, expect, test } from "vitest";
import { isFile, openStdout, PipeWriter } from "./stdout.ts";

const folder = mkdtempSync(join(tmpdir(), "pipe-"));
const descriptors: number[] = [];
afterEach(() => {
  for (const descriptor of descriptors.splice(0)) closeSync(descriptor);
  rmSync(folder, { recursive: true, force: true });
});

function opened(path: string, flags: number | string): number {
  const descriptor = openSync(path, flags);
  descriptors.push(descriptor);
  return descriptor;
}

/** Both ends of a new pipe. The reading end never waits. */
function pipe(writing: number): { readonly reader: number; readonly writer: number } {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "pipe");
  execFileSync("sh", ["-c", 'mkfifo "$1"', "sh", path]);
  const reader = opened(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { reader, writer: opened(path, writing) };
}

/** The bytes that the pipe holds now. */
function read(reader: number): Buffer {
  const bytes = Buffer.alloc(256 * 1024);
  try {
    return bytes.subarray(0, readSync(reader, bytes));
  } catch {
    return bytes.subarray(0, 0); // EAGAIN: nothing
  }
}

const noFallback = (): never => {
  throw new Error("the pipe waits by itself");
};

const LARGE = Buffer.from(Uint32Array.from({ length: 250_000 }, (_, index) => index).buffer);

test("what does not fit into the pipe waits for the reader, in order", async () => {
  const { reader, writer } = pipe(constants.O_WRONLY);
  const out = new PipeWriter(writer, noFallback);
  out.write("begin");
  out.write(LARGE);
  out.write("end");
  const all = Buffer.concat([Buffer.from("begin"), LARGE, Buffer.from("end")]);
  let came = Buffer.alloc(0);
  while (came.length < all.length) {
    came = Buffer.concat([came, read(reader)]);
    await setImmediate();
  }
  expect(came.equals(all)).toBe(true);
});

test("what a pipe in non-blocking mode does not take goes to the fallback", async () => {
  const { reader, writer } = pipe(constants.O_WRONLY | constants.O_NONBLOCK);
  const rest = new PassThrough({ highWaterMark: 2 * LARGE.length });
  const out = new PipeWriter(writer, () => rest);
  await new Promise<void>((resolve, reject) => {
    out.write(LARGE, (error) => (error ? reject(error) : resolve()));
  });
  const first = read(reader);
  expect(first.length).toBeGreaterThan(0);
  expect(Buffer.concat([first, Buffer.from(rest.read())]).equals(LARGE)).toBe(true);
});

test("a reader that has gone is an error", async () => {
  const { reader, writer } = pipe(constants.O_WRONLY);
  descriptors.splice(descriptors.indexOf(reader), 1);
  closeSync(reader);
  const out = new PipeWriter(writer, noFallback);
  const failed = new Promise((resolve) => out.once("error", resolve));
  out.write("x");
  expect(await failed).toMatchObject({ code: "EPIPE" });
});

test("tells a pipe from a file and from a closed descriptor", () => {
  const { writer } = pipe(constants.O_WRONLY);
  const file = opened(join(folder, "file"), "w");
  const plain = new PassThrough();
  expect(openStdout(writer, noFallback)).toBeInstanceOf(PipeWriter);
  for (const other of [file, -1]) expect(openStdout(other, () => plain)).toBe(plain);
  expect([file, writer, -1].map(isFile)).toEqual([true, false, false]);
});
