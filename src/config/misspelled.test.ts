import { expect, test } from "vitest";
import { misspelledKeys } from "./misspelled.ts";

const credentials = { auth_type: "oauth2_authorization_code", client_id: "c", refresh_token: "r" };

test.each([
  ["start_dat", "start_date"],
  ["startDate", "start_date"],
  ["end-date", "end_date"],
  ["lookback_day", "lookback_days"],
  ["Granularity", "granularity"],
  ["baseurl", "base_url"],
])("%s is warned of: it is nearly %s", (key, meant) => {
  expect(misspelledKeys({ credentials, [key]: 1 })).toEqual([
    `The config has the unknown key ${key}, which is ignored. Did you mean ${meant}?`,
  ]);
});

test("keys of the credentials are compared with those of the credentials", () => {
  expect(misspelledKeys({ credentials: { ...credentials, tokenurl: "x" } })).toEqual([
    "The config has the unknown key credentials.tokenurl, which is ignored. Did you mean credentials.token_url?",
  ]);
});

test.each([
  { credentials, start_date: "2026-01-01", __injected: 1, workspaceId: "x", option_title: "y" },
  { credentials: { ...credentials, "sk-0xC0FFEE start_date": 1 } },
  { credentials: ["start_dat"] },
  null,
  [],
])("nothing is said of %j", (config) => {
  expect(misspelledKeys(config)).toEqual([]);
});

test("a config of many keys is compared in part only", () => {
  const keys = Array.from({ length: 100_000 }, (_, index) => [
    `start_d${"abc"[index % 3]}${index}`,
    1,
  ]);
  expect(misspelledKeys(Object.fromEntries(keys))).toEqual([]);
});
