/**
 * The first request of every run: the capabilities of the account (interface sections 2.2, 2.3 and 4.1).
 */
import { foreignText } from "../core/foreign_text.ts";
import type { Clock } from "../edges.ts";
import { ConnectorError } from "../errors.ts";
import type { Capabilities } from "../generated/capabilities.js";
import { validateCapabilities } from "../generated/validators.js";
import { CAPABILITIES_PATH, resolveEndpoint } from "./endpoint.ts";
import { checkClosed, describeViolation } from "./strictness.ts";
import type { Client } from "../http/client.ts";

export type { Capabilities } from "../generated/capabilities.js";

/** The versions that this connector reads (interface sections 2.2 and 9). */
const PROFILE_VERSION = "0.1";
const FOCUS_VERSION = "1.4";

/**
 * A provider's clock from this instant on counts as none (L3). Ids of readings sort up to the year 5188, and a state has four digits
 * for a year: the next sync could not read it, and the rows of later syncs would sort before those of this one.
 */
const NO_SUCH_TIME = Date.UTC(5000, 0, 1);

export interface CapabilitiesOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** `invalid_records: "warn"`: unknown properties are removed with a warning. Nothing else is tolerated (V2). */
  readonly tolerateUnknown: boolean;
  /** See {@link Client.get}; for `check`. */
  readonly deadlineMs?: number | undefined;
}

export interface CapabilitiesAnswer {
  readonly capabilities: Capabilities;
  /** The provider's clock: its `Date` header plus `Age`, in whole seconds; the local clock if there is none (W4, L3). */
  readonly nowMs: number;
  /** The provider's own id of the account, if an adapter knows it: the interface names none (S5). */
  readonly account?: string | undefined;
  /** For the log, about the removed properties. */
  readonly warnings: readonly string[];
}

/**
 * Requests the capabilities of the account.
 *
 * @param baseUrl the config's `base_url`; may have a path; its query and fragment are ignored
 * @throws ConnectorError the errors of {@link Client.get} for a first request; `provider_fault` if the answer breaks
 *   the interface or has another version
 */
export async function readCapabilities(
  client: Client,
  baseUrl: URL,
  options: CapabilitiesOptions,
): Promise<CapabilitiesAnswer> {
  const url = resolveEndpoint(baseUrl, CAPABILITIES_PATH);
  const { signal, deadlineMs } = options;
  const answer = await client.get({ url, signal, deadlineMs, first: true });
  const { capabilities, warnings } = judgeCapabilities(answer.value, options.tolerateUnknown);
  // A cache keeps the Date of the answer that it stored (RFC 9111 section 4.2.3).
  const theirs = answer.dateMs === undefined ? NO_SUCH_TIME : answer.dateMs + answer.ageMs;
  const nowMs = theirs < NO_SUCH_TIME ? theirs : options.clock.now();
  return { capabilities, warnings, nowMs };
}

/**
 * Checks the body of the capabilities operation. Checks the versions first: another version explains every other
 * difference.
 *
 * @throws ConnectorError `provider_fault`
 */
export function judgeCapabilities(
  value: unknown,
  tolerateUnknown: boolean,
): Pick<CapabilitiesAnswer, "capabilities" | "warnings"> {
  checkVersions(value);
  const { unknown, violation } = checkClosed(validateCapabilities, value, tolerateUnknown);
  if (violation !== undefined || !isCapabilities(value)) {
    const rule = violation === undefined ? "it is none" : describeViolation(violation);
    const additional = violation?.keyword === "additionalProperties";
    const way = additional
      ? ' To go on without it, set invalid_records to "warn"; else report it to the provider.'
      : " Report it to the provider.";
    throw new ConnectorError(
      "provider_fault",
      `The provider's capabilities break the interface: ${rule}.${way}`,
      { detail: `capabilities: ${rule}` },
    );
  }
  return { capabilities: value, warnings: warningsOf(unknown) };
}

/** The most unknown properties that the log names one by one (L4). */
const NAMED_PROPERTIES = 5;

function warningsOf(unknown: readonly string[]): string[] {
  const named = unknown.slice(0, NAMED_PROPERTIES);
  const warnings = named.map(
    (name) =>
      `The provider's capabilities hold the unknown property ${foreignText(name)}; it is ignored.`,
  );
  if (unknown.length > named.length) {
    warnings.push(
      `The provider's capabilities hold ${unknown.length} unknown properties in all, the first ${named.length} above.`,
    );
  }
  return warnings;
}

function isCapabilities(value: unknown): value is Capabilities {
  return validateCapabilities(value);
}

function checkVersions(value: unknown): void {
  if (typeof value !== "object" || value === null) return; // the schema check has the better message
  const profile: unknown = Reflect.get(value, "profile_version");
  const focus: unknown = Reflect.get(value, "focus_version");
  if (typeof profile !== "string" || typeof focus !== "string") return;
  if (profile === PROFILE_VERSION && focus === FOCUS_VERSION) return;
  const [theirs, ours] = [
    `profile_version ${foreignText(profile)} with focus_version ${foreignText(focus)}`,
    `profile_version ${PROFILE_VERSION} with focus_version ${FOCUS_VERSION}`,
  ];
  throw new ConnectorError(
    "provider_fault",
    `The provider serves ${theirs}; this version of the connector reads ${ours}. Use a version of the connector that ` +
      "reads the provider's versions.",
    { detail: `unsupported versions: ${theirs}` },
  );
}
