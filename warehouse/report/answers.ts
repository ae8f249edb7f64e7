/**
 * Answers of queries over the models, for one page. An answer of an earlier page is taken where nothing changed that its query reads:
 * most syncs read days again and find nothing else, and their pages differ in the moment of the newest reading only.
 */
import { createHash } from "node:crypto";
import type { Asked, Database } from "../database.ts";
import { readAnswers, writeAnswers } from "../kept_answers.ts";
import { DEFINITIONS, makeClock, makeCosts, makeDays, ofCurrency, showCosts } from "./clock.ts";

/** Each sync may change these, also one that leaves all other models as they are (warehouse/marts.ts). */
const CHANGES_ALWAYS =
  /\b(completeness|reconciliation|removed_rows|adjustments|book_balance|export_windows)\b/;

const READS_COSTS = /\breport_costs\b/;
const READS_CLOCK = /\breport_(accounts|clock|pairs)\b/;

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

export class Answers implements Asked {
  readonly #database: Database;
  readonly #basis: string;
  readonly #kept: ReadonlyMap<string, string>;
  /** All answers of this page that the next one may take. */
  readonly #given = new Map<string, string>();
  /** The currencies whose costs have a table. The index of a currency is the number of its table. */
  readonly #currencies: string[] = [];
  #hasClock = false;
  #currency = "";

  private constructor(database: Database, basis: string, kept: ReadonlyMap<string, string>) {
    this.#database = database;
    this.#basis = basis;
    this.#kept = kept;
  }

  /** @param database may be open for reading only */
  static async of(database: Database): Promise<Answers> {
    await makeDays(database);
    const [[days = ""] = []] = await database.query(
      "SELECT count(*) || ' ' || coalesce(sum(hash(days)), 0) FROM report_days AS days",
    );
    const unread = await database.query("SELECT place, name FROM report_unread ORDER BY ALL");
    const asked = await database.query("SELECT place FROM report_asked ORDER BY ALL");
    const basis = hashOf(`${days} ${JSON.stringify([unread, asked])} ${DEFINITIONS}`);
    return new Answers(database, basis, await readAnswers(database, basis));
  }

  /** From here on, `report_costs` has the costs of this currency. */
  about(currency: string): void {
    this.#currency = currency;
  }

  async query(sql: string): Promise<(readonly string[])[]> {
    if (CHANGES_ALWAYS.test(sql)) return await this.#ask(sql);
    const key = hashOf(`${READS_COSTS.test(sql) ? this.#currency : ""}\n${sql}`);
    const kept = this.#given.get(key) ?? this.#kept.get(key);
    const answer = kept ?? JSON.stringify(await this.#ask(sql));
    this.#given.set(key, answer);
    const rows: (readonly string[])[] = JSON.parse(answer);
    return rows;
  }

  /** Keeps the answers for the next page, unless it would find the same ones. */
  async keep(): Promise<void> {
    if ([...this.#given.keys()].every((key) => this.#kept.has(key))) return;
    const answers = new Map([...this.#kept, ...this.#given]);
    await writeAnswers(this.#database, { basis: this.#basis, answers });
  }

  /** Makes the tables that a query reads, and runs the query. */
  async #ask(sql: string): Promise<(readonly string[])[]> {
    const readsCosts = READS_COSTS.test(sql);
    if ((readsCosts || READS_CLOCK.test(sql)) && !this.#hasClock) {
      await makeClock(this.#database);
      this.#hasClock = true;
    }
    if (readsCosts) {
      const place = this.#currencies.indexOf(this.#currency);
      const number = place < 0 ? this.#currencies.push(this.#currency) - 1 : place;
      if (place < 0) await makeCosts(this.#database, ofCurrency(this.#currency), number);
      await showCosts(this.#database, number);
    }
    return await this.#database.query(sql);
  }
}
