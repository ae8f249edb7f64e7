/** R9: streams that are cleared with their rows, as the real models judge them afterwards. */
import { expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "./calendar.ts";
import { day, DEFAULTS, livesOn, syncsAt, unproven } from "./posted.ts";
import { plainRules, scripted } from "./scripted.ts";

test.each([
  ["by 5 s", 0, 2000, -5000],
  ["by an hour", 0, 30 * MINUTE, -HOUR],
  ["by two days, because it had been ahead", 2 * DAY, HOUR, 0],
])(
  "R9: a stream is cleared, and `Date` is put back %s: its days are proven, and no second account is seen",
  async (_, before, later, after) => {
    const costs = plainRules("costs", { retentionDays: 60 });
    const step = { ...DEFAULTS, asked: { ...DEFAULTS.asked, startDate: day(-20) } };
    const connection = scripted(day(0) + 4 * HOUR, [costs], livesOn(costs, -10, 4, 3));
    await connection.sync({ ...step, date: { ahead: before } });
    connection.scheduler.skipTo(connection.scheduler.now + later);
    const reset = { stream: "costs", kind: "data" } as const;
    await connection.sync({ ...step, reset, date: { ahead: after } });
    for (const hour of [30, 54]) {
      await syncsAt(connection, [hour], step);
      expect(await unproven(connection, "costs")).toEqual([]);
    }
  },
);
