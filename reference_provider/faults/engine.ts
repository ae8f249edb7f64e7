import { createRandom } from "../prng.ts";
import type { Random } from "../prng.ts";
import { faultSchema } from "./schema.ts";
import type { Fault, FaultInput, FaultKind, FaultOf } from "./schema.ts";

/** The properties of a request that the conditions of a fault refer to. */
export interface Circumstances {
  readonly operation: "capabilities" | "usage" | "costs";
  /** The requested page of the chain; the first page is 1. */
  readonly page: number;
  readonly hasCursor: boolean;
  readonly token: string | null;
  readonly account: string | null;
  readonly granularity: string | null;
  readonly start: string | null;
}

/** The faults that apply to one request. */
export class Struck {
  readonly #faults: readonly Fault[];

  constructor(faults: readonly Fault[] = []) {
    this.#faults = faults;
  }

  get kinds(): readonly FaultKind[] {
    return this.#faults.map((fault) => fault.kind);
  }

  /** The first fault of a kind, if one applies. */
  of<Kind extends FaultKind>(kind: Kind): FaultOf<Kind> | undefined {
    return this.all(kind)[0];
  }

  /** All faults of a kind, in the order in which they were set. */
  all<Kind extends FaultKind>(kind: Kind): readonly FaultOf<Kind>[] {
    return this.#faults.filter((fault): fault is FaultOf<Kind> => fault.kind === kind);
  }
}

interface Armed {
  readonly id: string;
  readonly fault: Fault;
  matched: number;
  struck: number;
}

const CURSOR_KINDS: ReadonlySet<FaultKind> = new Set(["cursor_expired", "cursor_refused"]);

function matches(fault: Fault, request: Circumstances): boolean {
  const { operation, page, token, account, granularity, start } = fault.when;
  if (CURSOR_KINDS.has(fault.kind) && !request.hasCursor) return false;
  if (operation !== undefined && ![operation].flat().includes(request.operation)) return false;
  if (page !== undefined) {
    if (request.operation === "capabilities") return false;
    const [first, last] = typeof page === "number" ? [page, page] : page;
    if (request.page < first || request.page > last) return false;
  }
  return (
    (token === undefined || token === request.token) &&
    (account === undefined || account === request.account) &&
    (granularity === undefined || granularity === request.granularity) &&
    (start === undefined || start === request.start)
  );
}

/** The faults that are set, and how often each has applied. */
export class FaultEngine {
  #armed: Armed[] = [];
  #serial = 0;
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = createRandom(seed);
  }

  /**
   * Adds faults. A fault replaces an earlier one with the same id. Returns their ids. Throws a ZodError for a malformed
   * one.
   */
  set(...inputs: readonly FaultInput[]): string[] {
    const faults = inputs.map((input) => faultSchema.parse(input));
    return faults.map((fault) => {
      this.#serial += 1;
      const id = fault.id ?? `fault-${this.#serial}`;
      this.clear(id);
      this.#armed.push({ id, fault, matched: 0, struck: 0 });
      return id;
    });
  }

  /** Removes the fault with this id, or all. */
  clear(id?: string): void {
    this.#armed = id === undefined ? [] : this.#armed.filter((armed) => armed.id !== id);
  }

  /** The faults that are set. For each: how many requests matched its conditions, and to how many it was applied. */
  list(): { id: string; matched: number; struck: number; fault: Fault }[] {
    return this.#armed.map((armed) => ({ ...armed }));
  }

  /** Decides which faults apply to a request, and counts the request. */
  strike(request: Circumstances): Struck {
    if (this.#armed.length === 0) return new Struck();
    return new Struck(
      this.#armed
        .filter((armed) => matches(armed.fault, request) && this.#falls(armed))
        .map((armed) => armed.fault),
    );
  }

  /** The fault that alters the refusal of an unknown address or method. Such a request belongs to no operation. */
  refusal(type: string): FaultOf<"refusal"> | undefined {
    for (const armed of this.#armed) {
      const { fault } = armed;
      if (fault.kind === "refusal" && fault.of.includes(type) && this.#falls(armed)) return fault;
    }
    return undefined;
  }

  /** Whether a fault of this kind is set. */
  has(kind: FaultKind): boolean {
    return this.#armed.some(({ fault }) => fault.kind === kind);
  }

  /** Changes of a metadata document that are set. */
  metadata(of: "resource" | "server"): readonly FaultOf<"metadata">[] {
    return this.#armed.flatMap(({ fault }) =>
      fault.kind === "metadata" && fault.of === of ? [fault] : [],
    );
  }

  #falls(armed: Armed): boolean {
    const { after = 0, nth, every, times, probability } = armed.fault.when;
    armed.matched += 1;
    const number = armed.matched - after;
    if (number < 1 || (nth !== undefined && number !== nth)) return false;
    if (every !== undefined && number % every !== 0) return false;
    if (times !== undefined && armed.struck >= times) return false;
    if (probability !== undefined && this.#random() >= probability) return false;
    armed.struck += 1;
    return true;
  }
}
