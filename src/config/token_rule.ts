/** Rules for pasted secrets. They recognize the usual mistakes and never quote the value. */

const PLACEHOLDER = /^\s*(?:…|\.{3}|<[^<>]*>)\s*$/;

/** The rule that an unchanged placeholder of an example breaks; `undefined` for every other text. */
export function placeholderRule(value: string): string | undefined {
  return PLACEHOLDER.test(value)
    ? "must be your own value: it still holds the placeholder of an example"
    : undefined;
}

/**
 * The rule that a token breaks; `undefined` if it breaks none. A token goes into an HTTP header unchanged, so a pasted
 * space or line break would break the request.
 */
export function tokenRule(value: string): string | undefined {
  if (value === "") return "must not be empty";
  if (/^\s*bearer\s/i.test(value)) {
    return 'must be the token alone, without the word "Bearer" in front of it';
  }
  const placeholder = placeholderRule(value);
  if (placeholder !== undefined) return placeholder;
  if (/\s/.test(value)) return "must be one word without spaces or line breaks";
  return /^[!-~]+$/.test(value)
    ? undefined
    : "must be one word of plain ASCII characters: it holds a character such as ä or … that no token has";
}
