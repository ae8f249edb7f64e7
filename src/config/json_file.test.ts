import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ConnectorError } from "../errors.ts";
import { type InputKind, readJsonFile } from "./json_file.ts";

let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "input-"));
});
afterAll(async () => {
  await rm(directory, { recursive: true });
});

async function fileOf(content: string | Uint8Array): Promise<string> {
  const path = join(directory, "file.json");
  await writeFile(path, content);
  return path;
}

async function faultOf(path: string, what: InputKind = "config"): Promise<ConnectorError> {
  try {
    await readJsonFile(path, what);
  } catch (error) {
    if (error instanceof ConnectorError) return error;
    throw error;
  }
  throw new Error("the file was accepted");
}

test("a JSON file is read", async () => {
  expect(await readJsonFile(await fileOf(' {"a": [1, "ä"]}\n'), "config")).toEqual({ a: [1, "ä"] });
  expect(await readJsonFile(await fileOf("[]"), "state")).toEqual([]);
});

test("a byte order mark is skipped", async () => {
  expect(await readJsonFile(await fileOf('\u{FEFF}{"a":1}'), "config")).toEqual({ a: 1 });
});

test.each([
  ["config", "invalid_config"],
  ["catalog", "invalid_catalog"],
  ["state", "invalid_state"],
] as const)("a missing %s file is %s", async (what, code) => {
  const path = join(directory, "absent", "none.json");
  expect(await faultOf(path, what)).toMatchObject({
    code,
    failureType: "config_error",
    message: `The ${what} file "${path}" does not exist.`,
  });
});

test.each([
  ["catalog", "invalid_catalog"],
  ["state", "invalid_state"],
] as const)("stdin gives no %s", async (what, code) => {
  expect(await faultOf("-", what)).toMatchObject({
    code,
    message: `--${what} takes the name of a file: stdin gives only the config.`,
  });
});

test("a directory is no file", async () => {
  expect((await faultOf(directory)).message).toContain("is a directory");
});

test.skipIf(userInfo().uid === 0)("a file that may not be read is named as such", async () => {
  const path = await fileOf("{}");
  await chmod(path, 0);
  expect((await faultOf(path)).message).toContain("may not be read by this user");
  await chmod(path, 0o600);
});

test("a name that no file can have is an error like any other", async () => {
  expect((await faultOf("a\0b")).message).toContain("cannot be read");
  expect((await faultOf("x".repeat(5000))).message).toContain("too long a name");
});

test.each(["", " \n", "\u{FEFF}"])(
  "an empty file %j is no state, and no config",
  async (content) => {
    const path = await fileOf(content);
    expect(await readJsonFile(path, "state")).toBeUndefined();
    expect((await faultOf(path, "config")).message).toContain("is empty");
    expect((await faultOf(path, "catalog")).code).toBe("invalid_catalog");
  },
);

test("bytes that are no UTF-8 are named, not guessed", async () => {
  const utf16 = await fileOf(Buffer.from('\u{FEFF}{"a":1}', "utf16le"));
  expect((await faultOf(utf16)).message).toContain("not text in UTF-8");
});

test("JSON in place of a file name is not repeated", async () => {
  const error = await faultOf('{"access_token": "SeCrEt"}');
  expect(error.message).toBe("--config takes the name of a file, not the JSON itself.");
});

test.each([
  ['{"a": secret}', 1, 7],
  ['{\n  "a": 1,\n  "b": tok\n}', 3, 8],
  ['{\r\n  "a": 1,\r\n}', 3, 1],
  ['{"a": 1', 1, 8],
  ['{"a": "unclosed', 1, 7],
  ['{"a": "tab\there"}', 1, 7],
  ['{"a": "\\x"}', 1, 7],
  ["{'a': 1}", 1, 2],
  ['{"a" 1}', 1, 6],
  ['{"a": 1,}', 1, 9],
  ["[1,]", 1, 4],
  ["[1 2]", 1, 4],
  ["[1]]", 1, 4],
  ["[1}", 1, 3],
  ["{]", 1, 2],
  ["[01]", 1, 3],
  ["NaN", 1, 1],
  ["// comment\n{}", 1, 1],
  ["{} {}", 1, 4],
  [",", 1, 1],
])("the place of the fault in %j is line %d, column %d", async (content, line, column) => {
  const error = await faultOf(await fileOf(content));
  expect(error.message).toMatch(/is not valid JSON/);
  expect(error.message).toContain(`line ${line}, column ${column}.`);
});

test("nothing of a config that is no JSON is quoted", async () => {
  const error = await faultOf(await fileOf('{"access_token": "SeCrEt" "x": SeCrEt}'));
  expect(JSON.stringify(error.toTrace())).not.toContain("SeCrEt");
  expect(error.cause).toBeUndefined();
});

test.each([
  ['{\n"token": "SeCrEt",\n"b": 1,\n"token": "SeCrEt"\n}', "token (lines 2, 4)"],
  ['{"a": 1, "a": 1, "a": 2}', "a (line 1)"],
  ['{"a": {"b": 1}, "c": {"b": 1, "\\u0062": 2},\n"c": 1}', "c.b (line 1), c (lines 1, 2)"],
  ['{"accounts": [{"x": [{}, {}]}, {"url": 1, "url": 1}]}', "accounts[1].url (line 1)"],
  ['[[], [1, {"__proto__": 1, "__proto__": 2}]]', "[1][1].__proto__ (line 1)"],
  ['{"sk-SeCrEt": {"a\\"": 1, "a\\"": 2}}', "….… (line 1)"],
])("a key that a config has twice is named, and no value: %j", async (content, keys) => {
  const path = await fileOf(content);
  const error = await faultOf(path);
  expect(error.code).toBe("invalid_config");
  expect(error.message).toBe(
    `The config file "${path}" has the same key more than once in one object, and only its last value would count: ${keys}. ` +
      "Keep one of each.",
  );
  expect(JSON.stringify(error.toTrace())).not.toContain("SeCrEt");
  expect(await readJsonFile(path, "state")).toEqual(JSON.parse(content));
});

test("a config whose keys stand once in each object is read, however it is nested", async () => {
  const fine = '{"a": {"a": "a\\": 1"}, "b": [{"a": 1}, {"a": "b"}], "": "a"}';
  expect(await readJsonFile(await fileOf(fine), "config")).toEqual(JSON.parse(fine));
  const deep = `${'{"a":['.repeat(100_000)}${"]}".repeat(100_000)}`;
  await readJsonFile(await fileOf(deep), "config");
  const twice = `${'{"a":['.repeat(100_000)}{"b":1,"b":2}${"]}".repeat(100_000)}`;
  expect((await faultOf(await fileOf(twice))).message).toMatch(/: ….{199}b \(line 1\)\. Keep/);
});

test("a file that is nested deeper than the stack, or one huge text, still has a place", async () => {
  expect((await faultOf(await fileOf("[".repeat(200_000)))).message).toContain("column 200001.");
  const huge = `["${String.raw`\n`.repeat(1_000_000)}" x]`;
  expect((await faultOf(await fileOf(huge))).message).toContain("column 2000005.");
});

test("any JSON is read back, and any damage is a ConnectorError with a place inside the file", async () => {
  await fc.assert(
    fc.asyncProperty(fc.json(), fc.nat(), fc.string({ maxLength: 3 }), async (json, at, noise) => {
      expect(await readJsonFile(await fileOf(json), "catalog")).toEqual(JSON.parse(json));
      const offset = at % (json.length + 1);
      const damaged = json.slice(0, offset) + noise + json.slice(offset + 1);
      try {
        await readJsonFile(await fileOf(damaged), "config");
      } catch (error) {
        expect(error).toMatchObject({ name: "ConnectorError", code: "invalid_config" });
      }
    }),
  );
});

test("the place is that of the engine, wherever the engine gives one for a wrong token", async () => {
  const token = fc.constantFrom("{", "}", "[", "]", ",", ":", '"a"', "1", "true", " ", "\n");
  await fc.assert(
    fc.asyncProperty(fc.array(token, { minLength: 1, maxLength: 8 }), async (tokens) => {
      const text = tokens.join("");
      let engine: string | undefined;
      try {
        JSON.parse(text);
      } catch (error) {
        engine = /position (\d+)/.exec(String(error))?.[1];
      }
      fc.pre(engine !== undefined && text.trim() !== "");
      const before = text.slice(0, Number(engine)).split("\n");
      const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}.`;
      expect((await faultOf(await fileOf(text))).message).toContain(place);
    }),
  );
});
