/** Runs of the engine for several accounts, side by side. */
import { ConnectorError, type ErrorCode } from "../src/errors.ts";
import type { Account } from "./accounts.ts";
import type { Database } from "./database.ts";
import { type Delivery, deliver } from "./delivery.ts";
import type { WarehouseHost, Watcher } from "./host.ts";

/** The result of an account: its delivery, or the error that kept it from being read. */
export interface Result {
  readonly account: Account;
  /** Absent if the account could not be read at all. */
  readonly delivery: Delivery | undefined;
  /** Whether every stream was read to its end. */
  readonly ok: boolean;
  readonly errors: readonly string[];
}

/** Accounts that are read at once. Each of them takes as much memory as a sync of one account. */
const AT_ONCE = 4;

/** Errors that concern the process or its database, and so each account. */
const OF_ALL: ReadonlySet<ErrorCode> = new Set(["aborted", "internal", "database"]);

/**
 * Reads accounts into the database. An account that fails does not stop the others.
 *
 * @throws ConnectorError once no run goes on any more: the error of the account if there is only one, or an error of the
 *   process or its database
 */
export async function deliverAll(
  accounts: readonly Account[],
  database: Database,
  host: WarehouseHost,
): Promise<readonly Result[]> {
  const isOne = accounts.length === 1;
  const shown = isOne ? undefined : host.watch();
  const results = new Map<Account, Result>();
  const faults: ConnectorError[] = [];
  const waiting = [...accounts];
  const work = async (): Promise<void> => {
    for (let account = waiting.shift(); account !== undefined; account = waiting.shift()) {
      const own = account;
      const named =
        shown === undefined ? host : { ...host, watch: () => watcherOf(own.name, shown) };
      try {
        const delivery = await database.beside((beside) => deliver(own, beside, named));
        results.set(own, { account: own, delivery, ok: delivery.ok, errors: delivery.errors });
      } catch (reason) {
        const error = ConnectorError.from(reason);
        if (isOne || OF_ALL.has(error.code)) {
          faults.push(error);
          waiting.length = 0;
        }
        results.set(own, { account: own, delivery: undefined, ok: false, errors: [error.message] });
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, accounts.length) }, work));
  } finally {
    shown?.end();
  }
  const [fault] = faults;
  if (fault !== undefined) throw fault;
  return accounts.flatMap((account) => results.get(account) ?? []);
}

/** Shows the progress of an account among that of others: the names of its streams begin with its name. */
function watcherOf(name: string, shown: Watcher): Watcher {
  const named = (stream: string): string => `${name} ${stream}`;
  return {
    saw: (output) => {
      if (output.type === "RECORD_LINES") {
        shown.saw({ ...output, stream: named(output.stream) });
      } else if (output.type === "STATE") {
        const { stream_descriptor: of } = output.state.stream;
        const stream = {
          ...output.state.stream,
          stream_descriptor: { ...of, name: named(of.name) },
        };
        shown.saw({ ...output, state: { ...output.state, stream } });
      } else if (output.type === "TRACE" && output.trace.type === "STREAM_STATUS") {
        const { stream_descriptor: of } = output.trace.stream_status;
        const stream_status = {
          ...output.trace.stream_status,
          stream_descriptor: { ...of, name: named(of.name) },
        };
        shown.saw({ ...output, trace: { ...output.trace, stream_status } });
      } else if (output.type === "TRACE" && output.trace.type === "ESTIMATE") {
        const estimate = { ...output.trace.estimate, name: named(output.trace.estimate.name) };
        shown.saw({ ...output, trace: { ...output.trace, estimate } });
      }
    },
    told: (event) => shown.told({ ...event, stream: named(event.stream) }),
    note: (text) => shown.note(`${name}: ${text}`),
    end: () => undefined,
  };
}
