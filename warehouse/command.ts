/** The commands for people without a platform: `sync`, `init`, `query`, `report` and `close`. */
import { close } from "./close.ts";
import type { WarehouseCommand } from "./commands.ts";
import type { WarehouseHost } from "./host.ts";
import { init } from "./init.ts";
import { query } from "./query.ts";
import { report } from "./report_command.ts";
import { sync } from "./sync.ts";

/**
 * Runs a command.
 *
 * @returns whether all went well
 * @throws ConnectorError what a person should be told
 */
export async function warehouse(command: WarehouseCommand, host: WarehouseHost): Promise<boolean> {
  switch (command.kind) {
    case "sync":
      return await sync(command.options, host);
    case "init":
      await init(command.options, host);
      return true;
    case "query":
      for await (const part of query(command.database, command.sql, command.json)) {
        await host.say(part);
      }
      return true;
    case "report":
      await report(command.options, host);
      return true;
    case "close":
      await close(command.options, host);
      return true;
  }
}
