/** Finds the place of a fault in a JSON file. A module of its own, because it is loaded only after JSON.parse has refused a file. */
import { visit } from "jsonc-parser";

/**
 * The offset in UTF-16 units of the first token that cannot be part of JSON (RFC 8259), or of the end where the text
 * just stops.
 *
 * @param text a text that `JSON.parse` refuses
 * @param engine the message of `JSON.parse`; it quotes the text, so only a number is taken from it
 */
export function jsonFaultOffset(text: string, engine: string): number {
  const offset = firstFault(text);
  // The engine names a place for some faults only. Inside a broken string the parser's place is better. For all other faults the
  // engine's place is better: the parser takes `truefalse` for one wrong word.
  const position = /\bposition (\d+)/.exec(engine)?.[1];
  return position === undefined || text[offset] === '"' ? offset : Number(position);
}

function firstFault(text: string): number {
  let first = text.length;
  const onError = (_: number, offset: number): void => {
    first = Math.min(first, offset);
  };
  try {
    visit(text, { onError }, { disallowComments: true });
  } catch (reason) {
    // The parser recurses. It finds no place if the text is nested deeper than the stack (thousands of levels).
    if (!(reason instanceof RangeError)) throw reason;
  }
  return first;
}
