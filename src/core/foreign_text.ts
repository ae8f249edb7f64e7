/**
 * Text from outside, made fit for a message (L4). A provider chooses the ids, names, headers and error texts that it sends,
 * and may aim them at the reader's terminal, at the log or at the credential.
 */

/** The most characters (UTF-16 code units) that a message shows of one foreign text. */
export const SHOWN_CHARACTERS = 200;

/** A text is cut to this number of characters before it is cleaned, so that a long text is not cleaned as a whole. */
const CLEANED_CHARACTERS = 20 * SHOWN_CHARACTERS;

/** Stands for a secret. */
const MASK = "****";

/** Stands for the end of a text that was cut. */
const CUT = "…";

/** {@link CUT} in a text or percent-encoded in an address. */
const CUT_MARKS = /(…|%E2%80%A6)/;

/** The shortest beginning of a secret that is masked if a text was cut inside the secret. */
const SHORTEST_PART = 4;

/** Sequences that a terminal obeys (ECMA-48): control sequences, and strings up to their end. */
// oxlint-disable-next-line no-control-regex
const TERMINAL_SEQUENCE =
  /\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[\u001b\u009b]\[?[0-?]*[ -/]*[@-~]/g;

/**
 * Makes a foreign text fit for a message: masks the secret, removes terminal sequences, controls and marks of direction,
 * joins all lines, and cuts the text at {@link SHOWN_CHARACTERS}. The result is well-formed Unicode.
 *
 * @param secret the credential that the provider has seen, if the caller knows it. The writer of messages masks all secrets
 *   of the config, and also the part of a secret before a cut.
 */
export function foreignText(text: string, secret = ""): string {
  const isLong = text.length > CLEANED_CHARACTERS;
  const head = isLong ? `${text.slice(0, CLEANED_CHARACTERS)}${CUT}` : text;
  const clean = maskSecrets(head, secret === "" ? [] : [secret])
    .toWellFormed()
    .replaceAll(TERMINAL_SEQUENCE, "")
    .replaceAll(/\p{Cf}/gu, "")
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  if (clean.length <= SHOWN_CHARACTERS) return clean;
  const cut = clean.slice(0, SHOWN_CHARACTERS);
  const isInsideOfCharacter = !cut.isWellFormed();
  return `${isInsideOfCharacter ? cut.slice(0, -1) : cut}${CUT}`;
}

/**
 * Replaces secrets in a text, in upper or lower case. If the text was cut inside a secret, replaces the part that is left.
 *
 * @param secrets none of them empty, the longest first, because one may be a part of another
 */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  if (secrets.length === 0) return text;
  const whole = new RegExp(secrets.map((secret) => RegExp.escape(secret)).join("|"), "gi");
  const parts = text.replaceAll(whole, MASK).split(CUT_MARKS);
  const last = parts.pop() ?? "";
  const beforeCuts = parts.map((part) => {
    const length = Math.max(0, ...secrets.map((secret) => lengthOfPart(part, secret)));
    return length === 0 ? part : `${part.slice(0, -length)}${MASK}`;
  });
  return [...beforeCuts, last].join("");
}

/** The length of the longest beginning of `secret` that `text` ends in; 0 if it is not worth masking. */
function lengthOfPart(text: string, secret: string): number {
  const end = text.slice(-secret.length).toLowerCase();
  const start = secret.toLowerCase();
  for (let length = Math.min(end.length, start.length - 1); length >= SHORTEST_PART; length -= 1) {
    if (end.endsWith(start.slice(0, length))) return length;
  }
  return 0;
}
