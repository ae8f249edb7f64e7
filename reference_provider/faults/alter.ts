import { DAY, formatInstant, requireInstant } from "../instants.ts";
import { isObject } from "../model.ts";
import type { Capabilities } from "../model.ts";
import type { PageDraft } from "../pages.ts";
import type { Struck } from "./engine.ts";
import { edited, parseLossless, withPointer } from "./json.ts";
import type { FaultOf } from "./schema.ts";

/**
 * The cursors of each chain that has begun, so that a fault can point back to an earlier page. Old chains are
 * forgotten.
 */
export class CursorHistory {
  readonly #previous = new Map<string, string>();
  readonly #prefixes = new Set<string>();

  /** Remembers that the page at `next` follows the page at `cursor`. */
  follow(cursor: string, next: string): void {
    if (this.#previous.size >= 10_000) this.#previous.clear();
    this.#previous.set(next, cursor);
  }

  /** The cursor behind a prefix (fault `cursor_text`). */
  decorated(cursor: string, prefix: string): string {
    this.#prefixes.add(prefix);
    return prefix + cursor;
  }

  /** The cursor without the prefix of `decorated`. */
  undecorated(cursor: string): string {
    for (const prefix of this.#prefixes) {
      if (cursor.startsWith(prefix)) return cursor.slice(prefix.length);
    }
    return cursor;
  }

  /** The cursor of an earlier page, `pages` back, or the earliest known one. */
  back(cursor: string, pages: number): string {
    const previous = pages === 0 ? undefined : this.#previous.get(cursor);
    return previous === undefined ? cursor : this.back(previous, pages - 1);
  }
}

function parsedRecord(text: string): Record<string, unknown> {
  const record = parseLossless(text);
  return isObject(record) ? record : {};
}

function edits(
  fault: FaultOf<"record">,
  index: number,
  count: number,
  record: Record<string, unknown>,
): boolean {
  if (fault.record_id !== undefined) return record["x_RecordId"] === fault.record_id;
  if (fault.which === "all") return true;
  return index === (fault.which === "first" ? 0 : fault.which === "last" ? count - 1 : fault.which);
}

function withRecordFault(records: readonly string[], fault: FaultOf<"record">): string[] {
  return records.flatMap((text, index) => {
    const record = parsedRecord(text);
    if (!edits(fault, index, records.length, record)) return [text];
    if (fault.omit) return [];
    if (fault.replace !== undefined) return [fault.replace];
    const changed = JSON.stringify(edited(record, fault));
    return [fault.members === undefined ? changed : `${changed.slice(0, -1)},${fault.members}}`];
  });
}

function strayOf(text: string, days: number): string {
  const record = parsedRecord(text);
  const moved = (name: string) => formatInstant(requireInstant(String(record[name])) + days * DAY);
  return JSON.stringify({
    ...record,
    x_RecordId: `${String(record["x_RecordId"])}-stray`,
    ChargePeriodStart: moved("ChargePeriodStart"),
    ChargePeriodEnd: moved("ChargePeriodEnd"),
  });
}

function alteredRecords(draft: PageDraft, struck: Struck): string[] {
  let records = draft.records;
  for (const fault of struck.all("record")) records = withRecordFault(records, fault);
  for (const fault of struck.all("duplicate")) {
    if (fault.on !== "same_page") continue;
    const copies = records.slice(0, fault.records);
    const edit = { set: fault.set, raw: {}, drop: [] };
    records = [
      ...records,
      ...copies.map((text) => JSON.stringify(edited(parsedRecord(text), edit))),
    ];
  }
  for (const fault of struck.all("stray_record")) {
    const [first] = records;
    if (first !== undefined) records = [...records, strayOf(first, fault.days)];
  }
  return records;
}

function alteredCursor(
  cursor: string | null | undefined,
  sent: string | undefined,
  struck: Struck,
  history: CursorHistory,
): string | null | undefined {
  const fault = struck.of("next_cursor");
  const text = struck.of("cursor_text");
  if (sent !== undefined && typeof cursor === "string") history.follow(sent, cursor);
  switch (fault?.value) {
    case undefined:
      return typeof cursor === "string" && text !== undefined
        ? history.decorated(cursor, text.prefix)
        : cursor;
    case "missing":
      return undefined;
    case "empty":
      return "";
    case "same":
      return sent ?? cursor;
    case "cycle":
      return sent === undefined ? cursor : history.back(sent, fault.length - 1);
  }
}

/** Writes a page as JSON text and applies the faults. `sent` is the cursor of the request. */
export function pageText(
  draft: PageDraft,
  sent: string | undefined,
  struck: Struck,
  history: CursorHistory,
): string {
  const records = alteredRecords(draft, struck);
  const cursor = alteredCursor(draft.nextCursor, sent, struck, history);
  let envelope: Record<string, unknown> = {
    ...(cursor === undefined ? {} : { next_cursor: cursor }),
    as_of: formatInstant(draft.asOf),
    available_through: formatInstant(draft.availableThrough),
  };
  let withData = true;
  for (const fault of struck.all("page")) {
    envelope = edited(envelope, fault);
    if (fault.drop.includes("data") || "data" in fault.set || "data" in fault.raw) withData = false;
  }
  const rest = JSON.stringify(envelope);
  if (!withData) return rest;
  return `{"data":[${records.join(",")}]${rest === "{}" ? "" : ","}${rest.slice(1)}`;
}

/** Writes capabilities as JSON text and applies the faults. */
export function capabilitiesText(capabilities: Capabilities, struck: Struck): string {
  let document: unknown = capabilities;
  for (const fault of struck.all("capabilities")) {
    for (const [pointer, value] of Object.entries(fault.set))
      document = withPointer(document, pointer, value);
    for (const [pointer, text] of Object.entries(fault.raw))
      document = withPointer(document, pointer, parseLossless(text));
    for (const pointer of fault.drop) document = withPointer(document, pointer, undefined);
  }
  return JSON.stringify(document);
}
