/**
 * `close` as a process that kills itself: `victim.ts DATABASE POINT`. Each statement that writes to
 * the books is a point, and so is the end of their transaction. The process ends by SIGKILL before its point.
 */
import { close } from "../../warehouse/close.ts";
import { Database } from "../../warehouse/database.ts";
import { hostWith } from "../../warehouse/testing.ts";

const [path = "", point = ""] = process.argv.slice(2);
let passed = 0;

const run = Reflect.get(Database.prototype, "run");
Database.prototype.run = async function (sql, values) {
  const isWrite = /^\s*(insert into|update)\s+"?ai_billing_close/i.test(sql);
  if (isWrite || (passed > 0 && sql === "COMMIT")) passed += 1;
  if (passed > 0 && passed === Number(point)) process.kill(process.pid, "SIGKILL");
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
await close({ database: path, ...options }, host);
