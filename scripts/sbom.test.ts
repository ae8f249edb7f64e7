import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { sbomOf } from "./sbom.ts";

const product = { name: "example", version: "1.2.3", license: "MIT" };
const integrity = `sha512-${Buffer.from("hash").toString("base64")}`;
const locked = { version: "1.0.0", license: "MIT", integrity };
const lock = {
  packages: {
    "": { version: "1.2.3" },
    "node_modules/one": locked,
    "node_modules/@scope/two": { ...locked, license: "Apache-2.0" },
    "node_modules/one/node_modules/three": { ...locked, version: "0.3.0" },
    "node_modules/@scope/two/node_modules/three": { ...locked, version: "0.3.0" },
    "node_modules/extra": locked,
    "node_modules/unhashed": { version: "1.0.0", license: "MIT" },
  },
};
const named = (files: readonly string[], optional: readonly string[] = []): string[] =>
  sbomOf(product, { files, optional, lock }).components.map(
    ({ purl, scope }) => `${purl} ${scope}`,
  );

test("an SBOM names each package once that the bundle holds parts of, and no other", () => {
  const files = [
    "cli/main.ts",
    "node_modules/one/index.js",
    "node_modules/one/lib/more.js",
    "node_modules/one/node_modules/three/x.js",
    "node_modules/@scope/two/a.js",
    "node_modules/@scope/two/node_modules/three/x.js",
  ];
  expect(named(files, ["extra"])).toEqual([
    "pkg:npm/%40scope/two@1.0.0 required",
    "pkg:npm/three@0.3.0 required",
    "pkg:npm/one@1.0.0 required",
    "pkg:npm/extra@1.0.0 optional",
  ]);
  const [first] = sbomOf(product, { files, optional: [], lock }).components;
  expect(first).toMatchObject({
    licenses: [{ expression: "Apache-2.0" }],
    hashes: [{ alg: "SHA-512", content: Buffer.from("hash").toString("hex") }],
  });
});

test("an SBOM is not made of packages that the lock file does not know or has no hash of", () => {
  expect(() => named(["node_modules/unknown/a.js"])).toThrow("node_modules/unknown");
  expect(() => named(["node_modules/unhashed/a.js"])).toThrow("node_modules/unhashed");
});

test("every dependency of package.json has what an SBOM says of it", () => {
  const read = (name: string): unknown =>
    JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), "utf8"));
  const { dependencies } = read("package.json") as { dependencies: Record<string, string> };
  const files = Object.keys(dependencies).map((name) => `node_modules/${name}/index.js`);
  const real = sbomOf(product, { files, optional: [], lock: read("package-lock.json") });
  expect(Object.fromEntries(real.components.map(({ name, version }) => [name, version]))).toEqual(
    dependencies,
  );
});
