import { request } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import { generateAccount } from "../generator/index.ts";
import { readChain, startBench } from "../testing.ts";
import type { Bench } from "../testing.ts";

const NOW = "2025-10-08T00:00:00Z";
export const COSTS = "/v1/finops/costs?start=2025-10-01T00:00:00Z&end=2025-10-06T00:00:00Z";
export const USAGE =
  "/v1/finops/usage?start=2025-10-01T00:00:00Z&end=2025-10-06T00:00:00Z&granularity=1d";
export const CAPABILITIES = "/v1/finops/capabilities";

/** A provider with ten costs and ten usage records a day, and without late or corrected rows. */
export function start() {
  const shape = {
    costs: 70,
    usage: 70,
    days: 7,
    now: NOW,
    late: 0,
    retention: 30,
    window: 10,
  } as const;
  return startBench({
    accounts: [generateAccount("generated", { ...shape, monthly: false, corrections: "none" })],
    now: NOW,
  });
}

/** The part of a response that arrived. */
export interface Raw {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** Code of the error that ended the response early; null if all of it arrived. */
  readonly error: string | null;
}

/**
 * Reads a response until it ends, breaks off, or sends nothing for some time.
 *
 * @param patience milliseconds; long, because a busy machine takes its time where no fault stalls the response
 */
export function raw(bench: Bench, path: string, patience = 20_000): Promise<Raw> {
  return new Promise((resolve) => {
    let answer: Raw = { status: 0, headers: {}, bytes: Buffer.alloc(0), error: null };
    const end = (error: string | null) => resolve({ ...answer, error });
    const code = (error: NodeJS.ErrnoException) => end(error.code ?? error.message);
    const client = request(`${bench.baseUrl}${path}`, {
      headers: { authorization: `Bearer ${bench.token}` },
      agent: false,
    });
    client.setTimeout(patience, () => {
      end("silence");
      client.destroy();
    });
    client.on("error", code);
    client.on("response", (response) => {
      answer = { ...answer, status: response.statusCode ?? 0, headers: response.headers };
      response.on("data", (chunk: Buffer) => {
        answer = { ...answer, bytes: Buffer.concat([answer.bytes, chunk]) };
      });
      response.on("error", code);
      response.on("end", () => end(null));
    });
    client.end();
  });
}

/** Ids of all records of a chain of pages, in order. */
export async function idsOf(
  bench: Bench,
  query: string,
  dataset: "usage" | "costs" = "costs",
): Promise<unknown[]> {
  return (await readChain(bench, query, dataset)).records.map((record) => record["x_RecordId"]);
}
