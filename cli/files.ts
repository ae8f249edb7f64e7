/** The files of a command. Their modules are loaded with their first use, because `spec` needs none: Node's crypto alone takes 6 ms. */
import type { InputKind } from "../src/config/json_file.ts";

const readFile = async (path: string, what: InputKind): Promise<unknown> =>
  await (await import("../src/config/json_file.ts")).readJsonFile(path, what);

const configFile = {
  write: async (path: string, config: unknown): Promise<void> =>
    await (await import("../src/config/file.ts")).writeConfigFile(path, config),
  assertWritable: async (path: string): Promise<void> =>
    await (await import("../src/config/file.ts")).assertWritable(path),
};

/** The files of a process, its stdin, and a config that may also come from stdin and from the environment. */
export function filesOf(own: NodeJS.Process) {
  let input: Promise<Uint8Array> | undefined;
  // A pipe, such as that of `<(command)`, gives its content once, and a sync reads its config several times.
  const pipes = new Map<string, Promise<unknown>>();
  const readOnce = async (path: string, what: InputKind): Promise<unknown> => {
    const { stat } = await import("node:fs/promises");
    const isPipe = await stat(path).then(
      (found) => found.isFIFO(),
      () => false,
    );
    if (!isPipe) return await readFile(path, what);
    const content = pipes.get(path) ?? readFile(path, what);
    pipes.set(path, content);
    return await content;
  };
  const readInput = async (): Promise<Uint8Array> => {
    input ??= import("node:stream/consumers").then(({ buffer }) => buffer(own.stdin));
    return await input;
  };
  const readJson = async (path: string, what: InputKind): Promise<unknown> => {
    if (what !== "config") return await readFile(path, what);
    const { readConfig } = await import("../src/config/config_source.ts");
    return await readConfig(path, { readFile: readOnce, readInput, environment: own.env });
  };
  return { configFile, readFile, readInput, readJson };
}
