/**
 * The walls between the parts, as the table of CONTRIBUTING.md names them, and no import in a circle. A type that is imported
 * counts like a value: a reader of the one file has to know the other.
 */
import { globSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { describe, expect, test } from "vitest";

const root = new URL("../", import.meta.url).pathname;
const read = (path: string): string => readFileSync(`${root}${path}`, "utf8");

const namesIn = (cell: string): string[] => cell.match(/[\w./]*\w[\w./]*/g) ?? [];
const section = read("CONTRIBUTING.md").split("\n## Which part imports which\n")[1] ?? "";
/** The rows: a part, the parts that it may import, and those that its tests may import too. */
const ROWS = [
  ...(section.split("\n## ")[0] ?? "").matchAll(/^\| `(.+)` \| (.*) \| (.*) \|$/gm),
].map(([, part = "", imports = "", tests = ""]) => ({
  part,
  imports: namesIn(imports),
  tests: namesIn(tests),
}));

/** The row of a file: the longest name that the path begins with; `src/emit.ts` is also the row of its tests. */
function rowOf(path: string) {
  const all = ROWS.filter(({ part }) => path.startsWith(part.replace(/\.ts$/, "")));
  return all.toSorted((a, b) => b.part.length - a.part.length)[0];
}

const isTest = (path: string): boolean => /\.(test|suite)\.ts$|\/testing(\.ts$|\/)/.test(path);

/** The files that a file imports, and `packages` for each package or module of Node. */
function importsOf(path: string, text: string): string[] {
  const imported =
    /^(?:import|export)\b[^;"]*?\bfrom "([^"]+)"|^import "([^"]+)"|\bimport\("([^"]+)"/gm;
  return [...text.matchAll(imported)].map(([, from, alone, late]) => {
    const name = from ?? alone ?? late ?? "";
    return name.startsWith(".") ? posix.join(posix.dirname(path), name) : "packages";
  });
}

/** The imports that no row allows. */
function forbidden(path: string, text: string): string[] {
  const row = rowOf(path);
  if (row === undefined) return [`${path} is in no row`];
  const allowed = new Set([
    row.part,
    ...row.imports,
    ...(isTest(path) ? ["packages", ...row.tests] : []),
  ]);
  const parts = importsOf(path, text).map((file) => rowOf(file)?.part ?? file);
  return parts.filter((part) => !allowed.has(part)).map((part) => `${path} imports ${part}`);
}

/** The files that import each other in a circle, or lie between two circles. */
function inCircles(imports: ReadonlyMap<string, readonly string[]>): string[] {
  for (let left = [...imports.keys()]; ;) {
    const imported = new Set(left.flatMap((file) => imports.get(file) ?? []));
    const importing = new Set(
      left.filter((file) => imports.get(file)?.some((to) => left.includes(to))),
    );
    const kept = left.filter((file) => imported.has(file) && importing.has(file));
    if (kept.length === left.length) return kept.toSorted();
    left = kept;
  }
}

const exclude = (path: string): boolean => /^(node_modules|dist|\..*)$/.test(posix.basename(path));
const files = new Map(
  globSync("*/**/*.{ts,mjs}", { cwd: root, exclude }).map((path) => [path, read(path)]),
);
const graph = new Map([...files].map(([path, text]) => [path, importsOf(path, text)]));

test("each file imports only what its row of CONTRIBUTING.md names", () => {
  expect([...files].flatMap(([path, text]) => forbidden(path, text))).toEqual([]);
});

test("each import that a row names is used", () => {
  const unused = ROWS.flatMap(({ part, imports, tests }) => {
    const used = { code: new Set<string>(), tests: new Set<string>() };
    for (const [path, imported] of graph) {
      if (rowOf(path)?.part !== part) continue;
      const parts = imported.map((file) => rowOf(file)?.part ?? file);
      for (const name of parts) used[isTest(path) ? "tests" : "code"].add(name);
    }
    const dead = [
      ...imports.filter((name) => !used.code.has(name)),
      ...tests.filter((name) => !used.tests.has(name)),
    ];
    return dead.map((name) => `${part}: ${name}`);
  });
  expect(unused).toEqual([]);
});

test("a row names only rows above it, so that no parts import each other in a circle", () => {
  const upward = ROWS.flatMap(({ part, imports }, at) => {
    const below = new Set(ROWS.slice(at).map((row) => row.part));
    return imports.filter((name) => below.has(name)).map((name) => `${part}: ${name}`);
  });
  expect(upward).toEqual([]);
});

test("no files import each other in a circle", () => {
  expect(inCircles(graph)).toEqual([]);
});

describe("a planted import is found", () => {
  test.each(ROWS)("in $part", ({ part, imports }) => {
    const own = [...files.keys()].filter((path) => rowOf(path)?.part === part);
    const path = own.find((file) => !isTest(file)) ?? "";
    const wall = ROWS.findLast((row) => row.part !== part && !imports.includes(row.part));
    const target = [...files.keys()].find((file) => rowOf(file) === wall) ?? "";
    const other = `import type { Other } from "${posix.relative(posix.dirname(path), target)}";`;
    const found = forbidden(path, `${other}\nimport "node:fs";\n${files.get(path)}`);
    const packages = imports.includes("packages") ? [] : [`${path} imports packages`];
    expect(found).toEqual([`${path} imports ${wall?.part}`, ...packages]);
  });

  test("that closes a circle", () => {
    const planted = new Map(graph).set("src/core/lines.ts", ["cli/main.ts"]);
    expect(inCircles(planted)).toContain("src/core/lines.ts");
  });
});
