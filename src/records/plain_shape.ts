/**
 * Plain records of one shape: the same names in the same order. A shape moves from record to record of a page, and looks
 * only at the members that differ from the record before:
 *
 * - It **checks** a changed member by its bytes. The other members were checked with an earlier record. The rules of a record
 *   apply to one member each, so a record is valid if all its members are (V1). A doubtful member is no error yet: the
 *   generated validator decides.
 * - It **decodes** a member when somebody reads the member, and not before.
 */
import type { RecordFingerprint } from "../core/identity.ts";
import { instantAt, parseInstant } from "../core/time.ts";
import type { TextRule } from "../generated/text_rules.ts";
import { textOf } from "./fields.ts";
import type { PageRecord } from "./page_record.ts";
import { isDecimal, type KnownTexts, NULL } from "./texts.ts";
import { compareMembers } from "./usual_order.ts";

export type Encoding = "latin1" | "utf8";

/** The rules of a stream's records, as far as a shape needs them. */
export interface ShapeRules {
  readonly required: readonly string[];
  /** The rule of a member; undefined if the interface does not name the member, which may then hold anything. */
  ruleOf(name: string): TextRule | undefined;
  /** The values of a member that the validator has accepted. */
  knownOf(name: string): KnownTexts;
  /** Asks the validator about a whole record. */
  isValid(record: unknown): boolean;
}

/** The start of a value that is not decoded yet. */
const NOWHERE = -2;

export class PlainShape implements PageRecord {
  readonly value: Readonly<Record<string, string | null>>;
  start = 0;
  end = 0;
  readonly #rules: ShapeRules;
  readonly #names: readonly string[];
  /** Those that the interface does not name. */
  readonly #foreign: readonly string[];
  readonly #ruleOf: readonly (TextRule | undefined)[];
  /** The accepted values of members with the rule `other`. */
  readonly #known: readonly (KnownTexts | undefined)[];
  /** Whether a shape has all required members. */
  readonly #isComplete: boolean;
  readonly #id: number;
  readonly #updated: number;
  readonly #chargeStart: number;
  // The starts and ends of the present record's values, in its bytes or in those of an earlier record with the same value.
  readonly #starts: Int32Array;
  readonly #ends: Int32Array;
  /** 1 for a member that may be invalid. */
  readonly #doubtful: Uint8Array;
  #doubts = 0;
  /** The positions of the members in their usual order; null if the record already has this order. */
  readonly #order: readonly number[] | null;
  /** For each place the bytes before its value: the name, quotes included, and the colon. */
  readonly #labels: readonly Uint8Array[];
  // The present record in the usual order, its values' starts and ends there, and the places that changed since it was made.
  #image: Uint8Array = NO_BYTES;
  #view: DataView = NO_VIEW;
  #imageEnd = 0;
  readonly #imageStarts: Int32Array;
  readonly #imageEnds: Int32Array;
  readonly #changed: Int32Array;
  #changes = 0;
  readonly #texts: (string | null)[];
  /** The start of the value in `#texts`. */
  readonly #decoded: Int32Array;
  // The page.
  #bytes: Buffer = NO_BYTES;
  #page: DataView = NO_VIEW;
  #encoding: Encoding = "utf8";
  /** The instants of members that were asked for, and the starts of the values in them. */
  readonly #instants: Float64Array;
  readonly #instantFrom: Int32Array;

  constructor(names: readonly string[], rules: ShapeRules) {
    this.#rules = rules;
    this.#names = names;
    this.#ruleOf = names.map((name) => rules.ruleOf(name));
    this.#known = names.map((name) =>
      rules.ruleOf(name) === "other" ? rules.knownOf(name) : undefined,
    );
    this.#foreign = names.filter((name) => rules.ruleOf(name) === undefined);
    this.#isComplete = rules.required.every((name) => names.includes(name));
    this.#id = names.indexOf("x_RecordId");
    this.#updated = names.indexOf("x_RecordUpdatedAt");
    this.#chargeStart = names.indexOf("ChargePeriodStart");
    this.#starts = new Int32Array(names.length);
    this.#ends = new Int32Array(names.length);
    this.#doubtful = new Uint8Array(names.length);
    const inOrder = [...names.keys()].toSorted((a, b) =>
      compareMembers(names[a] ?? "", names[b] ?? ""),
    );
    this.#order = inOrder.every((place, index) => place === index) ? null : inOrder;
    this.#labels = this.#order === null ? [] : names.map((name) => Buffer.from(`"${name}":`));
    const moved = this.#order === null ? 0 : names.length;
    this.#imageStarts = new Int32Array(moved);
    this.#imageEnds = new Int32Array(moved);
    this.#changed = new Int32Array(moved);
    this.#texts = names.map(() => null);
    this.#decoded = new Int32Array(names.length);
    this.#instants = new Float64Array(names.length);
    this.#instantFrom = new Int32Array(names.length);
    this.value = this.#lazyMembers();
  }

  /**
   * To be called before the records of each page. All members of the page's first record count as changed.
   *
   * @param view the same memory as `bytes`
   */
  begin(bytes: Buffer, view: DataView, encoding: Encoding): void {
    this.#bytes = bytes;
    this.#page = view;
    this.#encoding = encoding;
    this.#imageEnds.fill(0); // the first record makes a new image
    this.#changes = 0;
    this.#decoded.fill(NOWHERE);
    this.#instantFrom.fill(NOWHERE);
  }

  /** To be called after the records of a page: their memory is free then. */
  close(): void {
    this.#bytes = NO_BYTES;
    this.#page = NO_VIEW;
    this.#image = NO_BYTES;
    this.#view = NO_VIEW;
    this.#texts.fill(null);
  }

  /** A member of the present record differs from the record before: its text stands from `start` to `end`; -1 for null. */
  change(place: number, start: number, end: number): void {
    this.#starts[place] = start;
    this.#ends[place] = end;
    if (this.#order !== null) this.#noteChange(place);
    const doubtful = this.#isSurelyValid(place, start, end) ? 0 : 1;
    this.#doubts += doubtful - (this.#doubtful[place] ?? 0);
    this.#doubtful[place] = doubtful;
  }

  /** A shape may change more often than its records are hashed. In that case the image is made again. */
  #noteChange(place: number): void {
    if (this.#changes < this.#changed.length) this.#changed[this.#changes] = place;
    else this.#imageEnds.fill(0);
    this.#changes = Math.min(this.#changes + 1, this.#changed.length);
  }

  /** To be called after the changes of a record: the record stands from `start` to `end` (exclusive), without its closing brace. */
  moveTo(start: number, end: number): void {
    this.start = start;
    this.end = end;
  }

  /** Only a doubtful record is shown to the validator, and its values are remembered if they are accepted. */
  isValid(): boolean {
    if (this.#doubts === 0 && this.#isComplete) return true;
    if (!this.#rules.isValid(this.value)) return false;
    for (const [place, known] of this.#known.entries()) {
      known?.add(this.#bytes, this.#starts[place] ?? 0, this.#ends[place] ?? 0);
    }
    this.#doubtful.fill(0);
    this.#doubts = 0;
    return true;
  }

  /** A plain record has no member with a name of our own properties. */
  get columns(): string | null {
    if (this.#foreign.length === 0) return null;
    return JSON.stringify(
      Object.fromEntries(this.#foreign.map((name) => [name, this.value[name]])),
    );
  }

  hashInto(print: RecordFingerprint, withFormer: boolean): void {
    const id = this.#starts[this.#id] ?? NULL;
    const updated = this.#starts[this.#updated] ?? NULL;
    if (id === NULL || updated === NULL) {
      print.setVersion(textOf(this.value["x_RecordId"]), textOf(this.value["x_RecordUpdatedAt"]));
    } else {
      const idEnd = this.#ends[this.#id] ?? 0;
      print.setVersionAt(this.#bytes, id, idEnd, updated, this.#ends[this.#updated] ?? 0);
    }
    if (this.#order === null) print.setContent(this.#page, this.start, this.end);
    else print.setContent(...this.#inOrder(this.#order));
    if (withFormer) print.setFormer(this.#page, this.start, this.end);
  }

  /** The members of the present record in their usual order. Copies only those that changed, if they are as long as before. */
  #inOrder(order: readonly number[]): [view: DataView, start: number, end: number] {
    const changed = this.#changed;
    for (let index = 0; index < this.#changes; index++) {
      if (this.#patch(changed[index] ?? 0)) continue;
      this.#writeAll(order);
      break;
    }
    this.#changes = 0;
    return [this.#view, 0, this.#imageEnd];
  }

  /** Replaces a changed value in the image. Gives false if its length differs, so that the members behind it move. */
  #patch(place: number): boolean {
    const start = this.#starts[place] ?? NULL;
    const end = this.#ends[place] ?? 0;
    const length = start === NULL ? NULL_BYTES.length : end - start + 2;
    const at = this.#imageStarts[place] ?? 0;
    if (length !== (this.#imageEnds[place] ?? 0) - at) return false;
    this.#writeValue(start, end, at);
    return true;
  }

  /** Writes the image of the present record: its bytes with the members in their usual order, without the closing brace. */
  #writeAll(order: readonly number[]): void {
    let length = 1;
    for (const place of order) {
      const start = this.#starts[place] ?? NULL;
      const value = start === NULL ? NULL_BYTES.length : (this.#ends[place] ?? 0) - start + 2;
      length += (this.#labels[place]?.length ?? 0) + value + 1;
    }
    if (length > this.#image.length) {
      this.#image = new Uint8Array(2 * length);
      this.#view = new DataView(this.#image.buffer);
    }
    const image = this.#image;
    let to = 0;
    for (const place of order) {
      image[to++] = to === 1 ? OPEN : COMMA;
      const label = this.#labels[place] ?? NO_BYTES;
      image.set(label, to);
      to += label.length;
      this.#imageStarts[place] = to;
      to = this.#writeValue(this.#starts[place] ?? NULL, this.#ends[place] ?? 0, to);
      this.#imageEnds[place] = to;
    }
    this.#imageEnd = to;
  }

  /** Writes a value into the image at `at`. Gives its end. */
  #writeValue(start: number, end: number, at: number): number {
    const image = this.#image;
    if (start === NULL) {
      image.set(NULL_BYTES, at);
      return at + NULL_BYTES.length;
    }
    const bytes = this.#bytes;
    let to = at;
    image[to++] = QUOTE;
    for (let from = start; from < end; from++) image[to++] = bytes[from] ?? 0;
    image[to++] = QUOTE;
    return to;
  }

  /** `ChargePeriodStart` in milliseconds since 1970; NaN if it is no instant. */
  get chargeStart(): number {
    return this.#keptInstant(this.#chargeStart);
  }

  /** `x_RecordUpdatedAt` in the same form. */
  get updatedAt(): number {
    return this.#keptInstant(this.#updated);
  }

  #keptInstant(place: number): number {
    const start = this.#starts[place] ?? NULL;
    if (start === NULL) return Number.NaN;
    if (start !== this.#instantFrom[place]) {
      this.#instantFrom[place] = start;
      this.#instants[place] = this.#instantOf(place);
    }
    return this.#instants[place] ?? Number.NaN;
  }

  #instantOf(place: number): number {
    const start = this.#starts[place] ?? 0;
    const isUsual = (this.#ends[place] ?? 0) - start === 20;
    const instant = isUsual ? instantAt(this.#bytes, start) : Number.NaN;
    return Number.isNaN(instant) ? (parseInstant(this.#text(place) ?? "") ?? instant) : instant;
  }

  #isSurelyValid(place: number, start: number, end: number): boolean {
    const isText = start !== NULL;
    switch (this.#ruleOf[place]) {
      case undefined:
      case "nullable":
        return true;
      case "text":
        return isText;
      case "filled":
        return isText && end > start;
      case "instant":
        return isText && !Number.isNaN(this.#keptInstant(place));
      case "decimal":
        return isText && isDecimal(this.#bytes, start, end);
      case "nullableDecimal":
        return !isText || isDecimal(this.#bytes, start, end);
      case "other":
        return this.#known[place]?.has(this.#bytes, start, end) === true;
    }
  }

  #text(place: number): string | null {
    const start = this.#starts[place] ?? NULL;
    if (start !== this.#decoded[place]) {
      const end = this.#ends[place] ?? 0;
      this.#decoded[place] = start;
      this.#texts[place] = start === NULL ? null : this.#bytes.toString(this.#encoding, start, end);
    }
    return this.#texts[place] ?? null;
  }

  #lazyMembers(): PlainShape["value"] {
    const members = {};
    for (const [place, name] of this.#names.entries()) {
      Object.defineProperty(members, name, { enumerable: true, get: () => this.#text(place) });
    }
    return members;
  }
}

const NO_BYTES = Buffer.alloc(0);
const NO_VIEW = new DataView(new ArrayBuffer(0));
const NULL_BYTES = Buffer.from("null");
const OPEN = 0x7b;
const COMMA = 0x2c;
const QUOTE = 0x22;
