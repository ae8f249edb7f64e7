import { expect, it } from "vitest";
import { Secrets } from "./secrets.ts";

const TOKEN = "sk-ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcd/xyz+Q";

function masked(text: string): string {
  const secrets = new Secrets();
  secrets.add([TOKEN]);
  return secrets.mask(text);
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const hex = Buffer.from(TOKEN).toString("hex");

/** All parts of eight characters. */
const piecesOf = (text: string): string[] =>
  Array.from({ length: text.length - 7 }, (_, at) => text.slice(at, at + 8));

/** The last number is that of the characters around the secret. */
it.each<[string, string, number?]>([
  ["base64 behind one byte", base64(`x${TOKEN}`)],
  ["base64 behind two bytes", base64(`xy${TOKEN}`)],
  ["base64 among others", base64(`{"headers":["Bearer ${TOKEN}","x"]}`), 28],
  ["base64 of a URL", Buffer.from(`xy${TOKEN}zz`).toString("base64url")],
  ["hexadecimal digits", hex],
  ["large hexadecimal digits", hex.toUpperCase()],
  ["percent signs for all bytes", hex.replaceAll(/../g, "%$&")],
  ["JSON with slashes escaped", TOKEN.replaceAll("/", "\\/")],
  ["a text without its beginning", TOKEN.slice(9)],
  ["its middle", TOKEN.slice(11, 31)],
  ["two lines", `${TOKEN.slice(0, 25)}\n${TOKEN.slice(25)}`],
])("masks a secret as %s", (_, text, around = 0) => {
  const shown = masked(`before ${text} after`);
  expect(shown).toMatch(/^before .*\*{4}.* after$/s);
  const left = new Set(piecesOf(shown));
  const secret = piecesOf(text).slice(around, around === 0 ? undefined : -around);
  expect(secret.filter((piece) => left.has(piece))).toEqual([]);
});

it.each([
  TOKEN.slice(11, 30),
  "It has the words of many tokens: abcdefghij and 0123456789abcde.",
  Buffer.from("Bearer ").toString("base64"),
])("leaves what could be something else: %s", (text) => {
  expect(masked(text)).toBe(text);
});

it("masks each of two secrets that agree in a part, and what stands between them stays", () => {
  const secrets = new Secrets();
  secrets.add([`${TOKEN}-first`, `second-${TOKEN}`]);
  expect(secrets.mask(`${TOKEN}-first, second-${TOKEN}; ${TOKEN}`)).toBe("****, ****; ****");
});
