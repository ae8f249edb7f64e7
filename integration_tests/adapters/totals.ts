/** The sums that a fake tells of its own data (fake_providers/README.md). */
import type { FakeTotals } from "../../fake_providers/fake.ts";
import type { Served } from "../support/provider.ts";

/**
 * The sums of all that a fake shows now, by day and model, and by usage type (usage) or currency (costs).
 *
 * @param first the first day, `YYYY-MM-DD`
 * @param end the day after the last one
 */
export async function fakeTotals(served: Served, first: string, end: string): Promise<FakeTotals> {
  const control = new URL("/control/totals", served.baseUrl);
  control.search = `start=${first}T00:00:00Z&end=${end}T00:00:00Z`;
  // The control's answers are described in fake_providers/README.md.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return (await (await fetch(control)).json()) as FakeTotals;
}
