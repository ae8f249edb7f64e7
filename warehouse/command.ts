/** The commands for people without a platform: `sync`, `init`, `costs`, `query`, `report` and `close`. */
import { close } from "./close.ts";
import { ConnectorError } from "../src/errors.ts";
import { STDIN } from "../src/config_place.ts";
import type { WarehouseCommand } from "./commands.ts";
import { fitFor } from "./csv.ts";
import type { WarehouseHost } from "./host.ts";
import { costs } from "./costs.ts";
import { init } from "./init.ts";
import { query } from "./query.ts";
import { report } from "./report_command.ts";
import { sync } from "./sync.ts";

/**
 * Runs a command. With `--json` a failure is an object on stdout, too, so that a program always has something to read.
 *
 * @returns whether all went well
 * @throws ConnectorError what a person should be told
 */
export async function warehouse(command: WarehouseCommand, host: WarehouseHost): Promise<boolean> {
  let isInResult = false;
  let isLost = false;
  const say = async (text: string): Promise<void> => {
    isInResult = command.kind !== "sync";
    try {
      await host.say(text);
    } catch (reason) {
      isLost = true;
      throw reason;
    }
  };
  try {
    return await run(command, { ...host, say });
  } catch (reason) {
    // In the middle of a list there is no place for another object; the exit code tells. A broken stdout takes none either, and its
    // error at a second attempt would be another one than `reason`.
    if (isJson(command) && !isInResult && !isLost)
      await host.say(ConnectorError.from(reason).toJson()).catch(() => undefined);
    throw reason;
  }
}

function isJson(command: WarehouseCommand): boolean {
  switch (command.kind) {
    case "sync":
    case "close":
      return command.options.json;
    case "costs":
    case "query":
      return command.options.format === "json";
    case "init":
    case "report":
      return false;
  }
}

async function run(command: WarehouseCommand, host: WarehouseHost): Promise<boolean> {
  switch (command.kind) {
    case "sync":
      return await sync(command.options, host);
    case "init":
      await init(command.options, host);
      return true;
    case "costs":
      await costs(command.options, host);
      return true;
    case "query": {
      const { database, sql: given, format } = command.options;
      const sql = given === STDIN ? await host.readInput() : given;
      for await (const part of query(database, sql, format)) {
        await host.say(fitFor(host.isTerminal, part, format));
      }
      return true;
    }
    case "report":
      await report(command.options, host);
      return true;
    case "close":
      await close(command.options, host);
      return true;
  }
}
