/** All checks, in the order in which they run and are reported. */
import type { Check } from "./check.ts";
import { availabilityChecks } from "./checks/availability.ts";
import { capabilityChecks } from "./checks/capabilities.ts";
import { credentialChecks } from "./checks/credentials.ts";
import { cursorChecks } from "./checks/cursors.ts";
import { errorChecks } from "./checks/errors.ts";
import { granularityChecks } from "./checks/granularity.ts";
import { httpChecks } from "./checks/http.ts";
import { oauthChecks } from "./checks/oauth.ts";
import { offerChecks } from "./checks/offers.ts";
import { pageChecks } from "./checks/pages.ts";
import { recordSenseChecks } from "./checks/record_sense.ts";
import { recordChecks } from "./checks/records.ts";
import { secondRunChecks } from "./checks/second_run.ts";
import { refreshChecks } from "./checks/refresh.ts";
import { stabilityChecks } from "./checks/stability.ts";
import { windowLimitChecks } from "./checks/window_limits.ts";
import { windowChecks } from "./checks/windows.ts";

/**
 * Names of the groups, by the letters before a check's number, in the order of the run. The groups of errors and HTTP judge all
 * exchanges of the run, so they come last.
 */
export const GROUPS: Readonly<Record<string, string>> = {
  CAP: "capabilities",
  REC: "records",
  IDS: "identifiers",
  PAG: "pages and cursors",
  WIN: "windows",
  STB: "stability",
  AVL: "availability",
  GRN: "granularities",
  OAU: "OAuth 2.0",
  ERR: "errors and credentials",
  HTTP: "HTTP",
};

/** The group of a check, by its id. */
export function groupOf({ id }: Pick<Check, "id">): string {
  return id.slice(0, id.indexOf("-"));
}

const all = [
  ...availabilityChecks,
  ...capabilityChecks,
  ...credentialChecks,
  ...cursorChecks,
  ...errorChecks,
  ...granularityChecks,
  ...httpChecks,
  ...oauthChecks,
  ...refreshChecks,
  ...offerChecks,
  ...pageChecks,
  ...recordSenseChecks,
  ...recordChecks,
  ...secondRunChecks,
  ...stabilityChecks,
  ...windowLimitChecks,
  ...windowChecks,
];

export const CHECKS: readonly Check[] = Object.keys(GROUPS).flatMap((group) =>
  all.filter((check) => groupOf(check) === group).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
);

/** Rules that a few small requests show; `verify` runs their checks. All of them together send a third of a whole run's requests. */
const CHEAP: ReadonlySet<string> = new Set([
  ..."CAP-01 CAP-02 CAP-03 CAP-04 CAP-05 CAP-06 CAP-07 CAP-11 PAG-11 PAG-12 WIN-05 WIN-06 WIN-07 WIN-08".split(
    " ",
  ),
  ..."WIN-10 GRN-01 ERR-04 ERR-05 ERR-06 HTTP-08".split(" "),
]);

export const CHEAP_CHECKS: readonly Check[] = CHECKS.filter(({ id }) => CHEAP.has(id));

/** The checks that ids (`PAG-03`) and groups (`PAG`) name, or the names that are neither. */
export function chosen(names: readonly string[]): { checks: readonly Check[]; unknown: string[] } {
  const unknown = names.filter(
    (name) => !Object.hasOwn(GROUPS, name) && !CHECKS.some(({ id }) => id === name),
  );
  const checks = CHECKS.filter(
    (check) => names.includes(check.id) || names.includes(groupOf(check)),
  );
  return { checks, unknown };
}

/** A word that names no check, if it has the shape of an id: any other word may be a secret. */
export const shownName = (word: string): string =>
  /^[a-z]{2,12}(-\d{1,3})?$/i.test(word) ? word : "a word that is no id";
