/** The schema of a stream's records, and what was learned from its records so far. All pages of a stream share it. */
import type { TextRule, TextRules } from "../generated/text_rules.ts";
import type { Validator, Violation } from "../generated/validators.js";
import { PlainShape, type ShapeRules } from "./plain_shape.ts";
import { KnownTexts } from "./texts.ts";

/** The properties that the connector adds to a record. A provider's members of these names move into `x_ProviderColumns` (R3). */
export const ADDED: ReadonlySet<string> = new Set(["x_ReadingId", "x_ProviderColumns"]);

/** The most shapes that a stream keeps from page to page, and the most characters of their names. */
const KEPT_SHAPES = 64;
const KEPT_CHARACTERS = 4096;

export class RecordSchema implements ShapeRules {
  readonly required: readonly string[];
  readonly #validate: Validator;
  readonly #rules: ReadonlyMap<string, TextRule>;
  readonly #known = new Map<string, KnownTexts>();
  readonly #shapes = new Map<string, PlainShape>();

  /** @param rules the same schema as `validate`, member by member */
  constructor(validate: Validator, { required, members }: TextRules) {
    this.#validate = validate;
    this.required = required;
    this.#rules = new Map(Object.entries(members));
  }

  /** Whether a value keeps the schema (V1). */
  isValid(value: unknown): boolean {
    return this.#validate(value);
  }

  /** The first rule that the latest value of {@link isValid} broke; undefined if that value is valid. */
  get violation(): Violation | undefined {
    return this.#validate.errors?.[0];
  }

  /** Whether the interface names a member. Any other may hold anything, also a number (V3). */
  isNamed(name: string): boolean {
    return this.#rules.has(name);
  }

  ruleOf(name: string): TextRule | undefined {
    return this.#rules.get(name);
  }

  knownOf(name: string): KnownTexts {
    const known = this.#known.get(name) ?? new KnownTexts();
    this.#known.set(name, known);
    return known;
  }

  /** The shape of these names. The next page may get the same object. */
  shapeOf(names: readonly string[]): PlainShape {
    const key = names.join('"'); // no name holds a quote
    const kept = this.#shapes.get(key);
    if (kept !== undefined) return kept;
    const shape = new PlainShape(names, this);
    if (this.#shapes.size >= KEPT_SHAPES) this.#shapes.clear();
    if (key.length <= KEPT_CHARACTERS) this.#shapes.set(key, shape);
    return shape;
  }
}
