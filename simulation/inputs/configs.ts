/** Configs and catalogs as people and platforms write them, damaged. */
import type { Random } from "../random.ts";
import { treeOf } from "./json.ts";
import { Mutator } from "./mutate.ts";
import { damaged, MARK } from "./states.ts";

const SECRETS = {
  access_token: `access-${MARK}`,
  refresh_token: `refresh-${MARK}`,
  client_secret: `client-${MARK}`,
} as const;

export function drawConfig(random: Random): Uint8Array {
  const credentials = random.chance(0.5)
    ? { auth_type: "scoped_bearer_token", access_token: SECRETS.access_token }
    : {
        auth_type: "oauth2_authorization_code",
        client_id: "client",
        client_secret: random.pick([SECRETS.client_secret, null]),
        refresh_token: SECRETS.refresh_token,
        access_token: random.pick([SECRETS.access_token, null]),
        token_expiry_date: random.pick(["2026-03-20T06:00:00Z", null]),
        authorization_url: "https://auth.example.com/authorize?prompt=login",
        token_url: random.pick(["https://auth.example.com/token", null]),
      };
  const config = {
    base_url: random.pick(ADDRESSES),
    credentials,
    start_date: random.pick([null, "2026-01-01", "2026-01-01T00:00:00Z"]),
    end_date: random.pick([null, "2026-03-01", "2025-12-31"]),
    granularity: random.pick(["1d", "1h"]),
    lookback_days: random.pick([null, 0, 3]),
    reconcile_days: random.pick([null, 0, 60, 100_000]),
    concurrency: random.int(1, 16),
    page_size: random.int(1, 1000),
    invalid_records: random.pick(["fail", "warn"]),
    account: random.pick([null, "production"]),
  };
  const present = Object.entries(config).filter(() => random.chance(0.8));
  const required = { base_url: config.base_url, credentials };
  return damaged(
    random,
    new Mutator(random, MARK),
    treeOf({ ...required, ...Object.fromEntries(present) }),
  );
}

const ADDRESSES = [
  "https://billing.example.com",
  "https://Billing.Example.com:443/a/b/",
  "http://127.0.0.1:8097",
  "http://localhost/x",
] as const;

export function drawCatalog(random: Random): Uint8Array {
  const names = ["usage", "costs", "export_windows", "invoices"] as const;
  const streams = Array.from({ length: random.int(0, 3) }, () => ({
    stream: { name: random.pick(names), json_schema: {}, supported_sync_modes: ["incremental"] },
    sync_mode: random.pick(["incremental", "full_refresh"]),
    destination_sync_mode: "append",
  }));
  return damaged(random, new Mutator(random, MARK), treeOf({ streams }));
}
