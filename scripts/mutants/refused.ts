/** The mutants of rows that a source cannot show (R11). */
import type { Mutant } from "./mutant.ts";

export const REFUSED: readonly Mutant[] = [
  {
    rule: "R11",
    file: "src/adapters/adapter.ts",
    from: "memory.owedFrom(dataset, now),",
    to: "null,",
    test: "src/adapters/engine.test.ts: R11: once it answers, the days that were read without it are read with it, once",
  },
  {
    rule: "R11",
    file: "src/adapters/memory.ts",
    from: "if (answeredOn === null) return [];",
    to: "",
    test: "src/adapters/memory.test.ts: R11: days are owed only while the report answers, and only those that it has not shown",
  },
  {
    rule: "R11",
    file: "src/adapters/memory.ts",
    from: "if (now - answeredOn < PATIENCE) return",
    to: "if (now > 0) return",
    test: "src/adapters/memory.test.ts: R11: days behind retention, which no sync reads, are owed for four days",
  },
  {
    rule: "R11",
    file: "src/adapters/refusals.ts",
    from: "if (last === undefined || last < query.start || last >= query.end) return;",
    to: "if (last !== undefined || name !== undefined) return;",
    test: "src/adapters/engine.test.ts: R11: rows that it has shown before stand, few or many, and nothing is proven meanwhile",
  },
  {
    rule: "R11",
    file: "src/core/settle.ts",
    from: "if (unproven !== null) return unproven;",
    to: "",
    test: "src/core/settle.test.ts: R11: the rows of before stand, unproven, where it shows %s on a day of before",
  },
  {
    rule: "R11",
    file: "src/core/settle.ts",
    from: "isProven && reading.unprovenBefore == null;",
    to: "isProven;",
    test: "src/core/settle.test.ts: R11: later days, and days without rows of before, have the rows that it shows, unproven",
  },
  {
    rule: "R11",
    file: "src/streams/completion.ts",
    from: 'if (this.#options.unprovenBefore() === null && ledger.state.mode === "incremental")',
    to: 'if (ledger.state.mode === "incremental")',
    test: "src/streams/completion.test.ts: R11 P6: while the source cannot show all of its rows, no window is read a second time: that reading would prove nothing",
  },
  {
    rule: "R11",
    file: "src/streams/completion.ts",
    from: "if (this.#options.unprovenBefore() !== null) return;",
    to: "",
    test: "src/streams/completion.test.ts: R11 P6: a second reading that ends after the provider has refused a report confirms nothing, and its day stays due",
  },
  {
    rule: "R11",
    file: "src/streams/source_notes.ts",
    from: "notes.recall(stream, noteOf(states.get(stream)));",
    to: "",
    test: "src/adapters/engine.test.ts: R11: its rows of before stand, nothing is proven meanwhile, and all is right once it answers again",
  },
];
