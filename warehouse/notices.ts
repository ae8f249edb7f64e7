/**
 * Notices: a sync sends its summary to an address if a budget is at risk, a day is unusual, a closed month has new adjustments, or
 * something was not read. The database remembers each event, so that it is sent once. The address is a secret: all who know it can
 * write to the channel behind it.
 */
import { access } from "node:fs/promises";
import { addressFault } from "../src/config/address.ts";
import { isObject } from "../src/config/members.ts";
import { NOTICE_MEMBER, NOTICE_URL } from "../src/config_place.ts";
import { ConnectorError } from "../src/errors.ts";
import { literal } from "./columns.ts";
import { Database } from "./database.ts";
import { plain } from "./decimals.ts";
import type { WarehouseHost } from "./host.ts";
import { isFileOfSync } from "./made.ts";
import { count, money, moneyApart, month, shortDate, signedMoney } from "./report/format.ts";
import type { Headline, Overview } from "./report/model.ts";
import { costWords, isUndecided, type TeamOver, teamsOver } from "./report/words.ts";
import { othersWords, subjectOf, usualWords } from "./report/unusual.ts";
import type { Summary } from "./summary.ts";

const DIGITS = 2;

/** Lines of the text; a first sync may find many events. */
const LINES = 20;

/** Something that people want to be told. */
interface Event {
  /** Tells the event from all others, in all syncs. */
  readonly id: string;
  readonly kind: "budget" | "unusual" | "adjustment" | "failed";
  readonly text: string;
}

/** The part of the host that notices need. */
export type NoticeHost = Pick<
  WarehouseHost,
  "noticeUrl" | "now" | "post" | "readJson" | "secrets" | "warn"
>;

/** Notices of one process. */
export class Notices {
  readonly #host: NoticeHost;
  readonly #url: URL;
  /** Failures of syncs that could not open their database, and so could not remember them. */
  readonly #told = new Set<string>();

  private constructor(host: NoticeHost, url: URL) {
    this.#host = host;
    this.#url = url;
  }

  /**
   * The notices of a sync; absent if neither the environment nor a config has an address. A config that cannot be read has none: the sync
   * itself says why.
   *
   * @throws ConnectorError `invalid_config` if there are two addresses, or one that cannot be used
   */
  static async of(configs: readonly string[], host: NoticeHost): Promise<Notices | undefined> {
    const given = new Set<unknown>([host.noticeUrl]);
    for (const path of configs) {
      const file = await host.readJson(path, "config").catch(() => undefined);
      if (isObject(file)) given.add(file[NOTICE_MEMBER]);
    }
    const [address, ...others] = [...given].filter(
      (each) => each !== undefined && each !== null && each !== "",
    );
    if (address === undefined) return undefined;
    for (const each of [address, ...others]) keepSecret(each, host);
    const fault =
      typeof address === "string" ? addressFault(address, { query: true }) : "must be a text";
    if (typeof address !== "string" || fault !== undefined) {
      throw new ConnectorError(
        "invalid_config",
        `${NOTICE_MEMBER} of the config or ${NOTICE_URL} cannot be used: it ${fault ?? ""}.`,
      );
    }
    if (others.length > 0) {
      throw new ConnectorError(
        "invalid_config",
        `The configs and ${NOTICE_URL} name more than one address for notices: keep one ${NOTICE_MEMBER}.`,
      );
    }
    return new Notices(host, new URL(address));
  }

  /** Sends the events of a sync that were not sent before. If there are none, nothing is sent. */
  async tell(database: Database, summary: Summary): Promise<void> {
    const over = summary.accounts.filter(({ ok }) => ok).map(({ name }) => `failed ${name}`);
    await forget(database, [FAILED, ...over]);
    const events = [
      ...failuresOf(summary),
      ...summary.currencies.flatMap(budgetEvents),
      ...(await otherBudgetEvents(database, summary.currencies)),
      ...(await adjustmentEvents(database)),
      ...summary.currencies.flatMap(unusualEvents),
    ];
    await this.#send(database, events, { summary });
  }

  /** Sends that a sync failed as a whole. */
  async tellFailure(path: string, error: ConnectorError): Promise<void> {
    const event: Event = { id: FAILED, kind: "failed", text: `The sync failed. ${error.message}` };
    const { code, message } = error;
    const more = { error: { code, message } };
    const database = await existing(path);
    if (database === undefined) {
      if (!this.#told.has(message) && (await this.#post([event], more))) this.#told.add(message);
      return;
    }
    try {
      await this.#send(database, [event], more);
    } finally {
      database.close();
    }
  }

  async #send(database: Database, events: readonly Event[], more: object): Promise<void> {
    await database.run(NOTICES);
    const rows = await database.query("SELECT event FROM source_ai_billing.notices");
    const sent = new Set(rows.map(([id]) => id));
    const fresh = events.filter(({ id }) => !sent.has(id));
    // Remembered after it was sent: a sync that is killed in between sends an event twice, and never loses one.
    if (fresh.length === 0 || !(await this.#post(fresh, more))) return;
    const at = literal(new Date(this.#host.now()).toISOString());
    const values = fresh.map(({ id }) => `(${literal(id)}, ${at}::TIMESTAMPTZ)`);
    await database.run(`INSERT INTO source_ai_billing.notices VALUES ${values.join(", ")}`);
  }

  /** Gives whether the address took the notice. A notice that cannot be sent is no fault of the sync: the next tries again. */
  async #post(events: readonly Event[], more: object): Promise<boolean> {
    const lines = events.slice(0, LINES).map(({ text }) => text);
    const left = events.length - lines.length;
    const text = [...lines, ...(left > 0 ? [`and ${left} more`] : [])].join("\n");
    const shown = events.map(({ kind, text: words }) => ({ kind, text: words }));
    const body = this.#host.secrets.mask(JSON.stringify({ text, events: shown, ...more }));
    const fault = await this.#host.post(this.#url, body).then(
      (status) => (status >= 200 && status < 300 ? undefined : `was answered with ${status}`),
      (reason: unknown) => `failed: ${ConnectorError.from(reason).detail ?? String(reason)}`,
    );
    if (fault === undefined) return true;
    this.#host.warn(
      `The notice of ${count(events.length, "event")} was not sent, the POST ${fault}. The next sync tries again.`,
    );
    return false;
  }
}

/** The event of a sync that failed as a whole. */
const FAILED = "failed";

const NOTICES = `
  CREATE SCHEMA IF NOT EXISTS source_ai_billing;
  CREATE TABLE IF NOT EXISTS source_ai_billing.notices (event VARCHAR, sent_at TIMESTAMPTZ)`;

/** Masks the address from its path on. The host alone is no secret, and may be that of the provider. */
function keepSecret(address: unknown, { secrets }: NoticeHost): void {
  const url = typeof address === "string" ? URL.parse(address) : null;
  const path = url === null ? String(address) : `${url.pathname}${url.search}`;
  secrets.add(path.length > 1 ? [path] : []);
}

/** Forgets failures that are over: if one of them comes again, that is a new event. */
async function forget(database: Database, ids: readonly string[]): Promise<void> {
  await database.run(NOTICES);
  await database.run(
    `DELETE FROM source_ai_billing.notices WHERE event IN (${ids.map(literal).join(", ")})`,
  );
}

/**
 * The database of a failed sync; absent if there is none, if it cannot be opened, or if no sync has written to the file: a wrong
 * --database may name a file of somebody else.
 */
async function existing(path: string): Promise<Database | undefined> {
  try {
    await access(path);
    const found = await Database.open(path, "read");
    const isOwn = await isFileOfSync(found).finally(() => {
      found.close();
    });
    return isOwn ? await Database.open(path, "write") : undefined;
  } catch {
    return undefined;
  }
}

const failuresOf = ({ accounts }: Summary): Event[] =>
  accounts
    .filter(({ ok }) => !ok)
    .map(({ name, errors }) => ({
      id: `failed ${name}`,
      kind: "failed",
      text: `${name} was not read to its end. ${errors.join(" ")}`,
    }));

function budgetEvents({ currency, headline: head, teams }: Overview): Event[] {
  const { budget, isOver: isMonthOver } = head;
  const whole =
    budget?.teams === null
      ? [
          {
            team: "All costs",
            billed: budget.toDate,
            forecast: budget.forecast,
            budget: budget.amount,
          },
        ]
      : [];
  const period = { id: head.month, name: month(head.month), isOver: isMonthOver };
  // If the page leaves open whether the month stays within the budget, so does the notice.
  const range = budget !== null && isUndecided(budget, head) ? head.range : null;
  return [
    ...teamsOver(whole, isMonthOver).map((over) =>
      budgetEvent(over, currency, { ...period, range }),
    ),
    ...teamsOver(teams, isMonthOver).map((over) => budgetEvent(over, currency, period)),
  ];
}

const capitalized = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** A month or a fiscal year; `id` tells it apart from all others. */
interface Period {
  readonly id: string;
  readonly name: string;
  readonly isOver: boolean;
  /** The range in which the costs will probably end, if the budget lies inside it. */
  readonly range?: Headline["range"];
}

/** @param subject tells the budget's subject from all others, also after its name has changed */
function budgetEvent(
  over: TeamOver,
  currency: string,
  { id, name, isOver, range = null }: Period,
  subject = over.team,
): Event {
  const [budget = "", spent = "", forecast = ""] = moneyApart(
    [over.budget, over.billed, over.expected],
    DIGITS,
  );
  const limit = `the budget of ${budget}`;
  const later = over.isForecast ? `, ${forecast} by the forecast` : "";
  const billed = `${spent} ${currency}`;
  const verb = range === null ? "will" : "may";
  const ends =
    range === null
      ? ""
      : `; 80 of 100 months end from ${money(range.low, DIGITS)} to ${money(range.high, DIGITS)}`;
  // A budget that may be exceeded is told once, once more when it will be by all that is known, and once more when it is exceeded.
  const risk = range === null ? "at risk" : "undecided";
  return {
    id: `budget ${over.isAlready ? "over" : risk} ${id} ${currency} ${over.budget} ${subject}`,
    kind: "budget",
    text: over.isAlready
      ? `${over.team} exceeded ${limit} in ${name}: ${billed}${isOver ? "" : " so far"}${later}.`
      : `${over.team} ${verb} exceed ${limit} in ${name} by the forecast: ${forecast} ${currency}${ends}.`,
  };
}

/**
 * The running budgets that the first screen does not have: of projects, models, providers and fiscal years, and in the reporting
 * currency. Where the first screen has no forecast, such as while an account is behind, no forecast of a part of it is told.
 */
async function otherBudgetEvents(
  database: Database,
  overviews: readonly Overview[],
): Promise<Event[]> {
  const without = overviews.filter(({ headline: { forecast } }) => forecast === null);
  const isOpen = (currency: string, isConverted: boolean): boolean =>
    without.some((each) => isConverted || each.currency === currency);
  const rows = await database.query(`
    SELECT label, coalesce(value, ''), coalesce(shown, value, ''), coalesce('FY' || fiscal_year, strftime(first_month, '%Y-%m-%d')), billing_currency, billed_cost, forecast_cost, budget, is_converted
    FROM budget_status AS budgets
    LEFT JOIN (SELECT label, value, shown FROM label_names) AS names USING (label, value)
    WHERE (is_over OR is_forecast_over) AND (fiscal_year IS NOT NULL OR is_converted OR label NOT IN ('all', 'team'))
      AND (SELECT date_trunc('month', max(through_day)) FROM monthly_costs) BETWEEN first_month AND last_month
    ORDER BY ALL`);
  return rows.flatMap(
    ([
      label = "",
      value = "",
      shown = "",
      id = "",
      currency = "",
      billed = "0",
      expected = "null",
      budget = "0",
      all,
    ]) => {
      const forecast = isOpen(currency, all === "true") ? "null" : expected;
      const given = {
        team: label === "team" ? value : capitalized(costWords(label, shown)),
        billed: plain(billed),
        forecast: forecast === "null" ? null : plain(forecast),
        budget: plain(budget),
      };
      const period = { id, name: id.startsWith("FY") ? id : month(id), isOver: false };
      const subject = label === "team" ? value : `${label} ${value}`;
      return teamsOver([given], false).map((over) => budgetEvent(over, currency, period, subject));
    },
  );
}

const unusualEvents = ({ currency, anomalies }: Overview): Event[] =>
  anomalies.found.map((found) => {
    const { subject, day, kind, billed } = found;
    const name = subjectOf(found).replace(/^all costs/, "All costs");
    return {
      id: `unusual ${kind} ${day} ${currency} ${subject}`,
      kind: "unusual",
      text: `${name}: ${money(billed, DIGITS)} ${currency} on ${shortDate(day)}; ${usualWords(found)}${othersWords(found)}.`,
    };
  });

/**
 * Changes of closed months that no book has yet. Each new amount is an event. The book holds the accruals of what has settled since, so
 * their reversals belong to the change. A month that was closed again has not changed by what its new book takes over from other books.
 */
async function adjustmentEvents(database: Database): Promise<Event[]> {
  const rows = await database.query(`
    SELECT book_view, month, billing_currency, count(*) FILTER (kind = 'adjustment') AS adjustments, sum(amount) AS amount
    FROM adjustments WHERE is_pending AND reason <> 'reopened' GROUP BY ALL HAVING amount <> 0 AND adjustments > 0 ORDER BY ALL`);
  return rows.map(([view = "", first = "", currency = "", number = "0", sum = "0"]) => ({
    id: `adjustment ${view} ${first} ${currency} ${number} ${plain(sum)}`,
    kind: "adjustment",
    text: `${month(first)} is closed by ${view}, and changed by ${signedMoney(plain(sum), DIGITS)} ${currency} since (${count(Number(number), "adjustment")}).`,
  }));
}
