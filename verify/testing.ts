/** Runs of `verify` against fakes in one process, for tests. */
import { createFake, type Fake, type FakeName } from "../fake_providers/index.ts";
import type { Contradicted } from "../fake_providers/contradictions.ts";
import { TYPES, transportOf } from "../src/adapters/testing.ts";
import type { Clock, Transport } from "../src/edges.ts";
import { ConnectorError } from "../src/errors.ts";
import { Secrets } from "../src/secrets.ts";
import { verify, type VerifyHost } from "./command.ts";
import { type Invoice, parseInvoices } from "./invoice.ts";

export const DAY = 24 * 3_600_000;

/** Noon of a day that is six days after the end of a month. */
export const NOW = Date.UTC(2026, 10, 6, 12);

/** The fake of an account that contradicts one assumption, or none. */
export function fakeOf(name: FakeName, contradicts: Contradicted): Fake {
  const limit = name === "anthropic" ? { requestsAnHour: 90 } : {};
  return createFake(name, { now: NOW, seed: 11, contradicts, ...limit });
}

/** The result of a run. */
export interface Ran {
  /** Whether nothing is contradicted; the error if it could not run. */
  readonly ended: boolean | ConnectorError;
  readonly said: string;
  readonly warned: string;
}

export interface RunOptions {
  readonly out?: string;
  readonly invoices?: readonly string[];
  /** In place of the fake's network. */
  readonly transport?: Transport;
  readonly config?: unknown;
  readonly stop?: AbortSignal;
  readonly clock?: Clock;
}

/** The fake's clock: a short wait moves it on. A longer one is a deadline, which no test comes near. */
export const clockOf = (fake: Fake): Clock => ({
  now: () => fake.clock.now(),
  sleep: async (ms, signal) => {
    signal.throwIfAborted();
    if (ms < 20_000) fake.clock.advance(ms);
    else
      await new Promise((_, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason)),
      );
  },
});

export async function run(fake: Fake, name: FakeName, options: RunOptions = {}): Promise<Ran> {
  const said: string[] = [];
  const warned: string[] = [];
  const secrets = new Secrets();
  const config = options.config ?? {
    base_url: `https://provider.test${fake.api.basePath}`,
    credentials: { auth_type: TYPES[name], api_key: fake.api.key },
  };
  const host: VerifyHost = {
    version: "9.9.9",
    clock: options.clock ?? clockOf(fake),
    random: () => 0.5,
    stop: options.stop ?? new AbortController().signal,
    secrets,
    readJson: () => Promise.resolve(config),
    openTransport: () => ({
      transport: options.transport ?? transportOf(fake),
      close: () => Promise.resolve(),
    }),
    environment: {},
    say: (text) => {
      said.push(secrets.mask(text));
      return Promise.resolve();
    },
    warn: (text) => void warned.push(text),
  };
  const { invoices, faults } =
    options.invoices === undefined ? NONE : parseInvoices(options.invoices);
  if (faults.length > 0) throw new Error(faults.join("; "));
  const command = { kind: "verify", config: "config.json", invoices, out: options.out } as const;
  const ended = await verify(command, host).catch((reason: unknown) => ConnectorError.from(reason));
  return { ended, said: said.join(""), warned: warned.join("\n") };
}

const NONE: { readonly invoices: readonly Invoice[]; readonly faults: readonly string[] } = {
  invoices: [],
  faults: [],
};

/** The verdicts of a run by the ids of the assumptions, as they were said. */
export function verdictsOf({ said }: Ran): Readonly<Record<string, string>> {
  const lines = said.matchAll(/^(confirmed|contradicted|not seen here) +([A-Z]{3}-\d\d) /gm);
  return Object.fromEntries([...lines].map(([, verdict = "", id = ""]) => [id, verdict]));
}
