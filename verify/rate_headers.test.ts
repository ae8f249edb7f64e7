import { expect, test } from "vitest";
import { judgeRateHeaders } from "./rate_headers.ts";

const NOW = Date.UTC(2026, 10, 6, 12);
const after = (seconds: number): string => new Date(NOW + seconds * 1000).toISOString();

const headers = (limit: string, remaining: string, reset: string) => ({
  "anthropic-ratelimit-requests-limit": limit,
  "anthropic-ratelimit-requests-remaining": remaining,
  "anthropic-ratelimit-requests-reset": reset,
});

test.each([
  [{}, "contradicted"],
  [headers("90", "89", "soon"), "contradicted"],
  [headers("-1", "89", after(10)), "contradicted"],
  [headers("90", "80", after(3000)), "confirmed"],
  // A limit by the hour that fills up evenly: the adapter would take it for one by the minute.
  [headers("90", "89", after(40)), "contradicted"],
  // Headers have whole seconds: one request of thousands says nothing.
  [headers("4000", "3999", after(1)), "not seen here"],
  [headers("60", "30", after(30)), "confirmed"],
  [headers("60", "60", after(0)), "not seen here"],
])("ANT-15: %j is %s", (given, verdict) => {
  expect(judgeRateHeaders(given, NOW).verdict).toBe(verdict);
});
