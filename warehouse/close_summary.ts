/** The message of a close: the book that was written. */
import type { Database } from "./database.ts";
import { literal } from "./columns.ts";
import { add, plain } from "./decimals.ts";
import { count } from "./report/format.ts";
import { alignedLines } from "./text.ts";

/** Lines of a book by month, kind, reason and currency. */
export interface BookSum {
  readonly month: string;
  readonly kind: string;
  readonly reason: string;
  readonly currency: string;
  readonly amount: string;
}

/** Days of an account, such as `2026-10-01 to 2026-10-05`. Its name is empty if it is the only one and has no label. */
export interface Unread {
  readonly account: string;
  readonly days: readonly string[];
}

/** `--json` prints it as it is. Amounts are decimals as text. */
export interface ClosedBook {
  readonly id: string;
  readonly digest: string;
  /** The instant of the newest data. */
  readonly data_as_of: string;
  readonly sums: readonly BookSum[];
  /**
   * The book in the reporting currency; empty if there is no such currency. `without_rate` counts the entries that are not in
   * `amount`, because no rate is given for them.
   */
  readonly converted: readonly {
    readonly currency: string;
    readonly amount: string;
    readonly without_rate: number;
  }[];
  /** Days that were not read, and that no estimate of the book stands for. */
  readonly not_read: readonly Unread[];
  /** Costs of all months before the first book of the view, by currency. */
  readonly before_the_books: readonly { readonly currency: string; readonly amount: string }[];
}

/**
 * Reads a book from the models.
 *
 * @param unread the days that were not read, and that no estimate stands for
 */
export async function closedBook(
  database: Database,
  id: string,
  unread: readonly Unread[],
): Promise<ClosedBook> {
  const [made] = await database.query(
    `SELECT digest, coalesce(data_as_of::VARCHAR, '') FROM closes WHERE close_id = ${literal(id)}`,
  );
  const sums = await database.query(`
    SELECT strftime(month, '%Y-%m'), kind, reason, billing_currency, sum(amount) FROM close_lines
    WHERE close_id = ${literal(id)} GROUP BY ALL ORDER BY 1 DESC, 2, 3, 4`);
  const converted = await database.query(`
    SELECT reporting_currency, coalesce(sum(converted_amount), 0), count(*) FILTER (converted_amount IS NULL) FROM close_entries
    WHERE close_id = ${literal(id)} AND reporting_currency IS NOT NULL GROUP BY ALL ORDER BY ALL`);
  const before = await database.query(`
    SELECT billing_currency, known FROM book_balance
    WHERE state = 'before the books' AND book_view = (SELECT book_view FROM closes WHERE close_id = ${literal(id)})
    ORDER BY 1`);
  return {
    id,
    digest: made?.[0] ?? "",
    data_as_of: made?.[1] ?? "",
    sums: sums.map(([month = "", kind = "", reason = "", currency = "", amount = "0"]) => ({
      month,
      kind,
      reason,
      currency,
      amount: plain(amount),
    })),
    converted: converted.map(([currency = "", amount = "0", without = "0"]) => ({
      currency,
      amount: plain(amount),
      without_rate: Number(without),
    })),
    not_read: unread,
    before_the_books: before.map(([currency = "", amount = "0"]) => ({
      currency,
      amount: plain(amount),
    })),
  };
}

/** The closed book as lines for people. */
export function closedLines(book: ClosedBook): string[] {
  const { id, digest, sums, converted, not_read: unread, before_the_books: before } = book;
  const currencies = [...new Set(sums.map(({ currency }) => currency))].toSorted();
  const totals = currencies.map((currency) => [
    "book",
    "",
    "",
    currency,
    add(sums.filter((sum) => sum.currency === currency).map(({ amount }) => amount)),
  ]);
  const rows = sums.map(({ month, kind, reason, currency, amount }) => [
    month,
    kind,
    reason,
    currency,
    amount,
  ]);
  return [
    `Closed  ${id}`,
    ...alignedLines(
      [
        { title: "month" },
        { title: "kind" },
        { title: "reason" },
        { title: "currency" },
        { title: "amount", align: "right" },
      ],
      [...rows, ...totals],
    ),
    ...converted.map(
      ({ currency, amount, without_rate: without }) =>
        `In ${currency} at the frozen rates: ${amount}${without === 0 ? "" : `, without ${count(without, "entry", "entries")} that no rate is known for`}`,
    ),
    ...unread.map(
      ({ account, days }) =>
        `Not in it: ${account === "" ? "" : `account ${account}, `}${days.join(", ")}, which ${days.length === 1 && !days[0]?.includes(" to ") ? "was" : "were"} not read, without an estimate`,
    ),
    ...before.map(({ currency, amount }) => `Before the books: ${amount} ${currency}`),
    `Digest  ${digest}`,
  ];
}
