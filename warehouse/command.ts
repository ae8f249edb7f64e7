/** The commands for people without a platform: `sync`, `init`, `query` and `report`. */
import { ConnectorError } from "../src/errors.ts";
import { parseWarehouseLine } from "./command_line.ts";
import { Database } from "./database.ts";
import type { WarehouseHost } from "./host.ts";
import { init } from "./init.ts";
import { query } from "./query.ts";
import { databaseReport } from "./report/data.ts";
import { writeReport } from "./report/write.ts";
import { sync } from "./sync.ts";

/**
 * Runs a command.
 *
 * @param argv the name of the command and its arguments
 * @returns whether all went well
 * @throws ConnectorError what a person should be told
 */
export async function warehouse(argv: readonly string[], host: WarehouseHost): Promise<boolean> {
  const command = parseWarehouseLine(argv);
  switch (command.kind) {
    case "help":
      await host.say(command.text);
      return true;
    case "sync":
      return await sync(command.options, host);
    case "init":
      await init(command.options, host);
      return true;
    case "query":
      await host.say(await query(command.database, command.sql, command.json));
      return true;
    case "report":
      await report(command.database, command.out);
      await host.say(`${command.out} is written.\n`);
      return true;
  }
}

async function report(path: string, out: string): Promise<void> {
  const database = await Database.open(path, "read");
  try {
    const [schema] = await database.query(
      "SELECT 1 FROM information_schema.schemata WHERE schema_name = 'source_ai_billing'",
    );
    if (schema === undefined) {
      throw new ConnectorError("database", `The database "${path}" was not made by \`sync\`.`);
    }
    await writeReport(out, await databaseReport(database));
  } finally {
    database.close();
  }
}
