/** The command line of `costs`. */
import type { Command as Parser } from "commander";
import { addUse, optionalText, refuse } from "../src/command_options.ts";
import { BY, type By, type CostsOptions, isTime } from "./costs.ts";
import { DATABASE, databaseOf, emptyFault, formatOf } from "./shared_options.ts";

/** Adds the command to the tree. `found` gets the options of a line. */
export function addCosts(program: Parser, found: (options: CostsOptions) => void): void {
  const showing = program
    .command("costs")
    .description("show the costs of a period by model, project, key, team, provider, day or month");
  addUse(showing, {
    examples: [
      "costs",
      "costs --by key --month 2026-10",
      "costs --by month --since 2026-01-01",
      "costs --by team --since 2026-11-01 --until 2026-11-07 --csv > week.csv",
    ],
    codes: "0 the costs are shown; 1 the database is wrong; 2 the line is wrong.",
    more: `
Without a period: the month of the report, up to its newest complete day, so that the total is the
report's. Costs count on the UTC day on which their charge begins. Currencies are never added.
`,
  })
    .option("--by <label>", `one of ${Object.keys(BY).join(", ")}`, USUAL)
    .option("--month <month>", "such as 2026-10, instead of --since and --until")
    .option("--since <day>", "first day, such as 2026-10-01; the first day of all otherwise")
    .option("--until <day>", "last day; the newest complete one otherwise")
    .option("--top <number>", `how many values; otherwise ${TOP} for a person, all for a program`)
    .option(...DATABASE)
    .option("--csv", "print all values as CSV, with all digits")
    .option("--json", "print one JSON object, with decimals as text")
    .action((_, at: Parser) => found(costsOf(at)));
}

const isBy = (text: string): text is By => Object.hasOwn(BY, text);

/** Values that a person gets. */
const TOP = 20;

/** The label of a line without `--by`. */
const USUAL: By = "model";

/** The options of `costs`. Every fault is named at once. */
function costsOf(at: Parser): CostsOptions {
  const by = optionalText(at, "by") ?? USUAL;
  const [since, until] = [optionalText(at, "since"), optionalText(at, "until")];
  const month = optionalText(at, "month");
  const top = optionalText(at, "top");
  const isKnown = isBy(by);
  const faults = [
    ...emptyFault(at),
    ...(isKnown ? [] : [`--by needs one of ${Object.keys(BY).join(", ")}`]),
    ...(month === undefined || isDay(`${month}-01`)
      ? []
      : ["--month needs a month such as 2026-10"]),
    ...(since === undefined || isDay(since) ? [] : ["--since needs a day such as 2026-10-01"]),
    ...(until === undefined || isDay(until) ? [] : ["--until needs a day such as 2026-10-31"]),
    ...(month !== undefined && (since ?? until) !== undefined
      ? ["--month does not go with --since and --until"]
      : []),
    ...(top === undefined || /^[1-9]\d{0,5}$/.test(top) ? [] : ["--top needs a number above 0"]),
    ...(top !== undefined && isKnown && isTime(by) ? [`--top does not go with --by ${by}`] : []),
  ];
  const format = formatOf(at, faults);
  const database = databaseOf(at, faults);
  if (!isKnown || faults.length > 0) return refuse(at, faults.join("; "));
  const usual = format === "text" && !isTime(by) ? TOP : undefined;
  return {
    database,
    by,
    period: { from: since, through: until },
    month: month === undefined ? undefined : `${month}-01`,
    top: top === undefined ? usual : Number(top),
    format,
  };
}

/** Whether a text is a day of the calendar. */
const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) &&
  !Number.isNaN(Date.parse(text)) &&
  new Date(text).toISOString().startsWith(text);
