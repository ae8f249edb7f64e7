/** The answer to the question whether an assumption holds, in words of our own: no text of the provider is ever in it. */
import type { ProviderReports } from "../src/adapters/report.ts";
import { ConnectorError } from "../src/errors.ts";

/** `not seen here`: this account, or this run, has nothing that decides. */
export type Verdict = "confirmed" | "contradicted" | "not seen here";

export interface Judgment {
  readonly verdict: Verdict;
  /** The decisive fact: counts, ratios, days, statuses. No id, name, key or amount. */
  readonly fact: string;
}

export const confirmed = (fact: string): Judgment => ({ verdict: "confirmed", fact });
export const contradicted = (fact: string): Judgment => ({ verdict: "contradicted", fact });
export const notSeen = (fact: string): Judgment => ({ verdict: "not seen here", fact });

/** Ends a judgment that cannot be made. `why` is all that is shown, so it holds nothing that the provider wrote. */
export function unseen(why: string): ConnectorError {
  return new ConnectorError("unavailable", why);
}

/** The verdict of `judge`. An answer that decides nothing is no error: other assumptions may still be decided. */
export async function judged(judge: () => Promise<Judgment>): Promise<Judgment> {
  try {
    return await judge();
  } catch (reason) {
    return notSeen(whyUnseen(reason));
  }
}

/**
 * The reason why something was not seen, without a word of the provider's.
 *
 * @throws ConnectorError if the run was stopped, or if there is a defect of ours
 */
export function whyUnseen(reason: unknown): string {
  const error = ConnectorError.from(reason);
  switch (error.code) {
    case "unavailable":
      return error.message;
    case "provider_fault":
      return "an answer has another shape or size than documented";
    default:
      throw error;
  }
}

/** `1 day`, `2 days`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

/** Digits of a ratio: enough to see a rate of tax, and too few to find an amount. */
const RATIO_DIGITS = 5;

/** A quotient of two decimals as text, e.g. `1.19`; undefined if there is none. */
export function ratioOf(part: string, whole: string): string | undefined {
  const ratio = Number(part) / Number(whole);
  return Number.isFinite(ratio) ? String(Number(ratio.toPrecision(RATIO_DIGITS))) : undefined;
}

/** The error of a key that the provider does not accept. */
export function refusedKey(
  status: number,
  { title, scope }: Pick<ProviderReports, "title" | "scope">,
): ConnectorError {
  const remedy = scope === undefined ? "" : ` Use an admin key, or one with the scope ${scope}.`;
  return new ConnectorError(
    "unauthorized",
    `${title} refuses this key with HTTP ${status}.${remedy}`,
  );
}
