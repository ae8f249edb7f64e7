import type { Exchange } from "./http.ts";

// The three forms of RFC 9110 section 5.6.7.
const IMF = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const RFC850 = /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/;
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/** An HTTP-date as milliseconds since 1970; undefined if the text is none. */
function parseHttpDate(text: string): number | undefined {
  if (!IMF.test(text) && !RFC850.test(text) && !ASCTIME.test(text)) return undefined;
  const instant = Date.parse(ASCTIME.test(text) ? `${text} GMT` : text);
  return Number.isNaN(instant) ? undefined : instant;
}

/** The `Date` of an answer; undefined if it has none or no HTTP-date. */
export function dateOf({ headers }: Exchange): number | undefined {
  return parseHttpDate(headers["date"] ?? "");
}

/** How long a 429 asks to wait, in milliseconds; undefined if its `Retry-After` is missing or says nothing (RFC 9110 10.2.3). */
export function delayOf(exchange: Exchange): number | undefined {
  const text = exchange.headers["retry-after"] ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const until = parseHttpDate(text);
  return until === undefined ? undefined : until - (dateOf(exchange) ?? until);
}
