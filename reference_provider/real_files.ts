import { requireInstant } from "./instants.ts";
import type { Instant } from "./instants.ts";

/** One run of `data/benchmark_spend.csv`. A count is null if the run did not report it. */
export interface Run {
  readonly startedAt: Instant;
  readonly benchmark: string;
  readonly model: string;
  readonly editFormat: string;
  readonly testCases: string;
  readonly promptTokens: string | null;
  readonly completionTokens: string | null;
  /** US dollars, as a decimal. */
  readonly totalCost: string;
}

/** One request of `data/azure_llm_requests_2023.csv.gz`. */
export interface LlmRequest {
  readonly at: Instant;
  readonly service: string;
  readonly contextTokens: string;
  readonly generatedTokens: string;
}

/** Splits CSV into rows of fields, without the header. Quotes are those of RFC 4180, but no field may hold a line break. */
function* csvRows(text: string): Generator<string[]> {
  const lines = text.split("\n");
  for (const line of lines.slice(1)) {
    if (line === "") continue;
    if (!line.includes('"')) yield line.split(",");
    else {
      const fields = line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g);
      yield [...fields].map((field) => field[1]?.replaceAll('""', '"') ?? field[2] ?? "");
    }
  }
}

/** Reads `benchmark_spend.csv`. Throws a RangeError for a row of another form. */
export function parseRuns(csv: string): Run[] {
  return [...csvRows(csv)].map((fields) => {
    const [
      startedAt,
      benchmark,
      model,
      editFormat,
      testCases,
      promptTokens,
      completionTokens,
      totalCost,
    ] = fields;
    if (
      startedAt === undefined ||
      benchmark === undefined ||
      model === undefined ||
      editFormat === undefined ||
      testCases === undefined ||
      totalCost === undefined ||
      fields.length !== 8
    ) {
      throw new RangeError(`a run has 8 fields, this has ${fields.length}: ${fields.join(",")}`);
    }
    return {
      startedAt: requireInstant(startedAt),
      benchmark,
      model,
      editFormat,
      testCases,
      totalCost,
      promptTokens: promptTokens || null,
      completionTokens: completionTokens || null,
    };
  });
}

/** Reads the CSV inside `azure_llm_requests_2023.csv.gz`. Throws a RangeError for a row of another form. */
export function parseRequests(csv: string): LlmRequest[] {
  return [...csvRows(csv)].map((fields) => {
    const [at, service, contextTokens, generatedTokens] = fields;
    if (
      at === undefined ||
      service === undefined ||
      contextTokens === undefined ||
      generatedTokens === undefined
    ) {
      throw new RangeError(`a request has 4 fields: ${fields.join(",")}`);
    }
    return { at: requireInstant(at), service, contextTokens, generatedTokens };
  });
}
