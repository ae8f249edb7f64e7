/**
 * The mutants of the rules B1 to B8. They change the compiled models, which `close` runs; `sql/` is made from `dbt/`, and never edited
 * otherwise.
 */
import type { Mutant } from "./mutant.ts";

export const BOOKS: readonly Mutant[] = [
  {
    rule: "B1",
    file: "sql/duckdb.sql",
    from: "closes.digest = coalesce(digests.digest",
    to: "closes.digest = coalesce(closes.digest",
    test: "warehouse/books.test.ts: B1: a book stays as it was written, and its digest tells if it does not",
  },
  {
    rule: "B2",
    file: "sql/duckdb.sql",
    from: "where closing.kind = 'accrual' and closing.reason <> 'estimate'",
    to: "where closing.kind = 'accrual' and closing.reason = 'estimate'",
    test: "warehouse/books.test.ts: B2: a close refuses a month that is not over, not in its order, or not certain, and says why",
  },
  {
    rule: "B3",
    file: "sql/duckdb.sql",
    from: "when cost_status = 'provisional' then 'provisional' end",
    to: "when cost_status = 'open' then 'provisional' end",
    test: "warehouse/books.test.ts: B3: accruals stand for what is provisional and for days that were not read",
  },
  {
    rule: "B4",
    file: "sql/duckdb.sql",
    from: "cast(null as timestamp), -1 * amount",
    to: "cast(null as timestamp), amount",
    test: "warehouse/books.test.ts: B4: the next close reverses each accrual in full",
  },
  {
    rule: "B5",
    file: "sql/duckdb.sql",
    from: "else 'late'",
    to: "else 'corrected'",
    test: "warehouse/books.test.ts: B5: what has changed of a closed month is an adjustment with its reason",
  },
  {
    rule: "B6",
    file: "sql/duckdb.sql",
    from: "where is_void or reason = 'reopened'",
    to: "where reason = 'reopened'",
    test: "warehouse/books.test.ts: B6: closing again says why, keeps the book before, and takes over what other books hold",
  },
  {
    rule: "B7",
    file: "sql/close_duckdb.sql",
    from: "close_id, 'teams',",
    to: "close_id, 'nothing',",
    test: "warehouse/books.test.ts: B7: teams, rates and rules for shared costs are those that were frozen with the month",
  },
  {
    rule: "B7",
    file: "sql/close_duckdb.sql",
    from: "close_id, 'exchange_rates',",
    to: "close_id, 'nothing',",
    test: "warehouse/books.test.ts: B7: teams, rates and rules for shared costs are those that were frozen with the month",
  },
  {
    rule: "B7",
    file: "sql/close_duckdb.sql",
    from: "close_id, 'shared',",
    to: "close_id, 'nothing',",
    test: "warehouse/books.test.ts: B7: teams, rates and rules for shared costs are those that were frozen with the month",
  },
  {
    rule: "B8",
    file: "sql/duckdb.sql",
    from: "having sum(amount) <> sum(booked_amount)",
    to: "having sum(amount) > sum(booked_amount)",
    test: "warehouse/books.test.ts: B8: what all books hold of a month, and what is pending, is what is known and estimated",
  },
];
