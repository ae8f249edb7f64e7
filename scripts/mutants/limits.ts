/** The mutants of the rules L1 to L4. */
import type { Mutant } from "./mutant.ts";

export const LIMITS: readonly Mutant[] = [
  {
    rule: "L1",
    file: "src/core/totals.ts",
    from: "if (groups.size > MAXIMUM_GROUPS) return",
    to: "if (groups.size < 0) return",
    test: "src/core/totals.test.ts: L1: a day of more than 200 groups has no totals, in a page and over pages",
  },
  {
    rule: "L1",
    file: "src/interface/scan.ts",
    from: "if (this.#noted > MAXIMUM_NOTES) return -1;",
    to: "",
    test: "src/interface/scan.test.ts: L1: a page of records without number is not plain",
  },
  {
    rule: "L1",
    file: "src/streams/rows.ts",
    from: "if (this.#columnsLength > MAXIMUM_COLUMNS) throw tooMuchText();",
    to: "",
    test: "src/streams/records.test.ts: L1: a page has at most 8 MiB of text in members that the interface does not name, where its rows are written",
  },
  {
    rule: "L2",
    file: "src/http/incoming.ts",
    from: "setTimeout(expire, limitMs)",
    to: "setTimeout(() => undefined, limitMs)",
    test: "src/http/transport.test.ts: L2: an answer has a limit of time from the request to its last byte > %s is cut off",
  },
  {
    rule: "L3",
    file: "src/core/plan.ts",
    from: "Math.min(retentionDays, MAXIMUM_RETENTION_DAYS)",
    to: "retentionDays",
    test: "src/core/plan.test.ts: L3: a plan reaches ten years back at most, whatever retention a provider claims",
  },
  {
    rule: "L3",
    file: "src/core/sightings.ts",
    from: "this.#listing.add(fingerprint.id[0] ?? 0);",
    to: "this.#listing.add(fingerprint.content[0] ?? 0);",
    test: "src/streams/reader.test.ts: L3: a listing whose pages are new but for their ids ends after 1,000 of them",
  },
  {
    rule: "L3",
    file: "src/core/listing.ts",
    from: "this.#records > RECORDS + TIMES * ids",
    to: "this.#records < 0",
    test: "src/core/listing.test.ts: L3: more ids than can be kept end a listing once each has come 100 times",
  },
  {
    rule: "L3",
    file: "src/core/listing.ts",
    from: "TIMES * (known ?? ids)",
    to: "TIMES * ids",
    test: "src/core/listing.test.ts: L3: the pages of known days are at most 10,000 and 100 for each record that they had",
  },
  {
    rule: "L4",
    file: "src/core/foreign_text.ts",
    from: '.replaceAll(/\\p{Cf}/gu, "")',
    to: "",
    test: "src/core/foreign_text.test.ts: L4: foreign text is fit for a message > %s: a message shows what is harmless",
  },
  {
    rule: "L2",
    file: "src/connector.ts",
    from: "const CHECK_PATIENCE = 10_000;",
    to: "const CHECK_PATIENCE = 60_000;",
    test: "src/connector_oauth.test.ts: L2: a check whose token endpoint drips ends within ten seconds and names the endpoint",
  },
];
