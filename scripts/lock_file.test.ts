import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

interface Locked {
  readonly version: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), "utf8"));

const { packages } = read("package-lock.json") as {
  readonly packages: Readonly<Record<string, Locked>>;
};
const installed = Object.entries(packages).filter(([path]) => path !== "");

test("the lock file has a hash of every package that is installed", () => {
  expect(installed.filter(([, { integrity }]) => integrity === undefined)).toEqual([]);
});

test("only scripts that we know run at installation: none of them fetches a package", () => {
  const { allowScripts } = read("package.json") as {
    readonly allowScripts: Readonly<Record<string, boolean>>;
  };
  const allowed = Object.keys(allowScripts).filter((name) => allowScripts[name]);
  expect(allowed).toEqual(["esbuild"]);
});

test("Node for development comes from the lock file, for each platform in one version", () => {
  const node = installed.filter(([path]) => /^node_modules\/node(-|$)/.test(path));
  expect(node.map(([path]) => path)).toEqual(
    ["bin-darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64"].map(
      (platform) => `node_modules/node-${platform}`,
    ),
  );
  expect(new Set(node.map(([, { version }]) => version)).size).toBe(1);
});
