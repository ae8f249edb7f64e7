/** The reference provider with TLS: the connector refuses its certificate, and trusts it where Node is told to. */
import { existsSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ServingProcess, startProcess } from "../reference_provider/process.ts";
import { catalogOf } from "./support/config.ts";
import { launch } from "./support/process.ts";

let provider: ServingProcess;
let certificate: string;

beforeAll(async () => {
  provider = await startProcess("--tls", "--oauth");
  certificate = String(provider.greeting["certificate"]);
});
afterAll(async () => {
  await provider.stop();
});

const config = (credentials: object) => ({ base_url: provider.greeting["base_url"], credentials });
const bearer = () =>
  config({ auth_type: "scoped_bearer_token", access_token: provider.greeting["access_token"] });
const trusting = () => ({ env: { NODE_EXTRA_CA_CERTS: certificate } });

test("a certificate that nobody trusts is a configuration error, and no token is sent", async () => {
  const { stdout } = await launch("check", { config: bearer() }).done;
  expect(stdout).toContain('"FAILED"');
  expect(stdout).toMatch(/TLS|certificate/);
});

test("NODE_EXTRA_CA_CERTS makes it trusted, for data and for tokens", async () => {
  expect(provider.greeting["base_url"]).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  const read = await launch("read", { config: bearer(), catalog: catalogOf(), ...trusting() }).done;
  expect(read.code).toBe(0);
  expect(read.messages.filter(({ record }) => record !== undefined).length).toBeGreaterThan(100);
  const { client_id, client_secret, refresh_token } = provider.greeting["oauth"] as Record<
    string,
    string
  >;
  const signedIn = config({
    auth_type: "oauth2_authorization_code",
    client_id,
    client_secret,
    refresh_token,
  });
  const checked = await launch("check", { config: signedIn, ...trusting() }).done;
  expect(checked.stdout).toContain('"SUCCEEDED"');
});

test("another name of the machine stands in the certificate, whose file goes with the provider; control stays on this machine", async () => {
  const named = await startProcess("--tls", "--host", "localhost");
  expect(named.greeting["base_url"]).toMatch(/^https:\/\/localhost:/);
  const file = String(named.greeting["certificate"]);
  const trusted = { env: { NODE_EXTRA_CA_CERTS: file } };
  const credentials = {
    auth_type: "scoped_bearer_token",
    access_token: named.greeting["access_token"],
  };
  const local = { base_url: named.greeting["base_url"], credentials };
  try {
    const { stdout } = await launch("check", { config: local, ...trusted }).done;
    expect(stdout).toContain('"SUCCEEDED"');
    expect(existsSync(file)).toBe(true);
  } finally {
    await named.stop();
  }
  expect(existsSync(file)).toBe(false);
  await expect(startProcess("--host", "example.test")).rejects.toThrow("needs TLS");
  const open = startProcess("--tls", "--host", "example.test", "--control");
  await expect(open).rejects.toThrow("control is served on 127.0.0.1 only");
});
