import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { askAt } from "./prompt.ts";

function terminal(typed: string) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const stop = new AbortController();
  const ask = askAt(input, output, stop.signal, () => stop.abort(new Error("interrupted")));
  input.write(typed);
  const shown = async (): Promise<string> => {
    output.end();
    return await text(output);
  };
  return { ask, shown, stop };
}

it("shows what is typed, but not a secret", async () => {
  const open = terminal("https://a.example\n");
  expect(await open.ask("Base URL: ", false)).toBe("https://a.example");
  expect(await open.shown()).toContain("https://a.example");
  const hidden = terminal("sk-secret\n");
  expect(await hidden.ask("Key: ", true)).toBe("sk-secret");
  expect(await hidden.shown()).toBe("Key: \n");
});

it.each([
  ["Ctrl-C, as a signal does", "\u0003", "interrupted"],
  ["Ctrl-D", "\u0004", "No answer was given"],
])("ends at %s", async (_, typed, words) => {
  for (const secret of [true, false]) {
    await expect(terminal(typed).ask("Key: ", secret)).rejects.toThrow(words);
  }
});

it("ends when the command is stopped", async () => {
  const { ask, stop } = terminal("");
  const asked = ask("Key: ", true);
  stop.abort(new Error("stopped"));
  await expect(asked).rejects.toThrow("stopped");
});
