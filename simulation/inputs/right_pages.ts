/**
 * Checks the result of pages, which are read a second time without the connector's code. Each page must be delivered
 * with all of its records, digit by digit, or refused for a reason; never both, never in part.
 */
import { gunzipSync } from "node:zlib";
import type { Delivered } from "./deliver.ts";
import { READING_ID, WINDOW } from "./deliver.ts";
import { errorFaults } from "./errors.ts";
import { type Json, meaningOf, membersOf, readJson, textOf, TooDeep } from "./json.ts";
import { LARGEST, LAST, type PageAnswer, type PageInput, TOKEN } from "./pages.ts";
import { instantOf, isPage, isPlain, isRecord, named, type Plain } from "./rules.ts";

/** The expected result of a page: refused, delivered, or not compared here. */
type Expected =
  | { readonly kind: "refuse"; readonly why: string }
  | { readonly kind: "deliver"; readonly records: readonly Json[]; readonly next: string | null }
  | { readonly kind: "open" };

const refuse = (why: string): Expected => ({ kind: "refuse", why });

export function judgePages(input: PageInput, delivered: Delivered): string[] {
  const faults: string[] = [];
  const known = new Known();
  const sent = new Set<string>();
  let cursor = input.cursor;
  for (let page = 0; ; page++) {
    const expected = expectedOf(input.answers[page] ?? LAST, input, cursor, sent);
    if (cursor !== null) sent.add(cursor);
    const lines = delivered.pages[page];
    if (lines === undefined) {
      if (delivered.error === null) faults.push(`page ${page + 1} was not read`);
      else if (expected.kind === "deliver")
        faults.push(`page ${page + 1} is right and was refused`);
      break;
    }
    if (expected.kind === "refuse") {
      faults.push(`page ${page + 1} was taken: ${expected.why}`);
      break;
    }
    const next = delivered.cursors[page] ?? null;
    if (expected.kind === "deliver") {
      faults.push(...known.compare(lines, expected.records, input.stream));
      if (next !== expected.next) faults.push(`page ${page + 1} leads on to another cursor`);
    }
    cursor = next;
    if (next === null) break;
  }
  if (delivered.error !== null) {
    // Records may contain any text. Only a problem document quotes the request, so only it can hold the secret.
    const masked = input.answers.every(({ status }) => status === 200);
    faults.push(...errorFaults(delivered.error, { codes: CODES, secret: TOKEN, masked }));
  }
  return faults;
}

/** The error codes that may end the pages. A defect of the connector is never one of them. */
const CODES = new Set([
  "provider_fault",
  "invalid_record",
  "unavailable",
  "broken_answer",
  "unauthorized",
  "forbidden",
  "bad_request",
  "cursor_refused",
] as const);

function expectedOf(
  answer: PageAnswer,
  input: PageInput,
  cursor: string | null,
  sent: ReadonlySet<string>,
): Expected {
  const text = bodyOf(answer);
  if (text === undefined) return refuse("it is no answer in JSON");
  let tree: Json | undefined;
  try {
    tree = readJson(text);
  } catch (error) {
    if (error instanceof TooDeep) return { kind: "open" };
    throw error;
  }
  if (tree === undefined) return refuse("it is no JSON");
  const value: unknown = JSON.parse(text);
  const envelope = input.mode === "warn" ? withoutUnknown(value) : value;
  if (!isPage(envelope) || !isPlain(envelope)) return refuse("it is no page");
  if (instantOf(envelope["available_through"]) === undefined) return { kind: "open" };
  const { next_cursor: next, data } = envelope;
  const isCircle = typeof next === "string" && (next === cursor || sent.has(next));
  if (isCircle) return refuse("its cursor leads back");
  if (typeof next === "string" && !next.isWellFormed())
    return refuse("no address can carry its cursor");
  const records = membersOf(tree)?.get("data");
  if (!Array.isArray(data) || records?.kind !== "array") return refuse("it has no data");
  if (!data.every((record) => mayPass(record, input))) return refuse("a record breaks its schema");
  const own = records.items.filter((_, index) => isInside(data[index]));
  return { kind: "deliver", records: own, next: typeof next === "string" ? next : null };
}

/** The body as text, if all of it arrived and its type is right. */
function bodyOf({ status, headers, body }: PageAnswer): string | undefined {
  const type = (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase();
  if (status !== 200 || type !== "application/json" || body.length > LARGEST) return undefined;
  const encoding = (headers["content-encoding"] ?? "identity").toLowerCase();
  try {
    const bytes = encoding === "identity" ? body : unpacked(body, encoding);
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function unpacked(body: Uint8Array, encoding: string): Uint8Array {
  if (encoding === "gzip" || encoding === "x-gzip") return gunzipSync(body);
  throw new TypeError(encoding);
}

const PAGE_MEMBERS = new Set(["data", "next_cursor", "as_of", "available_through"]);

/** V2: with `warn` a page may have members that the interface does not name. */
function withoutUnknown(value: unknown): unknown {
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => PAGE_MEMBERS.has(name)));
}

/** V1: records that match their schema; with `warn` also all records with an id and a charge period. */
function mayPass(record: unknown, { stream, granularity, mode }: PageInput): boolean {
  if (!isPlain(record)) return false;
  const keeps = isRecord[stream](record);
  if (keeps && (granularity === null || record["x_Granularity"] === granularity)) return true;
  return mode === "warn" && isIdentified(record);
}

/** P5: a record that starts outside the window waits for its own; one whose start cannot be read counts as inside. */
function isInside(record: unknown): boolean {
  const start = isPlain(record) ? instantOf(record["ChargePeriodStart"]) : undefined;
  return start === undefined || (start >= WINDOW.start && start < WINDOW.end);
}

function isIdentified(record: Plain): boolean {
  const { x_RecordId: id, ChargePeriodStart: start, ChargePeriodEnd: end } = record;
  return (
    typeof id === "string" && id !== "" && typeof start === "string" && typeof end === "string"
  );
}

/** The records of one window that have been delivered. */
class Known {
  readonly #meanings = new Set<string>();
  readonly #texts = new Set<string>();

  /** Every record must have a line, in order, unless an identical record had a line before (P5). */
  compare(lines: readonly string[], records: readonly Json[], stream: string): string[] {
    const faults: string[] = [];
    const came = lines.map((line) => this.#dataOf(line, stream, faults));
    let next = 0;
    for (const record of records) {
      const meaning = meaningOf(expectedData(record, stream));
      if (came[next] === meaning) {
        next += 1;
        this.#meanings.add(meaning);
      } else if (!this.#meanings.has(meaning)) {
        faults.push(`lost or changed: ${meaning}, came ${came[next] ?? "nothing"}`);
        return faults;
      }
    }
    if (next < came.length) faults.push(`invented: ${came[next]}`);
    return faults;
  }

  /** The content of a line's record, without the id of its reading. */
  #dataOf(line: string, stream: string, faults: string[]): string {
    if (/[\u0085\u2028\u2029]|\\ud[89a-f]/i.test(line)) faults.push(`V4: ${line}`);
    const message = readJson(line);
    const record = membersOf(membersOf(message)?.get("record"));
    const data = record?.get("data");
    const ours = membersOf(data)?.get(READING);
    const isRecordOf = record?.get("stream");
    if (data === undefined || ours === undefined || isRecordOf === undefined) {
      faults.push(`no RECORD: ${line}`);
      return "";
    }
    if (meaningOf(ours) !== `"${READING_ID}"` || meaningOf(isRecordOf) !== `"${stream}"`)
      faults.push(`another's RECORD: ${line}`);
    const names = data.kind === "object" ? data.members.map(({ name }) => textOf(name)) : [];
    if (names.length !== new Set(names).size) faults.push(`a name twice: ${line}`);
    if (this.#texts.has(line)) faults.push(`P5: twice: ${line}`);
    this.#texts.add(line);
    return meaningOf(without(data, READING));
  }
}

const READING = "x_ReadingId";
const COLUMNS = "x_ProviderColumns";

function without(json: Json, ...names: readonly string[]): Json {
  if (json.kind !== "object") return json;
  return {
    kind: "object",
    members: json.members.filter(({ name }) => !names.includes(textOf(name))),
  };
}

/** R3: the record as it came, with a second copy of the members that the interface does not name. */
function expectedData(record: Json, stream: string): Json {
  if (record.kind !== "object") return record;
  const names = stream === "usage" ? named.usage : named.costs;
  const foreign = record.members.filter(({ name }) => !names.has(textOf(name)));
  const own = without(record, READING, COLUMNS);
  if (foreign.length === 0 || own.kind !== "object") return own;
  const columns = { name: `"${COLUMNS}"`, value: { kind: "object", members: foreign } } as const;
  return { kind: "object", members: [...own.members, columns] };
}
