/** The models that people query, after a refresh has made some days again. */
import { areMost, IS_MADE, isMade } from "./changed_days.ts";
import type { Database } from "./database.ts";
import { charged, IN_MADE_MONTHS, OF_MONTHS, ofSomeMonths, unusualSince } from "./parts.ts";
import {
  ADJUSTED_DAYS,
  COMPARED_DAYS,
  contentOf,
  DATASETS,
  DAY,
  FOUND,
  keepThese,
  kindsOf,
  onlyInOne,
  RAW_DAY,
  ROW_FACTS,
  STATUS_DAYS,
  STEP_FACTS,
  STEPS,
} from "./kept.ts";
import { isInternal, type Model, queryOf, readsOf } from "./models.ts";
import { PARTIAL, type Steps } from "./steps.ts";

/** The models that each report may change. They are small. */
const PROOFS = ["completeness", "reconciliation", "removed_rows"];

/**
 * The models that compare books with costs. They tell when a day of an adjustment was read, so a report may change them where no cost
 * has changed. All other models of books follow from inputs alone.
 */
export const OF_BOOKS: readonly string[] = ["adjustments", "book_balance"];

/** Models of the versions of costs, which the steps have for the made days only. */
const OF_VERSIONS = ["costs_as_known", "cost_changes"];

/** All models of steps that have the made days only. */
const OF_PARTIAL_STEPS = [
  ...OF_VERSIONS,
  "restatements",
  "invalid_rows",
  "current_costs",
  "current_usage",
];

/** A model whose rows follow from days before them. */
const ANOMALIES = "cost_anomalies";

/** A model with the columns of the raw tables. */
const FOCUS = "focus_cost_and_usage";

/**
 * Models that can be made day by day, each with some models that it reads. From these, a day needs only the rows of the same day.
 * From all other models that it reads, a day needs what holds for all days.
 */
const OF_DAYS: ReadonlyMap<string, readonly string[]> = new Map([
  ["daily_costs", ["current_costs", "ai_billing__calendar_costs"]],
  [FOCUS, ["current_costs", "current_usage"]],
  ["usage_against_costs", ["current_costs", "current_usage", "completeness"]],
  ["unit_costs", ["current_costs", "current_usage", "ai_billing__provider_costs"]],
  ["converted_costs", ["daily_costs"]],
]);

export class Marts {
  readonly #database: Database;
  readonly #models: readonly Model[];
  readonly #steps: Steps;
  /** The models that have other rows than before. */
  readonly #changed = new Set<string>();
  /** The models in which only statuses of days have changed. */
  readonly #restated = new Set<string>();
  /** The models that this refresh need not make any more. */
  readonly #done: Set<string>;
  /** Whether the values of labels that are charged on a day have changed. */
  #hasNewCharges = false;
  /** Whether the set of known days, or of complete days, has changed. */
  #hasNewDays = false;
  /** Whether rows of a kind came or went, from which models of days may take something for all days. */
  #hasNewKinds = false;
  /** The facts that were compared, and belong to the models as they are now. */
  readonly facts: Record<string, string> = { ...STEP_FACTS, ...COMPARED_DAYS };

  constructor(database: Database, models: readonly Model[], steps: Steps) {
    this.#database = database;
    this.#models = models;
    this.#steps = steps;
    this.#done = new Set([...PROOFS, ...OF_BOOKS, ...OF_PARTIAL_STEPS, ...steps.names()]);
  }

  /** Belongs into a transaction. @returns whether any model but those of proofs and of books was made */
  async make(
    isKept: (facts: Readonly<Record<string, string>>) => Promise<boolean>,
  ): Promise<boolean> {
    await this.#takeRows();
    await this.#takeStatuses();
    for (const name of PROOFS) await this.#whole(name);
    for (const [name, query] of Object.entries(STEP_FACTS)) {
      if (!(await isKept({ [name]: query }))) this.#changed.add(name);
    }
    this.#hasNewDays = !(await isKept(COMPARED_DAYS));
    if (this.#steps.datasets.length > 0) {
      for (const [name, query] of Object.entries(ROW_FACTS)) {
        this.facts[name] = query;
        if (!(await isKept({ [name]: query }))) this.#hasNewKinds = true;
      }
    }
    const isMore = this.#changed.size + this.#restated.size > 0;
    if (isMore) {
      await this.#makeDays();
      await this.#makeWhole();
    }
    if (isMore || !(await isKept(ADJUSTED_DAYS))) await this.#compareBooks();
    return isMore;
  }

  /** Replaces the rows of the days that are made again. */
  async #takeRows(): Promise<void> {
    const { datasets } = this.#steps;
    if (datasets.length > 0) {
      for (const name of ["restatements", "invalid_rows"]) {
        if (await this.#replace(name, IS_MADE)) this.#changed.add(name);
      }
    }
    for (const dataset of datasets) {
      const name = `current_${dataset}`;
      if (await this.#replace(name, isMade(dataset, DAY))) this.#changed.add(name);
    }
    for (const name of STEPS.keys()) {
      if (await this.#steps.isChanged(name)) this.#changed.add(name);
    }
    // Models of usage and of books read these steps, too, so they are shown also where no cost has changed.
    for (const name of await this.#steps.keepOfRecords()) this.#changed.add(name);
    if (!datasets.includes("costs")) return;
    for (const name of OF_VERSIONS) {
      await this.#needStepsOf(this.#model(name));
      if (await this.#replace(name, isMade("costs", DAY))) this.#changed.add(name);
    }
  }

  async #takeStatuses(): Promise<void> {
    await this.#database.run(`CREATE OR REPLACE TEMP TABLE status_days AS ${STATUS_DAYS}`);
    await this.#database.run(`
      CREATE OR REPLACE TEMP TABLE shown_days AS
      SELECT DISTINCT day FROM (SELECT day FROM status_days UNION ALL SELECT day FROM made_days)`);
    for (const dataset of DATASETS) {
      const [[days = "0"] = []] = await this.#database.query(
        `SELECT count(*) FROM status_days WHERE dataset = '${dataset}'`,
      );
      if (days === "0") continue;
      await this.#database.run(`
        UPDATE main.current_${dataset} AS rows_ SET day_status = now.status
        FROM ai_billing__completeness_${dataset} AS now
        WHERE rows_.scope = now.scope AND rows_.day = now.day AND rows_.day_status IS DISTINCT FROM now.status`);
      this.#restated.add(`current_${dataset}`);
      this.#restated.add("completeness");
    }
  }

  /** Makes the days of models that can be made by the day. */
  async #makeDays(): Promise<void> {
    const [[shown = "0", all = "0"] = []] = await this.#database.query(`
      SELECT coalesce(sum(rows_) FILTER (day IN (FROM shown_days)), 0), coalesce(sum(rows_), 0) FROM days_now`);
    if (this.#hasNewKinds || areMost(Number(shown), Number(all))) return;
    const isShown = "IN (SELECT shown_days.day FROM shown_days)";
    const days = `${DAY} ${isShown}`;
    const chosen = this.#models.filter((model) => OF_DAYS.has(model.name));
    // Steps hold all days, so they are made before temporary tables hide the other days of the models that they read.
    for (const model of chosen) await this.#needStepsOf(model);
    const some = (name: string, others = ""): Promise<void> =>
      this.#database.run(
        `CREATE OR REPLACE TEMP TABLE ${name} AS SELECT * FROM main.${name} WHERE ${days} ${others}`,
      );
    for (const dataset of DATASETS) {
      const name = `current_${dataset}`;
      await some(
        name,
        `OR rowid IN (SELECT min(rowid) FROM main.${name} WHERE NOT ${days} GROUP BY ${kindsOf(dataset)})`,
      );
    }
    for (const model of chosen) {
      if (!this.#isAffected(model)) continue;
      const byDay = OF_DAYS.get(model.name) ?? [];
      const others = [...readsOf(model)].filter((read) => !byDay.includes(read));
      if (others.some((read) => this.#changed.has(read))) continue;
      const isOnDaily = byDay.includes("daily_costs");
      if (isOnDaily) await some("daily_costs");
      const day = model.name === FOCUS ? RAW_DAY : DAY;
      if (await this.#replace(model.name, `${day} ${isShown}`)) this.#changed.add(model.name);
      if (isOnDaily) await this.#database.run("DROP TABLE temp.daily_costs");
      this.#done.add(model.name);
    }
    for (const dataset of DATASETS) await this.#database.run(`DROP TABLE temp.current_${dataset}`);
  }

  /** Makes all other models that read something that changed. */
  async #makeWhole(): Promise<void> {
    for (const model of this.#models) {
      if (this.#done.has(model.name) || !this.#isAffected(model)) continue;
      this.#changed.add(model.name);
      if (isInternal(model)) continue;
      await this.#needStepsOf(model);
      if (!(await this.#makePart(model))) await this.#whole(model.name);
    }
  }

  /** Makes the models that compare books with costs, and keeps what they have taken from reports. */
  async #compareBooks(): Promise<void> {
    // Without a closed month there is no book, and no row of these models.
    if (!this.#steps.has(FOUND)) return;
    for (const name of OF_BOOKS) {
      await this.#needStepsOf(this.#model(name));
      await this.#whole(name);
    }
    await keepThese(this.#database, ADJUSTED_DAYS);
  }

  /** Makes only those rows of a model again that depend on the changed days. @returns whether the model allows it; if not, no row is made */
  async #makePart({ name, body }: Model): Promise<boolean> {
    const [[first = "null"] = []] = await this.#database.query("SELECT min(day) FROM shown_days");
    if (this.#hasNewDays || first === "null" || first.startsWith("0001-")) return false;
    const query = queryOf({ name, body });
    if (name === ANOMALIES && !this.#hasNewCharges) {
      await this.#replace(name, `day >= DATE '${first}'`, unusualSince(query, first));
    } else if (OF_MONTHS.includes(name)) {
      await this.#replace(name, IN_MADE_MONTHS, ofSomeMonths(query));
    } else return false;
    return true;
  }

  #isAffected(model: Model): boolean {
    const reads = [...readsOf(model)];
    if (reads.some((read) => this.#changed.has(read))) return true;
    // A model that takes all columns may take the status with them.
    return (
      reads.some((read) => this.#restated.has(read)) &&
      /\b(day_)?status\b|\.\*|select \*/.test(queryOf(model))
    );
  }

  /** Makes the steps that a model reads, and those under them. */
  async #needStepsOf(model: Model): Promise<void> {
    const reads = readsOf(model);
    for (const step of this.#models) {
      if (!isInternal(step) || !reads.has(step.name)) continue;
      const isPartial = PARTIAL.some((name) => step.name.startsWith(`ai_billing__${name}_`));
      if (isPartial && !OF_PARTIAL_STEPS.includes(model.name)) {
        throw new TypeError(`${model.name} reads ${step.name}, which has no rows of other days`);
      }
      if (this.#steps.has(step.name)) continue;
      await this.#needStepsOf(step);
      await this.#steps.need(step.name);
    }
  }

  async #whole(name: string): Promise<void> {
    await this.#database.run(`CREATE OR REPLACE TABLE main.${name} AS ${this.#query(name)}`);
  }

  /** Makes the rows of a model that meet a condition again. @returns whether these rows have changed */
  async #replace(name: string, condition: string, query = this.#query(name)): Promise<boolean> {
    const held = `FROM main.${name} WHERE ${condition}`;
    await this.#database.run(
      `CREATE OR REPLACE TEMP TABLE made_rows AS SELECT * FROM (${query}\n) WHERE ${condition}`,
    );
    const [[isSame = ""] = []] = await this.#database.query(
      `SELECT ${contentOf("FROM made_rows")} = ${contentOf(held)}`,
    );
    if (isSame !== "true") {
      if (name === "current_costs" && !this.#hasNewCharges) {
        const others = onlyInOne(charged("FROM made_rows"), charged(held));
        this.#hasNewCharges = (await this.#database.query(`${others} LIMIT 1`)).length > 0;
      }
      await this.#database.run(`DELETE ${held}`);
      await this.#database.run(`INSERT INTO main.${name} BY NAME FROM made_rows`);
    }
    await this.#database.run("DROP TABLE made_rows");
    return isSame !== "true";
  }

  #query(name: string): string {
    return queryOf(this.#model(name));
  }

  #model(name: string): Model {
    const model = this.#models.find((each) => each.name === name);
    if (model === undefined) throw new TypeError(`there is no model ${name}`);
    return model;
  }
}
