/** A planted fault of the reference provider, and short ways to write one. */
import type { FaultInput } from "../../reference_provider/faults/schema.ts";
import type { TokenFaultInput } from "../../reference_provider/oauth/token_faults.ts";
import type { Provider } from "../../reference_provider/provider.ts";

/** Records and windows of the provider, read before a fault is planted. Faults of one record or one window use them. */
export interface Facts {
  /** A cost record of one day, inside the window that is looked at. */
  readonly cost: string;
  /** Start of the window of costs that is looked at. */
  readonly costsFrom: string;
  /** Start of a later part of that window, and a record in it. */
  readonly part: { readonly from: string; readonly cost: string };
  /** Start of the largest window of costs, which `--deep` reads. */
  readonly widestFrom: string;
  /**
   * A record of daily usage. Other records have the same meter, and the day of the record is not the one that is compared by the
   * hour.
   */
  readonly day: string;
  readonly hour: string;
  /** Id of the token without `billing.cost.read`. */
  readonly limitedToken: string;
}

export interface Plant {
  readonly name: string;
  /** The fault in words, for the table. */
  readonly what: string;
  readonly finds: readonly string[];
  readonly faults?: (facts: Facts) => readonly FaultInput[];
  readonly tokenFaults?: readonly TokenFaultInput[];
  /** Begins the fault after a first run; the second run is then judged. */
  readonly later?: (provider: Provider, facts: Facts) => void;
  readonly deep?: boolean;
}

export const costs = { operation: "costs" } as const;
export const usage = { operation: "usage" } as const;
export const capabilities = { operation: "capabilities" } as const;

export function capability(
  name: string,
  what: string,
  check: string,
  set: Record<string, never> | Record<string, string | number | null | string[]>,
  drop: string[] = [],
): Plant {
  return { name, what, finds: [check], faults: () => [{ kind: "capabilities", set, drop }] };
}

type RecordFault = Omit<Extract<FaultInput, { kind: "record" }>, "kind" | "record_id" | "when">;

/** Changes one cost record, the same in every answer. */
export function cost(name: string, what: string, check: string, change: RecordFault): Plant {
  const faults = ({ cost: id }: Facts): FaultInput[] => [
    { kind: "record", record_id: id, ...change, when: costs },
  ];
  return { name, what, finds: [check], faults };
}

/** Changes one cost record after the first time that its window was read. */
export function restless(name: string, what: string, check: string, change: RecordFault): Plant {
  const faults = ({ cost: id, costsFrom: start }: Facts): FaultInput[] => [
    { kind: "record", record_id: id, ...change, when: { ...costs, start, after: 1 } },
  ];
  return { name, what, finds: [check], faults };
}

export function simple(
  name: string,
  what: string,
  finds: string | string[],
  ...faults: FaultInput[]
): Plant {
  return { name, what, finds: [finds].flat(), faults: () => faults };
}

/** A fault that answers with 200 where the provider should refuse. */
export function granted(
  name: string,
  what: string,
  check: string,
  type: string,
  about = "",
): Plant {
  return simple(name, what, check, { kind: "refusal", of: [type], about, body: "page" });
}

export function server(
  name: string,
  what: string,
  check: string,
  set: Record<string, string | string[]>,
) {
  return simple(name, what, check, { kind: "metadata", of: "server", set });
}

type When = NonNullable<FaultInput["when"]>;

export const afterFirst: When = { operation: "costs", page: [2, 99] };
export const EVERY_REFUSAL = [
  "invalid-parameter",
  "invalid-window",
  "unauthorized",
  "insufficient-scope",
];
export const SECOND_RUN = "between two runs, ";
