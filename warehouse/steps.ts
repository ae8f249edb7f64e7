/** The internal models of a refresh that makes some days again: those of rows hold these days only, all others hold all days. */
import { addDays, copyRows, IS_MADE, isMade } from "./changed_days.ts";
import type { Database } from "./database.ts";
import {
  CHAINS,
  contentOf,
  type Dataset,
  DATASETS,
  DAY,
  LOST_DAYS,
  OF_ROWS,
  OWN,
  REDECIDED_DAYS,
  REJUDGED_DAYS,
  REPORTED_DAYS,
  SEVERAL_CHAINS,
  STEPS,
  stepsOfRecords,
} from "./kept.ts";
import { isInternal, type Model, queryOf, readsOf } from "./models.ts";

/** The steps that hold rows, and so only some of the days. No model of other days may read them. */
export const PARTIAL = ["rows", "placed", "judged", "versions"];

export class Steps {
  readonly #database: Database;
  readonly #models: ReadonlyMap<string, Model>;
  readonly #made = new Set<string>();
  /** The datasets with days that are made again. */
  datasets: readonly Dataset[] = [];

  constructor(database: Database, models: readonly Model[]) {
    this.#database = database;
    this.#models = new Map(models.filter(isInternal).map((model) => [model.name, model]));
  }

  /**
   * Makes the steps up to the proofs, and finds the days that the reports judge otherwise than before.
   *
   * @returns whether that is possible; if not, all models must be made as a whole
   */
  async make(
    isKept: (facts: Readonly<Record<string, string>>) => Promise<boolean>,
  ): Promise<boolean> {
    await this.#whole("ai_billing__manifest");
    await addDays(this.#database, REPORTED_DAYS);
    if (!(await this.#place())) return false;
    for (const dataset of DATASETS) await this.#whole(`ai_billing__chains_${dataset}`);
    const isOne = (await this.#database.query(SEVERAL_CHAINS)).length === 0;
    if (!isOne || !(await isKept(CHAINS))) return false;
    await this.#placeRows();
    for (const dataset of DATASETS) {
      for (const step of ["strays", "days"]) await this.#whole(`ai_billing__${step}_${dataset}`);
    }
    await this.#whole("ai_billing__standing_costs");
    const days = `${REJUDGED_DAYS} UNION ALL ${REDECIDED_DAYS}`;
    if (await addDays(this.#database, days, LOST_DAYS)) {
      if (!(await this.#place())) return false;
      await this.#placeRows();
    }
    await this.#judge();
    return true;
  }

  /** Copies the rows of the days that are made again, and makes rows of them. */
  async #place(): Promise<boolean> {
    const datasets = await copyRows(this.#database);
    if (datasets === undefined) return false;
    this.datasets = datasets;
    for (const dataset of DATASETS) {
      const name = `ai_billing__rows_${dataset}`;
      if (datasets.length > 0) await this.#whole(name);
      else {
        const none = "SELECT '' AS reading_id, '' AS record_id, NULL::DATE AS day WHERE false";
        await this.#table(name, none);
      }
    }
    return true;
  }

  async #placeRows(): Promise<void> {
    for (const dataset of DATASETS) {
      if (this.datasets.length > 0) await this.#whole(`ai_billing__placed_${dataset}`);
      await this.#merge(`ai_billing__counts_${dataset}`);
    }
    await this.#merge("ai_billing__arrived_costs");
  }

  async #judge(): Promise<void> {
    for (const dataset of DATASETS) {
      if (this.datasets.length > 0) await this.#whole(`ai_billing__judged_${dataset}`);
      for (const step of ["live", "removed", "shown"]) {
        await this.#merge(`ai_billing__${step}_${dataset}`);
      }
      for (const step of ["sums", "completeness"]) {
        await this.#whole(`ai_billing__${step}_${dataset}`);
      }
    }
    await this.#whole("ai_billing__calendar_costs");
    if (this.datasets.includes("costs")) await this.#whole("ai_billing__versions_costs");
    await this.#merge("ai_billing__found_costs");
  }

  has(name: string): boolean {
    return this.#made.has(name);
  }

  /** The steps that are there. */
  names(): readonly string[] {
    return [...this.#made];
  }

  /**
   * Makes a further step from the steps before it.
   *
   * @throws TypeError if the step reads a raw table and a copy of some days hides the table: the step would lack all other days
   */
  async need(name: string): Promise<void> {
    const reads = readsOf(this.#model(name));
    if (this.datasets.length > 0 && DATASETS.some((dataset) => reads.has(dataset))) {
      throw new TypeError(`${name} reads a raw table, of which a copy hides the other days`);
    }
    await this.#whole(name);
  }

  async #whole(name: string): Promise<void> {
    await this.#table(name, this.#query(name));
  }

  /** Makes a step from the kept rows of days that have not changed, and from new rows of the days that are made again. */
  async #merge(name: string): Promise<void> {
    const dataset = STEPS.get(name);
    const kept = `${OWN}.kept_${name}`;
    if (dataset === undefined || !this.datasets.includes(dataset)) {
      await this.#database.run(`CREATE OR REPLACE TEMP VIEW ${name} AS FROM ${kept}`);
      this.#made.add(name);
      return;
    }
    const made = isMade(dataset, DAY);
    if (this.#made.has(name)) await this.#drop(name);
    await this.#table(
      name,
      `SELECT * FROM ${kept} WHERE NOT ${made} UNION ALL BY NAME SELECT * FROM (${this.#query(name)}\n) WHERE ${made}`,
    );
  }

  /** Keeps the steps of the days that were made again. Belongs into the transaction that makes the models. */
  async keep(): Promise<void> {
    for (const [name, dataset] of STEPS) {
      if (!this.datasets.includes(dataset)) continue;
      const made = isMade(dataset, DAY);
      await this.#database.run(`DELETE FROM ${OWN}.kept_${name} WHERE ${made}`);
      await this.#database.run(
        `INSERT INTO ${OWN}.kept_${name} BY NAME SELECT * FROM temp.${name} WHERE ${made}`,
      );
    }
    if (this.datasets.length === 0) return;
    for (const [name, query] of Object.entries(OF_ROWS(this.datasets))) {
      await this.#database.run(`DELETE FROM ${OWN}.kept_${name} WHERE ${IS_MADE}`);
      await this.#database.run(
        `INSERT INTO ${OWN}.kept_${name} BY NAME SELECT * FROM (${query}) WHERE ${IS_MADE}`,
      );
    }
  }

  /** Whether a step has other rows on the days that are made again than before. */
  async isChanged(name: string): Promise<boolean> {
    const dataset = STEPS.get(name);
    if (dataset === undefined || !this.datasets.includes(dataset)) return false;
    const made = `WHERE ${isMade(dataset, DAY)}`;
    return await this.#differ(`FROM temp.${name} ${made}`, `FROM ${OWN}.kept_${name} ${made}`);
  }

  async #differ(one: string, other: string): Promise<boolean> {
    const [[isSame] = []] = await this.#database.query(
      `SELECT ${contentOf(one)} = ${contentOf(other)}`,
    );
    return isSame !== "true";
  }

  /**
   * Keeps the rows of steps without a day for changed records, and shows the rows of all records. The steps before hold all versions of
   * these records, because all rows of them were copied.
   *
   * @returns the steps in which the rows of the changed records differ from those before
   */
  async keepOfRecords(): Promise<readonly string[]> {
    const others: string[] = [];
    for (const name of await stepsOfRecords(this.#database)) {
      const held = `${OWN}.kept_${name}`;
      if (this.datasets.includes("costs")) {
        await this.#whole(name);
        const kept = `FROM ${held} WHERE hash(record_id) IN (SELECT record FROM made_records WHERE dataset = 'costs')`;
        if (await this.#differ(`FROM temp.${name}`, kept)) others.push(name);
        await this.#database.run(`DELETE ${kept}`);
        await this.#database.run(`INSERT INTO ${held} BY NAME FROM temp.${name}`);
        await this.#database.run(`DROP TABLE temp.${name}`);
      }
      await this.#database.run(`CREATE OR REPLACE TEMP VIEW ${name} AS FROM ${held}`);
      this.#made.add(name);
    }
    return others;
  }

  #query(name: string): string {
    return queryOf(this.#model(name));
  }

  #model(name: string): Model {
    const model = this.#models.get(name);
    if (model === undefined) throw new TypeError(`there is no model ${name}`);
    return model;
  }

  async #table(name: string, query: string): Promise<void> {
    await this.#database.run(`CREATE OR REPLACE TEMP TABLE ${name} AS ${query}`);
    this.#made.add(name);
  }

  /** Drops all steps. */
  async drop(): Promise<void> {
    await this.#drop(...this.#models.keys());
  }

  async #drop(...names: readonly string[]): Promise<void> {
    for (const kind of ["view", "table"]) {
      const found = await this.#database.query(
        `SELECT ${kind}_name FROM duckdb_${kind}s() WHERE temporary AND NOT internal`,
      );
      for (const [name = ""] of found) {
        if (names.includes(name)) await this.#database.run(`DROP ${kind} temp.${name}`);
      }
    }
  }
}
