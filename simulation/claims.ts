/**
 * R6, P5: every STATE is true where it stands. The rows before a STATE have the digest that it names for a day, and on a day that owns
 * a stray they have that stray. A process may die behind any STATE, so this finds faults that a kill shows only at the right line.
 *
 * The hashes, and their form in a STATE, are those of the engine. All else is made from the lines.
 */
import { PageDigests } from "../src/core/digests.ts";
import { RecordFingerprint } from "../src/core/identity.ts";
import { encodeHash } from "../src/streams/state_members.ts";
import { date } from "./calendar.ts";
import type { Item, StateValue, Warehouse } from "./platform.ts";
import type { StreamName, Version } from "./records.ts";

const PRINT = new RecordFingerprint();

/** Whether a version has only members of the interface. The engine sorts all others by name for the hash; `text` does not. */
const isPlain = ({ extra }: Version): boolean => extra === "";

/** The hashes of a version, until the next call. */
function printOf({ text }: Version): RecordFingerprint {
  PRINT.setContentText(text.slice(0, -1));
  return PRINT;
}

const hashOf = (version: Version): string => encodeHash(printOf(version).contentText);

function digestOf(versions: readonly Version[]): string {
  const digests = new PageDigests();
  for (const version of versions) digests.add(0, printOf(version).content);
  return encodeHash(digests.result()[0]?.digest ?? "");
}

/** The false claims of the STATEs of one stream in one sync, before its rows are loaded. */
export function judgeClaims(
  stream: StreamName,
  {
    items,
    versions,
    warehouse,
    stored,
  }: {
    readonly items: readonly Item[];
    readonly versions: ReadonlyMap<string, Version>;
    readonly warehouse: Warehouse;
    readonly stored: StateValue | undefined;
  },
): string[] {
  const faults: string[] = [];
  const arrived = new Map<string, Set<Version>>();
  const rowsOf = (readingId: string, day: string): Version[] =>
    [
      ...new Set([...(warehouse.readings.get(readingId) ?? []), ...(arrived.get(readingId) ?? [])]),
    ].filter(({ record }) => record.stream === stream && date(record.start) === day);
  // A second process cannot tell which records the first one had counted, so its days are due (R10).
  const resumed = new Set(stored?.pass?.open.map(({ id }) => id));
  let before = claimsOf(stored);
  for (const item of items) {
    if (item.kind === "record" && item.stream === stream) {
      const version = versions.get(item.text);
      if (version === undefined) continue;
      const own = arrived.get(item.readingId) ?? new Set();
      arrived.set(item.readingId, own.add(version));
    }
    if (item.kind !== "state" || item.stream !== stream) continue;
    const claims = claimsOf(item.value);
    for (const [key, claim] of claims) {
      if (before.has(key)) continue;
      const { day, readingId, digest, stray } = claim;
      if (resumed.has(readingId)) continue;
      const rows = rowsOf(readingId, day);
      if (!rows.every(isPlain)) continue;
      const isTrue =
        stray === undefined
          ? digestOf(rows) === digest
          : rows.map(hashOf).includes(stray) || digestOf(rows) !== digest;
      if (!isTrue) faults.push(`R6: a STATE claims ${key}, and ${rows.length} rows came before it`);
    }
    before = claims;
  }
  return faults;
}

interface Claim {
  readonly day: string;
  readonly readingId: string;
  readonly digest: string;
  /** The hash of a stray that the day owns. */
  readonly stray?: string;
}

/** The claims of a STATE, by a text that names each. */
function claimsOf(state: StateValue | undefined): Map<string, Claim> {
  const claims = new Map<string, Claim>();
  const byDay = new Map<string, Claim>();
  for (const [readingId, days] of state?.days ?? []) {
    for (const [day, records, digest] of days) {
      const claim = { day, readingId, digest };
      byDay.set(day, claim);
      claims.set(`${records} rows of ${readingId} on ${day} with the digest ${digest}`, claim);
    }
  }
  for (const [hash, day, writtenBy] of state?.strays ?? []) {
    const owner = writtenBy === null ? byDay.get(day ?? "") : undefined;
    if (owner === undefined || hash == null) continue;
    claims.set(`that ${day} owns the stray ${hash} among the rows of ${owner.readingId}`, {
      ...owner,
      stray: hash,
    });
  }
  return claims;
}
