/** For tests: the parts of a result, and a host without a process. */
import { Secrets } from "../src/secrets.ts";
import type { WarehouseHost } from "./host.ts";

export async function partsOf(parts: AsyncIterable<string>): Promise<string[]> {
  const found: string[] = [];
  for await (const part of parts) found.push(part);
  return found;
}

/** A host that has only the parts that a test gives; every other call fails. */
export function hostWith(parts: Partial<WarehouseHost>): WarehouseHost {
  const none = (what: string) => (): never => {
    throw new Error(`the test gives no ${what}`);
  };
  return {
    now: () => Date.parse("2026-03-10T00:00:00Z"),
    sleep: none("time"),
    secrets: new Secrets(),
    engine: none("engine"),
    readJson: none("file"),
    say: () => Promise.resolve(),
    isTerminal: false,
    hasColors: false,
    warn: () => undefined,
    watch: () => ({
      saw: () => undefined,
      told: () => undefined,
      note: () => undefined,
      end: () => undefined,
    }),
    ask: undefined,
    noticeUrl: undefined,
    post: none("address for notices"),
    databaseUrl: undefined,
    readInput: none("input"),
    ...parts,
  };
}
