import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { faultsOfOutputs } from "./outputs.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "outputs-"));
});
afterEach(() => rm(folder, { recursive: true }));

test("each file that holds something else is named", async () => {
  const [out, memory] = [join(folder, "verify.json"), join(folder, "verify.memory.json")];
  const fault = "it holds something else, and only a file of an earlier run is replaced";
  await writeFile(out, "notes");
  expect(await faultsOfOutputs(out)).toEqual([`--out cannot be written to "${out}": ${fault}`]);
  await writeFile(memory, "notes");
  expect(await faultsOfOutputs(out)).toEqual([
    `--out cannot be written to "${out}": ${fault}`,
    `The memory of --out cannot be written to "${memory}": ${fault}`,
  ]);
});

test("a fault of the folder is named once", async () => {
  const out = join(folder, "none", "verify.json");
  expect(await faultsOfOutputs(out)).toEqual([
    `--out cannot be written to "${out}": there is no such folder`,
  ]);
});
