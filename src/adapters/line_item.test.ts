import { expect, test } from "vitest";
import { readLineItem, withoutDate } from "./line_item.ts";

test.each([
  ["gpt-5, input", ["gpt-5", null, "input", "input"]],
  ["gpt-image-1 image, output", ["gpt-image-1", "image", "output", "image, output"]],
  [
    "gpt-image-2-2026-04-21 text, input",
    ["gpt-image-2-2026-04-21", "text", "input", "text, input"],
  ],
  ["gpt-5.6-terra, cache writes", ["gpt-5.6-terra", null, "cache writes", "cache writes"]],
  [
    "gpt-5, cached input, long context",
    ["gpt-5", null, "cached input", "cached input, long context"],
  ],
  ["whisper", ["whisper", null, null, null]],
  ["web search tool calls", [null, null, null, null]],
  ["ft:gpt-5:acme::1, output", ["ft:gpt-5:acme::1", null, "output", "output"]],
  [null, [null, null, null, null]],
  ["", [null, null, null, null]],
] as const)("the line item %s", (item, parts) => {
  const { model, modality, tokenKind, meter } = readLineItem(item);
  expect([model, modality, tokenKind, meter]).toEqual(parts);
});

test.each([
  ["gpt-5-2025-08-07", "gpt-5"],
  ["gpt-4-0613", "gpt-4"],
  ["gpt-4-1106-preview", "gpt-4-1106-preview"],
  ["gpt-5-mini", "gpt-5-mini"],
  ["ft:gpt-4o-2024-08-06", "ft:gpt-4o-2024-08-06"],
  [null, null],
])("%s without its date", (model, name) => {
  expect(withoutDate(model)).toBe(name);
});
