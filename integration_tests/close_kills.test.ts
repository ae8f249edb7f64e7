/**
 * `close`, killed by SIGKILL before each statement that writes to the books: there is no close, or the whole close. SIGKILL
 * leaves the files as the process has written them by then. So one process only copies its files before each of these statements,
 * and another one is really killed.
 */
import { copyFile, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { startScript } from "../bin/process.ts";
import { Database } from "../warehouse/database.ts";
import { october } from "../warehouse/testing_costs.ts";
import { closeOctober } from "./close_kills/points.ts";

const VICTIM = fileURLToPath(new URL("close_kills/victim.ts", import.meta.url));
const BOOKS = ["closes", "close_entries", "close_lines", "close_inputs"];
/** The request, entries, inputs, lines, the digest, and the end of the transaction. */
const POINTS = 6;

/** How many rows each table of the books has, and how many books have a digest. */
async function held(path: string): Promise<number[]> {
  const database = await Database.open(path, "read");
  try {
    const counts = BOOKS.map((name) => `(SELECT count(*) FROM ai_billing_${name})`);
    const [row] = await database.query(
      `SELECT ${counts.join(", ")}, (SELECT count(digest) FROM ai_billing_closes)`,
    );
    return (row ?? []).map(Number);
  } finally {
    database.close();
  }
}

test(
  "B1: close killed between any two statements leaves no book or the whole book",
  { timeout: 600_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "close-kills-"));
    const path = join(folder, "billing.duckdb");
    try {
      await october(path);
      const { ended } = startScript(VICTIM, [path, String(POINTS)]);
      expect((await ended).signal).toBe("SIGKILL");
      expect(await held(path)).toEqual([0, 0, 0, 0, 0]);

      let passed = 0;
      const copies: string[] = [];
      await closeOctober(path, async (point) => {
        passed = point;
        const files = (await readdir(folder)).filter((name) => name.startsWith("billing.duckdb"));
        const copy = await mkdtemp(join(folder, "point-"));
        copies.push(copy);
        for (const name of files) await copyFile(join(folder, name), join(copy, name));
      });
      expect(passed).toBe(POINTS);
      for (const [index, copy] of copies.entries()) {
        const found = await held(join(copy, "billing.duckdb"));
        expect(found, `point ${index + 1}`).toEqual([0, 0, 0, 0, 0]);
      }
      const whole = await held(path);
      expect([whole[0], whole[4]]).toEqual([1, 1]);
      expect(whole.every((rows) => rows > 0)).toBe(true);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);
