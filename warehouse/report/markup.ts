/** HTML as tagged templates. Inserted values are escaped as text, except HTML that this module made. */

/** A piece of HTML. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Characters that turn or isolate the text after them: a name with one of them would turn the digits of the amounts beside it. */
const TURNING = /[\u202A-\u202E\u2066-\u2069]/g;

/** A text in which such characters turn nothing and are seen as `[U+202E]`. The document and its data have the same names. */
const upright = (text: string): string =>
  text.replaceAll(TURNING, (mark) => `[U+${mark.charCodeAt(0).toString(16).toUpperCase()}]`);

type Part = string | number | Markup | readonly Markup[];

function written(part: Part): string {
  if (part instanceof Markup) return part.text;
  if (typeof part === "object") return part.map(({ text }) => text).join("\n");
  return upright(String(part)).replaceAll(/[&<>"']/g, (mark) => ESCAPES[mark] ?? "");
}

/** A template of HTML. Strings and numbers in it are escaped. */
export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const rest = parts.map((part, index) => written(part) + (strings[index + 1] ?? ""));
  return new Markup([strings[0], ...rest].join("").trim());
}

/** A value as JSON that is safe inside a `script` element. */
export const json = (value: unknown): Markup =>
  new Markup(upright(JSON.stringify(value)).replaceAll("<", "\\u003c"));
