/** The records of a page that JSON.parse has read, because the page is not plain. */
import type { RecordFingerprint } from "../core/identity.ts";
import { parseInstant } from "../core/time.ts";
import { type Fields, isFields, textOf } from "./fields.ts";
import type { PageRecord } from "./page_record.ts";
import type { PageRecords, VisitRecord, Warn } from "./page_records.ts";
import type { RecordSchema } from "./record_schema.ts";
import { rewritten, type RewrittenRecords } from "./rewriting.ts";

export class ParsedRecords implements PageRecords {
  readonly release: () => void;
  readonly #values: readonly unknown[];
  readonly #text: string;

  /**
   * @param values the page's `data`, not checked
   * @param text the page's whole body, without a byte order mark
   * @param release called once nobody reads the records any more
   */
  constructor(values: readonly unknown[], text: string, release: () => void) {
    this.#values = values;
    this.#text = text;
    this.release = release;
  }

  get length(): number {
    return this.#values.length;
  }

  each(schema: RecordSchema, visit: VisitRecord, warn: Warn): Buffer {
    const written = rewritten(this.#values, this.#text, schema, warn);
    const record = new ParsedRecord(schema, written);
    for (const [index, value] of this.#values.entries()) {
      record.moveTo(index, value);
      visit(record, index);
    }
    return written.bytes;
  }
}

class ParsedRecord implements PageRecord {
  value: unknown = null;
  start = 0;
  end = 0;
  columns: string | null = null;
  readonly #schema: RecordSchema;
  readonly #written: RewrittenRecords;
  readonly #view: DataView;
  #index = 0;
  /** The end of the bytes that 0.2.0 hashed. They include the members that are hashed but not written. */
  #hiddenEnd = 0;
  #startText = "";
  #chargeStart = Number.NaN;

  constructor(schema: RecordSchema, written: RewrittenRecords) {
    const { buffer, byteOffset, byteLength } = written.bytes;
    this.#schema = schema;
    this.#written = written;
    this.#view = new DataView(buffer, byteOffset, byteLength);
  }

  /** To be called for each record in turn, from 0. */
  moveTo(index: number, value: unknown): void {
    const { json, hidden } = this.#written.columnsOf(index) ?? NO_COLUMNS;
    const { ends } = this.#written;
    this.#index = index;
    this.value = value;
    this.start = ends[index - 1] ?? 0;
    this.#hiddenEnd = (ends[index] ?? 0) - 1;
    this.end = this.#hiddenEnd - hidden;
    this.columns = json;
  }

  get #members(): Fields {
    return isFields(this.value) ? this.value : {};
  }

  isValid(): boolean {
    return this.#schema.isValid(this.value);
  }

  /** The text is kept, because most records of a page start at the same instant as the record before. */
  get chargeStart(): number {
    const text = textOf(this.#members["ChargePeriodStart"]);
    if (text !== this.#startText) {
      this.#startText = text;
      this.#chargeStart = parseInstant(text) ?? Number.NaN;
    }
    return this.#chargeStart;
  }

  get updatedAt(): number {
    return parseInstant(textOf(this.#members["x_RecordUpdatedAt"])) ?? Number.NaN;
  }

  hashInto(print: RecordFingerprint, withFormer: boolean): void {
    const members = this.#members;
    print.setVersion(textOf(members["x_RecordId"]), textOf(members["x_RecordUpdatedAt"]));
    const inOrder = this.#written.inOrder(this.#index);
    if (inOrder === null) print.setContent(this.#view, this.start, this.#hiddenEnd);
    else print.setContentText(inOrder);
    if (withFormer) print.setFormer(this.#view, this.start, this.#hiddenEnd);
  }
}

const NO_COLUMNS = { json: null, hidden: 0 };
