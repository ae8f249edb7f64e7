/** The summary at the end of `sync`: its sums are those of the report's first screen, and those of the provider's own answers. */
import { readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { serve } from "./support/provider.ts";
import { Shell } from "./support/shell.ts";
import { sumDecimals } from "./support/warehouse.ts";
import { cost, dayAfter, world } from "./support/world.ts";

const MODELS = ["atlas", "nova", "orca", "lyra"];

/** Costs of 70 days, each with a model and a key, and a credit without either. */
const SPENT = [
  ...Array.from({ length: 70 }, (_, index) => {
    const model = MODELS[index % 4] ?? "";
    const labels = {
      x_ModelId: model,
      x_ApiKeyId: `key-${index % 3}`,
      x_ProjectId: `p-${index % 2}`,
    };
    return {
      day: dayAfter("2026-01-01", index),
      amount: `${(index * 37) % 101}.0${index % 10}1`,
      labels,
    };
  }),
  { day: "2026-03-03", amount: "-50.5", labels: { ChargeCategory: "Credit" } },
];

/** The sum of the costs of some days, by the records that the provider shows. */
const sumOf = (
  from: string,
  to: string,
  isWanted: (each: (typeof SPENT)[number]) => boolean = () => true,
): string =>
  sumDecimals(
    SPENT.filter((each) => each.day >= from && each.day < to && isWanted(each)).map(
      ({ amount }) => amount,
    ),
  );

/** An amount with two digits, as people read it. */
const shown = (amount: string): string =>
  Number(amount)
    .toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })
    .replace("-", "−");

test("the summary has the sums of the provider and of the report's first screen, in twenty lines", async () => {
  const costs = SPENT.map(({ day, amount, labels }, index) =>
    cost(`c-${index}`, day, amount, {}, labels),
  );
  await using served = await serve(
    world({ costs, limits: { retention_days: 80 } }),
    "2026-03-11T06:00:00Z",
  );
  await using shell = await Shell.open();
  await writeFile(shell.path("config.json"), JSON.stringify(served.config()));
  await writeFile(
    shell.path("teams.csv"),
    "label,value,team\nproject_id,p-0,Even\nproject_id,p-1,Odd\n",
  );
  await writeFile(
    shell.path("budgets.csv"),
    "team,month,billing_currency,budget\n,2026-03,USD,100000\nEven,2026-03,USD,1\nOdd,2026-03,USD,90000\n",
  );
  const line = ["sync", "--report", "r.html", "--teams", "teams.csv", "--budgets", "budgets.csv"];
  const { end, stdout } = await shell.run(line);
  expect(end).toBe(0);
  const lines = stdout.trimEnd().split("\n");
  expect(lines.length).toBeLessThanOrEqual(20);

  const month = (from: string, to: string): string => shown(sumOf(from, to));
  const march = sumOf("2026-03-01", "2026-03-10");
  expect(stdout).toMatch(/^Complete through March 9, 2026, day 9 of 31\./m);
  expect(stdout).toMatch(
    new RegExp(`^Months +March 2026 so far +${shown(march)} +through Mar 9; `, "m"),
  );
  expect(stdout).toMatch(
    new RegExp(`^ +February 2026 +${month("2026-02-01", "2026-03-01")}$`, "m"),
  );
  expect(stdout).toMatch(new RegExp(`^ +January 2026 +${month("2026-01-01", "2026-02-01")}$`, "m"));
  const all = shown(sumOf("2026-01-01", "2026-03-11"));
  expect(stdout).toMatch(new RegExp(`^ +All costs +${all} +since January 1, 2026$`, "m"));

  const page = await readFile(shell.path("r.html"), "utf8");
  expect(page).toContain(`<h1>${lines.find((text) => text.startsWith("March so far: "))}</h1>`);
  expect(page).toContain(
    "; 1 of 2 teams with a budget is over its budget: Even; all costs are on course to stay within",
  );

  const json = await shell.here(["sync", "--json", "--report", "r.html"]);
  const [dollars] = JSON.parse(json.stdout).currencies;
  const [view] = JSON.parse(/id="data">(.*?)<\/script>/s.exec(page)?.[1] ?? "").views;
  const { headline, moves, teams, anomalies } = view;
  expect(dollars).toMatchObject({ headline, moves, teams, anomalies });
  expect(headline.toDate).toBe(march);
  const inMarch = (wanted: (each: (typeof SPENT)[number]) => boolean) =>
    sumOf("2026-03-01", "2026-03-10", wanted);
  for (const { value, billed } of dollars.models) {
    expect(billed, value).toBe(
      inMarch(({ labels }) => "x_ModelId" in labels && labels.x_ModelId === value),
    );
  }
  for (const { value, billed } of dollars.keys) {
    expect(billed, value).toBe(
      inMarch(({ labels }) => "x_ApiKeyId" in labels && labels.x_ApiKeyId === value),
    );
  }
  const changes = moves.parts.map(({ change }: { change: string }) => change);
  const previous = sumOf("2026-02-01", "2026-02-10");
  expect(sumDecimals(changes)).toBe(sumDecimals([march, `-${previous}`]));

  const shownCosts = await shell.here(["costs", "--by", "key"]);
  expect(shownCosts).toMatchObject({ end: 0, stderr: "" });
  const table = shownCosts.stdout.trimEnd().split("\n");
  expect(table[0]).toBe("Costs by key, March 1, 2026 through March 9, 2026");
  expect(shownCosts.stdout).toMatch(new RegExp(`^All, in USD +${shown(march)}$`, "m"));
  expect(shownCosts.stdout).toMatch(/^no key \(Credit\) +−50\.50 +−12% +░+$/m);
  expect(table.at(-1)).toBe("Proof: 9 of 9 days of costs proven");

  const csv = await shell.here([
    "costs",
    "--by",
    "month",
    "--since",
    "2026-01-01",
    "--until",
    "2026-02-28",
    "--csv",
  ]);
  expect(csv.stdout).toBe(
    [
      "month,billing_currency,billed_cost",
      `2026-01,USD,${sumOf("2026-01-01", "2026-02-01")}`,
      `2026-02,USD,${sumOf("2026-02-01", "2026-03-01")}`,
      "",
    ].join("\r\n"),
  );
  const february = await shell.here([
    "costs",
    "--by",
    "model",
    "--month",
    "2026-02",
    "--top",
    "2",
    "--json",
  ]);
  const answer = JSON.parse(february.stdout);
  expect(answer).toMatchObject({
    ok: true,
    from: "2026-02-01",
    through: "2026-02-28",
    days: 28,
    proven: 28,
  });
  const [{ rows, total }] = answer.currencies;
  expect(total).toBe(sumOf("2026-02-01", "2026-03-01"));
  expect(rows).toHaveLength(3);
  expect(rows[2].value).toBe("2 others");
  expect(sumDecimals(rows.map((row: { billed_cost: string }) => row.billed_cost))).toBe(total);
  expect((await shell.here(["costs", "--by", "month", "--since", "2026-01-01"])).stdout).toMatch(
    /Proof: 68 of 68 days of costs proven$/m,
  );
  expect((await shell.here(["costs", "--until", "2025-01-01"])).stderr).toMatch(
    /ends before it begins/,
  );
  const ended = await shell.here(
    ["query", "--csv", "-"],
    "SELECT sum(billed_cost) AS billed FROM current_costs",
  );
  expect(ended.stdout).toBe(`billed\r\n${sumOf("2026-01-01", "2026-03-11")}\r\n`);
});

test("a failure with --json is an object on stdout, and its message stands on stderr too", async () => {
  await using shell = await Shell.open();
  for (const line of [
    ["sync", "--json"],
    ["query", "--json", "SELECT 1"],
    ["costs", "--json"],
  ]) {
    const { end, stdout, stderr } = await shell.run(line);
    const { ok, error } = JSON.parse(stdout);
    expect({ end, ok, stderr }).toEqual({ end: 1, ok: false, stderr: `${error.message}\n` });
    expect(error.code).toMatch(/^[a-z_]+$/);
  }
  const wrong = await shell.run(["sync", "--json", "--every", "soon"]);
  expect(wrong.end).toBe(2);
  expect(JSON.parse(wrong.stdout)).toMatchObject({
    ok: false,
    error: { code: "invalid_arguments", message: expect.stringContaining("30m, 1h or 1d") },
  });
  expect((await shell.run(["sync", "--every", "soon"])).stdout).toBe("");
});
