/** `close` with a look at each point of its transaction: before each statement that writes to the books, and before the end. */
import { close } from "../../warehouse/close.ts";
import { Database } from "../../warehouse/database.ts";
import { hostWith } from "../../warehouse/testing.ts";

/** Closes October. @param at is called before each point, with its number */
export async function closeOctober(
  path: string,
  at: (point: number) => Promise<void>,
): Promise<void> {
  const run = Reflect.get(Database.prototype, "run");
  let passed = 0;
  Database.prototype.run = async function (sql, values) {
    const isWrite = /^\s*(insert into|update)\s+"?ai_billing_close/i.test(sql);
    if (isWrite || (passed > 0 && sql === "COMMIT")) await at((passed += 1));
    await run.call(this, sql, values);
  };
  const host = hostWith({ now: () => Date.parse("2026-11-03T12:00:00Z") });
  const options = {
    month: "2026-10",
    view: "month",
    accrue: true,
    why: undefined,
    json: true,
  } as const;
  try {
    await close({ database: path, ...options }, host);
  } finally {
    Database.prototype.run = run;
  }
}
