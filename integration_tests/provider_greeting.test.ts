/** `npm run provider` suggests commands; they work as they are printed. */
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { start, startScript } from "../bin/process.ts";
import { MAIN } from "../reference_provider/process.ts";
import { Shell } from "./support/shell.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

test.each([[[]], [["--as", "openrouter"]]])(
  "the provider with %j says how to make a config for it",
  async (args) => {
    await using shell = await Shell.open();
    const { child, ended } = startScript(MAIN, ["--port", "0", ...args]);
    if (child.stdout === null) throw new Error("no stdout");
    let greeting = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      greeting += text;
    });
    while (!greeting.includes("sync --report")) await once(child.stdout, "data");
    const [, line = ""] = /^ {2}(echo .* init .*)$/m.exec(greeting) ?? [];
    const config = `--config ${shell.path("config.json")}`;
    const init = start(["sh", "-c", `${line} ${config}`], { cwd: ROOT });
    expect(await init.ended).toEqual({ code: 0, signal: null });
    child.kill("SIGTERM");
    await ended;
  },
);
