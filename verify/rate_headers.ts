/** Anthropic's headers of rate limits, and the period that the adapter reads from them. */
import { HOUR, parseInstant } from "../src/core/time.ts";
import type { HttpResponse } from "../src/edges.ts";
import { confirmed, contradicted, type Judgment, notSeen } from "./judgment.ts";

const MINUTE = HOUR / 60;

/** A limit that needs longer than this to be whole again after all of its requests counts by the hour. */
const LONG = 10 * MINUTE;

/** The headers have whole seconds, so that a wait may be this much longer or shorter than it seems. */
const BLUR = 2000;

/** Judges ANT-15 by one answer; `now` is the provider's clock. */
export function judgeRateHeaders(headers: HttpResponse["headers"], now: number): Judgment {
  const [limit, remaining] = ["limit", "remaining"].map((part) => {
    const text = headers[`anthropic-ratelimit-requests-${part}`] ?? "";
    return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
  });
  const whole = parseInstant(headers["anthropic-ratelimit-requests-reset"] ?? "");
  if (limit === undefined || whole === undefined)
    return contradicted("the answer has no header of a limit with its reset");
  const wait = whole - now;
  const said = `${limit} requests, whole again after ${Math.max(0, Math.round(wait / 1000))} s`;
  const used = limit - (remaining ?? limit);
  if (wait > MINUTE) return confirmed(`${said}: a limit by the hour`);
  if (used <= 0) return notSeen(`${said}, with nothing used: the period cannot be seen`);
  // A limit that fills up evenly is soon whole after one request, also if it counts by the hour.
  const periodOf = (from: number): number => (Math.max(0, from) * limit) / used;
  if (periodOf(wait - BLUR) > LONG)
    return contradicted(`${said} although only ${used} of them are used: a limit by the hour`);
  return periodOf(wait + BLUR) > LONG
    ? notSeen(`${said} after ${used} of them: the period cannot be seen`)
    : confirmed(`${said}: a limit by the minute`);
}
