import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "../connector.ts";
import { parseInstant } from "../core/time.ts";
import type { Capabilities } from "../generated/capabilities.js";
import { validateCosts, validatePage, validateUsage } from "../generated/validators.js";
import { Recorder, type Recording, sample } from "./recording.ts";
import {
  ask,
  type Bench,
  benchOf,
  chunksOf,
  DAY,
  hostOf,
  type Page,
  replay,
  type Row,
  sumsOf,
} from "./testing.ts";

const NOW = Date.UTC(2026, 9, 30, 9);
const TODAY = Date.UTC(2026, 9, 30);

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "recording-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

/** Runs the command, and gives the text that it prints. */
async function record(bench: Bench, out: string, config: object = {}): Promise<string> {
  const host = hostOf(bench, { config }, new AbortController().signal);
  const messages = [];
  const outputs = run({ kind: "record", config: "config", out, debug: false }, host);
  for await (const output of outputs) messages.push(output);
  return JSON.stringify(messages);
}

/** Reads a recorded folder through the adapter and checks every page; its records by the day. */
async function replayed(path: string): Promise<{ usage: Row[]; costs: Row[] }> {
  const text = await readFile(join(path, "recording.json"), "utf8");
  const recording = JSON.parse(text) as Recording;
  const now = parseInstant(recording.now) ?? 0;
  const files = (await readdir(path)).toSorted();
  const bodies = new Map<string, string>();
  for (const file of files) bodies.set(file, await readFile(join(path, file), "utf8"));
  const bench = benchOf(recording.provider, parseInstant(recording.local_now) ?? 0);
  const { basePath } = bench.fake.api;
  const transport = replay(recording, (file) => bodies.get(file) ?? "", basePath);
  const capabilities = await ask(bench, "/v1/finops/capabilities", { transport });
  expect(capabilities.status, capabilities.text).toBe(200);
  const records = { usage: [] as Row[], costs: [] as Row[] };
  const get = async (query: string): Promise<unknown> => {
    const { status, body, text: said } = await ask(bench, query, { transport });
    expect(status, said).toBe(200);
    return body;
  };
  for await (const each of sample(capabilities.body as Capabilities, now, get)) {
    expect(validatePage(each), JSON.stringify(validatePage.errors)).toBe(true);
    for (const row of (each as Page).data) {
      const costs = "BilledCost" in row;
      expect(costs ? validateCosts(row) : validateUsage(row)).toBe(true);
      if (row["x_Granularity"] === "1d") records[costs ? "costs" : "usage"].push(row);
    }
  }
  return records;
}

describe.each([
  { name: "openai", options: {} },
  { name: "anthropic", options: {} },
  { name: "anthropic", options: { legacy: true } },
  { name: "openrouter", options: {} },
] as const)("a recording of $name $options", ({ name, options }) => {
  test("gives the same sums when it is replayed, and holds no id", async () => {
    const bench = benchOf(name, NOW, options);
    const out = join(folder, `${name}-${"legacy" in options}`);
    const said = await record(bench, out);
    expect(said).toMatch(/\d+ answers were saved/);
    const days = name === "anthropic" ? 8 : 5;
    expect(said).toContain(`${days} days after their ${name === "openrouter" ? "day" : "month"}.`);
    expect(await readFile(join(out, "recording.json"), "utf8")).toContain("a proxy or a fake");
    const { usage, costs } = await replayed(out);
    const truth = bench.fake.totals(TODAY - 3 * DAY, TODAY);
    expect(truth.costs.length).toBeGreaterThan(3);
    expect(sumsOf(usage)).toStrictEqual(truth.usage);
    expect(sumsOf(costs)).toStrictEqual(truth.costs);
    for (const file of await readdir(out)) {
      const text = await readFile(join(out, file), "utf8");
      expect(text).not.toMatch(
        /"(?:key_a1|apikey_b2|proj_research|wrkspc_support|0b1f-\w+|endpoint-000\d|2c9d1c1e-[\w-]+)"/,
      );
      expect(text).not.toContain(bench.fake.api.key);
    }
  });
});

test("nothing but what is known to be harmless is in a recording", async () => {
  const bench = benchOf("openai", NOW);
  const { key } = bench.fake.api;
  const row = {
    object: "organization.costs.result",
    amount: { value: "0E-6176", currency: "usd" },
    line_item: "gpt-image-1 image, output",
    description: "Invoice of Jane Doe",
    source: "jane",
    product: "Acme internal",
    project_id: "jane_doe@example.com",
    api_key_id: "key_secret",
    model: "curie:ft-acme-2021-08-01",
    "jane@example.com": 4_915_112_345,
    [key]: key,
    code: key.slice(0, 25),
    quantity: 12.5,
    model_permaslug: "openai/gpt-5-acme",
    value: "Bearer",
  };
  const body = JSON.stringify({
    data: [row, { line_item: "gpt-5.6-terra, cached input, long context" }],
  });
  const masks: string[] = [];
  const recorder = new Recorder("salt", "", (text) => {
    masks.push(text);
    return text;
  });
  const transport = recorder.around(async () => ({
    status: 200,
    headers: { date: new Date(NOW).toUTCString(), "content-type": key, "retry-after": `1; ${key}` },
    body: chunksOf(body),
  }));
  const url = new URL("https://provider.test/v1/organization/costs");
  await transport({ url, headers: {}, signal: new AbortController().signal });
  const [saved] = recorder.answers;
  expect(masks).toEqual([saved?.body]);
  expect(saved?.answer.headers).toEqual({ date: new Date(NOW).toUTCString() });
  const text = saved?.body ?? "";
  for (const harmful of [
    "jane",
    "Jane",
    "cme",
    "Invoice",
    key.slice(0, 9),
    "4915112345",
    "secret",
    "Bearer",
  ])
    expect(text).not.toContain(harmful);
  for (const harmless of [
    '"0E-6176"',
    '"usd"',
    "12.5",
    "gpt-5.6-terra, cached input, long context",
    '"key_',
  ])
    expect(text).toContain(harmless);
});

const FOLDERS = new URL("recordings/", import.meta.url).pathname;

test.each(await readdir(FOLDERS))(
  "the recording in recordings/%s goes through the adapter",
  async (name) => {
    const { usage, costs } = await replayed(join(FOLDERS, name));
    expect(usage.length).toBeGreaterThan(0);
    expect(costs.length).toBeGreaterThan(0);
  },
);

test("a folder that holds something is left alone, and so is a config without such a key", async () => {
  const bench = benchOf("openrouter", NOW);
  await writeFile(join(folder, "mine.txt"), "");
  await expect(record(bench, folder)).rejects.toThrow(/is not empty/);
  expect(bench.fake.requests.some((path) => path.includes("date=2026-10-27"))).toBe(false);
  const credentials = { auth_type: "scoped_bearer_token", access_token: "t" };
  await expect(record(bench, join(folder, "new"), { credentials })).rejects.toThrow(
    /nothing to record/,
  );
});
