import { describe, expect, it } from "vitest";
import type { Environment } from "../config_place.ts";
import { ConnectorError } from "../errors.ts";
import { parseConfig } from "./config.ts";
import { readConfig } from "./config_source.ts";

const missing = new ConnectorError("invalid_config", 'The config file "…" does not exist.', {
  detail: "ENOENT",
});

/** The config of a path, where these files are. */
function configOf(
  path: string,
  environment: Environment,
  files: Readonly<Record<string, unknown>> = {},
  input = "",
): Promise<unknown> {
  return readConfig(path, {
    environment,
    readInput: () => Promise.resolve(Buffer.from(input)),
    readFile: (name) => (name in files ? Promise.resolve(files[name]) : Promise.reject(missing)),
  });
}

const ADDRESS = { AI_BILLING_BASE_URL: "https://a.example" };
const TOKEN = { AI_BILLING_TOKEN: "s3cr3t" };
const BEARER = { auth_type: "scoped_bearer_token", access_token: "s3cr3t" };

describe("a config", () => {
  it("is the file where no variable is set, or an empty one", async () => {
    const file = { base_url: "https://b.example", credentials: BEARER };
    expect(await configOf("c.json", {}, { "c.json": file })).toEqual(file);
    expect(await configOf("c.json", { AI_BILLING_TOKEN: "" }, { "c.json": file })).toEqual(file);
  });

  it("comes from stdin", async () => {
    expect(await configOf("-", {}, {}, '{"base_url": "https://b.example"}')).toEqual({
      base_url: "https://b.example",
    });
    await expect(configOf("-", {}, {}, "{")).rejects.toThrow(
      "The config from stdin is not valid JSON: look at line 1",
    );
    await expect(configOf("-", {}, {}, "")).rejects.toThrow("The config from stdin is empty");
  });

  it("comes from the variables alone, for a token and for each key", async () => {
    const config = await configOf("config.json", { ...ADDRESS, ...TOKEN });
    expect(config).toEqual({ base_url: "https://a.example", credentials: BEARER });
    for (const name of ["anthropic", "openai", "openrouter"]) {
      const own = await configOf("config.json", { ...TOKEN, AI_BILLING_PROVIDER: name });
      expect(parseConfig(own).provider).toMatchObject({ name });
    }
  });

  it("is a file that the variables complete", async () => {
    const files = { "config.json": { start_date: "2026-01-01", credentials: null } };
    expect(await configOf("config.json", { ...ADDRESS, ...TOKEN }, files)).toEqual({
      start_date: "2026-01-01",
      base_url: "https://a.example",
      credentials: BEARER,
    });
  });

  it("that is no object is left to the rules of a config", async () => {
    expect(await configOf("c", { ...ADDRESS, ...TOKEN }, { c: [] })).toEqual([]);
  });
});

describe("is refused", () => {
  it("without a file and without a secret, with all ways to give one", async () => {
    await expect(configOf("config.json", ADDRESS)).rejects.toThrow(
      "does not exist. Make it with `source-ai-billing init`, name another one with --config, or set " +
        "AI_BILLING_BASE_URL and AI_BILLING_TOKEN.",
    );
  });

  it("where the file that the line names is missing, whatever is set", async () => {
    await expect(configOf("other.json", { ...ADDRESS, ...TOKEN })).rejects.toBe(missing);
  });

  it("where file and variables disagree, with every fault at once and no value", async () => {
    const files = { c: { base_url: "https://b.example", credentials: BEARER } };
    const both = configOf("c", { ...ADDRESS, ...TOKEN, AI_BILLING_PROVIDER: "wrong-one" }, files);
    const { message } = await both.then(
      () => new Error("it was accepted"),
      (reason: unknown) => ConnectorError.from(reason),
    );
    expect(message).toBe(
      "The config is not clear. AI_BILLING_BASE_URL is set, and the config has another base_url: remove one of the two. " +
        "AI_BILLING_TOKEN is set, and the config has credentials: remove one of the two. " +
        "AI_BILLING_PROVIDER must be one of interface, anthropic, openai, openrouter.",
    );
  });

  it.each([
    [
      TOKEN,
      "AI_BILLING_TOKEN is set without an address: set AI_BILLING_BASE_URL or AI_BILLING_PROVIDER",
    ],
    [{ AI_BILLING_PROVIDER: "openai" }, "AI_BILLING_PROVIDER is set without AI_BILLING_TOKEN"],
    [{ ...TOKEN, AI_BILLING_PROVIDER: "toString" }, "AI_BILLING_PROVIDER must be one of"],
  ])("with %j", async (environment, words) => {
    await expect(configOf("config.json", environment, { "config.json": {} })).rejects.toThrow(
      words,
    );
  });

  it("with a list of accounts, where a variable would be the secret of one of them", async () => {
    const file = { accounts: [{ name: "a" }] };
    expect(await configOf("c.json", {}, { "c.json": file })).toEqual(file);
    await expect(configOf("c.json", { ...ADDRESS, ...TOKEN }, { "c.json": file })).rejects.toThrow(
      "AI_BILLING_BASE_URL and AI_BILLING_TOKEN would be those of one account: remove the variables",
    );
    // The remedy is to remove the variable, so nothing asks for another one beside it.
    await expect(configOf("c.json", TOKEN, { "c.json": file })).rejects.toThrow(
      /and AI_BILLING_TOKEN would be those of one account: remove the variables\.$/,
    );
    expect(() => parseConfig(file)).toThrow("a list of accounts, which only `sync` reads");
  });

  it("says the same base_url twice without a fault", async () => {
    const files = { c: { base_url: "https://a.example", credentials: BEARER } };
    expect(await configOf("c", ADDRESS, files)).toEqual(files.c);
  });
});
