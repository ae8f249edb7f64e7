/** acceptance-test-config.yml as connector acceptance tests 3.9.8 read it. */
import { existsSync, readFileSync } from "node:fs";
import { expect, inject, test } from "vitest";
import { parse } from "yaml";
import { settingsSchema } from "./settings.ts";

const root = new URL("../../", import.meta.url);
const text = readFileSync(new URL("acceptance-test-config.yml", root), "utf8");
const settings: unknown = parse(text);

test("every member is one that the tests know", () => {
  expect(settingsSchema.safeParse(settings).error?.issues ?? []).toEqual([]);
});

test("a member of another section is refused", () => {
  const moved = text.replace("        empty_streams:", "        ignored_fields:");
  expect(moved).not.toBe(text);
  expect(settingsSchema.safeParse(parse(moved)).success).toBe(false);
});

test("each stream has expected records, or a reason why it has none", () => {
  const { acceptance_tests: sections } = settingsSchema.parse(settings);
  if (!("tests" in sections.basic_read)) throw new Error("basic_read has no tests");
  for (const { expect_records: wanted, empty_streams: empty = [] } of sections.basic_read.tests) {
    if (wanted === undefined || !("path" in wanted)) throw new Error("no records are expected");
    const lines = readFileSync(new URL(wanted.path, root), "utf8").trim().split("\n");
    const expected = lines.map((line) => (JSON.parse(line) as { stream: string }).stream);
    const reasons = empty.map(({ name, bypass_reason: reason }) =>
      reason === undefined ? "" : name,
    );
    const names = inject("catalog").streams.map(({ name }) => name);
    expect([...new Set(expected), ...reasons].toSorted()).toEqual(names.toSorted());
  }
});

test("every file that the repository has to hold is there", () => {
  const paths = [...text.matchAll(/_?path: (\S+)$/gm)].map(([, path = ""]) => path);
  expect(paths.length).toBeGreaterThan(0);
  for (const path of paths.filter((each) => !each.startsWith("secrets/"))) {
    expect(existsSync(new URL(path, root)), path).toBe(true);
  }
});
