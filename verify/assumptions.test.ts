import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ASSUMPTIONS } from "./assumptions.ts";

const page = readFileSync(new URL("../docs/adapters.md", import.meta.url), "utf8");

/** The rows of the table of assumptions: id, assumption, source, and what `verify` needs. */
const ROWS = [...page.matchAll(/^\| ((?:ANT|OAI|ORT|NAM|ALL)-\d\d) +\|(.*)\|(.*)\|(.*)\|$/gm)].map(
  ([, id = "", text = "", source = "", decidedBy = ""]) => ({
    id,
    text: text.trim().replaceAll("`", ""),
    source: source.trim(),
    decidedBy: decidedBy.trim(),
  }),
);

test("the table of docs/adapters.md and the code name the same assumptions, in the same words", () => {
  const decided = ROWS.filter(({ decidedBy }) => decidedBy !== "–");
  const known = Object.values(ASSUMPTIONS).flat();
  const unique = known.filter(({ id }, at) => known.findIndex((each) => each.id === id) === at);
  const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);
  expect(
    decided.map(({ id, text, decidedBy }) => ({ id, text, decidedBy })).toSorted(byId),
  ).toEqual(unique.toSorted(byId));
});

test("verify can decide every assumption that nobody has confirmed", () => {
  const open = ROWS.filter(({ source }) => source.includes("unconfirmed"));
  expect(open.length).toBeGreaterThan(10);
  expect(open.filter(({ decidedBy }) => decidedBy === "–")).toEqual([]);
});
