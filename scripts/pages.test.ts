/** Clauses of the pages that nothing else compares with the repository: links, names of tests, numbers of seeds, the name of the image. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { describe, expect, test } from "vitest";

const root = new URL("../", import.meta.url).pathname;
const read = (path: string): string => readFileSync(`${root}${path}`, "utf8");

const PAGES = globSync("{*.md,{bench,conform,dbt,demo,docs}/**/*.md,*/**/{README,SPEC}.md}", {
  cwd: root,
  exclude: (path) => /(^|\/)(node_modules|target|dbt_packages|\.\w+)(\/|$)/.test(path),
});

/** The address that stands in front of a path of this repository where a page is read elsewhere. */
const ELSEWHERE = "https://github.com/source-ai-billing/source-ai-billing/blob/main/";

const prose = (text: string): string => text.replaceAll(/^```[\s\S]*?^```/gm, "");

/** The anchors of the headings of a page, as GitHub makes them. */
function anchorsOf(text: string): Set<string> {
  const headings = [...prose(text).matchAll(/^#{1,6} +(.*)$/gm)].map(([, heading = ""]) => heading);
  const slugs = headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, "")
      .replaceAll(" ", "-"),
  );
  return new Set(slugs);
}

/** The links of a page into this repository that lead nowhere. */
function deadLinks(page: string, text: string): string[] {
  const links = [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
  return links.filter((link) => {
    const isAbsolute = link.startsWith(ELSEWHERE);
    if (!isAbsolute && /^[a-z]+:/.test(link)) return false;
    const [path = "", anchor] = link.replace(ELSEWHERE, "").split("#");
    const base = isAbsolute ? "" : posix.dirname(page);
    const target = path === "" ? page : posix.join(base, path);
    if (!existsSync(`${root}${target}`)) return true;
    return anchor !== undefined && !anchorsOf(target === page ? text : read(target)).has(anchor);
  });
}

describe("links", () => {
  test("those of every page lead to a file, and to a heading of it", () => {
    expect(PAGES.length).toBeGreaterThan(40);
    expect(PAGES.flatMap((page) => deadLinks(page, read(page)))).toEqual([]);
  });

  test("one to no file or to no heading is found", () => {
    const text =
      "[a](none.md) [b](README.md#no-heading) [c](#here) [d](README.md#more)\n\n## Here\n";
    expect(deadLinks("CONTRIBUTING.md", text)).toEqual(["none.md", "README.md#no-heading"]);
  });
});

describe("the tests that kill processes", () => {
  const source = read("integration_tests/kills.test.ts");
  const titles = [...source.matchAll(/^ {2}"(.*\(seed %i\))",$/gm)].map(([, title = ""]) => title);
  const seeds = [...source.matchAll(/\{ few: (\d+), all: (\d+) \}/g)];
  const sum = (group: 1 | 2): number =>
    seeds.reduce((total, counts) => total + Number(counts[group]), 0);

  test("CONTRIBUTING names each of them by words that no other one has", () => {
    const words = [...read("CONTRIBUTING.md").matchAll(/-t "([^"]+)"/g)].map(
      ([, each = ""]) => each,
    );
    const found = words.map((each) => titles.filter((title) => title.includes(each)));
    expect(found.map(({ length }) => length)).toEqual([1, 1, 1]);
    expect(new Set(found.flat())).toEqual(new Set(titles));
  });

  test("their README says how many lives they play", () => {
    const said = /(\d+) lives, .*; (\d+) with SEEDS=all/.exec(read("integration_tests/README.md"));
    expect(said?.slice(1).map(Number)).toEqual([sum(1), sum(2)]);
  });
});

test("each page names the image by its version, because no other one is made", () => {
  const { version } = JSON.parse(read("package.json")) as { version: string };
  const images = PAGES.flatMap((page) => [
    ...read(page).matchAll(/docker run\b(?:[^\n]|\\\n)*?[ /](source-ai-billing(?::\S+)?)\s/g),
  ]).map(([, image]) => image);
  expect(images.length).toBeGreaterThan(5);
  expect(new Set(images)).toEqual(new Set([`source-ai-billing:${version}`]));
});
