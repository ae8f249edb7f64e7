/** The text of a record in one answer, for a provider whose members move. */
import { chanceOf } from "./random.ts";
import type { Version } from "./records.ts";

/** Whether the members of a record come in another order, or one of them differs, in each answer. */
export type Members = "same" | "order" | "volatile";

/** @param answer the number of the answer */
export function textOf(
  { text, extra }: Version,
  members: Members,
  salt: number,
  answer: number,
): string {
  if (members === "same") return text;
  const known = extra === "" ? text.slice(1, -1) : text.slice(1, -extra.length - 2);
  const parts = members === "order" ? shuffled(known, salt, answer) : [known];
  if (extra !== "") parts.push(extra);
  if (members === "volatile") parts.push(`"x_Answer":"${answer}"`);
  return `{${parts.join(",")}}`;
}

/** The members of a record in an order that `salt` decides. All values of the simulation are texts without commas, or null. */
function shuffled(members: string, ...salt: readonly number[]): string[] {
  const keyed = members.split(/,(?=")/).map((member, index) => ({
    member,
    key: chanceOf(...salt, index),
  }));
  return keyed.toSorted((a, b) => a.key - b.key).map(({ member }) => member);
}
