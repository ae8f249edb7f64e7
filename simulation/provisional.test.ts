/** Provisional costs of strays are followed until they are final (R2). */
import { expect, test } from "vitest";
import { HOUR } from "./calendar.ts";
import { asked, day, DEFAULTS, livesOn, numbers, posting, syncsAt, verdictOn } from "./posted.ts";
import { addVersion } from "./records.ts";
import { lifeOf, scripted } from "./scripted.ts";

test.each([
  ["a day", 1, -4, 1],
  ["weeks", 20, -4, 1],
  ["weeks, in longer windows", 20, -4, 7],
  ["weeks, in a window that is read again only for it", 20, -10, 1],
])(
  "R2: the provisional cost of a stray is followed in the window that shows it, also if its charge period of %s goes on there",
  async (_, days, posted, maximumWindowDays) => {
    const costs = posting({ retentionDays: 200, maximumWindowDays });
    const charge = Object.assign(lifeOf(costs, "charge", day(-12)), {
      end: day(-12 + days),
      postedAt: day(posted),
    });
    const told = {
      due: false,
      amount: 1e6,
      currency: "USD",
      extra: "",
      granularity: "1d",
    } as const;
    addVersion(charge, { ...told, at: day(posted) + HOUR, status: "provisional" });
    addVersion(charge, { ...told, at: day(9), status: "final", amount: 2e6 });
    const connection = scripted(day(0) + 3 * HOUR, [costs], [...livesOn(costs, -20, 9), charge]);
    const step = { ...DEFAULTS, asked: asked({ reconcileDays: 7 }) };
    await connection.sync(step);
    expect(connection.warehouse.rowOf(charge)?.status).toBe("provisional");
    await syncsAt(
      connection,
      numbers(1, 11).map((number) => 24 * number + 3),
      step,
    );
    expect(connection.warehouse.rowOf(charge)?.status).toBe("final");
    expect(await verdictOn(connection, -12)).toBe("proven 2");
  },
);
