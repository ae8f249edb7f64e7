import { expect, test } from "vitest";
import { IdFilter } from "./id_filter.ts";

/** The words of the hash of the id with this number. */
const hashOf = (id: number): Uint32Array =>
  Uint32Array.of(Math.imul(id + 1, 0x9e3779b1), Math.imul(id + 1, 0x85ebca6b) ^ (id << 7));

test.each([1, 2, 1023, 1024, 1025, 5000])(
  "P5: each of %d ids is found, and few others",
  (count) => {
    const filter = new IdFilter(8192);
    for (let id = 0; id < count; id++) filter.add(hashOf(id));
    const ids = Array.from({ length: 10_000 }, (_, id) => id);
    const found = ids.filter((id) => filter.mayHave(hashOf(id)));
    expect(found.slice(0, count)).toEqual(ids.slice(0, count));
    expect(found.length - count).toBeLessThan(200);
  },
);

test("P5: an id that is added after a question is found, too", () => {
  const filter = new IdFilter(64);
  filter.add(hashOf(1));
  expect([1, 2].map((id) => filter.mayHave(hashOf(id)))).toEqual([true, false]);
  filter.add(hashOf(2));
  expect([1, 2].map((id) => filter.mayHave(hashOf(id)))).toEqual([true, true]);
});
