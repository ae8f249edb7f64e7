/** The meters of OpenAI's usage rows. */
import type { JsonObject } from "./exact.ts";
import { less, type Meter, quantityIn } from "./meters.ts";

export const requests = (row: JsonObject): Meter => ({
  usageType: "requests",
  name: "Requests",
  unit: "Requests",
  quantity: quantityIn(row, "num_model_requests"),
});

export const inputTokens = (quantity: string | null): Meter => ({
  usageType: "input_tokens",
  name: "Input Tokens",
  unit: "Tokens",
  quantity,
});

/** A meter that is a member of the row as it is. */
export function meterOf(
  row: JsonObject,
  member: string,
  usageType: string,
  name: string,
  unit: string,
): Meter {
  return { usageType, name, unit, quantity: quantityIn(row, member) };
}

/**
 * Disjoint usage types: `input_tokens` of a row holds cached tokens, cache writes and audio, which are meters of their own
 * here, and so are images. `input_audio_tokens` and `input_image_tokens` are uncached; what is cached lies inside
 * `input_cached_tokens`. Rows of before June 2026 may name no images: these lie inside of input and output then.
 */
export function tokenMeters(row: JsonObject): Meter[] {
  const of = (name: string): string | null => quantityIn(row, name);
  const [cached, audio, outputAudio] = [
    of("input_cached_tokens"),
    of("input_audio_tokens"),
    of("output_audio_tokens"),
  ];
  const [image, outputImage] = [of("input_image_tokens"), of("output_image_tokens")];
  const [writes, halfHour, halfDay] = [
    of("input_cache_write_tokens"),
    of("input_cache_write_30m_tokens"),
    of("input_cache_write_12h_tokens"),
  ];
  const uncached =
    of("input_uncached_tokens") ??
    less(of("input_tokens"), cached, ...(writes === null ? [halfHour, halfDay] : [writes]));
  const tokens = (usageType: string, name: string, quantity: string | null): Meter => ({
    usageType,
    name,
    unit: "Tokens",
    quantity,
  });
  return [
    inputTokens(less(uncached, audio, image)),
    tokens("x_input_image_tokens", "Input Image Tokens", image),
    tokens("input_audio_tokens", "Input Audio Tokens", audio),
    tokens("cache_read_tokens", "Cache Read Tokens", cached),
    tokens("x_cache_write_30m_tokens", "Cache Write Tokens (30 min)", halfHour),
    tokens("x_cache_write_12h_tokens", "Cache Write Tokens (12 h)", halfDay),
    // Rows that name the sum of the writes, but not all of its parts.
    tokens("x_cache_write_tokens", "Cache Write Tokens", less(writes, halfHour, halfDay)),
    tokens("output_tokens", "Output Tokens", less(of("output_tokens"), outputAudio, outputImage)),
    tokens("x_output_image_tokens", "Output Image Tokens", outputImage),
    tokens("output_audio_tokens", "Output Audio Tokens", outputAudio),
    requests(row),
  ];
}
