/** Draws an account of a few weeks: usage and costs that arrive, change and vanish while they are read. */
import { DAY, HOUR } from "../../reference_provider/instants.ts";
import type { Random } from "../../simulation/random.ts";
import { cost, dayAfter, hourly, type Life, usage } from "../support/world.ts";

export interface Records {
  readonly usage: readonly Life[];
  readonly costs: readonly Life[];
}

/** The dates of the records and of their changes. Days as `2026-03-05`, instants in milliseconds since 1970. */
export interface Era {
  readonly first: string;
  /** The provider's time at the first attempt. */
  readonly now: number;
  /** The first day of usage that may still change. No later sync reads older days again. */
  readonly changing: string;
  /** No record changes after this instant. */
  readonly until: number;
}

interface Shape extends Era {
  readonly granularity: "1d" | "1h";
  /** The length of a note on every record, in characters. Long notes fill pipes. */
  readonly note: number;
  /** Whether there are charges for a whole month, which several windows may return. */
  readonly monthly: boolean;
}

const iso = (ms: number): string => new Date(ms).toISOString().replace(".000Z", "Z");
const dayOf = (ms: number): string => iso(ms).slice(0, 10);

export function drawRecords(random: Random, shape: Shape): Records {
  const draw = new Draw(random, shape);
  const most = random.pick([1, 2, 2, 3]);
  const days: string[] = [];
  for (let day = shape.first; day <= dayOf(shape.now); day = dayAfter(day)) days.push(day);
  const listed = (dataset: "usage" | "cost"): Life[] =>
    days.flatMap((day) =>
      Array.from({ length: random.int(0, most) }, (_, index) =>
        draw[dataset](`${dataset}-${day}-${index}`, day),
      ),
    );
  const costs = listed("cost");
  const corrections = costs.flatMap((life) => (random.chance(0.1) ? draw.correction(life) : []));
  const months = shape.monthly ? [draw.month(`month-${shape.first}`, shape.first)] : [];
  return { usage: listed("usage"), costs: [...costs, ...corrections, ...months] };
}

function dayOfLife(record: Life["record"]): string {
  return String(record["ChargePeriodStart"]).slice(0, 10);
}

class Draw {
  readonly #random: Random;
  readonly #shape: Shape;

  constructor(random: Random, shape: Shape) {
    this.#random = random;
    this.#shape = shape;
  }

  usage(id: string, day: string): Life {
    const { granularity, changing } = this.#shape;
    const hour = this.#random.int(0, 23);
    const start = Date.parse(day) + (granularity === "1h" ? hour * HOUR : 0);
    const end = start + (granularity === "1h" ? HOUR : DAY);
    const amount = this.#amount();
    const life = granularity === "1h" ? hourly(id, iso(start), amount) : usage(id, day, amount);
    const shown = this.#noted(life);
    return day < changing
      ? shown
      : this.#fated(shown, end, () => ({ ConsumedQuantity: this.#amount() }));
  }

  cost(id: string, day: string): Life {
    const end = Date.parse(day) + DAY;
    const isProvisional = this.#random.chance(0.5);
    const status = { x_CostStatus: isProvisional ? "provisional" : "final" };
    const life = this.#noted(cost(id, day, this.#amount(), {}, { ...status, ...this.#currency() }));
    if (!isProvisional) return this.#fated(life, end, () => this.#billed());
    const at = end + this.#random.int(20 * HOUR, 70 * HOUR);
    const reissued = this.#random.chance(0.15) ? { x_RecordId: `${id}-final` } : {};
    return { ...life, finalized: { at: iso(at), changes: { ...this.#billed(), ...reissued } } };
  }

  /** A separate row that refunds a billed cost. It keeps the old charge period. */
  correction({ record }: Life): Life {
    const day = dayOfLife(record);
    const fields = { ChargeClass: "Correction", x_CorrectsRecordId: record.x_RecordId };
    // A provider need not show a day before the day is over (W4). So the records of a day appear after its end.
    const visible_from = iso(Math.max(Date.parse(day) + DAY, this.#soon()));
    const id = `fix-${record.x_RecordId}`;
    return this.#noted(cost(id, day, `-${this.#random.int(1, 99)}.5`, { visible_from }, fields));
  }

  /** A charge of the rest of a month. */
  month(id: string, day: string): Life {
    const end = `${dayAfter(`${day.slice(0, 7)}-01`, 31).slice(0, 7)}-01T00:00:00Z`;
    return this.#noted(cost(id, day, this.#amount(), {}, { ChargePeriodEnd: end }));
  }

  /** Draws the later changes of a record that is visible from the end of its charge period on. */
  #fated(life: Life, end: number, changes: () => Readonly<Record<string, string>>): Life {
    const random = this.#random;
    const at = iso(Math.max(end + 60_000, this.#soon()));
    switch (random.int(0, 11)) {
      case 0:
        return { ...life, visible_from: at }; // late
      case 1:
      case 2:
        return { ...life, restated: [{ at, changes: changes() }] };
      case 3: {
        const again = iso(Date.parse(at) + random.int(1, 600) * 60_000);
        const restated = [
          { at, changes: changes() },
          { at: again, changes: changes() },
        ];
        return { ...life, restated };
      }
      case 4:
        return { ...life, withdrawn_at: at };
      case 5:
        return {
          ...life,
          restated: [
            { at, changes: { ...changes(), x_RecordId: `${life.record.x_RecordId}-anew` } },
          ],
        };
      default:
        return life;
    }
  }

  /** An instant of a change, during the syncs or shortly before them. */
  #soon(): number {
    const { now, until } = this.#shape;
    const latest = this.#random.chance(0.5) ? now + 3 * HOUR : until;
    return this.#random.int((now - 6 * HOUR) / 1000, latest / 1000) * 1000;
  }

  #noted(life: Life): Life {
    const { note } = this.#shape;
    if (note === 0) return life;
    const x_Note = this.#random.pick(["plain ", "é\u2028 ", "😀, "]).repeat(note / 4);
    return { ...life, record: { ...life.record, x_Note } };
  }

  #billed(): { readonly BilledCost: string; readonly EffectiveCost: string } {
    return { BilledCost: this.#amount(), EffectiveCost: this.#amount() };
  }

  #currency(): Readonly<Record<string, string>> {
    return { BillingCurrency: this.#random.pick(["USD", "USD", "EUR"]) };
  }

  /** An amount. Some amounts have more digits than a double can hold. */
  #amount(): string {
    const random = this.#random;
    const whole = random.int(-50, 5000);
    return random.pick([
      `${whole}`,
      `${whole}.50`,
      `${whole}.${random.int(1, 999_999)}`,
      `1234567890123.${random.int(100_000, 999_999)}7`,
      `-0.000000000000${random.int(1, 9)}`,
      "0",
    ]);
  }
}
