/** Warnings about keys that are probably misspelled. Unknown keys are accepted, so nothing else would tell the user. */
import { isObject, membersOf } from "./members.ts";
import { configSchema } from "./schema.ts";

const KNOWN = Object.keys(configSchema.shape);
const KNOWN_CREDENTIALS = [
  ...new Set(configSchema.shape.credentials.options.flatMap(({ shape }) => Object.keys(shape))),
];

/** Two keys with at most this many edits between them are taken for one another. */
const MAXIMUM_EDITS = 2;

/** The most unknown keys that are compared; a platform adds a few of its own. */
const COMPARED_KEYS = 100;

/**
 * A warning for each unknown key that is nearly a known key. It quotes the unknown key, which holds no secret: it differs
 * from a known key by two letters at most.
 *
 * @param config the parsed JSON of a config file
 */
export function misspelledKeys(config: unknown): string[] {
  const { credentials } = membersOf(config);
  return [
    ...compare(config, "", KNOWN),
    ...(isObject(credentials) ? compare(credentials, "credentials.", KNOWN_CREDENTIALS) : []),
  ];
}

function compare(value: unknown, path: string, known: readonly string[]): string[] {
  const unknown = Object.keys(membersOf(value)).filter((key) => !known.includes(key));
  return unknown.slice(0, COMPARED_KEYS).flatMap((key) => {
    const meant = known.find((each) => isNearly(key, each));
    return meant === undefined
      ? []
      : [
          `The config has the unknown key ${path}${key}, which is ignored. Did you mean ${path}${meant}?`,
        ];
  });
}

/** Whether two keys are alike, without regard to case, hyphens, underscores and up to two edits. */
function isNearly(key: string, known: string): boolean {
  if (!/^[A-Za-z_-]{3,40}$/.test(key)) return false;
  const [a, b] = [key, known].map((each) => each.toLowerCase().replaceAll(/[_-]/g, ""));
  return a !== undefined && b !== undefined && edits(a, b) <= MAXIMUM_EDITS;
}

/** The Levenshtein distance: how many letters must be inserted, deleted or replaced. */
function edits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [index, letter] of Array.from(a).entries()) {
    const next = [index + 1];
    for (const [at, other] of Array.from(b).entries()) {
      const replaced = (row[at] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
