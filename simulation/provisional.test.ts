/** Provisional costs of strays are followed until they are final (R2). */
import { expect, test } from "vitest";
import { HOUR } from "./calendar.ts";
import { asked, day, DEFAULTS, livesOn, numbers, posting, syncsAt, verdictOn } from "./posted.ts";
import { addVersion } from "./records.ts";
import { lifeOf, scripted } from "./scripted.ts";

test.each([
  ["a charge of a day", -12, 1, -4, 1],
  ["one that goes on there", -12, 20, -4, 1],
  ["one in longer windows", -12, 20, -4, 7],
  ["one in longer windows whose bounds move", -12, 20, -4, 2],
  ["one in a window that is read again only for it", -12, 20, -10, 1],
  ["one that begins before the start date", -24, 20, -8, 1],
])(
  "R2: the provisional cost of a stray is followed in the window that wrote it, whose day may be another one (%s)",
  async (_, of, days, posted, maximumWindowDays) => {
    const costs = posting({ retentionDays: 200, maximumWindowDays });
    const charge = Object.assign(lifeOf(costs, "charge", day(of)), {
      end: day(of + days),
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
    expect(await verdictOn(connection, of)).toBe(of < -20 ? "incomplete 1" : "proven 2");
  },
);
