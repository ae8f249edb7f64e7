/** The clauses that the release keeps: a job either builds or publishes, and everything that it uses is named by its hash. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import * as z from "zod";

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const source = read(".github/workflows/release.yml");

const jobSchema = z.object({
  needs: z.union([z.string().transform((name) => [name]), z.array(z.string())]).default([]),
  permissions: z.record(z.string(), z.enum(["read", "write"])),
  outputs: z.record(z.string(), z.string()).default({}),
  steps: z.array(
    z.object({
      id: z.string().optional(),
      run: z.string().default(""),
      uses: z.string().default(""),
      with: z.record(z.string(), z.unknown()).default({}),
    }),
  ),
});
type Job = z.infer<typeof jobSchema>;

const { permissions, on, jobs } = z
  .object({
    on: z.object({ push: z.strictObject({ tags: z.array(z.string()) }) }),
    permissions: z.record(z.string(), z.string()),
    jobs: z.record(z.string(), jobSchema),
  })
  .parse(parse(source));

const named = Object.entries(jobs);
const commandsOf = ({ steps }: Job): string => steps.map(({ run }) => run).join("\n");
const usesOf = ({ steps }: Job): string[] => steps.map(({ uses }) => uses.split("@")[0] ?? "");
const writes = (job: Job): boolean => Object.values(job.permissions).includes("write");
const job = (name: string): Job => {
  const found = jobs[name];
  if (found === undefined) throw new Error(`there is no job ${name}`);
  return found;
};

/** All jobs that must have ended well before a job. */
const before = (name: string): string[] =>
  job(name).needs.flatMap((needed) => [needed, ...before(needed)]);

test("only a tag of a version starts a release, and no job has a permission that it does not name", () => {
  expect(on.push.tags).toEqual(["v[0-9]+.[0-9]+.[0-9]+"]);
  expect(permissions).toEqual({});
});

test("every action is named by the hash of a commit, and its version is beside it", () => {
  const lines = source.split("\n").filter((line) => line.includes("uses:"));
  expect(lines.length).toBeGreaterThan(5);
  for (const line of lines) {
    expect(line).toMatch(/uses: actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  }
});

describe("a job that may write", () => {
  const publishing = named.filter(([, each]) => writes(each));

  test("has one permission, and there is one for each place", () => {
    expect(Object.fromEntries(publishing.map(([name, each]) => [name, each.permissions]))).toEqual({
      "publish-image": { packages: "write" },
      "publish-package": { "id-token": "write" },
      page: { contents: "write" },
    });
  });

  test.each(publishing)(
    "%s runs no code of the repository or of a package, and builds nothing",
    (_, each) => {
      expect(usesOf(each)).not.toContain("actions/checkout");
      const commands = commandsOf(each);
      expect(commands).not.toMatch(
        /\bnpm (ci|install|i|pack|run|exec|test)\b|\bnpx\b|\bnode \S+\.(ts|m?js)/,
      );
      expect(commands).not.toMatch(/docker (buildx )?build\b|docker run\b/);
    },
  );

  test.each(publishing)("%s takes only files whose hash a build has told it", (name, each) => {
    expect(usesOf(each)).toContain("actions/download-artifact");
    const checked = each.steps.findIndex(({ run }) => /sha256sum --check --strict/.test(run));
    const used = each.steps.findIndex(({ run }) => /skopeo copy|npm publish|gh release/.test(run));
    expect(checked).toBeGreaterThan(0);
    expect(used).toBeGreaterThan(checked);
    expect(before(name)).toEqual(expect.arrayContaining(["test", "base", "image", "package"]));
  });
});

describe("a job that builds or tests", () => {
  const building = named.filter(([, each]) => !writes(each));

  test.each(building)("%s may write nothing and keeps no credential", (_, each) => {
    for (const { uses, with: given } of each.steps) {
      if (uses.startsWith("actions/checkout@")) expect(given["persist-credentials"]).toBe(false);
    }
    expect(commandsOf(each)).not.toMatch(/npm publish|docker push|docker login|github\.token/);
  });

  test("installs the package's tools without their scripts, and builds with the Node of the machine", () => {
    const commands = job("package")
      .steps.map(({ run }) => run)
      .filter((run) => run !== "");
    const installed = commands.indexOf("npm ci --ignore-scripts");
    const removed = commands.findIndex((run) => run.startsWith("rm -r node_modules/.bin/node "));
    const built = commands.indexOf("node scripts/build.ts");
    expect(installed).toBe(0);
    expect(removed).toBeGreaterThan(installed);
    expect(built).toBeGreaterThan(removed);
    expect(commands.indexOf("npm pack")).toBeGreaterThan(built);
    expect(commands.join("\n")).not.toMatch(/npx (?!.*--ignore-scripts)/);
  });
});

test("the package is published with its provenance, and without scripts", () => {
  const lines = source.split("\n").filter((line) => line.includes("npm publish"));
  expect(lines).toHaveLength(1);
  for (const option of ["--provenance", "--ignore-scripts", "./source-ai-billing.tgz"]) {
    expect(lines[0]).toContain(option);
  }
});

test("the image has provenance and SBOM, and the package's SBOM stands on the page of the release", () => {
  const built = /docker buildx build .*--output.*/.exec(commandsOf(job("image")))?.[0];
  expect(built).toContain("--provenance=mode=max");
  expect(built).toContain("--sbom=true");
  expect(commandsOf(job("publish-image"))).toContain("skopeo copy --all --preserve-digests");
  expect(commandsOf(job("page"))).toMatch(/gh release create .* sbom\.cdx\.json$/m);
});

test("the base image is resolved once, by its digest, and every stage of the Dockerfile begins with it", () => {
  expect(job("base").outputs["image"]).toBe("${{ steps.resolve.outputs.image }}");
  expect(commandsOf(job("base"))).toContain("^sha256:[0-9a-f]{64}$");
  expect(source).toContain("BASE: ${{ needs.base.outputs.image }}");
  const builds = commandsOf(job("image")).match(/docker buildx build .*/g) ?? [];
  expect(builds).toHaveLength(2);
  for (const build of builds) expect(build).toContain('--build-arg "BASE=$BASE"');
  const dockerfile = read("Dockerfile");
  expect(dockerfile.match(/^FROM .*/gm)).toEqual(["FROM ${BASE} AS build", "FROM ${BASE}"]);
  const tag = /^ARG BASE=(\S+)$/m.exec(dockerfile)?.[1];
  expect(commandsOf(job("base"))).toContain(`imagetools inspect ${tag} `);
});

test("SECURITY.md says what the release does", () => {
  const security = read("SECURITY.md");
  for (const word of ["provenance", "SBOM", "digest", "install script compares the version"]) {
    expect(security).toContain(word);
  }
  expect(read("scripts/pack.ts").match(/\b(?:pre|post)install\b.*/g)).toEqual([
    expect.stringContaining("PREINSTALL"),
  ]);
  expect(read("bin/needs_node.mjs")).not.toMatch(/\bimport\b|\brequire\b/);
});

test("the image is given every file that its build imports", () => {
  const build = read("scripts/build.ts");
  const imported = [...build.matchAll(/ from "[.]\/([\w.]+)"/g)].map(([, file]) => file);
  const given = read(".dockerignore").split("\n");
  expect(imported.length).toBeGreaterThan(0);
  expect(given).toEqual(
    expect.arrayContaining(["build.ts", ...imported].map((file) => `!scripts/${file}`)),
  );
});
