import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { CHEAP_CHECKS } from "../conform/registry.ts";
import { type Trial, withProvider } from "../conform/testing/provider.ts";
import { scan } from "../reference_provider/store.ts";
import { addDecimals } from "../src/core/decimal.ts";
import { ConnectorError } from "../src/errors.ts";
import { openTransport, TRANSPORT_LIMITS } from "../src/http/transport.ts";
import { Secrets } from "../src/secrets.ts";
import { verify } from "./command.ts";
import { parseInvoices } from "./invoice.ts";

const folder = mkdtempSync(join(tmpdir(), "verify-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the command as `verify --invoice INVOICE --out v.json`. */
async function run({ baseUrl, token, provider }: Trial, invoice = "", key = token) {
  const said: string[] = [];
  const out = join(folder, "v.json");
  const invoices = invoice === "" ? [] : parseInvoices([invoice]).invoices;
  const ended = await verify(
    { kind: "verify", config: "c", invoices, out },
    {
      version: "9.9.9",
      clock: { now: () => provider.clock.now(), sleep: () => Promise.resolve() },
      random: () => 0.5,
      stop: new AbortController().signal,
      secrets: new Secrets(),
      readJson: () =>
        Promise.resolve({
          base_url: baseUrl,
          credentials: { auth_type: "scoped_bearer_token", access_token: key },
        }),
      openTransport: (connections) =>
        openTransport({ limits: TRANSPORT_LIMITS, connections, proxies: {} }),
      environment: {},
      say: (text) => {
        said.push(text);
        return Promise.resolve();
      },
      warn: (text) => void said.push(text),
    },
  ).catch((reason: unknown) => ConnectorError.from(reason));
  return { ended, said: said.join(""), file: () => readFileSync(out, "utf8") };
}

/** The sum of September's bill as the provider knows it, of charges in September itself. */
function septemberBill({ provider }: Trial): string {
  const listing = provider.accounts.get("generated")?.listings.costs;
  if (listing === undefined) throw new Error("there is no account");
  const at = provider.clock.now();
  const [start, end] = [Date.UTC(2025, 8, 1), Date.UTC(2025, 9, 1)];
  return [...scan(listing, { start, end, at, select: "start" })]
    .map(({ record }): Readonly<Record<string, unknown>> => ({ ...record }))
    .filter((record) => record["BillingPeriodStart"] === "2025-09-01T00:00:00Z")
    .reduce((sum, record) => addDecimals(sum, String(record["BilledCost"])), "0");
}

describe("a provider of the interface", () => {
  it("passes the cheap checks with a third of a whole run's requests", () =>
    withProvider({}, async (trial) => {
      const { ended, said, file } = await run(trial);
      expect(said).toMatch(/\d+ confirmed, 0 contradicted, \d+ not seen here\./);
      expect(ended).toBe(true);
      const written = JSON.parse(file()) as { requests: number; results: unknown[] };
      expect(written.requests).toBeLessThan(50);
      expect(written.results).toHaveLength(CHEAP_CHECKS.length);
      expect(CHEAP_CHECKS.every(({ level }) => level === "must")).toBe(true);
    }));

  it("contradicts a rule that is broken, without a word of the provider", () =>
    withProvider({}, async (trial) => {
      trial.provider.fault({
        kind: "capabilities",
        set: { "/profile_version": "jane@example.com" },
      });
      const { ended, said, file } = await run(trial);
      expect(ended).toBe(false);
      expect(said).toMatch(/^contradicted +CAP-04 .*\n.*`conform --only CAP-04` shows it$/m);
      expect(said + file()).not.toContain("jane");
    }));

  it("compares the bill of a month", () =>
    withProvider({}, async (trial) => {
      const bill = septemberBill(trial);
      expect(Number(bill)).toBeGreaterThan(0);
      const [cents = ""] = /^\d+\.?\d{0,10}/.exec(bill) ?? [];
      expect((await run(trial, `2025-09=${cents} USD`)).said).toContain(
        "Invoice 2025-09 in USD: it is equal to the reports",
      );
      const tax = (Number(bill) * 1.19).toFixed(8);
      const { said, ended } = await run(trial, `2025-09=${tax}`);
      expect(said).toContain("Invoice 2025-09 in USD: it is 1.19 times the reports");
      expect(said).toContain("looks like a rate of tax");
      expect(ended).toBe(true);
    }));

  it("cannot run with a refused token, which nobody sees", () =>
    withProvider({}, async (trial) => {
      const { ended, said } = await run(trial, "", "SeCrEt-token-1234567890");
      expect(ended).toMatchObject({ message: expect.stringMatching(/answers 401 to the token/) });
      expect(said + String(ended)).not.toContain("SeCrEt");
    }));
});
