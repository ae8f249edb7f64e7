/** `sync` posts notices to a server on loopback: once from a process, else in the process of the test. The address is secret. */
import { copyFile, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { Database } from "../warehouse/database.ts";
import { serve, type Served } from "./support/provider.ts";
import { type Said, Shell } from "./support/shell.ts";
import { cost, usage, world } from "./support/world.ts";

/** The secret part of the address, and a part of it. */
const PATH = "/services/T0SECRET/B0SECRET/p4thOfTheChannel?key=q9QuerySecret";
const SECRETS = ["T0SECRET", "p4thOfTheChannel", "q9QuerySecret"];

interface Channel {
  readonly url: string;
  readonly bodies: { readonly text: string; readonly [name: string]: unknown }[];
  /** The status of the answers. */
  status: number;
}

let server: Server;
let channel: Channel;
let served: Served;
/** The folder of a sync without an address for notices, from which each test goes on. */
let synced: Shell;
let shell: Shell;

const FILES = ["config.json", "budgets.csv", "billing.duckdb"];

beforeAll(async () => {
  served = await serve(
    world({
      usage: [usage("u-1", "2026-03-07", "100")],
      costs: [cost("c-1", "2026-03-07", "120"), cost("c-2", "2026-03-08", "7.5")],
      limits: { retention_days: 40 },
    }),
    "2026-03-10T06:00:00Z",
  );
  synced = await Shell.open();
  await writeFile(synced.path("config.json"), JSON.stringify(served.config()));
  await writeFile(
    synced.path("budgets.csv"),
    "team,month,billing_currency,budget\n,2026-03,USD,100\n",
  );
  expect(await synced.here(SYNC)).toMatchObject({ end: 0 });
});
afterAll(async () => {
  await synced[Symbol.asyncDispose]();
  await served[Symbol.asyncDispose]();
});
beforeEach(async () => {
  shell = await Shell.open();
  for (const file of FILES) await copyFile(synced.path(file), shell.path(file));
  const bodies: Channel["bodies"] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const received: unknown = JSON.parse(await text(request));
    expect(request).toMatchObject({ method: "POST", url: PATH });
    expect(request.headers["content-type"]).toBe("application/json");
    bodies.push(received as Channel["bodies"][number]);
    response.writeHead(channel.status).end("ok");
  };
  server = createServer((request, response) => void take(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  channel = { url: `http://127.0.0.1:${port}${PATH}`, bodies, status: 200 };
});
afterEach(async () => {
  await shell[Symbol.asyncDispose]();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const SYNC = ["sync", "--config", "config.json", "--budgets", "budgets.csv"];

/** Runs `sync` with the address in the environment. */
const sync = async (url = channel.url): Promise<Said> => await shell.here(SYNC, "", url);

const OVER = "All costs exceeded the budget of 100.00 in March 2026: 127.50 USD so far.";

test("a budget that is exceeded is told once, with the summary and a text for Slack", async () => {
  const line = [...SYNC, "--json", "--report", "report.html"];
  const said = await shell.start(line, "", { AI_BILLING_NOTICE_URL: channel.url }).said;
  expect(said.end).toBe(0);
  expect(said.stderr).not.toContain("notice");
  expect(channel.bodies).toHaveLength(1);
  expect(channel.bodies[0]).toEqual({
    text: OVER,
    events: [{ kind: "budget", text: OVER }],
    summary: JSON.parse(said.stdout),
  });
  expect(await sync()).toMatchObject({ end: 0 });
  expect(channel.bodies).toHaveLength(1);
  // A budget of another amount is another event.
  await writeFile(
    shell.path("budgets.csv"),
    "team,month,billing_currency,budget\n,2026-03,USD,90\n",
  );
  expect(await sync()).toMatchObject({ end: 0 });
  expect(channel.bodies.map((body) => body.text)).toEqual([OVER, OVER.replace("100.00", "90.00")]);
  const written = ["billing.duckdb", "report.html"].map((name) =>
    readFile(shell.path(name), "latin1"),
  );
  const all = [said.stdout, ...(await Promise.all(written))].join("\n");
  for (const secret of SECRETS) expect(all).not.toContain(secret);
});

test("a notice that is refused is sent by the next sync, and its address is in no message", async () => {
  channel.status = 500;
  const refused = await sync();
  expect(refused).toMatchObject({ end: 0 });
  expect(refused.stderr).toContain(
    "The notice of 1 event was not sent, the POST was answered with 500. The next sync tries again.\n",
  );
  // Nothing listens on port 1.
  const closed = await sync(`http://127.0.0.1:1${PATH}`);
  expect(closed).toMatchObject({ end: 0 });
  expect(closed.stderr).toContain("was not sent, the POST failed: ");
  channel.status = 204;
  expect(await sync()).toMatchObject({ end: 0 });
  expect(channel.bodies.map((body) => body.text)).toEqual([OVER, OVER]);
  for (const said of [refused, closed])
    for (const secret of SECRETS) expect(said.stdout + said.stderr).not.toContain(secret);
});

test("a sync that fails is told once, and again after it has gone well", async () => {
  expect(await sync()).toMatchObject({ end: 0 });
  const good = await readFile(shell.path("config.json"), "utf8");
  const fail = async (): Promise<void> => {
    await writeFile(shell.path("config.json"), JSON.stringify(served.config({ page_size: 0 })));
    expect(await sync()).toMatchObject({ end: 1 });
    await writeFile(shell.path("config.json"), good);
  };
  await fail();
  await fail();
  expect(channel.bodies).toHaveLength(2);
  expect(channel.bodies[1]).toMatchObject({
    text: expect.stringMatching(/^The sync failed\. .*page_size/),
    events: [{ kind: "failed" }],
    error: { code: "invalid_config" },
  });
  expect(await sync()).toMatchObject({ end: 0 });
  await fail();
  expect(channel.bodies).toHaveLength(3);
});

test("an account that is not read is told by its name, and the others are read", async () => {
  const { base_url: baseUrl, credentials } = served.config();
  const accounts = [
    { name: "good", account: "good", base_url: baseUrl, credentials },
    {
      name: "bad",
      account: "bad",
      base_url: baseUrl,
      credentials: { auth_type: "scoped_bearer_token", access_token: "wr0ng-t0ken" },
    },
  ];
  const config = { notice_url: channel.url, accounts };
  await writeFile(shell.path("config.json"), JSON.stringify(config));
  await rm(shell.path("billing.duckdb"));
  for (let times = 0; times < 2; times += 1)
    expect(await shell.here(SYNC)).toMatchObject({ end: 1 });
  expect(channel.bodies).toHaveLength(1);
  expect(channel.bodies[0]?.text).toMatch(/^bad was not read to its end\. .*\nAll costs exceeded /);
  expect(JSON.stringify(channel.bodies)).not.toContain("wr0ng-t0ken");
  expect(JSON.stringify(channel.bodies)).not.toContain("T0SECRET");
  const database = await Database.open(shell.path("billing.duckdb"), "read");
  expect(await database.query("SELECT count(*) FROM source_ai_billing.notices")).toEqual([["2"]]);
  database.close();
});

test.each([
  ["ftp://127.0.0.1/p4thOfTheChannel", /must be an address such as/],
  ["http://channel.example.com/p4thOfTheChannel", /must start with https/],
])("an address that cannot be used is refused without quoting it: %s", async (url, fault) => {
  const said = await sync(url);
  expect(said.end).toBe(1);
  expect(said.stderr).toMatch(fault);
  expect(said.stderr).not.toContain("p4thOfTheChannel");
});

test("two addresses are refused", async () => {
  const config = served.config({ notice_url: `${channel.url}&second=1` });
  await writeFile(shell.path("config.json"), JSON.stringify(config));
  const said = await sync();
  expect(said.end).toBe(1);
  expect(said.stderr).toContain("more than one address for notices");
  expect(channel.bodies).toEqual([]);
});
