/** The help and the README name all that the provider prints and serves. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { startScript } from "../bin/process.ts";
import { MAIN, startProcess } from "./process.ts";
import { isObject } from "./model.ts";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const readme = read("README.md");

async function helpText(): Promise<string> {
  const { child, ended } = startScript(MAIN, ["--help"]);
  let text = "";
  child.stdout?.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  expect(await ended).toEqual({ code: 0, signal: null });
  return text;
}

/** The words that the help has for an option. */
const wordsOf = (option: string, help: string): string =>
  new RegExp(`^  --${option}\\b.*(?:\\n {4,}.*)*`, "m").exec(help)?.[0] ?? "";

test("--json prints the members that its help names, and no others", async () => {
  const words = wordsOf("json", await helpText());
  const plain = await startProcess();
  await plain.stop();
  expect(Object.keys(plain.greeting)).toEqual(["base_url", "access_token"]);
  const { greeting, stop } = await startProcess("--oauth", "--tls");
  await stop();
  expect(Object.keys(greeting)).toEqual(["base_url", "access_token", "oauth", "certificate"]);
  const { oauth } = greeting;
  const members = [...Object.keys(greeting), ...Object.keys(isObject(oauth) ? oauth : {})];
  expect(members.length).toBeGreaterThan(8);
  for (const member of members) expect(words).toMatch(new RegExp(`\\b${member}\\b`));
  for (const member of Object.keys(greeting)) expect(readme).toContain(member);
}, 30_000);

test("the help and the README say how the clock goes on by itself", async () => {
  expect(wordsOf("now", await helpText())).toContain('"real" for the machine\'s clock');
  expect(readme).toContain("with `--now real` it is that of the machine");
  const before = Math.floor(Date.now() / 1000) * 1000;
  const { greeting, stop } = await startProcess("--control", "--now", "real");
  const answer = await fetch(`${String(greeting["base_url"])}/control/clock`);
  const clock: unknown = await answer.json();
  await stop();
  const now = isObject(clock) ? Date.parse(String(clock["now"])) : Number.NaN;
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
});

test("the help names each request of --control, and the README its address", async () => {
  const words = wordsOf("control", await helpText()).toLowerCase();
  const source = read("control.ts") + read("oauth/control.ts");
  const served = new Set([...source.matchAll(/"\/control\/(\w+)"/g)].map(([, name = ""]) => name));
  expect(served.size).toBe(8);
  for (const name of served) {
    expect(words).toContain(name);
    expect(readme).toContain(`/control/${name}\``);
  }
});
