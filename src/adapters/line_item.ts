/** The parts of OpenAI's line items, and the names of its models. */

/** The parts of a line item; null for a part that the line item does not name. */
export interface LineItem {
  /** As the report names it, with its date if it has one. */
  readonly model: string | null;
  readonly modality: string | null;
  readonly tokenKind: string | null;
  /** All that stands behind the model. */
  readonly meter: string | null;
}

const TOKEN_KINDS: ReadonlySet<string> = new Set([
  "input",
  "output",
  "cached input",
  "cache writes",
]);

/**
 * Reads `gpt-5, input`, `gpt-image-1 image, output`, `gpt-5.6-terra, cached input, long context` and bare `whisper`. A bare text of
 * several words, such as `web search tool calls`, names no model.
 */
export function readLineItem(item: string | null): LineItem {
  const [front = "", ...parts] = (item ?? "").split(", ");
  const [, name = front, modality = null] = /^(\S+) (text|image|audio|video)$/.exec(front) ?? [];
  const isModel = front !== "" && (parts.length > 0 || !/\s/.test(front));
  if (!isModel) return { model: null, modality: null, tokenKind: null, meter: null };
  const meter = [...(modality === null ? [] : [modality]), ...parts].join(", ");
  return {
    model: name,
    modality,
    tokenKind: parts.find((part) => TOKEN_KINDS.has(part)) ?? null,
    meter: meter === "" ? null : meter,
  };
}

/**
 * The name of a model without the date of its snapshot, so that usage and costs meet: `gpt-5-2025-08-07` is `gpt-5`, `gpt-4-0613` is
 * `gpt-4`. A fine-tuned model keeps its name.
 */
export function withoutDate(model: string | null): string | null {
  return model?.replace(/(?<=^[^:]+)-(?:20\d\d-\d\d-\d\d|(?:0[1-9]|1[0-2])[0-3]\d)$/, "") ?? null;
}
