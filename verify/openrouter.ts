/** OpenRouter's assumptions. Its activity comes by the day, and only for the last 30 completed days. */
import type { JsonObject } from "../src/adapters/exact.ts";
import { IDENTITY, openrouter } from "../src/adapters/openrouter.ts";
import { objectsIn, textIn } from "../src/adapters/shape.ts";
import { DAY, floorTo, formatDay } from "../src/core/time.ts";
import type { Account } from "./account.ts";
import { type Asker, refusedWith } from "./asker.ts";
import {
  confirmed,
  contradicted,
  counted,
  type Judgment,
  notSeen,
  refusedKey,
} from "./judgment.ts";
import { addTo, type Amounts, decimalIn, judgeApart } from "./rows.ts";

/** The completed days that the activity has. */
const RETENTION_DAYS = 30;

const keyOf = (row: JsonObject): string =>
  JSON.stringify(IDENTITY.map((name) => textIn(row, name)));

const costOf = (row: JsonObject): Amounts => ({ USD: decimalIn(row, "usage") });

/** The keys of a page. */
const KEYS_A_PAGE = 100;

/** Looks for a page of keys that another one follows. */
async function judgePages(asker: Asker): Promise<Judgment> {
  const pageFrom = async (offset: number): Promise<ReadonlySet<string | null>> => {
    const parameters = [
      ["offset", String(offset)],
      ["include_disabled", "true"],
    ] as const;
    const keys = objectsIn(await asker.body("/v1/keys", parameters), "data");
    return new Set(keys.map((key) => textIn(key, "hash")));
  };
  const beginning = await pageFrom(0);
  const first = beginning.size;
  if (first > KEYS_A_PAGE) return contradicted(`a page has ${first} keys`);
  // Keys that come again show that the offset says nothing.
  const second = first === 0 ? 0 : (await pageFrom(first)).difference(beginning).size;
  if (second === 0) return notSeen(`the default workspace has ${counted(first, "key")} in all`);
  return first === KEYS_A_PAGE
    ? confirmed(`a page has ${first} keys, and another one follows`)
    : contradicted(`a page has ${counted(first, "key")}, and another one follows`);
}

/** Opens the account. See `OpenAccount`. */
export async function openOpenRouter(asker: Asker): Promise<Account> {
  const parametersOf = (day: number) =>
    [
      ["date", formatDay(day)],
      ["group_by", "workspace"],
    ] as const;
  // A refused key shows here. The provider's clock says which days are over.
  const { status, now } = await asker.get("/v1/activity", parametersOf(asker.localNow - 2 * DAY));
  if (status === 401 || status === 403) throw refusedKey(status, openrouter);
  // A wrong local clock names a day that is not there.
  if (status !== 200 && status !== 400) throw refusedWith(status);
  const today = floorTo(DAY, now);
  const read = new Map<number, Promise<JsonObject[]>>();
  const rowsOf = async (day: number): Promise<JsonObject[]> => {
    const rows = async () => objectsIn(await asker.body("/v1/activity", parametersOf(day)), "data");
    const found = read.get(day) ?? rows();
    read.set(day, found);
    return await found;
  };
  return {
    provider: "openrouter",
    api: "the activity of the account",
    now,
    id: undefined,
    earliest: today - RETENTION_DAYS * DAY,
    daysARequest: 1,
    judges: {
      "NAM-05": () => judgePages(asker),
      "ORT-03": async () => judgeApart((await rowsOf(today - DAY)).map(keyOf), "yesterday"),
    },
    sums: async (dataset, start, end) => {
      const days = new Map<number, Amounts>();
      for (let day = start; day < end; day += DAY) {
        for (const row of await rowsOf(day)) {
          if (dataset === "costs") addTo(days, day, "USD", decimalIn(row, "usage"));
          else
            for (const name of ["prompt_tokens", "completion_tokens"])
              addTo(days, day, "tokens", decimalIn(row, name));
        }
      }
      return { days, completeBefore: undefined };
    },
    groups: async (day) =>
      new Map((await rowsOf(day)).map((row) => [keyOf(row), costOf(row)] as const)),
  };
}
