import { formatInstant, parseInstant } from "./instants.ts";
import type { Instant } from "./instants.ts";
import type { DatasetName, Granularity } from "./model.ts";
import { ProblemError } from "./problems.ts";

const MAXIMUM_LIMIT = 1000;

// The largest limit that the fault `refuse_limits` takes.
const SMALL_LIMIT = 500;

// The one form that the fault `refuse_forms` takes.
const PLAIN = /^[0-9-]{10}T[0-9:]{8}Z$/;

/** The parameters of an export (interface sections 4.2 and 4.3). */
export interface Query {
  readonly dataset: DatasetName;
  readonly start: Instant;
  readonly end: Instant;
  /** The parameter of a usage query; `1d` for costs, which have no such parameter. */
  readonly granularity: Granularity;
  readonly limit: number;
  readonly cursor?: string;
}

const KNOWN = {
  usage: new Set(["start", "end", "granularity", "limit", "cursor"]),
  costs: new Set(["start", "end", "limit", "cursor"]),
} as const;

function invalid(detail: string): ProblemError {
  return new ProblemError("invalid-parameter", detail);
}

function single(parameters: URLSearchParams, name: string): string | undefined {
  const values = parameters.getAll(name);
  if (values.length > 1) throw invalid(`${name} is given ${values.length} times.`);
  return values[0];
}

function instantParameter(parameters: URLSearchParams, name: string, strict: boolean): Instant {
  const text = single(parameters, name);
  if (text === undefined) throw invalid(`${name} is required.`);
  const instant = strict && !PLAIN.test(text) ? undefined : parseInstant(text);
  if (instant === undefined) {
    const hint = text.includes(" ") ? " A + in an address must be written %2B." : "";
    throw invalid(`${name} must be an RFC 3339 instant in UTC such as ${formatInstant(0)}.${hint}`);
  }
  return instant;
}

function granularityParameter(parameters: URLSearchParams): Granularity {
  const text = single(parameters, "granularity");
  if (text === "1h" || text === "1d") return text;
  throw invalid(text === undefined ? "granularity is required." : "granularity must be 1h or 1d.");
}

function limitParameter(parameters: URLSearchParams, most: number): number {
  const text = single(parameters, "limit");
  if (text === undefined) return MAXIMUM_LIMIT;
  const limit = /^[0-9]{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(limit >= 1 && limit <= most)) {
    throw invalid(`limit must be an integer between 1 and ${most}.`);
  }
  return limit;
}

/**
 * Reads the parameters of an export. Throws `invalid-parameter` for one that is missing, malformed or repeated.
 * Ignores unknown parameters, such as `granularity` on costs, or refuses them where `refuses` says so.
 */
export function parseQuery(
  dataset: DatasetName,
  parameters: URLSearchParams,
  refuses: { readonly unknown?: boolean; readonly forms?: boolean; readonly limits?: boolean } = {},
): Query {
  if (refuses.unknown === true) {
    const unknown = [...parameters.keys()].find((name) => !KNOWN[dataset].has(name));
    if (unknown !== undefined)
      throw new ProblemError("unknown-parameter", `There is no parameter ${unknown}.`);
  }
  const query = {
    dataset,
    start: instantParameter(parameters, "start", refuses.forms === true),
    end: instantParameter(parameters, "end", refuses.forms === true),
    granularity: dataset === "usage" ? granularityParameter(parameters) : "1d",
    limit: limitParameter(parameters, refuses.limits === true ? SMALL_LIMIT : MAXIMUM_LIMIT),
  } as const;
  const cursor = single(parameters, "cursor");
  if (cursor === "") throw invalid("cursor must not be empty.");
  return cursor === undefined ? query : { ...query, cursor };
}
