/** Damages inputs: changes of a tree keep it JSON; changes of bytes may not. */
import type { Random } from "../random.ts";
import type { Json, Member } from "./json.ts";
import { DECIMALS, INSTANTS, NAMES, NUMBERS, TEXTS, WORDS } from "./odd_values.ts";

/** Draws damage. Every change depends only on the seed. */
export class Mutator {
  readonly #random: Random;
  readonly #mark: string;

  /** @param mark a text that no message about the input may contain */
  constructor(random: Random, mark: string) {
    this.#random = random;
    this.#mark = mark;
  }

  /** The tree with some changes at random places. Two times in five they do not change the known members. */
  tree(json: Json): Json {
    const random = this.#random;
    const isGentle = random.chance(0.4);
    let changed = json;
    for (let left = random.pick([0, 1, 1, 1, 2, 3, 8]); left > 0; left--) {
      const place = random.int(0, sizeOf(changed) - 1);
      changed = replaceAt(changed, place, (node) =>
        isGentle ? this.#respell(node) : this.#change(node),
      );
    }
    return changed;
  }

  /** Gentle changes: another spelling or order, a repeated member, or an additional one. */
  #respell(json: Json): Json {
    const random = this.#random;
    if (json.kind === "scalar") return { kind: "scalar", text: respelled(random, json.text) };
    if (json.kind === "array") return json;
    const { members } = json;
    const at = random.int(0, Math.max(0, members.length - 1));
    const chosen = members[at];
    if (chosen === undefined) return json;
    const more = { name: this.#name(), value: this.#value() };
    const changed = {
      more: () => members.toSpliced(random.int(0, members.length), 0, more),
      turned: () => [...members.slice(at), ...members.slice(0, at)],
      twice: () => [...members, chosen],
      spelled: () => members.toSpliced(at, 1, { ...chosen, name: respelled(random, chosen.name) }),
    };
    return {
      kind: "object",
      members: changed[random.pick(["more", "more", "turned", "twice", "spelled"])](),
    };
  }

  #scalarText(): string {
    const random = this.#random;
    const quoted = (list: readonly [string, ...string[]]): string => `"${random.pick(list)}"`;
    switch (random.int(0, 7)) {
      case 0:
        return random.pick(["null", "true", "false"]);
      case 1:
        return random.pick(NUMBERS);
      case 2:
        return quoted(DECIMALS);
      case 3:
        return quoted(INSTANTS);
      case 4:
        return quoted(WORDS);
      case 5:
        return quoted([this.#mark, `${this.#mark} with a space`]);
      default:
        return random.pick(TEXTS);
    }
  }

  /** Another value of any kind. */
  #value(depth = 0): Json {
    const random = this.#random;
    if (depth > 3 || random.chance(0.7)) {
      return { kind: "scalar", text: this.#scalarText() };
    }
    if (random.chance(0.02)) return nested(random.pick([20, 400, 3000, 20_000]));
    const length = random.int(0, 3);
    const values = Array.from({ length }, () => this.#value(depth + 1));
    return random.chance(0.5)
      ? { kind: "array", items: values }
      : { kind: "object", members: values.map((value) => ({ name: this.#name(), value })) };
  }

  #name(): string {
    return this.#random.chance(0.1) ? `"${this.#mark}"` : this.#random.pick(NAMES);
  }

  #change(json: Json): Json {
    if (this.#random.chance(0.3)) return this.#value();
    switch (json.kind) {
      case "object":
        return { kind: "object", members: this.#members(json.members) };
      case "array":
        return { kind: "array", items: this.#items(json.items) };
      case "scalar":
        return { kind: "scalar", text: this.#scalar(json.text) };
    }
  }

  #members(members: readonly Member[]): Member[] {
    const random = this.#random;
    const at = random.int(0, Math.max(0, members.length - 1));
    const chosen = members[at];
    const other = members[random.int(0, Math.max(0, members.length - 1))];
    if (chosen === undefined || other === undefined || random.chance(0.2)) {
      const added = { name: this.#name(), value: this.#value() };
      return members.toSpliced(random.int(0, members.length), 0, added);
    }
    switch (random.int(0, 5)) {
      case 0:
        return members.toSpliced(at, 1);
      case 1:
        return members.toSpliced(at, 1, { ...chosen, name: this.#name() });
      case 2:
        return members.toSpliced(at, 1, { ...chosen, value: other.value });
      case 3: // a name twice
        return [
          ...members,
          { ...chosen, value: random.chance(0.5) ? chosen.value : this.#value() },
        ];
      case 4:
        return [...members.slice(at), ...members.slice(0, at)];
      default:
        return members.toSpliced(at, 1, { ...chosen, name: respelled(random, chosen.name) });
    }
  }

  #items(items: readonly Json[]): Json[] {
    const random = this.#random;
    const at = random.int(0, Math.max(0, items.length - 1));
    const chosen = items[at];
    if (chosen === undefined) return [this.#value()];
    switch (random.int(0, 4)) {
      case 0:
        return items.toSpliced(at, 1);
      case 1: // one twice
        return items.toSpliced(random.int(0, items.length), 0, chosen);
      case 2:
        return items.toReversed();
      case 3:
        return items.toSpliced(at, 1, { kind: "array", items: [chosen] });
      default:
        return items.toSpliced(random.int(0, items.length), 0, this.#value());
    }
  }

  #scalar(text: string): string {
    const random = this.#random;
    if (!text.startsWith('"')) return this.#scalarText();
    switch (random.int(0, 3)) {
      case 0:
        return respelled(random, text);
      case 1: {
        const cut = random.int(1, Math.max(1, text.length - 2));
        const shorter = `${text.slice(0, cut)}"`;
        return text.includes("\\") ? '"short"' : shorter;
      }
      case 2:
        return `${text.slice(0, -1)}${random.pick(["0", " ", "Z", "\\n", "é", "\u2028", "\\ud83d"])}"`;
      default:
        return this.#scalarText();
    }
  }

  /** The bytes with a few changes that ignore JSON. */
  bytes(bytes: Uint8Array): Uint8Array {
    const random = this.#random;
    let list = [...bytes];
    for (let left = random.int(1, 3); left > 0; left--) {
      const at = random.int(0, list.length);
      const length = random.int(1, random.pick([1, 4, 40]));
      switch (random.int(0, 6)) {
        case 0:
          list[Math.min(at, list.length - 1)] = random.int(0, 255);
          break;
        case 1:
          list.splice(at, 0, random.int(0, 255));
          break;
        case 2:
          list.splice(at, length);
          break;
        case 3:
          list = list.slice(0, at);
          break;
        case 4: {
          const from = random.int(0, list.length);
          list.splice(at, 0, ...list.slice(from, from + length));
          break;
        }
        case 5:
          list.splice(
            at,
            0,
            ...Buffer.from(random.pick(['"', "{", "}", "[", "]", ",", ":", "\\", "0"])),
          );
          break;
        default:
          list = [...Buffer.from("\uFEFF"), ...list];
      }
    }
    return Uint8Array.from(list);
  }

  /** Random bytes. */
  noise(): Uint8Array {
    const random = this.#random;
    const isText = random.chance(0.5);
    const marks = Buffer.from('{}[]:,"\\ \n0123456789.eE+-truefalsn');
    return Uint8Array.from({ length: random.int(0, 60) }, () =>
      isText ? (marks[random.int(0, marks.length - 1)] ?? 0) : random.int(0, 255),
    );
  }

  /** The tree as text, half of the time with random blanks between its parts. */
  text(json: Json): string {
    const often = this.#random.pick([0, 0.1]);
    const blank = (): string =>
      this.#random.chance(often) ? this.#random.pick([" ", "\n", "\t", "\r\n"]) : "";
    const write = (node: Json): string => {
      switch (node.kind) {
        case "scalar":
          return blank() + node.text + blank();
        case "array":
          return `[${blank()}${node.items.map(write).join(",")}]`;
        case "object":
          return `{${node.members
            .map(({ name, value }) => `${blank()}${name}${blank()}:${write(value)}`)
            .join(",")}${blank()}}`;
      }
    };
    return write(json);
  }
}

/** The same text with some of its characters as escapes. */
function respelled(random: Random, scalar: string): string {
  if (!scalar.startsWith('"') || scalar.includes("\\")) return scalar;
  return scalar.replaceAll(/[^"\ud800-\udfff]/g, (character) =>
    random.chance(0.7) ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function nested(depth: number): Json {
  // One scalar holds all brackets: a function that walks through the levels would overflow the stack.
  return { kind: "scalar", text: "[".repeat(depth) + "]".repeat(depth) };
}

/** The number of values in a tree, with the root. */
function sizeOf(json: Json): number {
  switch (json.kind) {
    case "scalar":
      return 1;
    case "array":
      return json.items.reduce((sum, item) => sum + sizeOf(item), 1);
    case "object":
      return json.members.reduce((sum, { value }) => sum + sizeOf(value), 1);
  }
}

/** The tree with its `place`-th value, counted from 0 at the top, replaced. */
function replaceAt(json: Json, place: number, change: (node: Json) => Json): Json {
  if (place === 0) return change(json);
  let left = place - 1;
  const replaced = (child: Json): Json => {
    const size = sizeOf(child);
    const isHere = left >= 0 && left < size;
    const result = isHere ? replaceAt(child, left, change) : child;
    left -= size;
    return result;
  };
  switch (json.kind) {
    case "scalar":
      return json;
    case "array":
      return { kind: "array", items: json.items.map(replaced) };
    case "object":
      return {
        kind: "object",
        members: json.members.map(({ name, value }) => ({ name, value: replaced(value) })),
      };
  }
}
