/** The mutants of the rules N1 and N2. */
import type { Mutant } from "./mutant.ts";

export const NAMES: readonly Mutant[] = [
  {
    rule: "N1",
    file: "src/core/names.ts",
    from: "if (this.#known.get(identity) === content) return false;",
    to: "if (this.#known.has(identity)) return false;",
    test: "src/core/names.test.ts: N1: a name is written if it is new or has changed, across states",
  },
  {
    rule: "N1",
    file: "src/streams/labels.ts",
    from: "if (this.#askedOn === formatDay(now)) return;",
    to: "",
    test: "src/streams/labels.test.ts: N1 S6: names are asked for once a day; a second sync of the day changes nothing",
  },
  {
    rule: "N1",
    file: "src/streams/labels.ts",
    from: "const readAt = Math.max(now, this.#newest + 1);",
    to: "const readAt = now;",
    test: "src/streams/labels.test.ts: N1: rows are later than earlier ones, also if the provider's clock was put back",
  },
  {
    rule: "N1",
    file: "src/catalog/catalog.ts",
    from: "...(hasNames ? [LABELS] : []),",
    to: "LABELS,",
    test: "src/catalog/catalog.test.ts: N1: names are offered only if the source has them",
  },
  {
    rule: "N2",
    file: "src/streams/labels.ts",
    from: "if (missing.length === 0) this.#known.settle();",
    to: "this.#known.settle();\n    if (missing.length === 0) return;",
    test: "src/streams/labels.test.ts: N2: names that were written before a refusal are not written again after it",
  },
  {
    rule: "N2",
    file: "src/adapters/names.ts",
    from: "return status === 429 || status >= 500 ? refused : jsonAnswer({ refused: status }, undefined);",
    to: "return refused;",
    test: "src/adapters/names.test.ts: N2: keys that only one project refuses are missing alone",
  },
  {
    rule: "N2",
    file: "src/adapters/names.ts",
    from: 'if (fresh.length === 0 && next !== null) return "its pages repeat each other";',
    to: "",
    test: "src/adapters/names.test.ts: N2: hostile lists end > a list whose pages repeat",
  },
  {
    rule: "N2",
    file: "src/core/names.ts",
    from: 'const clean = name === null || E_MAIL.test(name) ? "" : foreignText(name);',
    to: 'const clean = name === null ? "" : foreignText(name);',
    test: "src/core/names.test.ts: N2: a name with an e-mail address counts as none",
  },
];
